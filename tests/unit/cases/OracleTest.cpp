//===- OracleTest.cpp - The fp64 formula against differences --------------===//

#include "runtime/cases/Oracle.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weft;
using namespace weft::cases;

static const MaskKind allMasks[] = {
    MaskKind::None, MaskKind::Causal, MaskKind::CausalBottomRight,
    MaskKind::SlidingWindow, MaskKind::SlidingWindowBottomRight};

/// The mask as DESIGN states it.
static bool kept(const CaseFile &file, int64_t i, int64_t j, int64_t queries,
                 int64_t keys) {
  int64_t d = keys - queries;
  switch (file.mask) {
  case MaskKind::None:
    return true;
  case MaskKind::Causal:
    return j <= i;
  case MaskKind::CausalBottomRight:
    return j <= i + d;
  case MaskKind::SlidingWindow:
    return (!file.left || i - *file.left <= j) &&
           (!file.right || j <= i + *file.right);
  case MaskKind::SlidingWindowBottomRight:
    return (!file.left || i + d - *file.left <= j) &&
           (!file.right || j <= i + d + *file.right);
  }
  return false;
}

TEST(Oracle, KeyRangesAreTheMasks) {
  CaseFile file;
  for (MaskKind mask : allMasks)
    for (int64_t left : {-1, 0, 1, 3})
      for (int64_t right : {-1, 0, 2}) {
        file.mask = mask;
        file.left = left < 0 ? std::nullopt : std::optional(left);
        file.right = right < 0 ? std::nullopt : std::optional(right);
        for (int64_t queries = 1; queries < 6; ++queries)
          for (int64_t keys = 0; keys < 6; ++keys)
            for (int64_t i = 0; i < queries; ++i) {
              KeyRange range = keysOf(file, i, queries, keys);
              ASSERT_LE(0, range.first);
              ASSERT_LE(range.first, range.last);
              ASSERT_LE(range.last, keys);
              for (int64_t j = 0; j < keys; ++j)
                ASSERT_EQ(range.first <= j && j < range.last,
                          kept(file, i, j, queries, keys));
            }
      }
  file.mask = MaskKind::SlidingWindowBottomRight;
  file.left = file.right = INT64_MAX;
  KeyRange all = keysOf(file, 0, 5, 3);
  EXPECT_EQ(all.first, 0);
  EXPECT_EQ(all.last, 3);
}

namespace {
/// A one-sequence problem as plain arrays, and its loss sum dO O.
struct Plain {
  const CaseFile &file;
  int64_t queries, keys;
  std::vector<double> q, k, v, dO;

  double loss() const {
    double loss = 0;
    for (int64_t h = 0; h < file.headsQ; ++h)
      for (int64_t i = 0; i < queries; ++i) {
        double total = 0;
        std::vector<double> o(file.headDimV);
        for (int64_t j = 0; j < keys; ++j) {
          if (!kept(file, i, j, queries, keys))
            continue;
          double weight = std::exp(score(h, i, j));
          total += weight;
          for (int64_t c = 0; c < file.headDimV; ++c)
            o[c] +=
                weight * v[at(j, keyHead(h), file.headsKv, file.headDimV) + c];
        }
        for (int64_t c = 0; c < file.headDimV && total > 0; ++c)
          loss += o[c] / total * dO[at(i, h, file.headsQ, file.headDimV) + c];
      }
    return loss;
  }
  double score(int64_t h, int64_t i, int64_t j) const {
    double s = 0;
    for (int64_t c = 0; c < file.headDim; ++c)
      s += q[at(i, h, file.headsQ, file.headDim) + c] *
           k[at(j, keyHead(h), file.headsKv, file.headDim) + c];
    s *= file.scaleValue();
    return file.softcap ? *file.softcap * std::tanh(s / *file.softcap) : s;
  }
  int64_t keyHead(int64_t h) const { return h / (file.headsQ / file.headsKv); }
  static int64_t at(int64_t row, int64_t head, int64_t heads, int64_t columns) {
    return (row * heads + head) * columns;
  }
};

std::vector<double> elements(const HostTensor &tensor) {
  std::vector<double> values;
  for (int64_t row = 0; row < tensor.place.rows(); ++row)
    for (int64_t head = 0; head < tensor.place.heads; ++head)
      for (int64_t c = 0; c < tensor.place.columns; ++c)
        values.push_back(tensor.load(row, head, c));
  return values;
}

/// Every third derivative of the loss by central differences.
void expectGradient(Plain &plain, std::vector<double> &input,
                    const std::vector<double> &gradient) {
  ASSERT_EQ(input.size(), gradient.size());
  for (size_t i = 0; i < input.size(); i += 3) {
    double old = input[i], h = 1e-4;
    input[i] = old + h;
    double up = plain.loss();
    input[i] = old - h;
    double down = plain.loss();
    input[i] = old;
    ASSERT_NEAR(gradient[i], (up - down) / (2 * h), 1e-6) << i;
  }
}
} // namespace

TEST(Oracle, GradientsAreDerivativesOfTheForward) {
  for (MaskKind mask : allMasks)
    for (bool softcap : {false, true}) {
      CaseFile file = cantFail(CaseFile::parse(
          R"({"name": "n", "pass": "backward", "dtype": "bf16", "heads_q": 4,
              "heads_kv": 2, "head_dim": 16, "head_dim_v": 8,
              "layout": "bhsd", "calls":
              [{"batch": 1, "seqlen_q": 6, "seqlen_kv": 5}]})"));
      file.mask = mask;
      if (mask >= MaskKind::SlidingWindow) {
        file.left = 2;
        file.right = 1;
      }
      if (softcap)
        file.softcap = 0.75;
      ResolvedCall call = cantFail(resolveCall(file, 0));
      CaseMemory memory = cantFail(CaseMemory::create(file, {&call}));
      memory.drawInputs(call);
      Reference reference = computeReference(file, call, memory, 1);
      auto input = [&](TensorId id) {
        return elements(memory.tensor(call, id));
      };
      Plain plain{file,
                  6,
                  5,
                  input(TensorId::Q),
                  input(TensorId::K),
                  input(TensorId::V),
                  input(TensorId::DO)};
      expectGradient(plain, plain.q, reference[TensorId::DQ].value);
      expectGradient(plain, plain.k, reference[TensorId::DK].value);
      expectGradient(plain, plain.v, reference[TensorId::DV].value);
      // The loss is sum dO O.
      double loss = 0;
      for (size_t i = 0; i < plain.dO.size(); ++i)
        loss += plain.dO[i] * reference[TensorId::O].value[i];
      EXPECT_NEAR(loss, plain.loss(), 1e-9);
      double total = 0;
      for (int64_t j = 0; j < 5; ++j)
        total += kept(file, 3, j, 6, 5) ? std::exp(plain.score(2, 3, j)) : 0;
      EXPECT_NEAR(reference[TensorId::Lse].value[3 * 4 + 2], std::log(total),
                  1e-12);
    }
}

TEST(Oracle, RowsWithoutTermsAreExact) {
  CaseFile file = cantFail(CaseFile::parse(
      R"({"name": "n", "pass": "backward", "dtype": "f16", "heads_q": 1,
          "heads_kv": 1, "head_dim": 8, "layout": "thd",
          "mask": {"kind": "causal_bottom_right"}, "calls":
          [{"cu_seqlens_q": [0, 4, 4], "cu_seqlens_kv": [0, 2, 5],
            "total_q": 6}]})"));
  ResolvedCall call = cantFail(resolveCall(file, 0));
  CaseMemory memory = cantFail(CaseMemory::create(file, {&call}));
  memory.drawInputs(call);
  Reference reference = computeReference(file, call, memory, 2);
  auto exact = [&](TensorId id, int64_t row, double value) {
    const TensorReference &tensor = reference[id];
    int64_t columns = id == TensorId::Lse ? 1 : 8;
    return tensor.bound[row * columns] == 0 &&
           tensor.value[row * columns] == value;
  };
  for (int64_t row : {0, 1, 4, 5}) { // rows that see no key, then the tail
    EXPECT_TRUE(exact(TensorId::O, row, 0)) << row;
    EXPECT_TRUE(exact(TensorId::DQ, row, 0)) << row;
    EXPECT_TRUE(exact(TensorId::Lse, row, -INFINITY)) << row;
  }
  EXPECT_FALSE(exact(TensorId::O, 2, 0));
  for (int64_t row : {2, 3, 4}) // keys without queries
    EXPECT_TRUE(exact(TensorId::DK, row, 0) && exact(TensorId::DV, row, 0));
  EXPECT_FALSE(exact(TensorId::DV, 1, 0));
}

TEST(Oracle, GivenOutputAndLse) {
  CaseFile file = cantFail(CaseFile::parse(
      R"({"name": "n", "pass": "backward", "dtype": "f16", "heads_q": 1,
          "heads_kv": 1, "head_dim": 8, "layout": "thd", "scale": 0.5,
          "calls": [{"cu_seqlens_q": [0, 1], "cu_seqlens_kv": [0, 1]}],
          "inputs": {"o_lse": "random"}})"));
  ResolvedCall call = cantFail(resolveCall(file, 0));
  CaseMemory memory = cantFail(CaseMemory::create(file, {&call}));
  memory.drawInputs(call);
  auto input = [&](TensorId id) { return elements(memory.tensor(call, id)); };
  auto q = input(TensorId::Q), k = input(TensorId::K), v = input(TensorId::V),
       o = input(TensorId::O), dO = input(TensorId::DO);
  double s = 0, dP = 0, delta = 0;
  for (int c = 0; c < 8; ++c) {
    s += 0.5 * q[c] * k[c];
    dP += dO[c] * v[c];
    delta += dO[c] * o[c];
  }
  double p = std::exp(s - input(TensorId::Lse)[0]);
  Reference reference = computeReference(file, call, memory, 1);
  for (int c = 0; c < 8; ++c) {
    EXPECT_NEAR(reference[TensorId::DV].value[c], p * dO[c], 1e-12);
    EXPECT_NEAR(reference[TensorId::DQ].value[c], 0.5 * p * (dP - delta) * k[c],
                1e-12);
    EXPECT_NEAR(reference[TensorId::DK].value[c], 0.5 * p * (dP - delta) * q[c],
                1e-12);
  }
  EXPECT_TRUE(reference[TensorId::O].value.empty());
}
