//===- ForwardTest.cpp - A forward, end to end ----------------------------===//
//
// A hand-written forward of head dim 16 with a causal mask, in tiles of 16
// queries and 16 keys, against the formula in double precision.
//
//===----------------------------------------------------------------------===//

#include "runtime/reference/Numbers.h"
#include "runtime/reference/ReferenceExecutor.h"
#include "runtime/reference/Scheduler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace weft;
using namespace weft::reference;

static const char *stepOp = R"mlir(
      %p, %m1, %l1, %rescale = tile.softmax_step %masked, %m, %l : tensor<16x16xf32>, tensor<16xf32>
)mlir";

/// The step as `tile-expand-softmax` writes it.
static const char *stepExpanded = R"mlir(
      %row_max = tile.reduce max %masked : tensor<16x16xf32> -> tensor<16xf32>
      %m1 = arith.maxnumf %m, %row_max : tensor<16xf32>
      %no_key = arith.cmpf oeq, %m1, %neg_inf_r : tensor<16xf32>
      %m_safe = arith.select %no_key, %zero_r, %m1 : tensor<16xi1>, tensor<16xf32>
      %m_diff = arith.subf %m, %m_safe : tensor<16xf32>
      %rescale = math.exp2 %m_diff : tensor<16xf32>
      %m_t = tile.expand %m_safe dim = 1 : tensor<16xf32> -> tensor<16x16xf32>
      %diff = arith.subf %masked, %m_t : tensor<16x16xf32>
      %p = math.exp2 %diff : tensor<16x16xf32>
      %row_sum = tile.reduce sum %p : tensor<16x16xf32> -> tensor<16xf32>
      %l0 = arith.mulf %l, %rescale : tensor<16xf32>
      %l1 = arith.addf %l0, %row_sum : tensor<16xf32>
)mlir";

static std::string forwardModule(const std::string &step) {
  return R"mlir(
module attributes {weft.target = "sm_80"} {
  plan.kernel @forward forward of @attention schedule <rows = 16, columns = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>, #plan.operand<"value", in, [valid]>,
              #plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
  plan.kernel @fill fill of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"out", out, [gap, tail], 0.0>, #plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>]
  plan.func @forward_plan(%q: !plan.buffer<bf16, q, heads_q, 16, valid = defined> {weft.name = "query"},
                     %k: !plan.buffer<bf16, kv, heads_kv, 16, valid = defined> {weft.name = "key"},
                     %v: !plan.buffer<bf16, kv, heads_kv, 16, valid = defined> {weft.name = "value"},
                     %o: !plan.buffer<bf16, q, heads_q, 16> {weft.name = "out"},
                     %l: !plan.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
      -> (!plan.buffer<bf16, q, heads_q, 16, valid = defined, gap = filled(0.0), tail = filled(0.0)>,
          !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>) {
    %c16 = arith.constant 16 : i64
    %batch = plan.size batch
    %rows = plan.size rows_q
    %rows_kv = plan.size rows_kv
    %heads = plan.size heads_q
    %tiles = arith.ceildivsi %rows, %c16 : i64
    %slots = arith.addi %tiles, %batch : i64
    %grid = arith.muli %slots, %heads : i64
    %o1, %l1 = plan.launch @forward grid(%grid)
      in(%q, %k, %v : !plan.buffer<bf16, q, heads_q, 16, valid = defined>, !plan.buffer<bf16, kv, heads_kv, 16, valid = defined>, !plan.buffer<bf16, kv, heads_kv, 16, valid = defined>)
      out(%o, %l : !plan.buffer<bf16, q, heads_q, 16>, !plan.buffer<f32, q, heads_q, 1>)
      -> !plan.buffer<bf16, q, heads_q, 16, valid = defined>, !plan.buffer<f32, q, heads_q, 1, valid = defined>
    %most = arith.maxsi %rows, %rows_kv : i64
    %most_tiles = arith.ceildivsi %most, %c16 : i64
    %fill_grid = arith.muli %most_tiles, %heads : i64
    %o2, %l2 = plan.launch @fill grid(%fill_grid)
      out(%o1, %l1 : !plan.buffer<bf16, q, heads_q, 16, valid = defined>, !plan.buffer<f32, q, heads_q, 1, valid = defined>)
      -> !plan.buffer<bf16, q, heads_q, 16, valid = defined, gap = filled(0.0), tail = filled(0.0)>,
         !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
    plan.return %o2, %l2 : !plan.buffer<bf16, q, heads_q, 16, valid = defined, gap = filled(0.0), tail = filled(0.0)>,
      !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
  }
  tile.func @fill_body(%out: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "out"},
                       %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
      grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
    %c16 = arith.constant 16 : i64
    %sequence, %tile, %head = tile.point
    %first = arith.muli %tile, %c16 : i64
    tile.fill %out[%first, %head], 0.0 : !tile.buffer<bf16, q, heads_q, 16>
    tile.fill %lse[%first, %head], 0xFFF0000000000000 : !tile.buffer<f32, q, heads_q, 1>
    tile.return
  }
  tile.func @forward_body(%query: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "query"},
                          %key: !tile.buffer<bf16, kv, heads_kv, 16> {weft.name = "key"},
                          %value: !tile.buffer<bf16, kv, heads_kv, 16> {weft.name = "value"},
                          %out: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "out"},
                          %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
                          %scale: f32 {weft.name = "scale"})
      grid <q, 16, heads_q> schedule <rows = 16, columns = 16, warps = 1> {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c16 = arith.constant 16 : i64
    %zero_s = arith.constant dense<0.0> : tensor<16x16xf32>
    %zero_r = arith.constant dense<0.0> : tensor<16xf32>
    %one_r = arith.constant dense<1.0> : tensor<16xf32>
    %ln2_r = arith.constant dense<0.693147182> : tensor<16xf32>
    %neg_inf_r = arith.constant dense<0xFF800000> : tensor<16xf32>
    %neg_inf_s = arith.constant dense<0xFF800000> : tensor<16x16xf32>
    %log2e = arith.constant 1.44269502 : f32
    %sequence, %tile, %head = tile.point
    %n_k = tile.length kv %sequence
    %head_kv = arith.divsi %head, %c2 : i64
    %i_first = arith.muli %tile, %c16 : i64
    %rows_q = tile.rows %sequence, %i_first : !tile.rows<q, 16>
    %q = tile.load %query[%rows_q, %head] : !tile.buffer<bf16, q, heads_q, 16>, !tile.rows<q, 16> -> tensor<16x16xbf16>
    %scale2 = arith.mulf %scale, %log2e : f32
    %scale_t = tensor.splat %scale2 : tensor<16x16xf32>
    %last = arith.ceildivsi %n_k, %c16 : i64
    %r:3 = scf.for %t = %c0 to %last step %c1
        iter_args(%acc = %zero_s, %m = %neg_inf_r, %l = %zero_r) -> (tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>) : i64 {
      %j_first = arith.muli %t, %c16 : i64
      %rows_k = tile.rows %sequence, %j_first : !tile.rows<kv, 16>
      %k = tile.load %key[%rows_k, %head_kv] : !tile.buffer<bf16, kv, heads_kv, 16>, !tile.rows<kv, 16> -> tensor<16x16xbf16>
      %s = tile.dot %q, %k transposed, %zero_s : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
      %t2 = arith.mulf %s, %scale_t : tensor<16x16xf32>
      %i = tile.coordinates %i_first dim = 0 : tensor<16x16xi64>
      %j = tile.coordinates %j_first dim = 1 : tensor<16x16xi64>
      %keep0 = arith.cmpi sle, %j, %i : tensor<16x16xi64>
      %n_k_t = tensor.splat %n_k : tensor<16x16xi64>
      %exists = arith.cmpi slt, %j, %n_k_t : tensor<16x16xi64>
      %keep = arith.andi %keep0, %exists : tensor<16x16xi1>
      %masked = arith.select %keep, %t2, %neg_inf_s : tensor<16x16xi1>, tensor<16x16xf32>
)mlir" + step +
         R"mlir(
      %pb = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xbf16>
      %rescale_t = tile.expand %rescale dim = 1 : tensor<16xf32> -> tensor<16x16xf32>
      %acc0 = arith.mulf %acc, %rescale_t : tensor<16x16xf32>
      %v = tile.load %value[%rows_k, %head_kv] : !tile.buffer<bf16, kv, heads_kv, 16>, !tile.rows<kv, 16> -> tensor<16x16xbf16>
      %acc1 = tile.dot %pb, %v, %acc0 : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
      scf.yield %acc1, %m1, %l1 : tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    }
    %none = arith.cmpf oeq, %r#2, %zero_r : tensor<16xf32>
    %inv = arith.divf %one_r, %r#2 : tensor<16xf32>
    %inv0 = arith.select %none, %zero_r, %inv : tensor<16xi1>, tensor<16xf32>
    %inv_t = tile.expand %inv0 dim = 1 : tensor<16xf32> -> tensor<16x16xf32>
    %o = arith.mulf %r#0, %inv_t : tensor<16x16xf32>
    %ob = arith.truncf %o : tensor<16x16xf32> to tensor<16x16xbf16>
    tile.store %ob, %out[%rows_q, %head] : tensor<16x16xbf16>, !tile.buffer<bf16, q, heads_q, 16>, !tile.rows<q, 16>
    %log = math.log2 %r#2 : tensor<16xf32>
    %sum = arith.addf %r#1, %log : tensor<16xf32>
    %lse_v = arith.mulf %sum, %ln2_r : tensor<16xf32>
    tile.store %lse_v, %lse[%rows_q, %head] : tensor<16xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 16>
    tile.return
  }
})mlir";
}

namespace {
/// thd, 4 query heads on 2 key heads, head dim 16, padding full of NaN.
struct Case {
  static constexpr int64_t heads = 4, headsKv = 2, dim = 16;
  std::vector<int32_t> usedQ = {0, 37, 37, 57}, usedKv = {0, 20, 29, 29};
  std::vector<int32_t> startQ = {3, 48, 56, 80}, startKv = {0, 24, 40, 44};
  int64_t rowsQ = 90, rowsKv = 44;
  std::vector<uint16_t> query, key, value, out;
  std::vector<float> lse;

  Case() {
    Random random(17);
    auto draw = [&](int64_t rows, int64_t heads) {
      std::vector<uint16_t> values;
      for (int64_t i = 0; i < rows * heads * dim; ++i)
        values.push_back(toBF16(float(random.below(2001)) * 1e-3f - 1.0f));
      return values;
    };
    query = draw(rowsQ, heads);
    key = draw(rowsKv, headsKv);
    value = draw(rowsKv, headsKv);
    spoil(query, heads, usedQ, startQ, rowsQ);
    spoil(key, headsKv, usedKv, startKv, rowsKv);
    spoil(value, headsKv, usedKv, startKv, rowsKv);
  }

  static bool isUsed(int64_t row, const std::vector<int32_t> &used,
                     const std::vector<int32_t> &start) {
    for (size_t b = 0; b + 1 < used.size(); ++b)
      if (row >= start[b] && row < start[b] + used[b + 1] - used[b])
        return true;
    return false;
  }
  static void spoil(std::vector<uint16_t> &values, int64_t heads,
                    const std::vector<int32_t> &used,
                    const std::vector<int32_t> &start, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row)
      if (!isUsed(row, used, start))
        std::fill_n(values.begin() + row * heads * dim, heads * dim, 0x7fff);
  }

  Problem problem() {
    out.assign(size_t(rowsQ * heads * dim), 0x7fff);
    lse.assign(size_t(rowsQ * heads), 123);
    Problem problem;
    problem.batch = 3;
    problem.q = {heads, 0, rowsQ, 0, usedQ.data(), startQ.data(), nullptr};
    problem.kv = {headsKv,        0,      rowsKv, 0, usedKv.data(),
                  startKv.data(), nullptr};
    problem.query = {query.data(), 0, heads * dim, dim, 1};
    problem.key = {key.data(), 0, headsKv * dim, dim, 1};
    problem.value = {value.data(), 0, headsKv * dim, dim, 1};
    problem.out = {out.data(), 0, heads * dim, dim, 1};
    problem.lse = {lse.data(), 0, 1, rowsQ, 1};
    problem.scale = 0.3;
    return problem;
  }

  double at(const std::vector<uint16_t> &values, int64_t row, int64_t heads,
            int64_t head, int64_t d) const {
    return fromBF16(values[size_t((row * heads + head) * dim + d)]);
  }

  void check() const {
    for (size_t b = 0; b < 3; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < usedQ[b + 1] - usedQ[b]; ++i)
          checkRow(b, h, i);
    for (int64_t row = 0; row < rowsQ; ++row) {
      if (isUsed(row, usedQ, startQ))
        continue;
      for (int64_t h = 0; h < heads; ++h) {
        EXPECT_EQ(lse[size_t(h * rowsQ + row)],
                  -std::numeric_limits<float>::infinity());
        EXPECT_EQ(out[size_t((row * heads + h) * dim + 5)], 0);
      }
    }
  }

  void checkRow(size_t b, int64_t h, int64_t i) const {
    int64_t row = startQ[b] + i;
    int64_t keys = std::min<int64_t>(usedKv[b + 1] - usedKv[b], i + 1);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double s = 0;
      for (int64_t d = 0; d < dim; ++d)
        s += at(query, row, heads, h, d) *
             at(key, startKv[b] + j, headsKv, h / 2, d);
      weights.push_back(std::exp(0.3 * s));
      sum += weights.back();
    }
    if (keys == 0)
      EXPECT_EQ(lse[size_t(h * rowsQ + row)],
                -std::numeric_limits<float>::infinity());
    else
      EXPECT_NEAR(lse[size_t(h * rowsQ + row)], std::log(sum), 1e-5);
    for (int64_t d = 0; d < dim; ++d) {
      double expected = 0;
      for (int64_t j = 0; j < keys; ++j)
        expected += weights[size_t(j)] / sum *
                    at(value, startKv[b] + j, headsKv, h / 2, d);
      EXPECT_NEAR(at(out, row, heads, h, d), expected, 0.01);
    }
  }
};
} // namespace

TEST(Forward, AgreesWithTheFormula) {
  Case call;
  std::vector<uint16_t> first;
  for (const char *step : {stepOp, stepExpanded}) {
    auto executor = ReferenceExecutor::createFromText(forwardModule(step));
    ASSERT_TRUE(bool(executor)) << llvm::toString(executor.takeError());
    for (int64_t resident : {1, 2, 7, 0})
      for (bool poison : {false, true}) {
        ReferenceOptions options;
        options.residentCtas = resident;
        options.seed = uint64_t(resident) + 5;
        if (poison)
          options.poison = 0xff;
        llvm::Error error = (*executor)->run(call.problem(), options);
        ASSERT_FALSE(bool(error)) << llvm::toString(std::move(error));
        call.check();
        // The same bits whatever the order, and however the step is written.
        if (first.empty())
          first = call.out;
        EXPECT_EQ(call.out, first);
      }
  }
}
