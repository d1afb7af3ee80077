//===- Launch.cpp - One launch of a compiled body -------------------------===//

#include "runtime/reference/Launch.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace weft::reference;
using llvm::Error;
using llvm::Expected;

/// Points are counted in 32 bits where they are kept per element.
static constexpr int64_t maxPoints = (int64_t(1) << 32) - 2;

Expected<std::vector<Point>>
weft::reference::pointsOf(const Grid &grid, const Side &q, const Side &kv) {
  int64_t heads = grid.oneHead ? 1 : grid.headsOfQ ? q.heads : kv.heads;
  auto tilesOf = [&](int64_t rows) {
    return rows / grid.rows + (rows % grid.rows != 0);
  };
  std::vector<int64_t> tiles;
  if (grid.kind == Grid::Kind::Held)
    tiles.push_back(tilesOf(std::max(q.rows, kv.rows)));
  else
    for (const Side::Sequence &sequence :
         (grid.kind == Grid::Kind::Q ? q : kv).sequences)
      tiles.push_back(tilesOf(sequence.used));

  std::vector<Point> points;
  for (size_t b = 0; b < tiles.size(); ++b)
    for (int64_t t = 0; t < tiles[b]; ++t)
      for (int64_t h = 0; h < heads; ++h) {
        if (int64_t(points.size()) == maxPoints)
          return llvm::createStringError(
              llvm::inconvertibleErrorCode(),
              "the grid has more points than the reference executor counts, " +
                  llvm::Twine(maxPoints));
        points.push_back({int64_t(points.size()), int64_t(b), t, h});
      }
  if (grid.tickets)
    std::stable_sort(
        points.begin(), points.end(),
        [](const Point &a, const Point &b) { return a.head < b.head; });
  return points;
}

namespace {
/// One point's walk through the code, from one memory op to the next.
class PointTask : public Task {
public:
  PointTask(const Code &code, LaunchState &state, const Point &point)
      : code(code), frame{state, point, 0, std::vector<Value>(code.slots)} {
    for (const ScalarArgument &argument : code.scalars) {
      Value &value = frame.slots[argument.slot];
      switch (argument.scalar) {
      case Scalar::Scale:
        value.f = state.scale;
        break;
      case Scalar::Softcap:
        value.f = state.softcap;
        break;
      case Scalar::WindowLeft:
        value.i = state.windowLeft;
        break;
      case Scalar::WindowRight:
        value.i = state.windowRight;
        break;
      }
    }
  }

  Expected<Progress> step() override {
    bool first = true;
    while (frame.next < code.instructions.size()) {
      const Instruction &instruction = code.instructions[frame.next];
      // Others may go on before an access to memory.
      if (instruction.memory && !first)
        return Progress::Ran;
      first = false;
      ++frame.next;
      if (instruction.memory)
        frame.waiting.clear();
      if (Error e = instruction.run(instruction, frame))
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       describe() + ": " +
                                           describeOp(instruction.op) + " " +
                                           llvm::toString(std::move(e)));
      if (!frame.waiting.empty()) {
        // Asked again when others have gone on.
        --frame.next;
        return Progress::Waiting;
      }
    }
    return Progress::Done;
  }

  std::string describe() const override {
    const Point &point = frame.point;
    return "point " + std::to_string(point.index) + " (sequence " +
           std::to_string(point.sequence) + ", tile " +
           std::to_string(point.tile) + ", head " + std::to_string(point.head) +
           ")" + (frame.waiting.empty() ? "" : ", which waits for ") +
           frame.waiting;
  }

private:
  const Code &code;
  Frame frame;
};
} // namespace

Error weft::reference::runLaunch(const Code &code, LaunchState &state,
                                 llvm::ArrayRef<Point> points,
                                 int64_t residentCtas, Random &random) {
  for (Operand &operand : state.operands)
    operand.begin();
  if (code.grid.tickets)
    state.numbered = points.vec();
  if (Error e = runTasks(int64_t(points.size()), residentCtas, random,
                         [&](int64_t index) {
                           return std::make_unique<PointTask>(
                               code, state, points[size_t(index)]);
                         }))
    return e;
  for (const Operand &operand : state.operands)
    if (Error e = operand.finish())
      return e;
  return Error::success();
}
