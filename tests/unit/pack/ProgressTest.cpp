//===- ProgressTest.cpp - How far a long compile is -----------------------===//

#include "tools/weftc/Progress.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace weft;

TEST(Progress, Durations) {
  EXPECT_EQ(durationText(0.4), "0s");
  EXPECT_EQ(durationText(59.6), "1m 0s");
  EXPECT_EQ(durationText(3725), "1h 2m");
}

TEST(Progress, BarsAndEstimates) {
  EXPECT_EQ(progressText(0, 4, 0, 0),
            "[..............................] 0 of 4");
  // Two were there before: 10 seconds for one, two are left.
  EXPECT_EQ(progressText(3, 5, 1, 10),
            "[##################............] 3 of 5, about 20s left");
  EXPECT_EQ(progressText(4, 4, 4, 40),
            "[##############################] 4 of 4");
  EXPECT_EQ(progressText(0, 0, 0, 0),
            "[##############################] 0 of 0");
}

TEST(Progress, ATerminalHasOneLine) {
  for (bool terminal : {true, false}) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    {
      Progress progress(stream, terminal, 0, 2);
      progress.step();
      progress.say("a word");
      progress.step();
    }
    EXPECT_NE(text.find("a word\n"), std::string::npos);
    EXPECT_NE(text.find("] 2 of 2"), std::string::npos);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), terminal ? 1 : 3)
        << text;
    EXPECT_EQ(llvm::StringRef(text).ends_with("\r\033[K"), terminal);
  }
}
