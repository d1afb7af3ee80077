//===- OffsetsTest.cpp - Malformed offsets are refused by name ------------===//

#include "runtime/spec/Offsets.h"

#include <gtest/gtest.h>

using namespace weft;

namespace {
struct Side {
  std::vector<int32_t> used, padded, lengths;
  int64_t rows = 0, seqlen = 0, maxSeqlen = 0;

  llvm::Expected<std::vector<SequenceRows>> read() const {
    SideSizes sizes;
    SideLayout layout;
    sizes.heads = 1;
    sizes.rows = rows;
    sizes.seqlen = seqlen;
    sizes.maxSeqlen = maxSeqlen;
    int64_t batch = lengths.size();
    layout.padded = !lengths.empty();
    sizes.seqlens = lengths.data();
    if (!used.empty()) {
      batch = used.size() - 1;
      layout = {LayoutClass::Thd, !padded.empty()};
      sizes.cuSeqlens = used.data();
      sizes.cuSeqlensPadded = padded.empty() ? nullptr : padded.data();
    }
    return readSequences(sizes, layout, batch, "q");
  }
  std::string message() const {
    auto result = read();
    return result ? "none" : llvm::toString(result.takeError());
  }
};
} // namespace

static void expectPart(const Side &side, llvm::StringRef part) {
  EXPECT_NE(side.message().find(part), std::string::npos) << side.message();
}

TEST(Offsets, Sequences) {
  auto thd = Side{{0, 1, 1, 4}, {2, 4, 4, 8}, {}, 9}.read();
  ASSERT_TRUE(bool(thd));
  ASSERT_EQ(thd->size(), 3u);
  EXPECT_EQ((*thd)[2].start, 4);
  EXPECT_EQ((*thd)[2].used, 3);
  auto packed = Side{{0, 3, 5}, {}, {}, 5}.read();
  ASSERT_TRUE(bool(packed));
  EXPECT_EQ((*packed)[1].start, 3);
  auto batch = Side{{}, {}, {7, 0, 10}, 30, 10}.read();
  ASSERT_TRUE(bool(batch));
  EXPECT_EQ((*batch)[2].start, 20);
  EXPECT_EQ((*batch)[2].used, 10);
}

TEST(Offsets, Messages) {
  expectPart({{1, 2}, {}, {}, 2}, "cu_seqlens_q[0] = 1 is not a legal start");
  expectPart({{0, 3, 2}, {}, {}, 3}, "cu_seqlens_q[2] = 2 is below");
  expectPart({{0, 3}, {}, {}, 2}, "past the rows held; total_q is 2");
  expectPart({{0, 3}, {-1, 3}, {}, 4}, "cu_seqlens_q_padded[0] = -1");
  expectPart({{0, 1, 2}, {0, 4, 3}, {}, 4}, "cu_seqlens_q_padded[2] = 3");
  expectPart({{0, 3, 4}, {0, 2, 4}, {}, 4}, "sequence 0 has 3 rows");
  expectPart({{}, {}, {11}, 10, 10}, "seqlens_q[0] = 11 is outside");
  expectPart({{}, {}, {-1}, 10, 10}, "seqlens_q[0] = -1 is outside");
  expectPart({{0, 3}, {}, {}, 3, 0, 2}, "max_seqlen_q 2 is below");
  expectPart({{0, 3}, {}, {}, 3, 0, 3}, "none");
}

TEST(Offsets, NullLists) {
  SideSizes sizes;
  EXPECT_TRUE(bool(readSequences(sizes, {LayoutClass::Thd, true}, 0, "kv")));
  sizes.rows = 1;
  auto missing = readSequences(sizes, {LayoutClass::Thd, false}, 0, "kv");
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "cu_seqlens_kv is null; give batch + 1 = 1 int32 offsets");
}
