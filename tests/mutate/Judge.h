//===- Judge.h - Whether a broken plan is noticed ---------------*- C++ -*-===//

#ifndef WEFT_TESTS_MUTATE_JUDGE_H
#define WEFT_TESTS_MUTATE_JUDGE_H

#include "runtime/cases/CaseMemory.h"
#include "runtime/reference/ReferenceExecutor.h"

#include "mlir/IR/BuiltinOps.h"

#include <deque>
#include <map>
#include <string>

namespace weft::mutate {

/// What the verifier says of a module.
struct StaticVerdict {
  bool accepted = false;
  /// The IR is malformed before any obligation is asked: a fault of the
  /// mutation.
  bool malformed = false;
  std::string message;
  /// Name of the obligation that does not hold; empty if `message` is of none
  /// that is known.
  std::string obligation;
};

/// Runs what the pipeline runs behind each of its steps.
StaticVerdict verifyStatically(mlir::ModuleOp module);

/// Names of the obligations, for the table's legend.
llvm::SmallVector<llvm::StringRef> obligationNames();

struct DynamicVerdict {
  enum Kind { NoDifference, Caught, Missed } kind = NoDifference;
  std::string message;
};

/// Runs plans of one spec on its problems and compares them with the plan that
/// was not mutated.
class Judge {
public:
  /// Runs `module`, the unmutated plan. It must run, and give the same results
  /// whatever memory held.
  static llvm::Expected<std::unique_ptr<Judge>>
  create(const AttentionSpec &spec, mlir::ModuleOp module, uint64_t seed);

  /// Runs a mutant on every problem, under every content of memory and order of
  /// CTAs.
  DynamicVerdict run(mlir::ModuleOp mutant);

private:
  using Executor = reference::ReferenceExecutor;
  /// What workspace and results hold before a run.
  enum class Content { NaN, Large, OldResults };
  struct Results {
    std::vector<char> bits;
    std::vector<double> values;
  };
  using AllResults = std::map<cases::TensorId, Results>;
  /// One problem and its memory.
  struct Bench {
    cases::CaseFile file;
    std::optional<cases::ResolvedCall> call;
    std::optional<cases::CaseMemory> memory;
    AllResults expected;
  };

  Judge(PassKind pass, uint64_t seed) : pass(pass), seed(seed) {}
  llvm::Error prepare(Bench &bench);
  llvm::Expected<AllResults> run(Bench &bench, const Executor &executor,
                                 Content content);
  llvm::Error runOnce(Bench &bench, const Executor &executor, Content content,
                      bool old);

  PassKind pass;
  uint64_t seed;
  std::unique_ptr<Executor> unmutated;
  bool ordered = true;       ///< the unmutated plan adds nothing in open order
  std::deque<Bench> benches; ///< not moved: memory refers to its file
};

} // namespace weft::mutate

#endif // WEFT_TESTS_MUTATE_JUDGE_H
