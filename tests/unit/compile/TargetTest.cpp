//===- TargetTest.cpp - Which architecture runs what ----------------------===//

#include "compiler/target/Target.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace weft;

static std::string nameFor(int major, int minor) {
  llvm::Expected<const Target *> target = targetForDevice(major, minor);
  return target ? (*target)->name.str() : llvm::toString(target.takeError());
}

TEST(Target, DevicesMapToTheTargetThatRunsOnThem) {
  EXPECT_EQ(nameFor(8, 0), "sm_80");
  EXPECT_EQ(nameFor(8, 6), "sm_86");
  EXPECT_EQ(nameFor(8, 7), "sm_86");
  EXPECT_EQ(nameFor(8, 9), "sm_89");
  EXPECT_EQ(nameFor(9, 0), "sm_90a");
  EXPECT_EQ(nameFor(10, 0), "sm_100a");
  EXPECT_EQ(nameFor(12, 0), "sm_120a");
}

TEST(Target, AnUnsupportedDeviceIsNamed) {
  std::string message = nameFor(7, 5);
  EXPECT_NE(message.find("7.5"), std::string::npos) << message;
  EXPECT_NE(message.find("sm_80"), std::string::npos) << message;
}

TEST(Target, AnUnknownNameListsWhatIsAllowed) {
  llvm::Expected<const Target *> target = targetByName("sm_90");
  ASSERT_FALSE(static_cast<bool>(target));
  std::string message = llvm::toString(target.takeError());
  for (const Target &known : allTargets())
    EXPECT_NE(message.find(known.name.str()), std::string::npos) << message;
}

TEST(Target, ACtaHasOneKilobyteLessThanItsSm) {
  for (const Target &target : allTargets()) {
    EXPECT_EQ(target.sharedPerCta + 1024, target.sharedPerSm)
        << target.name.str();
    EXPECT_EQ(*targetByName(target.name), &target);
  }
}
