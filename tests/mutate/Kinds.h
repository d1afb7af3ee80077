//===- Kinds.h - The ways in which a plan is broken -------------*- C++ -*-===//

#ifndef WEFT_TESTS_MUTATE_KINDS_H
#define WEFT_TESTS_MUTATE_KINDS_H

#include "tests/mutate/EditablePlan.h"

#include <string>

namespace weft::mutate {

/// Where a mutation can be made. A kind goes through its sites in a fixed order
/// and changes the one for which `take` is true.
class Sites {
public:
  /// Counts sites; none is taken.
  Sites() = default;
  /// Takes the site `wanted`, from 0.
  explicit Sites(unsigned wanted) : wanted(wanted) {}

  bool take(const llvm::Twine &description) {
    if (counted++ != wanted)
      return false;
    text = description.str();
    return true;
  }
  unsigned count() const { return counted; }
  /// Of the site that was taken.
  const std::string &description() const { return text; }

private:
  unsigned counted = 0;
  unsigned wanted = ~0u;
  std::string text;
};

enum class Level {
  Plan, ///< changes the plan and the contracts: the plan alone shows the fault
  Body, ///< changes what a kernel does, not what its contract says
};

struct Kind {
  llvm::StringLiteral name;
  Level level;
  llvm::StringLiteral about;
  /// Goes through the sites of a plan and mutates at most one.
  void (*mutate)(EditablePlan &plan, Sites &sites);
};

llvm::ArrayRef<Kind> planKinds();
llvm::ArrayRef<Kind> bodyKinds();
/// Both, in the order of the table.
llvm::SmallVector<Kind> allKinds();

} // namespace weft::mutate

#endif // WEFT_TESTS_MUTATE_KINDS_H
