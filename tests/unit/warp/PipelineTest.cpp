//===- PipelineTest.cpp - Copies that run ahead arrive in time ------------===//
//
// Each kernel is run on the model machine before and after `warp-pipeline`, for
// every small number of steps: its products must read the same tiles, and no
// copy may be read early or overwrite what is still read.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"
#include "tests/unit/warp/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace weft;

namespace {

class Pipeline : public ::testing::Test {
protected:
  Pipeline() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<warp::WarpDialect, tile::TileDialect, plan::PlanDialect,
                        arith::ArithDialect, scf::SCFDialect>();
  }

  OwningOpRef<ModuleOp> parse(StringRef body, int64_t stages) {
    std::string text =
        ("warp.func @kernel(%query: !tile.buffer<bf16, q, heads_q, 64>, "
         "%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64, "
         "%sums: !tile.buffer<f32, q, heads_q, 32>) "
         "grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = " +
         Twine(stages) +
         "> align = 16 {\n"
         "  %sequence, %tile, %head, %exists = warp.point\n"
         "  %c0 = arith.constant 0 : i64\n"
         "  %c1 = arith.constant 1 : i64\n"
         "  %c2 = arith.constant 2 : i64\n"
         "  %c3 = arith.constant 3 : i64\n"
         "  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #warp.acc>\n"
         "  %rows = tile.rows %sequence, %tile : <q, 64>\n" +
         body + "\n  warp.return\n}\n")
            .str();
    return parseSourceString<ModuleOp>(text, &context);
  }

  /// Checks `body` for 0 to 7 steps, and one that starts past its end.
  void check(StringRef body, int64_t stages, bool clean) {
    OwningOpRef<ModuleOp> before = parse(body, stages);
    OwningOpRef<ModuleOp> after = parse(body, stages);
    ASSERT_TRUE(before && after);
    PassManager manager(&context);
    OpPassManager &kernels = manager.nest<warp::FuncOp>();
    kernels.addPass(createWarpPipeline());
    if (clean) {
      kernels.addPass(createCanonicalizerPass());
      kernels.addPass(createCSEPass());
    }
    ASSERT_TRUE(succeeded(manager.run(*after)));
    auto functionOf = [](ModuleOp module) {
      return *module.getOps<warp::FuncOp>().begin();
    };
    ASSERT_FALSE(
        functionOf(*after)
            ->walk([](warp::FetchOp) { return WalkResult::interrupt(); })
            .wasInterrupted());
    for (int64_t last = 0; last < 11; ++last) {
      test::Run expected = test::run(functionOf(*before), {3, last});
      test::Run actual = test::run(functionOf(*after), {3, last});
      EXPECT_EQ(expected.error, "");
      EXPECT_EQ(actual.error, "")
          << "3 to " << last << ", " << stages << " stages";
      EXPECT_EQ(actual.products, expected.products)
          << "3 to " << last << ", " << stages << " stages";
    }
  }

  void check(StringRef body) {
    for (int64_t stages : {1, 2, 3, 4})
      for (bool clean : {false, true})
        check(body, stages, clean);
  }

  MLIRContext context;
};

constexpr StringLiteral kFetchQuery =
    "  %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> "
    "-> <64, 64, bf16>\n";
constexpr StringLiteral kStep =
    "  %rows_j = tile.rows %sequence, %row : <kv, 32>\n"
    "  %k = warp.fetch %key[%rows_j, %h] : <bf16, kv, heads_kv, 64>, <kv, 32> "
    "-> <32, 64, bf16>\n"
    "  %s = warp.mma %q, %k transposed, %zero : !warp.shared<64, 64, bf16>, "
    "<32, 64, bf16> -> tensor<64x32xf32, #warp.acc>\n"
    "  %v = warp.fetch %key[%rows_j, %c0] : <bf16, kv, heads_kv, 64>, <kv, 32> "
    "-> <32, 64, bf16>\n"
    "  %t = warp.mma %q, %v transposed, %s : !warp.shared<64, 64, bf16>, "
    "<32, 64, bf16> -> tensor<64x32xf32, #warp.acc>\n"
    "  warp.add %t, %sums[%rows, %head] : tensor<64x32xf32, #warp.acc>, "
    "<f32, q, heads_q, 32>, <q, 64>\n";

TEST_F(Pipeline, OneLoop) {
  check((kFetchQuery +
         "  %h = arith.addi %head, %c1 : i64\n"
         "  scf.for %j = %first to %last step %c1 : i64 {\n"
         "  %row = arith.muli %j, %c3 : i64\n" +
         kStep + "  }\n")
            .str());
}

TEST_F(Pipeline, StepAboveOne) {
  check((kFetchQuery +
         "  %h = arith.addi %head, %c1 : i64\n"
         "  scf.for %j = %first to %last step %c2 : i64 {\n"
         "  %row = arith.addi %j, %c1 : i64\n" +
         kStep + "  }\n")
            .str());
}

TEST_F(Pipeline, LoopInLoop) {
  check((kFetchQuery +
         "  scf.for %h = %c0 to %c3 step %c1 : i64 {\n"
         "  scf.for %row = %first to %last step %c1 : i64 {\n" +
         kStep + "  }\n  }\n")
            .str());
}

TEST_F(Pipeline, LoopAfterLoop) {
  check((kFetchQuery +
         "  %h = arith.addi %head, %c1 : i64\n"
         "  scf.for %row = %c0 to %last step %c3 : i64 {\n" +
         kStep +
         "  }\n"
         "  scf.for %row = %first to %last step %c1 : i64 {\n" +
         kStep + "  }\n")
            .str());
}

TEST_F(Pipeline, TestedTiles) {
  check((kFetchQuery +
         "  %h = arith.addi %head, %c1 : i64\n"
         "  scf.for %row = %first to %last step %c1 : i64 {\n"
         "  %odd = arith.remsi %row, %c3 : i64\n"
         "  %kept = arith.cmpi ne, %odd, %c1 : i64\n"
         "  scf.if %kept {\n" +
         kStep + "  }\n  }\n")
            .str());
}

TEST_F(Pipeline, RowsThatAreCarried) {
  check((kFetchQuery +
         "  %h = arith.addi %head, %c1 : i64\n"
         "  %end = scf.for %j = %first to %last step %c1 "
         "iter_args(%row = %c2) -> i64 : i64 {\n" +
         kStep +
         "  %rows_u = tile.rows %sequence, %row : <kv, 64>\n"
         "  %u = warp.fetch %key[%rows_u, %head] : <bf16, kv, heads_kv, 64>, "
         "<kv, 64> -> <64, 64, bf16>\n"
         "  %rows_i = tile.rows %sequence, %j : <kv, 32>\n"
         "  %w = warp.fetch %key[%rows_i, %head] : <bf16, kv, heads_kv, 64>, "
         "<kv, 32> -> <32, 64, bf16>\n"
         "  %y = warp.mma %u, %w transposed, %zero : "
         "!warp.shared<64, 64, bf16>, <32, 64, bf16> -> tensor<64x32xf32, "
         "#warp.acc>\n"
         "  warp.add %y, %sums[%rows, %head] : tensor<64x32xf32, #warp.acc>, "
         "<f32, q, heads_q, 32>, <q, 64>\n"
         "  %next = arith.addi %row, %j : i64\n"
         "  scf.yield %next : i64\n"
         "  }\n")
            .str());
}

TEST_F(Pipeline, UsesOutsideTheLoop) {
  check((kFetchQuery +
         "  %h = arith.addi %head, %c1 : i64\n"
         "  %rows_0 = tile.rows %sequence, %c3 : <kv, 32>\n"
         "  %k0 = warp.fetch %key[%rows_0, %h] : <bf16, kv, heads_kv, 64>, "
         "<kv, 32> -> <32, 64, bf16>\n"
         "  scf.for %row = %first to %last step %c1 : i64 {\n" +
         kStep +
         "  }\n"
         "  %e = warp.mma %q, %k0 transposed, %zero : "
         "!warp.shared<64, 64, bf16>, <32, 64, bf16> -> tensor<64x32xf32, "
         "#warp.acc>\n"
         "  %k1 = warp.fetch %key[%rows_0, %c0] : <bf16, kv, heads_kv, 64>, "
         "<kv, 32> -> <32, 64, bf16>\n"
         "  %f = warp.mma %q, %k1 transposed, %e : "
         "!warp.shared<64, 64, bf16>, <32, 64, bf16> -> tensor<64x32xf32, "
         "#warp.acc>\n"
         "  warp.add %f, %sums[%rows, %head] : tensor<64x32xf32, #warp.acc>, "
         "<f32, q, heads_q, 32>, <q, 64>\n")
            .str());
}

TEST_F(Pipeline, FetchPerOuterStep) {
  check(("  scf.for %h = %c0 to %c3 step %c1 : i64 {\n"
         "  %q = warp.fetch %query[%rows, %h] : <bf16, q, heads_q, 64>, "
         "<q, 64> -> <64, 64, bf16>\n"
         "  scf.for %row = %first to %last step %c1 : i64 {\n" +
         kStep + "  }\n  }\n")
            .str());
}

// The machine itself: what it must refuse.

class MachineRefuses : public Pipeline {
protected:
  std::string errorOf(StringRef body) {
    OwningOpRef<ModuleOp> module = parse(body, 1);
    if (!module)
      return "unparsed";
    return test::run(*module->getOps<warp::FuncOp>().begin(), {0, 1}).error;
  }
  const std::string ring = "  %ring = warp.ring : <2, <64, 64, bf16>>\n";
  const std::string put =
      "  warp.put %ring[%c0], %query[%rows, %head] : <2, <64, 64, bf16>>, "
      "<bf16, q, heads_q, 64>, <q, 64>\n";
  const std::string use =
      "  %t = warp.get %ring[%c0] : <2, <64, 64, bf16>> -> <64, 64, bf16>\n"
      "  %x = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>\n"
      "  %m = warp.mma %t, %t transposed, %x : !warp.shared<64, 64, bf16>, "
      "<64, 64, bf16> -> tensor<64x64xf32, #warp.acc>\n";
};

TEST_F(MachineRefuses, EarlyReads) {
  EXPECT_EQ(errorOf(ring + put + "  warp.commit\n  warp.wait 0\n" + use),
            "a product reads arg0[2, 1] before every thread may see it");
  EXPECT_EQ(errorOf(ring + put +
                    "  warp.commit\n  warp.wait 1\n  warp.barrier\n" + use),
            "a product reads arg0[2, 1] before every thread may see it");
  EXPECT_EQ(errorOf(ring + put +
                    "  warp.commit\n  warp.wait 0\n  warp.barrier\n" + use),
            "");
}

TEST_F(MachineRefuses, FillsOfSlotsInUse) {
  const std::string filled =
      ring + put + "  warp.commit\n  warp.wait 0\n  warp.barrier\n" + use;
  EXPECT_EQ(errorOf(filled + put + "  warp.commit\n  warp.wait 0\n"),
            "a slot is filled while another warp may still read arg0[2, 1]");
  EXPECT_EQ(errorOf(filled + "  warp.barrier\n" + put +
                    "  warp.commit\n  warp.wait 0\n"),
            "");
}

TEST_F(MachineRefuses, CopiesUnderWay) {
  EXPECT_EQ(errorOf(ring + put + put),
            "a slot is filled while a copy into it is under way");
  EXPECT_EQ(errorOf(ring + put + "  warp.commit\n"),
            "a copy is under way at the end");
}

} // namespace
