//===- CaseMemoryTest.cpp - Places, inputs, poison, foreign writes --------===//

#include "runtime/cases/CaseMemory.h"
#include "runtime/cases/Numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace weft;
using namespace weft::cases;

namespace {
struct Loaded {
  CaseFile file;
  std::vector<ResolvedCall> calls;
  std::optional<CaseMemory> memory;
};
} // namespace

/// Lists of a call point into its file: it must not move.
static std::unique_ptr<Loaded> load(llvm::StringRef text) {
  auto loaded = std::make_unique<Loaded>();
  loaded->file = cantFail(CaseFile::parse(text));
  for (size_t n = 0; n < loaded->file.calls.size(); ++n)
    loaded->calls.push_back(cantFail(resolveCall(loaded->file, n)));
  std::vector<const ResolvedCall *> pointers;
  for (const ResolvedCall &call : loaded->calls)
    pointers.push_back(&call);
  loaded->memory = cantFail(CaseMemory::create(loaded->file, pointers));
  return loaded;
}

static std::string caseText(llvm::StringRef layout, llvm::StringRef call,
                            llvm::StringRef rest = "") {
  return (R"({"name": "n", "pass": "backward", "dtype": "bf16", "heads_q": 2,
             "heads_kv": 2, "head_dim": 8, "layout": ")" +
          layout + R"(", "calls": [)" + call + "]" + rest + "}")
      .str();
}

static const char *batchCall = R"({"batch": 3, "seqlen_q": 5, "seqlen_kv": 5})";
static const char *thdCall =
    R"({"cu_seqlens_q": [0, 4, 15], "cu_seqlens_kv": [0, 4, 15]})";

TEST(CaseMemory, EveryLayoutPlacesEveryElementOnce) {
  for (llvm::StringRef layout : layoutNames) {
    bool thd = layout.starts_with("t");
    auto loaded = load(caseText(layout, thd ? thdCall : batchCall));
    const ResolvedCall &call = loaded->calls[0];
    std::map<std::string, std::set<int64_t>> seen;
    for (size_t i = 0; i < numTensors; ++i) {
      Placement place = weft::cases::place(loaded->file, call, TensorId(i));
      EXPECT_EQ(place.rows(), 15);
      for (int64_t row = 0; row < place.rows(); ++row)
        for (int64_t head = 0; head < 2; ++head)
          for (int64_t c = 0; c < place.columns; ++c)
            EXPECT_TRUE(seen[place.allocation.str()]
                            .insert(place.at(row, head) + c)
                            .second)
                << layout.str();
    }
    // Packed: without holes from 0.
    EXPECT_EQ(seen.size(), layout.contains("3") ? 5u : 9u);
    for (const auto &[name, elements] : seen) {
      EXPECT_EQ(*elements.begin(), 0) << name;
      EXPECT_EQ(*elements.rbegin(), int64_t(elements.size()) - 1) << name;
    }
  }
}

TEST(CaseMemory, LayoutsNestAsTheirNamesSay) {
  struct Expected {
    const char *layout;
    int64_t batch, row, head, kOffset;
  };
  for (Expected e :
       {Expected{"bshd", 80, 16, 8, 0}, Expected{"sbhd", 16, 48, 8, 0},
        Expected{"bhsd", 80, 8, 40, 0}, Expected{"bs3hd", 240, 48, 8, 16},
        Expected{"bsh3d", 240, 48, 24, 8}, Expected{"sb3hd", 48, 144, 8, 16},
        Expected{"sbh3d", 48, 144, 24, 8}}) {
    auto loaded = load(caseText(e.layout, batchCall));
    Placement k = place(loaded->file, loaded->calls[0], TensorId::K);
    EXPECT_EQ(k.batchStride, e.batch) << e.layout;
    EXPECT_EQ(k.rowStride, e.row) << e.layout;
    EXPECT_EQ(k.headStride, e.head) << e.layout;
    EXPECT_EQ(k.offset, e.kOffset) << e.layout;
  }
  auto strided =
      load(caseText("bshd", batchCall, R"(, "strides": {"k": {"row": 100}})"));
  Placement k = place(strided->file, strided->calls[0], TensorId::K);
  EXPECT_EQ(k.batchStride, 500);
  EXPECT_EQ(k.headStride, 8);
}

TEST(CaseMemory, InputsDependOnTheProblemAlone) {
  // The same rows in three layouts, after another call, hold the same numbers.
  std::vector<std::vector<char>> bits;
  for (llvm::StringRef layout : {"bshd", "sbhd", "bs3hd"}) {
    auto loaded = load(
        caseText(layout, (R"({"batch": 1, "seqlen_q": 9, "seqlen_kv": 9}, )" +
                          llvm::StringRef(batchCall))
                             .str()));
    loaded->memory->drawInputs(loaded->calls[0]);
    loaded->memory->drawInputs(loaded->calls[1]);
    bits.push_back(
        loaded->memory->tensor(loaded->calls[1], TensorId::V).bits());
  }
  EXPECT_EQ(bits[0], bits[1]);
  EXPECT_EQ(bits[0], bits[2]);
}

TEST(CaseMemory, GapsAndSpaceBetweenAreNaN) {
  auto loaded =
      load(caseText("thd",
                    R"({"cu_seqlens_q": [0, 2, 4], "cu_seqlens_kv": [0, 2, 4],
          "cu_seqlens_q_padded": [1, 4, 7], "total_q": 9})",
                    R"(, "inputs": {"gap_fill": "nan", "o_lse": "random"},
          "strides": {"q": {"row": 40}}, "offset": {"q": 3})"));
  const ResolvedCall &call = loaded->calls[0];
  loaded->memory->drawInputs(call);
  std::vector<bool> used = usedRows(call, TensorId::O);
  EXPECT_EQ(used, (std::vector<bool>{0, 1, 1, 0, 1, 1, 0, 0, 0}));
  for (TensorId id : {TensorId::Q, TensorId::O, TensorId::Lse, TensorId::DO}) {
    HostTensor tensor = loaded->memory->tensor(call, id);
    for (int64_t row = 0; row < 9; ++row)
      EXPECT_EQ(std::isnan(tensor.load(row, 1, 0)), !used[row]) << row;
  }
  for (const Allocation &allocation : loaded->memory->allocations()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(allocation.data) % 256, 0u);
    if (allocation.name == "q") {
      EXPECT_EQ(allocation.bytes, 2 * (3 + 8 * 40 + 16));
      auto *elements = static_cast<uint16_t *>(allocation.data);
      EXPECT_EQ(elements[2], 0xffff);              // before the tensor
      EXPECT_EQ(elements[3 + 2 * 40 - 1], 0xffff); // between rows
    }
  }
  Problem problem = loaded->memory->problem(call, PassKind::Backward);
  EXPECT_EQ(problem.query.rowStride, 40);
  EXPECT_EQ(problem.q.cuSeqlensPadded[2], 7);
  EXPECT_EQ(problem.kv.cuSeqlensPadded, nullptr);
  EXPECT_EQ(llvm::toString(checkProblem(problem,
                                        [&] {
                                          AttentionSpec spec = call.spec;
                                          deriveFacts(problem, spec);
                                          return spec;
                                        }())),
            "");
}

TEST(CaseMemory, ResultsAndWorkspaceKeepWhatTheyHold) {
  auto loaded = load(caseText("bs3hd", batchCall, R"(, "workspace": "ones")"));
  const ResolvedCall &call = loaded->calls[0];
  CaseMemory &memory = *loaded->memory;
  cantFail(memory.reserveWorkspace(64));
  EXPECT_EQ(memory.tensor(call, TensorId::DK).load(4, 1, 3), 1);
  EXPECT_EQ(memory.tensor(call, TensorId::Lse).load(4, 1, 0), 1);
  HostTensor dk = memory.tensor(call, TensorId::DK);
  dk.store(4, 1, 3, 2.5);
  memory.drawInputs(call);
  EXPECT_EQ(dk.load(4, 1, 3), 2.5);
  Problem problem = memory.problem(call, PassKind::Backward);
  EXPECT_EQ(problem.workspaceBytes, 64);
  EXPECT_EQ(static_cast<float *>(problem.workspace)[15], 1);

  Snapshot before(memory);
  memory.poison(call, PassKind::Backward);
  EXPECT_TRUE(std::isnan(dk.load(4, 1, 3)));
  // The workspace, the gradients and nothing else.
  EXPECT_TRUE(before.foreignWrites(memory, call, resultsOf(PassKind::Backward))
                  .empty());
  memory.tensor(call, TensorId::V).store(0, 0, 0, 7);
  Snapshot after(memory);
  EXPECT_TRUE(
      after.foreignWrites(memory, call, resultsOf(PassKind::Forward)).empty());
  memory.tensor(call, TensorId::V).store(0, 0, 0, 8);
  auto found = after.foreignWrites(memory, call, resultsOf(PassKind::Forward));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("allocation 'qkv'"), std::string::npos) << found[0];
}

TEST(CaseMemory, ScalarDOut) {
  auto loaded = load(
      caseText("bshd", batchCall, R"(, "inputs": {"dout": "ones_expanded"})"));
  loaded->memory->drawInputs(loaded->calls[0]);
  HostTensor dO = loaded->memory->tensor(loaded->calls[0], TensorId::DO);
  EXPECT_EQ(dO.load(14, 1, 7), 1);
  Problem problem =
      loaded->memory->problem(loaded->calls[0], PassKind::Backward);
  EXPECT_EQ(problem.dOut.columnStride, 0);
  EXPECT_EQ(problem.dOut.rowStride, 0);
}

TEST(CaseMemory, EmptyTensorsAreNull) {
  auto loaded = load(
      caseText("thd", R"({"cu_seqlens_q": [0, 0], "cu_seqlens_kv": [0, 3]})"));
  Problem problem =
      loaded->memory->problem(loaded->calls[0], PassKind::Backward);
  EXPECT_EQ(problem.query.data, nullptr);
  EXPECT_NE(problem.key.data, nullptr);
}

TEST(CaseMemory, TooLargeIsAnError) {
  CaseFile file = cantFail(CaseFile::parse(caseText(
      "bshd", batchCall, R"(, "strides": {"q": {"row": 100000000000000}})")));
  ResolvedCall call = cantFail(resolveCall(file, 0));
  auto memory = CaseMemory::create(file, {&call});
  ASSERT_FALSE(bool(memory));
  EXPECT_NE(llvm::toString(memory.takeError())
                .find("the strides and the offset of q"),
            std::string::npos);
}
