//===- ExplainText.cpp - A plan's story as text ---------------------------===//

#include "compiler/explain/Tell.h"
#include "compiler/verify/Assumptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;

/// "the caller, @dkdv from step 5, the caller from step 9".
static std::string ownersText(const BufferStory &buffer) {
  std::string text, last;
  for (auto [step, owner] : llvm::enumerate(buffer.ownerAfter)) {
    if (owner == last || owner.empty())
      continue;
    text += (text.empty() ? "" : ", ") + owner;
    if (step > 0)
      text += " from step " + llvm::utostr(step);
    last = owner;
  }
  if (buffer.released)
    text += ", released by step " + llvm::utostr(unsigned(buffer.released));
  return text;
}

static void tellBuffer(llvm::raw_ostream &os, const BufferStory &buffer) {
  std::string owner;
  switch (buffer.owner) {
  case BufferStory::Owner::Input:
    owner = "the caller's, only read";
    break;
  case BufferStory::Owner::Result:
    owner = "the caller's, a result";
    break;
  case BufferStory::Owner::Workspace:
    owner = llvm::formatv("the plan's workspace from step {0} to {1}",
                          buffer.reserved, buffer.released);
    break;
  }
  os << llvm::formatv("    {0,-16} {1,-29} {2}\n", buffer.name, buffer.shape,
                      owner);
  os << "        bytes        " << buffer.bytes.str() << "\n";
  if (buffer.offset)
    os << "        at offset    " << buffer.offset->str() << "\n";
  // Neighbouring domains with one story share a line.
  llvm::ArrayRef<DomainStory> domains = buffer.domains;
  while (!domains.empty()) {
    llvm::StringRef how = domains.front().initialiser;
    llvm::ArrayRef<DomainStory> same = domains.take_while(
        [&](const DomainStory &domain) { return domain.initialiser == how; });
    domains = domains.drop_front(same.size());
    llvm::SmallVector<plan::Domain> names;
    for (const DomainStory &domain : same)
      names.push_back(domain.domain);
    if (how.empty())
      how = buffer.owner == BufferStory::Owner::Input
                ? "may hold anything: never read"
                : "not initialised: never read";
    os << llvm::formatv("        {0,-11}  {1}\n", domainNames(names), how);
  }
  if (buffer.owner != BufferStory::Owner::Input)
    os << "        owner        " << ownersText(buffer) << "\n";
}

static void tellStep(llvm::raw_ostream &os, const PlanStory &plan,
                     const StepStory &step, size_t number) {
  std::string text;
  switch (step.kind) {
  case StepStory::Kind::Reserve:
    text = "reserve " + step.name;
    break;
  case StepStory::Kind::Memset:
    text = "memset " + step.name + " with " + step.accesses[0].value;
    break;
  case StepStory::Kind::Fill:
    text = "fill " + step.name + " (" + domainNames(step.accesses[0].domains) +
           ") with " + step.accesses[0].value;
    break;
  case StepStory::Kind::Launch:
    text = "launch " + step.name + (step.early ? " early" : "") + ", " +
           step.ctas.str() + " CTAs";
    break;
  case StepStory::Kind::Release:
    text = "release " + step.name;
    break;
  case StepStory::Kind::Return: {
    llvm::SmallVector<llvm::StringRef> names;
    for (const AccessStory &access : step.accesses)
      names.push_back(plan.buffers[access.buffer].name);
    os << "  returns " << llvm::join(names, ", ") << "\n\n";
    return;
  }
  }
  if (step.kind == StepStory::Kind::Launch)
    for (auto [verb, kinds] :
         {std::pair("reads  ", std::pair(AccessStory::Kind::Read,
                                         AccessStory::Kind::Read)),
          std::pair("adds to",
                    std::pair(AccessStory::Kind::Add, AccessStory::Kind::Add)),
          std::pair("counts ", std::pair(AccessStory::Kind::Count,
                                         AccessStory::Kind::Count)),
          std::pair("writes ", std::pair(AccessStory::Kind::Write,
                                         AccessStory::Kind::Fill))}) {
      std::string list;
      for (const AccessStory &access : step.accesses) {
        if (access.kind != kinds.first && access.kind != kinds.second)
          continue;
        list += (list.empty() ? "" : ", ") + plan.buffers[access.buffer].name +
                " (" + domainNames(access.domains) + ")";
        if (access.kind == AccessStory::Kind::Fill)
          list += " = " + access.value;
        else if (!access.value.empty())
          list += " " + access.value;
      }
      if (!list.empty())
        text += std::string("\n         ") + verb + " " + list;
    }
  os << llvm::formatv("    {0,3}  {1}\n", number, text);
}

static void tellPlan(llvm::raw_ostream &os, const PlanStory &plan) {
  os << "plan @" << plan.name;
  if (!plan.guard.empty())
    os << ", taken if " << plan.guard;
  if (plan.guardHolds)
    os << (*plan.guardHolds ? " (holds for this problem)"
                            : " (does not hold for this problem)");
  os << "\n  buffers: who owns them, who initialises each domain\n";
  for (const BufferStory &buffer : plan.buffers)
    tellBuffer(os, buffer);
  os << "  steps, in order\n";
  if (plan.arenaBytes && *plan.arenaBytes)
    os << "    workspace of this problem: "
       << Amount{"", plan.arenaBytes}.str().substr(3) << " bytes\n";
  for (auto [index, step] : llvm::enumerate(plan.steps))
    tellStep(os, plan, step, index + 1);
}

/// What holds of every plan that passed the verifier, and what that rests on.
static const char kClosing[] =
    R"(domains of a buffer's rows
    valid  rows of a sequence's used length
    tail   rows behind the last sequence
    gap    all others: padding between sequences, and rows before the first

checked of this plan
    every read and every add finds the state it needs
    every result is written on valid and filled on gap and tail when it returns
    a buffer has one owner at a time, and nothing outlives the plan
    workspace buffers that live at the same time are disjoint and aligned
    kernel bodies keep their contracts, before and after they are scheduled:
    they read and write those domains, all of them, at every length

trusted, not proved
)";

/// The assumptions of the proofs, each with who sees to it.
static void tellAssumptions(llvm::raw_ostream &os) {
  for (const Assumption &assumption : proofAssumptions())
    os << llvm::formatv("    {0,-9}  {1}\n               ({2})\n",
                        assumption.name, assumption.what, assumption.why);
}

std::string weft::tellAsText(llvm::ArrayRef<PlanStory> plans) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const PlanStory &plan : plans)
    tellPlan(os, plan);
  os << kClosing;
  tellAssumptions(os);
  return text;
}
