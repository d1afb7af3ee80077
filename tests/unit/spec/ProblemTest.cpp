//===- ProblemTest.cpp - Facts and refusals of one call -------------------===//

#include "runtime/spec/Problem.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weft;

namespace {
/// A legal backward bshd problem of 2 x 5 rows, 4 / 2 heads, head dim 16 whose
/// addresses are never followed.
struct Call {
  AttentionSpec spec;
  Problem problem;
  uint64_t next = 0x10000;

  Call() {
    spec.pass = PassKind::Backward;
    spec.headDim = spec.headDimV = 16;
    spec.headRatio = 2;
    Problem &p = problem;
    p.batch = 2;
    p.q = {4, 5, 10};
    p.kv = {2, 5, 10};
    p.scale = 0.25;
    for (TensorView *view : {&p.query, &p.out, &p.dOut, &p.dQuery})
      *view = tensor(4);
    for (TensorView *view : {&p.key, &p.value, &p.dKey, &p.dValue})
      *view = tensor(2);
    p.lse = {take(0x1000), 20, 1, 5, 1};
  }
  void *take(uint64_t bytes) {
    next += bytes;
    return reinterpret_cast<void *>(next - bytes);
  }
  TensorView tensor(int64_t heads) {
    return {take(0x1000), 5 * heads * 16, heads * 16, 16, 1};
  }
  std::string message() const {
    return llvm::toString(checkProblem(problem, spec));
  }
  int64_t derivedAlign() const {
    AttentionSpec derived = spec;
    deriveFacts(problem, derived);
    return derived.align;
  }
};
} // namespace

static void moveBy(TensorView &view, int64_t bytes) {
  view.data = static_cast<char *>(view.data) + bytes;
}

static void expectPart(const Call &call, llvm::StringRef part) {
  EXPECT_NE(call.message().find(part), std::string::npos) << call.message();
}

TEST(Problem, LegalCalls) {
  Call call;
  EXPECT_EQ(call.message(), "");
  call.problem.batch = 0;
  call.problem.q.rows = call.problem.kv.rows = 0;
  call.problem.query.data = call.problem.dKey.data = nullptr;
  EXPECT_EQ(call.message(), "");
}

TEST(Problem, AlignmentIsDerived) {
  Call call;
  EXPECT_EQ(call.derivedAlign(), 16);
  moveBy(call.problem.dKey, 2);
  EXPECT_EQ(call.derivedAlign(), 2);
  expectPart(call, "align=16");
  call.spec.align = 2;
  EXPECT_EQ(call.message(), "");

  Call stride;
  stride.problem.key.rowStride += 1;
  EXPECT_EQ(stride.derivedAlign(), 2);
  // One row: its stride is never used.
  stride.problem.kv.seqlen = 1;
  stride.problem.kv.rows = 2;
  EXPECT_EQ(stride.derivedAlign(), 16);
  EXPECT_EQ(stride.message(), "");

  // An empty tensor and LSE say nothing.
  Call empty;
  moveBy(empty.problem.lse, 4);
  EXPECT_EQ(empty.derivedAlign(), 16);
  empty.problem.key.data = reinterpret_cast<void *>(2);
  empty.problem.kv.seqlen = empty.problem.kv.rows = 0;
  EXPECT_EQ(empty.derivedAlign(), 16);
  EXPECT_EQ(empty.message(), "");
}

TEST(Problem, ScalarDOut) {
  Call call;
  call.problem.dOut = {call.take(2), 0, 0, 0, 0};
  AttentionSpec derived = call.spec;
  moveBy(call.problem.dOut, 2); // one element needs no 16 bytes
  deriveFacts(call.problem, derived);
  EXPECT_TRUE(derived.scalarDOut);
  EXPECT_EQ(derived.align, 16);
  expectPart(call, "do=scalar, or copy dO");
  call.spec = derived;
  EXPECT_EQ(call.message(), "");
  call.problem.dOut.rowStride = 8;
  expectPart(call, "either all strides of dO are 0");
  call.problem.dOut = {call.take(0x1000), 320, 64, 16, 1};
  expectPart(call, "says do=scalar");
}

TEST(Problem, CountsAndLists) {
  Call heads;
  heads.problem.q.heads = 3;
  expectPart(heads, "heads_q 3 and heads_kv 2");
  Call noHeads;
  noHeads.problem.kv.heads = 0;
  expectPart(noHeads, "heads_kv 0 is outside");
  Call batch;
  batch.problem.batch = -1;
  expectPart(batch, "batch -1 is outside");
  Call rows;
  rows.problem.q.rows = 11;
  expectPart(rows, "batch * seqlen_q = 10");

  int32_t offsets[3] = {0, 5, 10};
  Call extra;
  extra.problem.q.cuSeqlens = offsets;
  expectPart(extra, "cu_seqlens_q is given, but");
  Call thd;
  thd.spec.q.layout = thd.spec.kv.layout = LayoutClass::Thd;
  thd.problem.kv.cuSeqlens = offsets;
  thd.problem.lse = {thd.problem.lse.data, 0, 1, 10, 1};
  expectPart(thd, "cu_seqlens_q is null; give batch + 1 = 3");
  thd.problem.q.cuSeqlens = offsets;
  EXPECT_EQ(thd.message(), "");
  thd.spec.q.padded = true;
  expectPart(thd, "cu_seqlens_q_padded is null");
  thd.spec.q.padded = false;
  thd.problem.q.cuSeqlensPadded = offsets;
  expectPart(thd, "cu_seqlens_q_padded is given");
  Call lengths;
  lengths.spec.kv.padded = true;
  expectPart(lengths, "seqlens_kv is null; give batch = 2");
}

TEST(Problem, Numbers) {
  Call call;
  for (double scale : {-1.0, 0.0, 1e30}) {
    call.problem.scale = scale;
    EXPECT_EQ(call.message(), "");
  }
  call.problem.scale = NAN;
  expectPart(call, "scale nan is not a finite number");
  call.problem.scale = 1e300;
  expectPart(call, "scale 1e+300 is beyond");
  call.problem.scale = 1;
  call.spec.score = ScoreKind::Softcap;
  expectPart(call, "softcap 0 is not");
  call.problem.softcap = 30;
  EXPECT_EQ(call.message(), "");
  call.spec.mask = MaskKind::SlidingWindow;
  call.spec.left.kind = WindowBound::Kind::RunTime;
  call.problem.windowLeft = -2;
  expectPart(call, "window_left -2 is negative");
}

TEST(Problem, Tensors) {
  Call null;
  null.problem.dValue.data = nullptr;
  expectPart(null, "dv is null");
  Call odd;
  odd.spec.align = 2;
  moveBy(odd.problem.query, 1);
  expectPart(odd, "q starts at an address");
  Call lse;
  moveBy(lse.problem.lse, 2);
  expectPart(lse, "lse starts at an address");
  Call negative;
  negative.problem.key.headStride = -16;
  expectPart(negative, "k has head stride -16");
  Call column;
  column.problem.value.columnStride = 2;
  expectPart(column, "v has column stride 2");
  Call far;
  far.problem.key.rowStride = int64_t(1) << 59;
  expectPart(far, "past the end of the address space");
}

TEST(Problem, Overlap) {
  Call same;
  same.problem.dKey.data = same.problem.dValue.data;
  expectPart(same, "dk and dv overlap");
  Call input;
  input.problem.dQuery.data = input.problem.query.data;
  expectPart(input, "q and dq overlap");
  Call itself;
  itself.problem.dQuery.rowStride = 48;
  expectPart(itself, "dq overlaps itself");
  Call expanded; // inputs may
  expanded.problem.key.headStride = 0;
  EXPECT_EQ(expanded.message(), "");
  Call workspace;
  workspace.problem.workspace =
      static_cast<char *>(workspace.problem.dKey.data) - 16;
  workspace.problem.workspaceBytes = 16;
  EXPECT_EQ(workspace.message(), "");
  workspace.problem.workspaceBytes = 17;
  expectPart(workspace, "dk and the workspace overlap");
  Call list;
  list.spec.kv.padded = true;
  list.problem.kv.seqlens =
      static_cast<const int32_t *>(list.problem.dQuery.data);
  expectPart(list, "dq and seqlens_kv overlap");
}

TEST(Problem, InterleavedSlicesDoNotOverlap) {
  Call call;
  call.spec.headRatio = 1;
  call.problem.kv = call.problem.q;
  call.problem.key = call.tensor(4);
  call.problem.value = call.tensor(4);
  int64_t row = 3 * 64;
  char *base = static_cast<char *>(call.take(0x10000));
  for (auto [i, view] :
       {std::pair(0, &call.problem.dQuery), std::pair(1, &call.problem.dKey),
        std::pair(2, &call.problem.dValue)})
    *view = {base + i * 128, 5 * row, row, 16, 1};
  EXPECT_EQ(call.message(), "");
  moveBy(call.problem.dValue, -16);
  expectPart(call, "dk and dv overlap");
}
