//===- RolesTest.cpp - Producer and consumers agree -----------------------===//
//
// A kernel with roles, overlapped and not, is run on the model machine for
// every small number of steps: it multiplies the tiles that the kernel without
// roles does, in the same order for each kind of product, and keeps the rules
// of rings and products.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"
#include "dialects/attn/Attn.h"
#include "tests/unit/warp/RoleMachine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace weft;

namespace {

/// The forward's shape: a first step, a loop that redoes its softmax now and
/// then, and O, which only that touches.
constexpr StringLiteral kForward = R"(
warp.func @kernel(%query: !tile.buffer<bf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_q, 64>,
                  %value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, stages = STAGES, mma = warpgroup, value_stages = VALUES> align = 16
    attributes {weft.kv = #attn.side<SIDE>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<2.0> : tensor<128x16xf32, #warp.acc>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #warp.acc>
  %zero_o = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 128> -> <128, 64, bf16, swizzled>
    %any = arith.cmpi slt, %c0, %last : i64
    %r = scf.if %any -> (tensor<128x64xf32, #warp.acc>) {
      %rows_0 = tile.rows %sequence, %c0 : <kv, 16>
      %k0 = warp.fetch %key[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
      %s0 = warp.mma %q, %k0 transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <16, 64, bf16, swizzled> -> tensor<128x16xf32, #warp.acc>
      %p0 = warp.pack %s0 : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
      %v0 = warp.fetch %value[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
      %o0 = warp.mma %p0, %v0, %zero_o : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
      %o = scf.for %j = %c1 to %last step %c1 iter_args(%acc = %o0) -> (tensor<128x64xf32, #warp.acc>) : i64 {
        %rows_j = tile.rows %sequence, %j : <kv, 16>
        %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
        %s = warp.mma %q, %k transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <16, 64, bf16, swizzled> -> tensor<128x16xf32, #warp.acc>
        %large = arith.cmpf ogt, %s, %limit : tensor<128x16xf32, #warp.acc>
        %redo = warp.any %large : tensor<128x16xi1, #warp.acc>
        %p = warp.pack %s : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
        %x:2 = scf.if %redo -> (tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>) {
          %doubled = arith.addf %s, %s : tensor<128x16xf32, #warp.acc>
          %p1 = warp.pack %doubled : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
          %acc1 = arith.addf %acc, %acc : tensor<128x64xf32, #warp.acc>
          scf.yield %p1, %acc1 : tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>
        } else {
          scf.yield %p, %acc : tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>
        }
        %v = warp.fetch %value[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
        %acc2 = warp.mma %x#0, %v, %x#1 : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
        scf.yield %acc2 : tensor<128x64xf32, #warp.acc>
      }
      scf.yield %o : tensor<128x64xf32, #warp.acc>
    } else {
      scf.yield %zero_o : tensor<128x64xf32, #warp.acc>
    }
    warp.store %r, %out[%rows, %head] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  }
  warp.return
}
)";

class Roles : public ::testing::Test {
protected:
  Roles() : context(MLIRContext::Threading::DISABLED) {
    context
        .loadDialect<warp::WarpDialect, tile::TileDialect, plan::PlanDialect,
                     attn::AttnDialect, arith::ArithDialect, scf::SCFDialect>();
  }

  static std::string replace(std::string text, StringRef from, StringRef to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
    return text;
  }

  OwningOpRef<ModuleOp> parse(int64_t stages, int64_t values, StringRef side) {
    std::string text =
        replace(kForward.str(), "STAGES", std::to_string(stages));
    text = replace(text, "VALUES", std::to_string(values));
    return parseSourceString<ModuleOp>(replace(text, "SIDE", side), &context);
  }

  static warp::FuncOp functionOf(ModuleOp module) {
    return *module.getOps<warp::FuncOp>().begin();
  }

  OwningOpRef<ModuleOp> specialized(int64_t stages, int64_t values,
                                    StringRef side, bool overlapped) {
    OwningOpRef<ModuleOp> module = parse(stages, values, side);
    if (!module)
      return module;
    PassManager manager(&context);
    OpPassManager &kernels = manager.nest<warp::FuncOp>();
    kernels.addPass(createWarpSpecialize());
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
    if (overlapped)
      kernels.addPass(createWarpOverlap());
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
    if (failed(manager.run(*module)))
      return {};
    return module;
  }

  /// Products of a kind: those whose first operand is a tile, or those where it
  /// is in registers.
  static std::vector<std::string> only(const std::vector<std::string> &products,
                                       bool inRegisters) {
    std::vector<std::string> kept;
    for (const std::string &product : products)
      if (StringRef(product).contains(" x ") &&
          StringRef(product).starts_with("register") == inRegisters)
        kept.push_back(product);
    return kept;
  }

  /// What each kind of product reads for the two points of the machine.
  static std::vector<std::string> expected(int64_t last, bool inRegisters) {
    std::vector<std::string> products;
    for (int64_t tile : {2, 0})
      for (int64_t j = 0; j < last; ++j)
        products.push_back(
            (inRegisters
                 ? "register x arg2[" + Twine(j) + ", 1]"
                 : "arg0[" + Twine(tile) + ", 1] x arg1[" + Twine(j) + ", 1]")
                .str());
    return products;
  }

  MLIRContext context;
};

TEST_F(Roles, MultiplyTheSameTiles) {
  for (bool overlapped : {false, true})
    for (int64_t stages : {1, 2, 3})
      for (int64_t values : {2, 3}) {
        OwningOpRef<ModuleOp> module =
            specialized(stages, values, "batch", overlapped);
        ASSERT_TRUE(module);
        for (int64_t last = 0; last < 9; ++last)
          for (unsigned seed = 0; seed < 4; ++seed) {
            test::Run run = test::runRoles(functionOf(*module), {last}, seed);
            SCOPED_TRACE(std::to_string(last) + " steps, " +
                         std::to_string(stages) + " and " +
                         std::to_string(values) + " stages, overlapped " +
                         std::to_string(overlapped));
            EXPECT_EQ(run.error, "");
            EXPECT_EQ(only(run.products, false), expected(last, false));
            EXPECT_EQ(only(run.products, true), expected(last, true));
          }
      }
}

TEST_F(Roles, OverlapIssuesTheNextFirstProductBeforeTheSecond) {
  OwningOpRef<ModuleOp> module = specialized(2, 3, "batch", true);
  ASSERT_TRUE(module);
  test::Run run = test::runRoles(functionOf(*module), {2}, 0);
  std::vector<std::string> first(run.products.begin(),
                                 run.products.begin() + 4);
  EXPECT_EQ(first, (std::vector<std::string>{
                       "arg0[2, 1] x arg1[0, 1]", "arg0[2, 1] x arg1[1, 1]",
                       "register x arg2[0, 1]", "register x arg2[1, 1]"}));
}

// The second product's tile is held until the next one was received: with one
// slot that would never be.
TEST_F(Roles, OneSlotIsNotOverlapped) {
  OwningOpRef<ModuleOp> module = specialized(2, 1, "batch", true);
  ASSERT_TRUE(module);
  test::Run run = test::runRoles(functionOf(*module), {2}, 0);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.products[1], "register x arg2[0, 1]");
}

constexpr StringLiteral kRoles = R"(
warp.func @kernel(%key: !tile.buffer<bf16, kv, heads_q, 64>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %ring = warp.ring : !warp.ring<1, !warp.shared<16, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    %rows = tile.rows %c0, %c0 : !tile.rows<kv, 16>
    warp.send %ring, %key[%rows, %c0] : <1, <16, 64, bf16, swizzled>>, <bf16, kv, heads_q, 64>, <kv, 16>
    warp.send %ring, %key[%rows, %c0] : <1, <16, 64, bf16, swizzled>>, <bf16, kv, heads_q, 64>, <kv, 16>
  } consumer {
    %a = warp.receive %ring : <1, <16, 64, bf16, swizzled>> -> <16, 64, bf16, swizzled>
    CONSUMER
  }
  warp.return
}
)";

TEST_F(Roles, TheMachineSeesMistakes) {
  std::string next = "%b = warp.receive %ring : <1, <16, 64, bf16, swizzled>> "
                     "-> <16, 64, bf16, swizzled>\n",
              back = "warp.consumed %ring : <1, <16, 64, bf16, swizzled>>\n",
              multiply =
                  "%p = warp.issue %a, %a transposed : !warp.shared<16, 64, "
                  "bf16, swizzled>, <16, 64, bf16, swizzled> -> "
                  "<tensor<16x16xf32, #warp.acc>>\n",
              wait = "%s = warp.await %p, 0 : <tensor<16x16xf32, #warp.acc>>\n",
              late = "%s = warp.await %p, 1 : <tensor<16x16xf32, #warp.acc>>\n";
  std::pair<std::string, StringRef> mistakes[] = {
      {back + next + back, ""},
      {multiply + wait + back + next + back, ""},
      {next + back + back, "both roles wait for each other"},
      {back, "a tile was sent that nobody received"},
      {back + next, "a tile was never given back"},
      {back + next + back + back, "a tile is given back that was not received"},
      {back + next + back + "%c" + next.substr(2),
       "a tile is received that nobody sent"},
      {multiply + back + wait + next + back,
       "a product may still read arg0[0, 0]"},
      {back + multiply + wait + next + back,
       "a product reads arg0[0, 0], which was given back"},
      {multiply + late + back + next + back,
       "an accumulator is read while a product adds to it"}};
  for (auto [consumer, error] : mistakes) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        replace(kRoles.str(), "CONSUMER", consumer), &context);
    ASSERT_TRUE(module) << consumer;
    EXPECT_EQ(test::runRoles(functionOf(*module), {}, 0).error, error)
        << consumer;
  }
}

TEST_F(Roles, TheMachineSeesWrongAges) {
  std::string text = replace(kRoles.str(), "ring<1,", "ring<2,");
  text = replace(text, "<1,", "<2,");
  std::string next = "%b = warp.receive %ring : <2, <16, 64, bf16, swizzled>> "
                     "-> <16, 64, bf16, swizzled>\n",
              back = "warp.consumed %ring : <2, <16, 64, bf16, swizzled>>\n",
              late =
                  "warp.consumed %ring age 1 : <2, <16, 64, bf16, swizzled>>\n";
  for (auto [consumer, error] :
       {std::pair(next + late + back, ""),
        std::pair(next + back + back,
                  "a tile that is given back has another age")}) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        replace(text, "CONSUMER", consumer), &context);
    ASSERT_TRUE(module) << consumer;
    EXPECT_EQ(test::runRoles(functionOf(*module), {}, 0).error, error);
  }
}

/// The gradients' shape: two products of tiles alone, a value per column for
/// each, and sums that nothing in the loop reads: SUMS of the two.
constexpr StringLiteral kGradients = R"(
warp.func @kernel(%key: !tile.buffer<bf16, kv, heads_q, 64>, %query: !tile.buffer<bf16, q, heads_q, 64>,
                  %d_out: !tile.buffer<bf16, q, heads_q, 64>, %lse: !tile.buffer<f32, q, heads_q, 1, packed>,
                  %out: !tile.buffer<f32, kv, heads_q, 64>, %last: i64)
    grid <kv, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = STAGES, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #warp.acc>
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <kv, 128>
    %k = warp.fetch %key[%rows, %head] : <bf16, kv, heads_q, 64>, <kv, 128> -> <128, 64, bf16, swizzled>
    %r:2 = scf.for %j = %c0 to %last step %c1 iter_args(%dk = %none, %dv = %none) -> (tensor<128x64xf32, #warp.acc>, tensor<128x64xf32, #warp.acc>) : i64 {
      %rows_j = tile.rows %sequence, %j : <q, 32>
      %q = warp.fetch %query[%rows_j, %head] : <bf16, q, heads_q, 64>, <q, 32> -> <32, 64, bf16, swizzled>
      %s = warp.mma %k, %q transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> tensor<128x32xf32, #warp.acc>
      %l = warp.fetch %lse[%rows_j, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1, packed>, <q, 32> -> <32, 1, f32>
      %lv = warp.read %l : <32, 1, f32> -> tensor<32xf32, #warp.column>
      %le = warp.expand %lv : tensor<32xf32, #warp.column> -> tensor<128x32xf32, #warp.acc>
      %x = arith.subf %s, %le : tensor<128x32xf32, #warp.acc>
      %p = warp.pack %x : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
      %do = warp.fetch %d_out[%rows_j, %head] : <bf16, q, heads_q, 64>, <q, 32> -> <32, 64, bf16, swizzled>
      %dv1 = SECOND
      %dp = warp.mma %k, %do transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> tensor<128x32xf32, #warp.acc>
      %ds = arith.mulf %x, %dp : tensor<128x32xf32, #warp.acc>
      %a = warp.pack %ds : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
      %dk1 = warp.mma %a, %q, %dk : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
      scf.yield %dk1, %dv1 : tensor<128x64xf32, #warp.acc>, tensor<128x64xf32, #warp.acc>
    }
    warp.store %r#0, %out[%rows, %head] : tensor<128x64xf32, #warp.acc>, <f32, kv, heads_q, 64>, <kv, 128>
    warp.store %r#1, %out[%rows, %head] : tensor<128x64xf32, #warp.acc>, <f32, kv, heads_q, 64>, <kv, 128>
  }
  warp.return
}
)";

TEST_F(Roles, GradientsMultiplyTheSameTiles) {
  for (bool carried : {false, true})
    for (int64_t stages : {1, 2, 3})
      for (bool two : {false, true}) {
        std::string text =
            replace(kGradients.str(), "STAGES", std::to_string(stages));
        text = replace(text, "SECOND",
                       two ? "warp.mma %p, %do, %dv : tensor<128x32xbf16, "
                             "#warp.operand>, <32, 64, bf16, swizzled> -> "
                             "tensor<128x64xf32, #warp.acc>"
                           : "arith.addf %dv, %dv : tensor<128x64xf32, "
                             "#warp.acc>");
        OwningOpRef<ModuleOp> module =
            parseSourceString<ModuleOp>(text, &context);
        ASSERT_TRUE(module);
        PassManager manager(&context);
        OpPassManager &kernels = manager.nest<warp::FuncOp>();
        kernels.addPass(createWarpSpecialize());
        if (carried)
          kernels.addPass(createWarpCarryProducts());
        kernels.addPass(createCanonicalizerPass());
        kernels.addPass(createCSEPass());
        ASSERT_TRUE(succeeded(manager.run(*module)));
        for (int64_t last = 0; last < 5; ++last) {
          SCOPED_TRACE(std::to_string(last) + " steps, " +
                       std::to_string(stages) + " stages, carried " +
                       std::to_string(carried) + ", two sums " +
                       std::to_string(two));
          test::Run run = test::runRoles(functionOf(*module), {last}, 0);
          EXPECT_EQ(run.error, "");
          std::vector<std::string> tiles, sums;
          for (int64_t tile : {2, 0})
            for (int64_t j = 0; j < last; ++j) {
              std::string own = ("arg0[" + Twine(tile) + ", 1] x ").str(),
                          at = ("[" + Twine(j) + ", 1]").str();
              tiles.insert(tiles.end(), {own + "arg1" + at, own + "arg2" + at});
              if (two)
                sums.push_back("register x arg2" + at);
              sums.push_back("register x arg1" + at);
            }
          EXPECT_EQ(only(run.products, false), tiles);
          EXPECT_EQ(only(run.products, true), sums);
          // Both products of tiles come before the first sum, if their tiles
          // may stay.
          if (carried && stages > 1 && last > 0) {
            EXPECT_EQ(run.products[1], tiles[1]);
            EXPECT_EQ(run.products[2], sums[0]);
          }
        }
      }
}

// The machine's sequences have 6 keys: tile 0 of 16 is the last, and all behind
// it are cleared before they are multiplied.
TEST_F(Roles, RowsBehindTheEndAreClearedBeforeTheProduct) {
  for (StringRef side : {"thd", "batch, padded"})
    for (bool overlapped : {false, true}) {
      OwningOpRef<ModuleOp> module = specialized(2, 3, side, overlapped);
      ASSERT_TRUE(module);
      for (int64_t last = 1; last < 5; ++last) {
        test::Run run = test::runRoles(functionOf(*module), {last}, 1);
        EXPECT_EQ(run.error, "");
        int64_t cleared = 0;
        for (size_t i = 0; i + 1 < run.products.size(); ++i)
          if (StringRef(run.products[i]).consume_front("clear ")) {
            ++cleared;
            EXPECT_EQ("register x " + run.products[i].substr(6),
                      run.products[i + 1]);
          }
        EXPECT_EQ(cleared, 2 * last);
      }
    }
}

} // namespace
