//===- weftc.cpp - Compiles attention problems ahead of time --------------===//
//
//   weftc compile "backward bf16 head_dim=128 head_ratio=4 layout=thd"
//       --arch=sm_90a --emit=cuda -o kernels.cu --report
//   weftc compile 2-plan.mlir --from=plan --arch=sm_90a
//   weftc compile --manifest=specs.json --arch=sm_90a,sm_80 -o model.weftpack
//   weftc inspect model.weftpack
//   weftc merge a.weftpack b.weftpack -o model.weftpack
//   weftc targets
//
//===----------------------------------------------------------------------===//

#include "compiler/explain/Explain.h"
#include "compiler/tuning/Tuning.h"
#include "runtime/cache/CachedProgram.h"
#include "runtime/compile/Nvrtc.h"
#include "runtime/program/Names.h"
#include "runtime/support/OutputFile.h"
#include "tools/weftc/CacheCommand.h"
#include "tools/weftc/PackCommands.h"
#include "tools/weftc/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <set>

using namespace llvm;
using namespace weft;

namespace {
// What --emit names: the stages of the ladder, then what NVRTC makes.
enum class Emit {
  None,
  Attn,
  Plan,
  Tile,
  Warp,
  EmitC,
  Cuda,
  Ptx,
  Cubin,
  Program
};
} // namespace

static cl::OptionCategory category("weftc options");
static cl::SubCommand compileCommand("compile",
                                     "Compile one problem, or a manifest");
static cl::SubCommand inspectCommand("inspect", "Show and check a pack");
static cl::SubCommand mergeCommand("merge", "Make one pack of several");
static cl::SubCommand cacheCommand("cache", "Look after the cache of compiled "
                                            "kernels");
static cl::SubCommand targetsCommand("targets", "List the targets");

// One; a list, so that a spec without quotes can be told from other mistakes.
static cl::list<std::string>
    inputs(cl::Positional, cl::sub(compileCommand), cl::cat(category),
           cl::desc("<spec line, or FILE.mlir with --from>"));
static cl::opt<std::string>
    arch("arch", cl::sub(compileCommand), cl::cat(category), cl::init("sm_90a"),
         cl::desc("Target (default sm_90a); for a manifest a list, in place of "
                  "those it names"),
         cl::value_desc("name"));
static cl::opt<std::string>
    manifest("manifest", cl::sub(compileCommand), cl::cat(category),
             cl::desc("Compile the problems of a manifest, one JSON value a "
                      "line, into the pack that -o names"),
             cl::value_desc("FILE"));
static cl::opt<std::string>
    shard("shard", cl::sub(compileCommand), cl::cat(category), cl::init("0/1"),
          cl::desc("Of a manifest: every n-th problem, from the i-th"),
          cl::value_desc("i/n"));
static cl::opt<unsigned>
    jobs("jobs", cl::sub(compileCommand), cl::cat(category), cl::init(0),
         cl::desc("Of a manifest: compiles at a time (default: one per core)"),
         cl::value_desc("n"));
static cl::opt<std::string> packFile(cl::Positional, cl::Required,
                                     cl::sub(inspectCommand), cl::cat(category),
                                     cl::desc("<pack>"));
static cl::opt<bool> asJson("json", cl::sub(inspectCommand), cl::cat(category),
                            cl::desc("Print JSON, with every kernel"));
static cl::list<std::string> packFiles(cl::Positional, cl::OneOrMore,
                                       cl::sub(mergeCommand), cl::cat(category),
                                       cl::desc("<packs>"));
static cl::opt<Emit>
    emit("emit", cl::sub(compileCommand), cl::cat(category),
         cl::init(Emit::None), cl::desc("What to write:"),
         cl::values(clEnumValN(Emit::Attn, "attn", "the problem"),
                    clEnumValN(Emit::Plan, "plan", "launches and ownership"),
                    clEnumValN(Emit::Tile, "tile", "kernels on tiles"),
                    clEnumValN(Emit::Warp, "warp", "kernels with a schedule"),
                    clEnumValN(Emit::EmitC, "emitc", "kernels as C"),
                    clEnumValN(Emit::Cuda, "cuda", "CUDA C++ text"),
                    clEnumValN(Emit::Ptx, "ptx", "PTX, per kernel"),
                    clEnumValN(Emit::Cubin, "cubin", "cubins, per kernel"),
                    clEnumValN(Emit::Program, "program",
                               "the launch program with its cubins, which an "
                               "executor runs")));
static cl::opt<Stage>
    from("from", cl::sub(compileCommand), cl::cat(category),
         cl::init(Stage::Attn),
         cl::desc("Stage that FILE.mlir is at (default attn):"),
         cl::values(clEnumValN(Stage::Attn, "attn", ""),
                    clEnumValN(Stage::Plan, "plan", ""),
                    clEnumValN(Stage::Tile, "tile", ""),
                    clEnumValN(Stage::Warp, "warp", ""),
                    clEnumValN(Stage::EmitC, "emitc", "")));
static cl::opt<std::string>
    output("o", cl::sub(compileCommand), cl::sub(mergeCommand),
           cl::cat(category), cl::init("-"),
           cl::desc("Pack to write, or file for --emit (default: standard "
                    "output). With several "
                    "kernels, PTX and cubins go to FILE.KERNEL"),
           cl::value_desc("FILE"));
static cl::opt<bool>
    report("report", cl::sub(compileCommand), cl::cat(category),
           cl::desc("Print registers, spills, shared memory, warnings and "
                    "times as JSON (the default without --emit)"));
static cl::opt<std::string> explainFile(
    "explain", cl::sub(compileCommand), cl::cat(category), cl::ValueOptional,
    cl::value_desc("FILE.svg"),
    cl::desc("Print the plans: who owns and who initialises each buffer; or "
             "draw them"));
static cl::opt<std::string> sizesAtHand(
    "sizes", cl::sub(compileCommand), cl::cat(category),
    cl::value_desc("name=n,.."),
    cl::desc("The problem that --explain speaks of: batch, rows_q, rows_kv, "
             "heads_q, heads_kv, of batch layouts seqlen_q and seqlen_kv, and "
             "sm_count (default 132)"));
static cl::opt<std::string>
    tuningFile("tuning", cl::sub(compileCommand), cl::cat(category),
               cl::desc("Tuning table in place of the target's own"),
               cl::value_desc("FILE.json"));
static cl::opt<bool> lineInfo("lineinfo", cl::sub(compileCommand),
                              cl::cat(category),
                              cl::desc("Keep source lines in the cubins"));

static cl::opt<std::string>
    cacheAction(cl::Positional, cl::Required, cl::sub(cacheCommand),
                cl::cat(category),
                cl::desc("<list (every entry) | verify (every entry; fails if "
                         "one is damaged) | prune (what is damaged, left over "
                         "or too much) | clear (every entry)>"));
static cl::opt<std::string>
    cacheFolder("dir", cl::sub(cacheCommand), cl::cat(category),
                cl::desc("The cache's folder (default: WEFT_CACHE_DIR, else "
                         "the one the library uses)"),
                cl::value_desc("DIR"));
static cl::opt<std::string>
    cacheBytes("max-bytes", cl::sub(cacheCommand), cl::cat(category),
               cl::desc("What prune leaves at most, with K, M or G behind it "
                        "if you like (default: WEFT_CACHE_MAX_BYTES, else "
                        "1G)"),
               cl::value_desc("n"));
static cl::opt<uint64_t>
    cacheEntries("max-entries", cl::sub(cacheCommand), cl::cat(category),
                 cl::desc("What prune leaves at most (default: "
                          "WEFT_CACHE_MAX_ENTRIES, else 4096)"),
                 cl::value_desc("n"));

static int fail(const Twine &message) {
  WithColor::error(errs(), "weftc") << message << "\n";
  return 1;
}

static Error writeOutput(StringRef bytes) {
  if (output != "-")
    return writeFile(Twine(output), bytes);
  outs() << bytes;
  return Error::success();
}

// PTX and cubins: one file if there is one kernel, else one for each.
static Error writeKernels(ArrayRef<CompiledKernel> kernels, bool cubin) {
  auto bytes = [&](const CompiledKernel &kernel) -> const std::string & {
    return cubin ? kernel.cubin : kernel.ptx;
  };
  if (kernels.size() == 1)
    return writeOutput(bytes(kernels[0]));
  if (output == "-") {
    for (const CompiledKernel &kernel : kernels)
      outs() << "// " << kernel.name << "\n" << kernel.ptx << "\n";
    return Error::success();
  }
  for (const CompiledKernel &kernel : kernels)
    if (Error error = writeFile(output + "." + kernel.name, bytes(kernel)))
      return error;
  return Error::success();
}

static Error writeProgram(const AssembledProgram &assembled) {
  Expected<std::vector<uint8_t>> bytes = program::serialize(assembled.program);
  if (!bytes)
    return bytes.takeError();
  return writeOutput(toStringRef(*bytes));
}

static bool isGiven(const cl::Option &option) {
  return option.getNumOccurrences() > 0;
}

/// What is compiled: a spec, or the name of a module's file.
static StringRef input() { return inputs.front(); }

static bool isModule() { return input().ends_with(".mlir"); }

// The text of every stage of a compile of the input, and what came of it.
static Expected<CompiledText> makeText(const Target &target,
                                       std::map<Stage, std::string> &stages) {
  auto onStage = [&](Stage stage, const std::string &text) {
    stages[stage] = text;
  };
  if (!isModule()) {
    Expected<AttentionSpec> spec = AttentionSpec::parse(input());
    if (!spec)
      return spec.takeError();
    return compileToText(*spec, target, onStage);
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(input());
  if (!file)
    return createStringError("cannot read '" + input() +
                             "': " + file.getError().message());
  return compileStageToText((*file)->getBuffer(), from, target, onStage);
}

// What --sizes says; what it leaves out is 0.
static Expected<program::SizeValues> parseSizes() {
  program::SizeValues sizes;
  sizes[program::SizeKind::sm_count] = 132;
  std::set<program::SizeKind> given;
  SmallVector<StringRef> entries;
  StringRef(sizesAtHand).split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    auto [name, value] = entry.split('=');
    int64_t number = 0;
    std::optional<program::SizeKind> found = program::toSizeKind(name);
    if (!found || value.getAsInteger(10, number) || number < 0)
      return createStringError(
          "--sizes has '" + entry +
          "'; give NAME=NUMBER with a name of batch, seqlen_q, seqlen_kv, "
          "rows_q, rows_kv, heads_q, heads_kv, sm_count");
    if (!given.insert(*found).second)
      return createStringError("--sizes gives " + name +
                               " twice; give it once");
    sizes[*found] = number;
  }
  std::string missing;
  auto need = [&](const Twine &name, bool isThere) {
    if (!isThere)
      missing += (missing.empty() ? "" : ", ") + name.str();
  };
  auto has = [&](program::SizeKind kind) { return given.count(kind) > 0; };
  need("batch", has(program::SizeKind::batch));
  need("heads_q", has(program::SizeKind::heads_q));
  need("heads_kv", has(program::SizeKind::heads_kv));
  need("seqlen_q or rows_q",
       has(program::SizeKind::seqlen_q) || has(program::SizeKind::rows_q));
  need("seqlen_kv or rows_kv",
       has(program::SizeKind::seqlen_kv) || has(program::SizeKind::rows_kv));
  if (!missing.empty())
    return createStringError("--sizes lacks " + missing +
                             "; figures need all of a problem's sizes");
  return sizes;
}

// Explains the plans of `planText`, where --explain says.
static Error explain(StringRef planText) {
  ExplainOptions options;
  if (isGiven(sizesAtHand)) {
    Expected<program::SizeValues> sizes = parseSizes();
    if (!sizes)
      return sizes.takeError();
    options.sizes = *sizes;
  }
  options.drawing = !explainFile.empty();
  Expected<std::string> explanation = explainPlan(planText, options);
  if (!explanation)
    return explanation.takeError();
  if (options.drawing)
    return writeFile(explainFile, *explanation);
  outs() << *explanation;
  return Error::success();
}

// A report is what there is to give where nothing else is asked for.
static bool wantsReport() {
  return report || (emit == Emit::None && !isGiven(explainFile));
}

// More than one word in the place of the spec.
static Error severalInputs() {
  if (isGiven(explainFile) && explainFile.empty())
    for (StringRef word : inputs)
      if (word.ends_with(".svg"))
        return createStringError("'" + word +
                                 "' stands alone; to draw there, write "
                                 "--explain=" +
                                 word);
  return createStringError(
      "'" + inputs[0] + "' and '" + inputs[1] +
      "' are given; a spec is one word to the shell, in quotes: \"" +
      join(inputs, " ") + "\"");
}

// Refuses options that say nothing here, and outputs that cannot be written,
// before the work that would be lost.
static Error checkRequest() {
  if (inputs.empty())
    return createStringError(
        "there is nothing to compile; give a spec such as \"forward bf16 "
        "head_dim=128 layout=thd\", or --manifest=FILE");
  if (inputs.size() > 1)
    return severalInputs();
  bool explains = isGiven(explainFile);
  bool cubins = emit >= Emit::Ptx || wantsReport();
  struct Rule {
    const cl::Option &option;
    bool says;
    const char *otherwise;
  };
  const Rule rules[] = {
      {shard, false, "without --manifest; one problem has no parts"},
      {jobs, false, "without --manifest; one problem has no parts"},
      {from, isModule(), "with a spec; it is of a FILE.mlir"},
      {tuningFile, !isModule() || from == Stage::Attn,
       "with a module whose schedules are chosen; begin with the problem"},
      {sizesAtHand, explains, "without --explain, which speaks of them"},
      {lineInfo, cubins, "where no cubins are made; see --emit, --report"},
      {output, emit != Emit::None, "without --emit, which says what to write"},
  };
  for (const Rule &rule : rules)
    if (isGiven(rule.option) && !rule.says)
      return createStringError((rule.option.ArgStr.size() == 1 ? "-" : "--") +
                               rule.option.ArgStr + " is given " +
                               rule.otherwise);
  Stage first = isModule() ? Stage(from) : Stage::Attn;
  if (emit != Emit::None && emit <= Emit::Cuda)
    if (auto stage = Stage(int(emit.getValue()) - int(Emit::Attn));
        stage < first)
      return createStringError("the input is past stage " + stageName(stage) +
                               "; choose a later one with --emit");
  if (output == "-" && (emit == Emit::Cubin || emit == Emit::Program))
    return createStringError(
        Twine(emit == Emit::Cubin ? "cubins need" : "a program needs") +
        " a file; name it with -o");
  if (output != "-") {
    // Of several kernels each has a file of its own.
    bool several = emit == Emit::Ptx || emit == Emit::Cubin;
    if (Error error = checkWritable(output + (several ? ".kernel" : "")))
      return error;
  }
  if (!explains)
    return Error::success();
  if (Stage::Plan < first)
    return createStringError(
        "the input is past the plan stage, which --explain reads");
  if (isGiven(sizesAtHand))
    if (Error error = parseSizes().takeError())
      return error;
  if (explainFile.empty())
    return Error::success();
  if (!StringRef(explainFile).ends_with(".svg"))
    return createStringError("--explain draws to a file that ends in .svg, "
                             "not '" +
                             explainFile + "'; without a file it prints");
  return checkWritable(explainFile);
}

/// The table that --tuning names; null without.
static Expected<std::unique_ptr<MemoryBuffer>> readTuning() {
  if (tuningFile.empty())
    return nullptr;
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(tuningFile);
  if (!file)
    return createStringError("cannot read '" + tuningFile +
                             "': " + file.getError().message());
  if (Error error = parseTuning((*file)->getBuffer()).takeError())
    return createStringError(tuningFile + ": " + toString(std::move(error)));
  return std::move(*file);
}

static int compileManifest() {
  const char *ofOne = " is given with --manifest; it is of one problem";
  if (!inputs.empty())
    return fail(Twine("a spec") + ofOne);
  for (const cl::Option *option : std::initializer_list<cl::Option *>{
           &emit, &from, &report, &explainFile, &sizesAtHand})
    if (isGiven(*option))
      return fail("--" + option->ArgStr + ofOne);
  if (output == "-")
    return fail("a pack needs a file; name it with -o");
  if (sys::fs::equivalent(output, manifest))
    return fail("-o names the manifest itself, '" + manifest +
                "'; name another file for the pack");
  Expected<std::unique_ptr<MemoryBuffer>> tuning = readTuning();
  if (!tuning)
    return fail(toString(tuning.takeError()));
  PackCompile request;
  request.manifest = manifest;
  request.output = output;
  if (isGiven(arch)) {
    SmallVector<StringRef> names;
    StringRef(arch).split(names, ',');
    request.targets.assign(names.begin(), names.end());
  }
  request.shard = shard;
  request.jobs = jobs;
  request.options.lineInfo = lineInfo;
  if (*tuning)
    request.tuning = (*tuning)->getBuffer();
  Expected<bool> all = compilePack(request);
  if (!all)
    return fail(toString(all.takeError()));
  return *all ? 0 : 1;
}

static int inspect() {
  Expected<bool> whole = inspectPack(packFile, asJson);
  if (!whole)
    return fail(toString(whole.takeError()));
  return *whole ? 0 : fail("pack '" + packFile + "' is damaged");
}

static int merge() {
  if (output == "-")
    return fail("a pack needs a file; name it with -o");
  if (Error error = mergePacks(output, packFiles))
    return fail(toString(std::move(error)));
  return 0;
}

static int compile() {
  if (!manifest.empty())
    return compileManifest();
  if (Error error = checkRequest())
    return fail(toString(std::move(error)));
  Expected<const Target *> target = targetByName(arch);
  if (!target)
    return fail(toString(target.takeError()));
  Target tuned = **target;
  Expected<std::unique_ptr<MemoryBuffer>> tuning = readTuning();
  if (!tuning)
    return fail(toString(tuning.takeError()));
  if (*tuning)
    tuned.tuning = (*tuning)->getBuffer();
  std::map<Stage, std::string> stages;
  Expected<CompiledText> text = makeText(tuned, stages);
  if (!text)
    return fail(toString(text.takeError()));

  if (emit != Emit::None && emit <= Emit::Cuda)
    if (Error error = writeOutput(
            stages.at(Stage(int(emit.getValue()) - int(Emit::Attn)))))
      return fail(toString(std::move(error)));
  if (isGiven(explainFile))
    if (Error error = explain(stages.at(Stage::Plan)))
      return fail(toString(std::move(error)));
  if (!wantsReport() && emit < Emit::Ptx)
    return 0;

  CompileOptions options;
  options.lineInfo = lineInfo;
  Expected<AssembledProgram> program =
      assembleProgram(std::move(*text), **target, options);
  if (!program)
    return fail(toString(program.takeError()));
  if (emit >= Emit::Ptx)
    if (Error error = emit == Emit::Program
                          ? writeProgram(*program)
                          : writeKernels(program->kernels, emit == Emit::Cubin))
      return fail(toString(std::move(error)));
  if (wantsReport()) {
    // Where standard output holds what was emitted, the report stays apart.
    raw_ostream &stream = emit != Emit::None && output == "-" ? errs() : outs();
    stream << formatv("{0:2}", json::Value(reportOf(*program, **target)))
           << "\n";
  }
  return 0;
}

static int listTargets() {
  const Nvrtc *nvrtc = nullptr;
  Expected<NvrtcIdentity> identity = findNvrtc();
  if (!identity) {
    outs() << "no NVRTC: " << toString(identity.takeError()) << "\n\n";
  } else if (Expected<const Nvrtc *> opened = Nvrtc::open(identity->path)) {
    nvrtc = *opened;
    outs() << formatv("NVRTC {0}.{1}: {2}\n\n", nvrtc->versionMajor,
                      nvrtc->versionMinor, identity->path);
  } else {
    outs() << toString(opened.takeError()) << "\n\n";
  }
  outs() << "target   capability  shared memory per CTA  bulk copies  wgmma  "
            "NVRTC compiles\n";
  for (const Target &target : allTargets())
    outs() << formatv(
        "{0,-8} {1,-11} {2,-22} {3,-12} {4,-6} {5}\n", target.name,
        formatv("{0}.{1}", target.major, target.minor).str(),
        formatv("{0} KB", target.sharedPerCta / 1024).str(),
        target.bulkCopies ? "yes" : "no", target.warpgroupMma ? "yes" : "no",
        !nvrtc                         ? "unknown"
        : nvrtc->supports(target.name) ? "yes"
                                       : "no");
  return 0;
}

static int lookAfterCache() {
  auto action = StringSwitch<std::optional<CacheAction>>(cacheAction)
                    .Case("list", CacheAction::List)
                    .Case("verify", CacheAction::Verify)
                    .Case("prune", CacheAction::Prune)
                    .Case("clear", CacheAction::Clear)
                    .Default(std::nullopt);
  if (!action)
    return fail("cache does not know '" + Twine(cacheAction) +
                "'; it is one of list, verify, prune, clear");
  for (const cl::Option *option :
       std::initializer_list<cl::Option *>{&cacheBytes, &cacheEntries})
    if (isGiven(*option) && *action != CacheAction::Prune)
      return fail("--" + option->ArgStr + " is given with '" +
                  Twine(cacheAction) + "'; it is of prune");
  // An unset variable of a script would clear another folder.
  if (isGiven(cacheFolder) && cacheFolder.empty())
    return fail("--dir names no folder; leave it out for the one the library "
                "uses");
  CacheLimits limits = ProgramCache::limitsOfEnvironment({});
  if (isGiven(cacheBytes)) {
    std::optional<uint64_t> bytes = parseByteCount(cacheBytes);
    if (!bytes)
      return fail("--max-bytes is '" + Twine(cacheBytes) +
                  "'; give a number, with K, M or G behind it if you like");
    limits.bytes = *bytes;
  }
  if (isGiven(cacheEntries))
    limits.entries = cacheEntries;
  Expected<bool> good = runCacheCommand(*action, cacheFolder, limits, outs());
  if (!good)
    return fail(toString(good.takeError()));
  return *good ? 0 : 1;
}

int main(int argc, char **argv) {
  for (cl::SubCommand *command :
       {&compileCommand, &inspectCommand, &mergeCommand, &cacheCommand,
        &targetsCommand, &cl::SubCommand::getTopLevel()})
    cl::HideUnrelatedOptions(category, *command);
  cl::SetVersionPrinter(
      [](raw_ostream &os) { os << "weftc " << WEFT_VERSION << "\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "weftc: compiles attention problems\n\n"
      "  A spec is one line, its keys in any order:\n"
      "    forward|backward f16|bf16 head_dim=128 [head_dim_v=64] "
      "head_ratio=4\n"
      "    layout=batch|thd (or layout_q=.. layout_kv=..)\n"
      "    [padded | padded_q | padded_kv]\n"
      "    [mask=causal|causal_bottom_right|sliding_window(left=64,right=?)|\n"
      "     sliding_window_bottom_right(..)]\n"
      "    [score=softcap] [align=2] [do=scalar] [deterministic]\n");
  if (compileCommand)
    return compile();
  if (inspectCommand)
    return inspect();
  if (mergeCommand)
    return merge();
  if (cacheCommand)
    return lookAfterCache();
  if (targetsCommand)
    return listTargets();
  cl::PrintHelpMessage();
  return 1;
}
