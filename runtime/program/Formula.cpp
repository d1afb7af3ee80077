//===- Formula.cpp - Sizes of one call, computed from formulas ------------===//

#include "runtime/program/Formula.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace weft;
using namespace weft::program;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

SizeValues SizeValues::fromProblem(const Problem &problem, int64_t smCount) {
  SizeValues sizes;
  sizes[SizeKind::batch] = problem.batch;
  sizes[SizeKind::seqlen_q] = problem.q.seqlen;
  sizes[SizeKind::seqlen_kv] = problem.kv.seqlen;
  sizes[SizeKind::rows_q] = problem.q.rows;
  sizes[SizeKind::rows_kv] = problem.kv.rows;
  sizes[SizeKind::heads_q] = problem.q.heads;
  sizes[SizeKind::heads_kv] = problem.kv.heads;
  sizes[SizeKind::sm_count] = smCount;
  return sizes;
}

/// `op` on two values, or nothing if it has no 64-bit value.
static std::optional<int64_t> apply(ExprOp op, int64_t lhs, int64_t rhs) {
  int64_t result = 0;
  switch (op) {
  case ExprOp::add:
    return llvm::AddOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case ExprOp::sub:
    return llvm::SubOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case ExprOp::mul:
    return llvm::MulOverflow(lhs, rhs, result) ? std::nullopt
                                               : std::optional(result);
  case ExprOp::ceil_div:
    if (rhs <= 0)
      return std::nullopt;
    return llvm::divideCeilSigned(lhs, rhs);
  case ExprOp::floor_div:
    if (rhs <= 0)
      return std::nullopt;
    return llvm::divideFloorSigned(lhs, rhs);
  case ExprOp::max:
    return std::max(lhs, rhs);
  case ExprOp::min:
    return std::min(lhs, rhs);
  case ExprOp::less:
    return lhs < rhs;
  case ExprOp::less_equal:
    return lhs <= rhs;
  case ExprOp::logical_and:
    return lhs && rhs;
  case ExprOp::constant:
  case ExprOp::size:
    break;
  }
  return std::nullopt;
}

FormulaValues::FormulaValues(const Program &program, const SizeValues &sizes) {
  if (!program.exprs())
    return;
  values.reserve(program.exprs()->size());
  for (const Expr *expr : *program.exprs()) {
    if (expr->op() == ExprOp::constant) {
      values.push_back(expr->value());
    } else if (expr->op() == ExprOp::size) {
      values.push_back(sizes[expr->size()]);
    } else {
      std::optional<int64_t> lhs = values[expr->lhs()];
      std::optional<int64_t> rhs = values[expr->rhs()];
      values.push_back(lhs && rhs ? apply(expr->op(), *lhs, *rhs)
                                  : std::nullopt);
    }
  }
}

Expected<int64_t> FormulaValues::operator[](int32_t index) const {
  if (index < 0 || size_t(index) >= values.size())
    return error("formula " + Twine(index) + " is outside the program's " +
                 Twine(values.size()));
  if (!values[index])
    return error("formula " + Twine(index) +
                 " has no 64-bit value for these sizes; the problem is too "
                 "large, split it over batch or heads");
  return *values[index];
}

Expected<int64_t> weft::program::evaluate(const Program &program,
                                          const SizeValues &sizes,
                                          int32_t index) {
  return FormulaValues(program, sizes)[index];
}

Expected<const Variant *>
weft::program::selectVariant(const Program &program,
                             const FormulaValues &values) {
  for (const Variant *variant : *program.variants()) {
    if (variant->guard() == -1)
      return variant;
    Expected<int64_t> holds = values[variant->guard()];
    if (!holds)
      return holds.takeError();
    if (*holds)
      return variant;
  }
  return error("no variant of the launch program for \"" +
               Twine(program.spec()->c_str()) + "\" fits these sizes");
}

Expected<Arena> weft::program::layOutArena(const Variant &variant,
                                           const FormulaValues &values) {
  Arena arena;
  Expected<int64_t> total = values[variant.arena_bytes()];
  if (!total)
    return total.takeError();
  if (*total < 0)
    return error("launch program: workspace of " + Twine(*total) + " bytes");
  arena.bytes = *total;
  if (!variant.buffers())
    return arena;
  for (const Buffer *buffer : *variant.buffers()) {
    Expected<int64_t> offset = values[buffer->offset()];
    if (!offset)
      return offset.takeError();
    Expected<int64_t> bytes = values[buffer->bytes()];
    if (!bytes)
      return bytes.takeError();
    std::string name = buffer->name()->str();
    if (*offset < 0 || *offset % arenaAlignment)
      return error("launch program: buffer " + Twine(name) +
                   " begins at byte " + Twine(*offset) +
                   ", which is not a multiple of " + Twine(arenaAlignment));
    // An empty buffer may begin where the arena ends.
    if (*bytes < 0 || *bytes > arena.bytes || *offset > arena.bytes - *bytes)
      return error("launch program: buffer " + Twine(name) + " of " +
                   Twine(*bytes) + " bytes at " + Twine(*offset) +
                   " does not lie within the workspace of " +
                   Twine(arena.bytes));
    arena.buffers.push_back({*offset, *bytes});
  }
  return arena;
}

Expected<int64_t> weft::program::workspaceBytes(const Program &program,
                                                const SizeValues &sizes) {
  FormulaValues values(program, sizes);
  Expected<const Variant *> variant = selectVariant(program, values);
  if (!variant)
    return variant.takeError();
  Expected<Arena> arena = layOutArena(**variant, values);
  if (!arena)
    return arena.takeError();
  return arena->bytes;
}
