//===- FromSpecTest.cpp - Regions say what the named masks mean -----------===//
//
// Each mask region is evaluated by folding it at many (i, j, n_q, n_k) and
// compared with the definition written out here.
//
//===----------------------------------------------------------------------===//

#include "compiler/attn/FromSpec.h"
#include "dialects/attn/Attn.h"
#include "tests/unit/plan/Fold.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

namespace {
class FromSpecTest : public testing::Test {
protected:
  OwningOpRef<ModuleOp> build(llvm::StringRef text) {
    spec = llvm::cantFail(AttentionSpec::parse(text));
    OwningOpRef<ModuleOp> module =
        buildAttnModule(context, spec, *llvm::cantFail(targetByName("sm_90a")));
    EXPECT_TRUE(succeeded(verify(*module)));
    return module;
  }

  AttentionSpec spec;
  MLIRContext context{MLIRContext::Threading::DISABLED};
};
} // namespace

static attn::ForwardOp forwardOf(ModuleOp module) {
  return *module.getOps<attn::ForwardOp>().begin();
}

/// Compares a mask region with `expected(i, j, n_q, n_k)`.
template <typename Expected>
static void checkMask(Region &mask, ArrayRef<int64_t> parameters,
                      Expected expected) {
  for (int64_t queries : {1, 3, 5})
    for (int64_t keys : {1, 4, 7})
      for (int64_t i = 0; i < queries; ++i)
        for (int64_t j = 0; j < keys; ++j) {
          SmallVector<int64_t> values = {0, 0, i, j, queries, keys};
          llvm::append_range(values, parameters);
          EXPECT_EQ(foldIntegers(mask.front(), values) != 0,
                    expected(i, j, queries, keys))
              << i << " " << j << " of " << queries << " x " << keys;
        }
}

TEST_F(FromSpecTest, NoMaskIsNoRegion) {
  OwningOpRef<ModuleOp> module =
      build("forward bf16 head_dim=64 head_ratio=2 layout=batch");
  EXPECT_TRUE(forwardOf(*module).getMask().empty());
  EXPECT_TRUE(forwardOf(*module).getScore().empty());
  EXPECT_TRUE(forwardOf(*module).getParameters().empty());
}

TEST_F(FromSpecTest, Causal) {
  OwningOpRef<ModuleOp> module =
      build("forward bf16 head_dim=64 head_ratio=1 layout=batch mask=causal");
  checkMask(forwardOf(*module).getMask(), {},
            [](int64_t i, int64_t j, int64_t, int64_t) { return j <= i; });
}

TEST_F(FromSpecTest, CausalBottomRight) {
  OwningOpRef<ModuleOp> module = build("forward bf16 head_dim=64 head_ratio=1 "
                                       "layout=batch mask=causal_bottom_right");
  checkMask(forwardOf(*module).getMask(), {},
            [](int64_t i, int64_t j, int64_t nq, int64_t nk) {
              return j <= i + nk - nq;
            });
}

TEST_F(FromSpecTest, SlidingWindowOfConstants) {
  OwningOpRef<ModuleOp> module =
      build("forward bf16 head_dim=64 head_ratio=1 layout=batch "
            "mask=sliding_window(left=2,right=1)");
  EXPECT_TRUE(forwardOf(*module).getParameters().empty());
  checkMask(forwardOf(*module).getMask(), {},
            [](int64_t i, int64_t j, int64_t, int64_t) {
              return i - 2 <= j && j <= i + 1;
            });
}

TEST_F(FromSpecTest, SlidingWindowBottomRightWithRunTimeBounds) {
  OwningOpRef<ModuleOp> module =
      build("forward bf16 head_dim=64 head_ratio=1 layout=batch "
            "mask=sliding_window_bottom_right(left=?,right=?)");
  EXPECT_EQ(forwardOf(*module).getParameters().size(), 2u);
  for (int64_t left : {int64_t(0), int64_t(2), INT64_MAX})
    for (int64_t right : {int64_t(0), int64_t(1), INT64_MAX})
      checkMask(forwardOf(*module).getMask(), {left, right},
                [&](int64_t i, int64_t j, int64_t nq, int64_t nk) {
                  int64_t level = i + nk - nq;
                  // As distances, which do not overflow.
                  return level - j <= left && j - level <= right;
                });
}

TEST_F(FromSpecTest, OneBound) {
  OwningOpRef<ModuleOp> module =
      build("forward bf16 head_dim=64 head_ratio=1 layout=batch "
            "mask=sliding_window(left=?)");
  attn::ForwardOp op = forwardOf(*module);
  ASSERT_EQ(op.getParameters().size(), 1u);
  EXPECT_EQ(cast<StringAttr>(op.getParameters()[0]).getValue(), "window_left");
  checkMask(op.getMask(), {3},
            [](int64_t i, int64_t j, int64_t, int64_t) { return i - 3 <= j; });
}

TEST_F(FromSpecTest, HugeConstantIsUnlimited) {
  OwningOpRef<ModuleOp> module =
      build("forward bf16 head_dim=64 head_ratio=1 layout=batch "
            "mask=sliding_window(left=9223372036854775807,right=2)");
  checkMask(forwardOf(*module).getMask(), {},
            [](int64_t i, int64_t j, int64_t, int64_t) { return j <= i + 2; });
}

TEST_F(FromSpecTest, FactsOfTheSpec) {
  OwningOpRef<ModuleOp> module =
      build("backward f16 head_dim=192 head_dim_v=128 head_ratio=3 "
            "layout_q=thd layout_kv=batch padded_kv align=2 do=scalar "
            "score=softcap deterministic");
  auto op = *module->getOps<attn::BackwardOp>().begin();
  EXPECT_EQ(op.getSymName(), "attention");
  EXPECT_TRUE(op.getDtype().isF16());
  EXPECT_EQ(op.getHeadDim(), 192);
  EXPECT_EQ(op.getHeadDimV(), 128);
  EXPECT_EQ(op.getHeadRatio(), 3);
  EXPECT_EQ(op.getQ().getLayout(), attn::RowLayout::thd);
  EXPECT_FALSE(op.getQ().getPadded());
  EXPECT_EQ(op.getKv().getLayout(), attn::RowLayout::batch);
  EXPECT_TRUE(op.getKv().getPadded());
  EXPECT_EQ(op.getAlign(), 2);
  EXPECT_TRUE(op.getScalarDout());
  EXPECT_TRUE(op.getDeterministic());
  EXPECT_FALSE(op.getScore().empty());
  EXPECT_TRUE(op.getDerivative().empty());
  EXPECT_EQ((*module)->getAttrOfType<StringAttr>(kSpecAttr).getValue(),
            spec.str());
  EXPECT_EQ((*module)->getAttrOfType<StringAttr>(kTargetAttr).getValue(),
            "sm_90a");
}

TEST_F(FromSpecTest, EqualSpecsGiveEqualText) {
  const char *text = "backward bf16 head_dim=128 head_ratio=4 layout=thd "
                     "mask=sliding_window(left=?,right=7) score=softcap";
  auto print = [&] {
    std::string result;
    llvm::raw_string_ostream(result) << *build(text);
    return result;
  };
  EXPECT_EQ(print(), print());
}
