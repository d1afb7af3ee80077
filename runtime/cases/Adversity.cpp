//===- Adversity.cpp - What a run must not depend on ----------------------===//

#include "runtime/cases/Adversity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace weft;
using namespace weft::cases;
using llvm::StringRef;

StringRef weft::cases::describe(Adversity adversity) {
  switch (adversity) {
  case Adversity::NaN:
    return "under poison, 0xFF";
  case Adversity::Large:
    return "under poison, 0x7B";
  case Adversity::OldResults:
    return "after a call with other inputs";
  case Adversity::OtherProblem:
    return "after a smaller problem";
  case Adversity::SecondStream:
    return "beside another plan";
  }
  return "";
}

llvm::Expected<std::vector<Adversity>>
weft::cases::parseAdversities(StringRef text) {
  std::vector<Adversity> list;
  llvm::SmallVector<StringRef> names;
  text.split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef name : names) {
    const llvm::StringLiteral *found = llvm::find(adversityNames, name);
    if (name == "all")
      for (size_t i = 0; i < adversityNames.size(); ++i)
        list.push_back(Adversity(i));
    else if (found != adversityNames.end())
      list.push_back(Adversity(found - adversityNames.begin()));
    else
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "there is no '" + name + "' to poison with; allowed: " +
              llvm::join(adversityNames.begin(), adversityNames.end(), ", ") +
              ", all");
  }
  return list;
}

std::optional<uint8_t> weft::cases::patternOf(Adversity adversity) {
  if (adversity == Adversity::NaN)
    return 0xff;
  if (adversity == Adversity::Large)
    return 0x7b;
  return std::nullopt;
}

/// Packed sequences half as long, with the room that was between them.
static void halvePacked(CallSide &side) {
  std::vector<int32_t> used = *side.cuSeqlens;
  std::vector<int32_t> starts =
      side.cuSeqlensPadded ? *side.cuSeqlensPadded : used;
  int32_t oldEnd = std::max(starts.back(), 0);
  for (size_t b = 0; b + 1 < used.size(); ++b) {
    int32_t length = (*side.cuSeqlens)[b + 1] - (*side.cuSeqlens)[b];
    int32_t slot = side.cuSeqlensPadded ? (*side.cuSeqlensPadded)[b + 1] -
                                              (*side.cuSeqlensPadded)[b]
                                        : length;
    used[b + 1] = used[b] + length / 2;
    starts[b + 1] = starts[b] + slot - length + length / 2;
  }
  if (side.total)
    *side.total -= oldEnd - std::max(starts.back(), 0);
  side.cuSeqlens = used;
  if (side.cuSeqlensPadded)
    side.cuSeqlensPadded = starts;
}

static void halve(CallSide &side) {
  if (side.cuSeqlens)
    return halvePacked(side);
  if (side.seqlens)
    for (int32_t &length : *side.seqlens)
      length /= 2;
  *side.seqlen -= *side.seqlen / 2;
}

CaseFile weft::cases::smallerProblem(const CaseFile &file, size_t n) {
  CaseFile smaller = file;
  smaller.calls = {file.calls[n]};
  smaller.expect.clear();
  // Other inputs as well.
  smaller.inputs.seed = file.inputs.seed + 1;
  for (CallSide *side : {&smaller.calls[0].q, &smaller.calls[0].kv})
    halve(*side);
  return smaller;
}
