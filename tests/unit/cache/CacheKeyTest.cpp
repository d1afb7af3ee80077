//===- CacheKeyTest.cpp - Every ingredient alone makes a new key ----------===//

#include "tests/unit/cache/CacheFixture.h"

#include <set>

using namespace weft;
using namespace weft::test;

TEST(CacheKey, EveryIngredientAloneMakesANewName) {
  std::string CacheKey::*ingredients[] = {
      &CacheKey::spec,    &CacheKey::target, &CacheKey::schedule,
      &CacheKey::options, &CacheKey::nvrtc,  &CacheKey::build};
  std::set<std::string> names = {someKey().hash()};
  for (auto ingredient : ingredients) {
    CacheKey key = someKey();
    key.*ingredient += " ";
    EXPECT_TRUE(names.insert(key.hash()).second);
    EXPECT_FALSE(key == someKey());
  }
}

TEST(CacheKey, TextThatMovesBetweenIngredientsMakesANewName) {
  CacheKey key = someKey(), other = someKey();
  key.schedule += "\",\"options\":\"";
  other.options = "\",\"options\":\"" + other.options;
  EXPECT_NE(key.hash(), other.hash());
}

TEST(CacheKey, EqualKeysHaveOneName) {
  EXPECT_EQ(someKey().hash(), someKey().hash());
  EXPECT_EQ(someKey().hash().size(), 32u);
}
