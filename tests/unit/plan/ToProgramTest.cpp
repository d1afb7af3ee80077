//===- ToProgramTest.cpp - Plans as launch programs -----------------------===//

#include "compiler/plan/ToProgram.h"
#include "compiler/attn/FromSpec.h"
#include "compiler/attn/Passes.h"
#include "compiler/plan/Passes.h"
#include "compiler/schedule/Schedule.h"
#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"
#include "runtime/program/Formula.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;
using namespace weft::program;

namespace {
class ToProgramTest : public testing::Test {
protected:
  ToProgramTest() {
    context.loadDialect<arith::ArithDialect, attn::AttnDialect,
                        emitc::EmitCDialect, plan::PlanDialect>();
  }

  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(bool(module));
    return module;
  }

  /// The plan of a spec, with an empty emitc.func for every kernel: what the
  /// steps between would leave, as far as the plan is concerned.
  OwningOpRef<ModuleOp> planOf(llvm::StringRef spec, llvm::StringRef target) {
    OwningOpRef<ModuleOp> module =
        buildAttnModule(context, llvm::cantFail(AttentionSpec::parse(spec)),
                        *llvm::cantFail(targetByName(target)));
    PassManager manager(&context);
    manager.addPass(createAttnDeriveScore());
    manager.addPass(createAttnToPlan());
    manager.addPass(createPlanMergeFills());
    manager.addPass(createPlanPackArena());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createPlanVerify());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    auto builder = OpBuilder::atBlockEnd(module->getBody());
    for (auto kernel : module->getOps<plan::KernelOp>()) {
      auto func = emitc::FuncOp::create(
          builder, builder.getUnknownLoc(),
          (kernel.getSymName() + plan::KernelOp::bodySuffix()).str(),
          builder.getFunctionType({}, {}));
      func->setAttr("weft.entry",
                    builder.getStringAttr("weft_" + kernel.getSymName()));
      func->setAttr("weft.threads", builder.getI64IntegerAttr(128));
      func->setAttr("weft.shared_bytes", builder.getI64IntegerAttr(0));
    }
    return module;
  }

  std::string messageOf(llvm::StringRef text) {
    llvm::Expected<ProgramT> program = buildProgram(*parse(text));
    return program ? std::string() : llvm::toString(program.takeError());
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

/// A program written and read back, with its formulas at some sizes.
class Loaded {
public:
  explicit Loaded(const ProgramT &program)
      : bytes(llvm::cantFail(serialize(program))) {
    // `load` asks for aligned bytes; std::vector's allocator gives 16.
    loaded = llvm::cantFail(load(bytes));
  }
  const Program *operator->() const { return loaded; }
  const Program &operator*() const { return *loaded; }

private:
  std::vector<uint8_t> bytes;
  const Program *loaded = nullptr;
};
} // namespace

static SizeValues sizes(int64_t batch, int64_t seqlen, int64_t rows,
                        int64_t headsQ, int64_t headsKV, int64_t smCount) {
  SizeValues values;
  values[SizeKind::batch] = batch;
  values[SizeKind::seqlen_q] = values[SizeKind::seqlen_kv] = seqlen;
  values[SizeKind::rows_q] = values[SizeKind::rows_kv] = rows;
  values[SizeKind::heads_q] = headsQ;
  values[SizeKind::heads_kv] = headsKV;
  values[SizeKind::sm_count] = smCount;
  return values;
}

TEST_F(ToProgramTest, SplitsOverHeadsWhereKeyTilesAreFew) {
  OwningOpRef<ModuleOp> module =
      planOf("backward bf16 head_dim=64 head_ratio=4 layout=batch "
             "deterministic",
             "sm_90a");
  Loaded program(llvm::cantFail(buildProgram(*module)));
  ASSERT_EQ(program->variants()->size(), 2u);
  EXPECT_EQ(program->target()->str(), "sm_90a");
  EXPECT_EQ(program->spec()->str(),
            "backward bf16 head_dim=64 head_ratio=4 layout=batch "
            "deterministic");
  // 2 tiles of 128 keys for each of 2 key heads and 3 sequences: 12 CTAs.
  for (auto [smCount, variant] : {std::pair(13, 0u), std::pair(12, 1u)}) {
    FormulaValues values(*program, sizes(3, 200, 600, 8, 2, smCount));
    EXPECT_EQ(llvm::cantFail(selectVariant(*program, values)),
              program->variants()->Get(variant));
  }
  FormulaValues values(*program, sizes(3, 200, 600, 8, 2, 132));
  Arena arena =
      llvm::cantFail(layOutArena(*program->variants()->Get(0), values));
  ASSERT_EQ(arena.buffers.size(), 4u);
  int64_t delta = 600 * 8 * 4, partial = 600 * 8 * 64 * 4;
  int64_t aligned = (delta + 255) / 256 * 256;
  EXPECT_EQ(arena.buffers[0].offset, 0);
  EXPECT_EQ(arena.buffers[0].bytes, delta);
  EXPECT_EQ(arena.buffers[1].offset, aligned);
  EXPECT_EQ(arena.buffers[1].bytes, delta);
  EXPECT_EQ(arena.buffers[2].offset, 2 * aligned);
  EXPECT_EQ(arena.buffers[2].bytes, partial);
  EXPECT_EQ(arena.buffers[3].offset, 2 * aligned + partial);
  EXPECT_EQ(arena.bytes, arena.buffers[3].offset + partial);
  // The walk needs the statistics of the query rows alone.
  Arena walk =
      llvm::cantFail(layOutArena(*program->variants()->Get(1), values));
  EXPECT_EQ(walk.bytes, aligned + delta);
}

TEST_F(ToProgramTest, PartialsShareTheirPlaceWhereTheyMay) {
  OwningOpRef<ModuleOp> module =
      planOf("backward bf16 head_dim=256 head_ratio=2 layout=thd", "sm_80");
  Loaded program(llvm::cantFail(buildProgram(*module)));
  FormulaValues values(*program, sizes(3, 0, 100, 4, 2, 132));
  Arena arena =
      llvm::cantFail(layOutArena(*program->variants()->Get(0), values));
  ASSERT_EQ(arena.buffers.size(), 4u);
  EXPECT_EQ(arena.buffers[2].offset, arena.buffers[3].offset);
}

TEST_F(ToProgramTest, GridsComeFromRowsHeld) {
  OwningOpRef<ModuleOp> module =
      planOf("forward bf16 head_dim=64 head_ratio=2 layout=thd", "sm_80");
  Loaded program(llvm::cantFail(buildProgram(*module)));
  ASSERT_EQ(program->variants()->size(), 1u);
  const Variant *variant = program->variants()->Get(0);
  ASSERT_EQ(variant->steps()->size(), 2u);
  FormulaValues values(*program, sizes(5, 0, 1000, 6, 3, 132));
  auto launch = [&](int step) {
    return variant->steps()->Get(step)->action_as_Launch();
  };
  EXPECT_EQ(program->kernels()->Get(launch(0)->kernel())->name()->str(),
            "weft_forward");
  EXPECT_EQ(llvm::cantFail(values[launch(0)->grid()]), (8 + 5) * 6);
  EXPECT_EQ(program->kernels()->Get(launch(1)->kernel())->name()->str(),
            "weft_fill");
  EXPECT_EQ(llvm::cantFail(values[launch(1)->grid()]), 4 * 6);
}

TEST_F(ToProgramTest, ShortQueriesHaveAPlanOfTheirOwn) {
  OwningOpRef<ModuleOp> module =
      planOf("forward bf16 head_dim=128 head_ratio=2 layout=thd", "sm_90a");
  Loaded program(llvm::cantFail(buildProgram(*module)));
  std::vector<ShortSchedule> schedules = llvm::cantFail(shortSchedules(
      plan::KernelKind::forward,
      {128, 128, /*scoreChange=*/false, /*align=*/16, /*masked=*/false,
       /*ragged=*/true},
      *llvm::cantFail(targetByName("sm_90a"))));
  ASSERT_EQ(schedules.size(), 1u);
  auto [length, schedule] = schedules[0];
  ASSERT_GT(schedule.ctasPerSm, 1);
  ASSERT_EQ(program->variants()->size(), 2u);
  std::string shortName = "weft_forward_" + std::to_string(length);
  // Sequences of as many queries in the mean, and one query more. None at all.
  for (auto [batch, rows, name] :
       {std::tuple(int64_t(300), 300 * length, shortName),
        std::tuple(int64_t(300), 300 * length + 1, std::string("weft_forward")),
        std::tuple(int64_t(0), int64_t(0), shortName)}) {
    FormulaValues values(*program, sizes(batch, 0, rows, 8, 4, 10));
    const Variant *variant = llvm::cantFail(selectVariant(*program, values));
    const Launch *launch = variant->steps()->Get(0)->action_as_Launch();
    EXPECT_EQ(program->kernels()->Get(launch->kernel())->name()->str(), name);
    // As many CTAs as run at once, if there are as many points.
    int64_t most = 10 * (name == shortName ? schedule.ctasPerSm : 1);
    EXPECT_EQ(llvm::cantFail(values[launch->grid()]), batch ? most : 0);
  }
}

TEST_F(ToProgramTest, EveryPlanIsAProgram) {
  for (const char *pass : {"forward", "backward"})
    for (const char *layout : {"layout=batch", "layout=batch padded",
                               "layout=thd", "layout_q=thd layout_kv=batch"})
      for (const char *dims :
           {"head_dim=8", "head_dim=192 head_dim_v=128", "head_dim=256"})
        for (int ratio : {1, 3})
          for (const char *target : {"sm_80", "sm_86", "sm_90a"}) {
            std::string spec = std::string(pass) + " bf16 " + dims +
                               " head_ratio=" + std::to_string(ratio) + " " +
                               layout;
            SCOPED_TRACE(spec);
            OwningOpRef<ModuleOp> module = planOf(spec, target);
            llvm::Expected<ProgramT> program = buildProgram(*module);
            ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
            ASSERT_TRUE(bool(serialize(*program)));
          }
}

/// Arguments and steps of every kind.
static const char *kModule = R"(
module attributes {weft.spec = "backward bf16 head_dim=64 head_ratio=1 layout=thd", weft.target = "sm_80"} {
  plan.kernel @dq dq of @a schedule <rows = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"turn", acc, [all]>, #plan.operand<"d_query", out, [valid]>]
  plan.func @backward(%query: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
                      %d_query: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "d_query"}) {
    %zero = arith.constant 0 : i64
    %four = arith.constant 4 : i64
    %rows = plan.size rows_q
    %batch = plan.size batch
    %most = arith.minsi %rows, %batch : i64
    %0 = plan.reserve "turn" bytes(%four) offset(%zero) : !plan.buffer<i32, none, one, 1>
    %1 = plan.memset %0, 3.0 : !plan.buffer<i32, none, one, 1> -> !plan.buffer<i32, none, one, 1, all = filled(3.0)>
    %2, %3 = plan.launch @dq grid(%most) early in(%query : !plan.buffer<bf16, q, heads_q, 64, valid = defined>)
      acc(%1 : !plan.buffer<i32, none, one, 1, all = filled(3.0)>) out(%d_query : !plan.buffer<bf16, q, heads_q, 64>)
      -> !plan.buffer<i32, none, one, 1, all = defined>, !plan.buffer<bf16, q, heads_q, 64, valid = defined>
    plan.release %2 : !plan.buffer<i32, none, one, 1, all = defined>
    plan.return
  }
  emitc.func @dq_body(
      %0: !emitc.ptr<!emitc.opaque<"const bf16">> {weft.arg = {kind = "tensor", operand = 0 : i64}},
      %1: i64 {weft.arg = {kind = "stride", operand = 2 : i64, which = "head"}},
      %2: !emitc.ptr<i32> {weft.arg = {kind = "tensor", operand = 1 : i64}},
      %3: !emitc.ptr<i32> {weft.arg = {kind = "offsets", which = "cu_seqlens_kv"}},
      %4: i32 {weft.arg = {kind = "size", which = "rows_q"}},
      %5: f32 {weft.arg = {kind = "scalar", which = "scale"}})
      attributes {weft.entry = "weft_dq", weft.threads = 256 : i64, weft.shared_bytes = 4096 : i64} {
    emitc.return
  }
}
)";

TEST_F(ToProgramTest, Arguments) {
  OwningOpRef<ModuleOp> module = parse(kModule);
  ProgramT program = llvm::cantFail(buildProgram(*module));
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.kernels[0]->name, "weft_dq");
  EXPECT_EQ(program.kernels[0]->threads, 256);
  EXPECT_EQ(program.kernels[0]->shared_bytes, 4096);
  ASSERT_EQ(program.variants.size(), 1u);
  const VariantT &variant = *program.variants[0];
  ASSERT_EQ(variant.steps.size(), 2u);
  const MemsetT &memset = *variant.steps[0]->action.AsMemset();
  EXPECT_EQ(memset.buffer, 0);
  EXPECT_EQ(memset.value, 3u);
  const LaunchT &launch = *variant.steps[1]->action.AsLaunch();
  EXPECT_TRUE(launch.early);
  ASSERT_EQ(launch.args.size(), 6u);
  EXPECT_EQ(launch.args[0]->kind, ArgKind::tensor);
  EXPECT_EQ(launch.args[0]->type, ArgType::pointer);
  EXPECT_EQ(launch.args[0]->tensor, TensorRole::query);
  EXPECT_EQ(launch.args[1]->kind, ArgKind::stride);
  EXPECT_EQ(launch.args[1]->type, ArgType::i64);
  EXPECT_EQ(launch.args[1]->tensor, TensorRole::d_query);
  EXPECT_EQ(launch.args[1]->stride, StrideKind::head);
  EXPECT_EQ(launch.args[2]->kind, ArgKind::workspace);
  EXPECT_EQ(launch.args[2]->buffer, 0);
  EXPECT_EQ(launch.args[3]->kind, ArgKind::offsets);
  EXPECT_EQ(launch.args[3]->offsets, OffsetsRole::cu_seqlens_kv);
  EXPECT_EQ(launch.args[4]->kind, ArgKind::size);
  EXPECT_EQ(launch.args[4]->type, ArgType::i32);
  EXPECT_EQ(launch.args[5]->kind, ArgKind::scalar);
  EXPECT_EQ(launch.args[5]->type, ArgType::f32);
  Loaded loaded(program);
  FormulaValues values(*loaded, sizes(5, 0, 7, 1, 1, 1));
  EXPECT_EQ(llvm::cantFail(values[launch.grid]), 5);
  EXPECT_EQ(llvm::cantFail(values[launch.args[4]->expr]), 7);
}

/// `text` with `from`, which it contains, replaced.
static std::string with(std::string text, llvm::StringRef from,
                        llvm::StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(ToProgramTest, TensorMaps) {
  std::string text =
      with(kModule, R"({kind = "tensor", operand = 0 : i64})",
           R"({kind = "tensor_map", operand = 0 : i64, box_rows = 128 : i64,
               columns = 96 : i64})");
  ProgramT program = llvm::cantFail(buildProgram(*parse(text)));
  const LaunchT &launch = *program.variants[0]->steps[1]->action.AsLaunch();
  EXPECT_EQ(launch.args[0]->kind, ArgKind::tensor_map);
  EXPECT_EQ(launch.args[0]->type, ArgType::tensor_map);
  EXPECT_EQ(launch.args[0]->tensor_map, 0);
  ASSERT_EQ(program.tensor_maps.size(), 1u);
  const TensorMapRecipeT &map = *program.tensor_maps[0];
  EXPECT_EQ(map.tensor, TensorRole::query);
  EXPECT_EQ(map.element_bytes, 2);
  EXPECT_EQ(map.box_rows, 128);
  EXPECT_EQ(map.box_columns, 64);
  EXPECT_EQ(map.columns, 96);
  EXPECT_EQ(map.swizzle_bytes, 128);
}

TEST_F(ToProgramTest, Errors) {
  EXPECT_EQ(messageOf(with(kModule, "weft.spec", "weft.other")),
            "the module lacks the attribute weft.spec, which a launch program "
            "carries");
  EXPECT_EQ(messageOf(with(kModule, "weft.target", "weft.other")),
            "the module lacks the attribute weft.target, which a launch "
            "program carries");
  EXPECT_EQ(messageOf("module attributes {weft.spec = \"\", weft.target = "
                      "\"sm_80\"} {}"),
            "the module has no plan.func");
  EXPECT_EQ(messageOf(with(kModule, ", weft.shared_bytes = 4096 : i64", "")),
            "kernel @dq_body lacks weft.threads or weft.shared_bytes");
  EXPECT_EQ(messageOf(with(kModule, "4096", "200000")),
            "kernel @dq_body needs 200000 bytes of shared memory; a CTA of "
            "sm_80 has 166912; choose smaller tiles or fewer stages");
  EXPECT_EQ(messageOf(with(kModule, " offset(%zero)", "")),
            "workspace 'turn' has no offset; run plan-pack-arena");
  EXPECT_EQ(messageOf(with(kModule, "@dq_body", "@other")),
            "launch of @dq: the module has no @dq_body with a weft.entry; "
            "lower the kernels to emitc");
  EXPECT_EQ(messageOf(with(kModule, "arith.minsi", "arith.xori")),
            "'%0 = arith.xori %rows_q, %batch : i64' has no formula; sizes are "
            "computed with constants, plan.size, addi, subi, muli, ceildivsi, "
            "floordivsi, "
            "maxsi, minsi, signed comparisons and andi of them");
  EXPECT_EQ(
      messageOf(with(
          with(kModule, "arith.minsi %rows, %batch", "arith.minsi %rows, %n"),
          "{weft.name = \"d_query\"}", "{weft.name = \"d_query\"}, %n: i64")),
      "a formula depends on an argument of its plan");
  std::string unequal = kModule;
  while (llvm::StringRef(unequal).contains("3.0"))
    unequal = with(unequal, "3.0", "3.5");
  EXPECT_EQ(messageOf(unequal),
            "memset of 'turn': its value is no 32-bit integer");
  EXPECT_EQ(messageOf(with(kModule, "%2, %3 = plan.launch",
                           R"(%f = plan.fill %d_query, 0.0 on [gap] :
      !plan.buffer<bf16, q, heads_q, 64> ->
      !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0)>
    %2, %3 = plan.launch)")),
            "@backward has a plan.fill; run plan-merge-fills");
  EXPECT_EQ(messageOf(with(kModule, "kind = \"tensor\", operand = 0 : i64",
                           "kind = \"tensor_map\", operand = 0 : i64")),
            "launch of @dq: parameter 0: weft.arg of kind 'tensor_map' needs "
            "an operand of the contract, box_rows and columns");
  EXPECT_EQ(messageOf(with(kModule, "kind = \"tensor\", operand = 1 : i64",
                           "kind = \"tensor_map\", operand = 1 : i64, "
                           "box_rows = 64 : i64, columns = 64 : i64")),
            "launch of @dq: parameter 2: 'turn' is no tensor of the call; bulk "
            "copies of workspace are not described");
  EXPECT_EQ(messageOf(with(kModule, "operand = 0", "operand = 3")),
            "launch of @dq: parameter 0: weft.arg names no operand of the "
            "contract");
  EXPECT_EQ(messageOf(with(kModule, "operand = 2", "operand = 1")),
            "launch of @dq: parameter 1: 'turn' is no tensor of the call, so "
            "it has no strides");
  EXPECT_EQ(messageOf(with(kModule, "\"head\"", "\"page\"")),
            "launch of @dq: parameter 1: weft.arg of kind 'stride' has an "
            "unknown 'which': 'page'");
  EXPECT_EQ(messageOf(with(kModule, "\"cu_seqlens_kv\"", "\"cu\"")),
            "launch of @dq: parameter 3: weft.arg of kind 'offsets' has an "
            "unknown 'which': 'cu'");
  EXPECT_EQ(messageOf(with(kModule, "\"scalar\"", "\"number\"")),
            "launch of @dq: parameter 5: weft.arg has an unknown kind: "
            "'number'");
  EXPECT_EQ(messageOf(with(kModule, "kind = \"scalar\", ", "")),
            "launch of @dq: parameter 5: it has no weft.arg that says what it "
            "is");
}
