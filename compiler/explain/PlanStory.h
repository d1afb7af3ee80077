//===- PlanStory.h - What a plan does to its buffers, step by step -*- C++
//-*-===//
//
// The facts of a plan as plain data, read off the IR: which steps run, what
// each does to which buffer, and what every domain of every buffer holds after
// each step. What tells them (text, a drawing) reads no IR.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EXPLAIN_PLANSTORY_H
#define WEFT_COMPILER_EXPLAIN_PLANSTORY_H

#include "dialects/plan/Plan.h"
#include "runtime/program/Formula.h"

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// A number of bytes or CTAs: its formula, and its value for the problem at
/// hand.
struct Amount {
  std::string formula;
  std::optional<int64_t> value;

  /// "rows_q * 4", or "rows_q * 4 = 1,024".
  std::string str() const;
};

/// What one domain holds.
struct DomainStory {
  plan::Domain domain = plan::Domain::valid;
  /// The layout has rows there.
  bool hasRows = true;
  /// Who made it what it is when the plan returns: "written by step 5, @dkdv";
  /// empty: nobody.
  std::string initialiser;
  /// "undefined", "defined" or "filled(0)": first on arrival or when reserved,
  /// then after each step.
  std::vector<std::string> after;
};

struct BufferStory {
  enum class Owner { Input, Result, Workspace };

  std::string name;
  std::string shape; ///< "f32 [rows_q, heads_q, 1]"
  Owner owner = Owner::Input;
  Amount bytes;                        ///< of the elements
  std::optional<Amount> offset;        ///< in the arena
  int reserved = 0, released = 0;      ///< steps of a workspace buffer, from 1
  std::vector<std::string> ownerAfter; ///< "@dkdv"; by step, from 0: arrival
  std::vector<DomainStory> domains;
};

/// One access of a step to a buffer.
struct AccessStory {
  enum class Kind { Read, Add, Count, Write, Fill };

  Kind kind = Kind::Read;
  size_t buffer = 0; ///< index into the plan's buffers
  std::vector<plan::Domain> domains;
  std::string value; ///< of a fill: "0", "-inf"; of an ordered add: "in turn"
};

struct StepStory {
  enum class Kind { Reserve, Memset, Fill, Launch, Release, Return };

  Kind kind = Kind::Launch;
  std::string name; ///< "@dkdv", or the buffer's
  Amount ctas;      ///< of a launch
  bool early = false;
  std::vector<AccessStory> accesses;

  /// Whether it touches memory: a column of the drawing.
  bool runs() const {
    return kind == Kind::Memset || kind == Kind::Fill || kind == Kind::Launch;
  }
};

struct PlanStory {
  std::string name;               ///< "backward_split"
  std::string guard;              ///< a formula; empty: taken always
  std::optional<bool> guardHolds; ///< for the problem at hand
  std::vector<BufferStory> buffers;
  std::vector<StepStory> steps; ///< step i + 1 of what is told
  std::optional<int64_t> arenaBytes;
};

/// Reads a verified plan.
PlanStory storyOf(plan::FuncOp func,
                  const std::optional<program::SizeValues> &sizes);

/// "valid, gap".
std::string domainNames(llvm::ArrayRef<plan::Domain> domains);

} // namespace weft

#endif // WEFT_COMPILER_EXPLAIN_PLANSTORY_H
