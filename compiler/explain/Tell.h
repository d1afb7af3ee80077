//===- Tell.h - A plan's story for people -----------------------*- C++ -*-===//

#ifndef WEFT_COMPILER_EXPLAIN_TELL_H
#define WEFT_COMPILER_EXPLAIN_TELL_H

#include "compiler/explain/PlanStory.h"

namespace weft {

/// Buffer by buffer and step by step, then what was checked and what the proof
/// rests on.
std::string tellAsText(llvm::ArrayRef<PlanStory> plans);

/// A drawing: steps across, buffers down, a lane for each domain in the colour
/// of its state, and the arena below. SVG that follows the reader's choice of a
/// light or a dark background.
std::string tellAsDrawing(llvm::ArrayRef<PlanStory> plans,
                          llvm::StringRef title, llvm::StringRef subtitle);

} // namespace weft

#endif // WEFT_COMPILER_EXPLAIN_TELL_H
