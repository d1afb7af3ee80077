//===- Verify.cpp - What a launch program must satisfy --------------------===//
//
// FlatBuffers' verifier has settled that every table, string and vector lies
// within the file. Nothing else of it can be trusted.
//
//===----------------------------------------------------------------------===//

#include "runtime/program/Program.h"

#include "llvm/ADT/Twine.h"

using namespace weft::program;
using llvm::Error;
using llvm::Twine;

static Error corrupt(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "launch program: " + message);
}

template <typename VectorT> static int64_t sizeOf(const VectorT *vector) {
  return vector ? vector->size() : 0;
}

static Error checkIndex(int64_t index, int64_t count, const Twine &what) {
  if (index >= 0 && index < count)
    return Error::success();
  return corrupt(what + " " + Twine(index) + " is outside [0, " + Twine(count) +
                 ")");
}

static Error checkRange(int64_t value, int64_t least, int64_t most,
                        const Twine &what) {
  if (value >= least && value <= most)
    return Error::success();
  return corrupt(what + " is " + Twine(value) + "; allowed: " + Twine(least) +
                 " to " + Twine(most));
}

/// An enumerator that this library knows.
template <typename EnumT>
static Error checkEnum(EnumT value, const Twine &what) {
  if (value <= EnumT::MAX)
    return Error::success();
  return corrupt(what + " has the unknown value " + Twine(unsigned(value)) +
                 "; it was written by another version of weft");
}

static bool isBinary(ExprOp op) {
  return op != ExprOp::constant && op != ExprOp::size;
}

static Error checkFormulas(const Program &program) {
  // FlatBuffers' verifier does not look at the alignment of structs in a
  // vector.
  if (program.exprs() &&
      reinterpret_cast<uintptr_t>(program.exprs()->Data()) % alignof(Expr))
    return corrupt("its formulas are not aligned to " + Twine(alignof(Expr)) +
                   " bytes");
  for (int64_t i = 0; i < sizeOf(program.exprs()); ++i) {
    const Expr &expr = *program.exprs()->Get(i);
    if (Error e = checkEnum(expr.op(), "operator of formula " + Twine(i)))
      return e;
    if (Error e = checkEnum(expr.size(), "size of formula " + Twine(i)))
      return e;
    if (!isBinary(expr.op()))
      continue;
    if (Error e = checkIndex(expr.lhs(), i,
                             "left operand of formula " + Twine(i) + ","))
      return e;
    if (Error e = checkIndex(expr.rhs(), i,
                             "right operand of formula " + Twine(i) + ","))
      return e;
  }
  return Error::success();
}

static Error checkTensorMaps(const Program &program) {
  for (int64_t i = 0; i < sizeOf(program.tensor_maps()); ++i) {
    const TensorMapRecipe &recipe = *program.tensor_maps()->Get(i);
    std::string what = ("tensor map " + Twine(i)).str();
    if (Error e = checkEnum(recipe.tensor(), "tensor of " + what))
      return e;
    if (recipe.element_bytes() != 2 && recipe.element_bytes() != 4)
      return corrupt(what + " has elements of " +
                     Twine(recipe.element_bytes()) + " bytes; allowed: 2, 4");
    if (Error e = checkRange(recipe.box_rows(), 1, 256, "box_rows of " + what))
      return e;
    if (Error e =
            checkRange(recipe.box_columns(), 1, 256, "box_columns of " + what))
      return e;
    if (Error e =
            checkRange(recipe.columns(), 1, 1 << 20, "columns of " + what))
      return e;
    int32_t swizzle = recipe.swizzle_bytes();
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
      return corrupt(what + " swizzles " + Twine(swizzle) +
                     " bytes; allowed: 0, 32, 64, 128");
  }
  return Error::success();
}

static Error checkKernels(const Program &program) {
  for (int64_t i = 0; i < sizeOf(program.kernels()); ++i) {
    const Kernel &kernel = *program.kernels()->Get(i);
    std::string what = ("kernel " + Twine(i)).str();
    if (kernel.name()->size() == 0)
      return corrupt(what + " has no name");
    if (Error e = checkRange(kernel.threads(), 1, 1024, "threads of " + what))
      return e;
    if (Error e = checkRange(kernel.shared_bytes(), 0, 1 << 20,
                             "shared_bytes of " + what))
      return e;
    if (Error e = checkRange(kernel.cluster(), 1, 16, "cluster of " + what))
      return e;
  }
  return Error::success();
}

/// The types in which an argument of `kind` can be passed.
static bool typeFits(const Arg &arg) {
  bool integer = arg.type() == ArgType::i32 || arg.type() == ArgType::i64;
  switch (arg.kind()) {
  case ArgKind::tensor:
  case ArgKind::workspace:
  case ArgKind::offsets:
    return arg.type() == ArgType::pointer;
  case ArgKind::stride:
  case ArgKind::size:
    return integer;
  case ArgKind::scalar:
    if (arg.scalar() == ScalarRole::scale ||
        arg.scalar() == ScalarRole::softcap)
      return arg.type() == ArgType::f32;
    return integer;
  case ArgKind::tensor_map:
    return arg.type() == ArgType::tensor_map;
  }
  return false;
}

static Error checkArg(const Program &program, const Variant &variant,
                      const Arg &arg, const std::string &what) {
  if (Error e = checkEnum(arg.kind(), "kind of " + what))
    return e;
  if (Error e = checkEnum(arg.type(), "type of " + what))
    return e;
  if (Error e = checkEnum(arg.tensor(), "tensor of " + what))
    return e;
  if (Error e = checkEnum(arg.stride(), "stride of " + what))
    return e;
  if (Error e = checkEnum(arg.offsets(), "offsets of " + what))
    return e;
  if (Error e = checkEnum(arg.scalar(), "scalar of " + what))
    return e;
  if (!typeFits(arg))
    return corrupt(what + ", " + EnumNameArgKind(arg.kind()) +
                   ", cannot be passed as " + EnumNameArgType(arg.type()));
  switch (arg.kind()) {
  case ArgKind::workspace:
    return checkIndex(arg.buffer(), sizeOf(variant.buffers()),
                      "buffer of " + what + ",");
  case ArgKind::size:
    return checkIndex(arg.expr(), sizeOf(program.exprs()),
                      "formula of " + what + ",");
  case ArgKind::tensor_map:
    return checkIndex(arg.tensor_map(), sizeOf(program.tensor_maps()),
                      "tensor map of " + what + ",");
  default:
    return Error::success();
  }
}

static Error checkLaunch(const Program &program, const Variant &variant,
                         const Launch &launch, const std::string &what) {
  if (Error e = checkIndex(launch.kernel(), sizeOf(program.kernels()),
                           "kernel of " + what + ","))
    return e;
  if (Error e = checkIndex(launch.grid(), sizeOf(program.exprs()),
                           "grid formula of " + what + ","))
    return e;
  for (int64_t i = 0; i < sizeOf(launch.args()); ++i)
    if (Error e = checkArg(program, variant, *launch.args()->Get(i),
                           ("argument " + Twine(i) + " of " + what).str()))
      return e;
  return Error::success();
}

static Error checkVariant(const Program &program, const Variant &variant,
                          const std::string &what) {
  int64_t formulas = sizeOf(program.exprs());
  if (variant.guard() != -1)
    if (Error e =
            checkIndex(variant.guard(), formulas, "guard of " + what + ","))
      return e;
  if (Error e = checkIndex(variant.arena_bytes(), formulas,
                           "arena formula of " + what + ","))
    return e;
  for (int64_t i = 0; i < sizeOf(variant.buffers()); ++i) {
    const Buffer &buffer = *variant.buffers()->Get(i);
    std::string name = ("buffer " + Twine(i) + " of " + what).str();
    if (Error e =
            checkIndex(buffer.bytes(), formulas, "bytes of " + name + ","))
      return e;
    if (Error e =
            checkIndex(buffer.offset(), formulas, "offset of " + name + ","))
      return e;
  }
  for (int64_t i = 0; i < sizeOf(variant.steps()); ++i) {
    const Step &step = *variant.steps()->Get(i);
    std::string name = ("step " + Twine(i) + " of " + what).str();
    if (const Memset *memset = step.action_as_Memset()) {
      if (Error e = checkIndex(memset->buffer(), sizeOf(variant.buffers()),
                               "buffer of " + name + ","))
        return e;
    } else if (const Launch *launch = step.action_as_Launch()) {
      if (Error e = checkLaunch(program, variant, *launch, name))
        return e;
    } else {
      return corrupt(name + " is neither a memset nor a launch");
    }
  }
  return Error::success();
}

Error weft::program::verify(const Program &program) {
  if (program.version() != formatVersion)
    return corrupt("format version " + Twine(program.version()) +
                   "; this library reads version " + Twine(formatVersion) +
                   ", compile the program again");
  if (Error e = checkFormulas(program))
    return e;
  if (Error e = checkTensorMaps(program))
    return e;
  if (Error e = checkKernels(program))
    return e;
  if (sizeOf(program.variants()) == 0)
    return corrupt("has no variant, so nothing to launch");
  for (int64_t i = 0; i < sizeOf(program.variants()); ++i)
    if (Error e = checkVariant(program, *program.variants()->Get(i),
                               ("variant " + Twine(i)).str()))
      return e;
  return Error::success();
}
