//===- Elementwise.cpp - arith and math on scalars and tiles --------------===//
//
// One template per arity makes a handler of a function on elements. A result
// goes into the tile of an operand that dies.
//
//===----------------------------------------------------------------------===//

#include "runtime/reference/Code.h"
#include "runtime/reference/TileMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace weft::reference;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

template <typename T> static T get(const Value &value) {
  if constexpr (std::is_same_v<T, float>)
    return value.f;
  else
    return T(value.i);
}
template <typename T> static void set(Value &value, T result) {
  if constexpr (std::is_same_v<T, float>)
    value.f = result;
  else
    value.i = result;
}

/// Scalars of a tile's element: i1 is a byte there.
template <typename Out>
static void finishScalar(const Instruction &in, Frame &frame, Out result) {
  if constexpr (std::is_same_v<Out, float>)
    result = roundTo(in.shape.element, result);
  set<Out>(frame.slots[in.results[0]], result);
}
template <typename Out>
static void finishTile(const Instruction &in, Frame &frame, TileRef out) {
  if constexpr (std::is_same_v<Out, float>)
    roundAll(in.shape.element, out.as<float>(), in.shape.size());
  frame.slots[in.results[0]].tile = std::move(out);
}

template <typename In, typename Out, auto function>
static Error map1(const Instruction &in, Frame &frame) {
  if (in.shape.rank == 0) {
    finishScalar<Out>(in, frame,
                      function(get<In>(frame.slots[in.operands[0].slot])));
    return Error::success();
  }
  TileRef a = take(in.operands[0], frame);
  TileRef out = reuse(a, in.shape.bytes(), frame);
  const In *left = a.as<In>();
  Out *result = out.as<Out>();
  for (int64_t i = 0, size = in.shape.size(); i < size; ++i)
    result[i] = function(left[i]);
  finishTile<Out>(in, frame, std::move(out));
  return Error::success();
}

template <typename In, typename Out, auto function>
static Error map2(const Instruction &in, Frame &frame) {
  if (in.shape.rank == 0) {
    finishScalar<Out>(in, frame,
                      function(get<In>(frame.slots[in.operands[0].slot]),
                               get<In>(frame.slots[in.operands[1].slot])));
    return Error::success();
  }
  TileRef a = take(in.operands[0], frame), b = take(in.operands[1], frame);
  TileRef out = reuse(a.isOnlyHolder() ? a : b, in.shape.bytes(), frame);
  const In *left = a.as<In>(), *right = b.as<In>();
  Out *result = out.as<Out>();
  for (int64_t i = 0, size = in.shape.size(); i < size; ++i)
    result[i] = function(left[i], right[i]);
  finishTile<Out>(in, frame, std::move(out));
  return Error::success();
}

/// Integer divisions, which are undefined for some operands.
template <auto function>
static Error divide(const Instruction &in, Frame &frame) {
  auto check = [](int64_t left, int64_t right) -> Error {
    if (right == 0 ||
        (right == -1 && left == std::numeric_limits<int64_t>::min()))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "divides " + llvm::Twine(left) + " by " +
                                         llvm::Twine(right));
    return Error::success();
  };
  const Value &a = frame.slots[in.operands[0].slot];
  const Value &b = frame.slots[in.operands[1].slot];
  int64_t size = in.shape.rank == 0 ? 1 : in.shape.size();
  for (int64_t i = 0; i < size; ++i)
    if (Error e = in.shape.rank == 0
                      ? check(a.i, b.i)
                      : check(a.tile.as<int64_t>()[i], b.tile.as<int64_t>()[i]))
      return e;
  return map2<int64_t, int64_t, function>(in, frame);
}

template <typename T> static Error select(const Instruction &in, Frame &frame) {
  bool scalarCondition = in.from.rank == 0;
  const Value &condition = frame.slots[in.operands[0].slot];
  if (scalarCondition) {
    const Use &chosen = in.operands[condition.i ? 1 : 2];
    if (in.shape.rank == 0)
      set<T>(frame.slots[in.results[0]], get<T>(frame.slots[chosen.slot]));
    else {
      TileRef tile = take(chosen, frame);
      // The other one may die here too.
      take(in.operands[condition.i ? 2 : 1], frame);
      frame.slots[in.results[0]].tile = std::move(tile);
    }
    return Error::success();
  }
  TileRef keep = take(in.operands[0], frame);
  TileRef a = take(in.operands[1], frame), b = take(in.operands[2], frame);
  TileRef out = reuse(a.isOnlyHolder() ? a : b, in.shape.bytes(), frame);
  const uint8_t *flags = keep.as<uint8_t>();
  const T *left = a.as<T>(), *right = b.as<T>();
  T *result = out.as<T>();
  for (int64_t i = 0, size = in.shape.size(); i < size; ++i)
    result[i] = flags[i] ? left[i] : right[i];
  frame.slots[in.results[0]].tile = std::move(out);
  return Error::success();
}

static Error constantScalar(const Instruction &in, Frame &frame) {
  Value &value = frame.slots[in.results[0]];
  value.i = in.number;
  value.f = in.real;
  return Error::success();
}
static Error constantTile(const Instruction &in, Frame &frame) {
  TileRef out = frame.launch.pool->take(in.shape.bytes());
  std::memcpy(out.as<char>(), in.data->data(), in.data->size());
  frame.slots[in.results[0]].tile = std::move(out);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Which op is which function
//===----------------------------------------------------------------------===//

// Integer arithmetic wraps, as arith's does.
static int64_t wrap(uint64_t value) { return int64_t(value); }

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static int64_t ceilDivide(int64_t a, int64_t b) {
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}
static float maximum(float a, float b) {
  return std::isnan(a)                           ? a
         : std::isnan(b)                         ? b
         : a > b || (a == b && !std::signbit(a)) ? a
                                                 : b;
}
static float minimum(float a, float b) {
  return std::isnan(a)                          ? a
         : std::isnan(b)                        ? b
         : a < b || (a == b && std::signbit(a)) ? a
                                                : b;
}

template <auto function>
static constexpr Handler floatUnary = map1<float, float, function>;
template <auto function>
static constexpr Handler floatBinary = map2<float, float, function>;
template <auto function>
static constexpr Handler integerBinary = map2<int64_t, int64_t, function>;

static Handler floatHandler(llvm::StringRef name) {
  return llvm::StringSwitch<Handler>(name)
      .Case("arith.addf", floatBinary<[](float a, float b) { return a + b; }>)
      .Case("arith.subf", floatBinary<[](float a, float b) { return a - b; }>)
      .Case("arith.mulf", floatBinary<[](float a, float b) { return a * b; }>)
      .Case("arith.divf", floatBinary<[](float a, float b) { return a / b; }>)
      .Case("arith.maximumf", floatBinary<maximum>)
      .Case("arith.minimumf", floatBinary<minimum>)
      .Case("arith.maxnumf",
            floatBinary<[](float a, float b) { return std::fmax(a, b); }>)
      .Case("arith.minnumf",
            floatBinary<[](float a, float b) { return std::fmin(a, b); }>)
      .Case("math.copysign",
            floatBinary<[](float a, float b) { return std::copysign(a, b); }>)
      .Case("math.powf",
            floatBinary<[](float a, float b) { return std::pow(a, b); }>)
      .Case("arith.negf", floatUnary<[](float a) { return -a; }>)
      // The types say what is rounded.
      .Cases({"arith.truncf", "arith.extf"},
             floatUnary<[](float a) { return a; }>)
      .Case("math.absf", floatUnary<[](float a) { return std::fabs(a); }>)
      .Case("math.ceil", floatUnary<[](float a) { return std::ceil(a); }>)
      .Case("math.cos", floatUnary<[](float a) { return std::cos(a); }>)
      .Case("math.cosh", floatUnary<[](float a) { return std::cosh(a); }>)
      .Case("math.erf", floatUnary<[](float a) { return std::erf(a); }>)
      .Case("math.exp", floatUnary<[](float a) { return std::exp(a); }>)
      .Case("math.exp2", floatUnary<[](float a) { return std::exp2(a); }>)
      .Case("math.expm1", floatUnary<[](float a) { return std::expm1(a); }>)
      .Case("math.floor", floatUnary<[](float a) { return std::floor(a); }>)
      .Case("math.log", floatUnary<[](float a) { return std::log(a); }>)
      .Case("math.log2", floatUnary<[](float a) { return std::log2(a); }>)
      .Case("math.log1p", floatUnary<[](float a) { return std::log1p(a); }>)
      .Case("math.rsqrt", floatUnary<[](float a) { return 1 / std::sqrt(a); }>)
      .Case("math.sin", floatUnary<[](float a) { return std::sin(a); }>)
      .Case("math.sinh", floatUnary<[](float a) { return std::sinh(a); }>)
      .Case("math.sqrt", floatUnary<[](float a) { return std::sqrt(a); }>)
      .Case("math.tan", floatUnary<[](float a) { return std::tan(a); }>)
      .Case("math.tanh", floatUnary<[](float a) { return std::tanh(a); }>)
      .Default(nullptr);
}

static Handler integerHandler(llvm::StringRef name) {
  using I = int64_t;
  return llvm::StringSwitch<Handler>(name)
      .Case("arith.addi", integerBinary<[](I a, I b) {
              return wrap(uint64_t(a) + uint64_t(b));
            }>)
      .Case("arith.subi", integerBinary<[](I a, I b) {
              return wrap(uint64_t(a) - uint64_t(b));
            }>)
      .Case("arith.muli", integerBinary<[](I a, I b) {
              return wrap(uint64_t(a) * uint64_t(b));
            }>)
      .Case("arith.minsi",
            integerBinary<[](I a, I b) { return std::min(a, b); }>)
      .Case("arith.maxsi",
            integerBinary<[](I a, I b) { return std::max(a, b); }>)
      .Case("arith.andi", integerBinary<[](I a, I b) { return a & b; }>)
      .Case("arith.ori", integerBinary<[](I a, I b) { return a | b; }>)
      .Case("arith.xori", integerBinary<[](I a, I b) { return a ^ b; }>)
      .Case("arith.divsi", divide<[](I a, I b) { return a / b; }>)
      .Case("arith.remsi", divide<[](I a, I b) { return a % b; }>)
      .Case("arith.floordivsi", divide<floorDivide>)
      .Case("arith.ceildivsi", divide<ceilDivide>)
      .Case("arith.sitofp", map1<I, float, [](I a) { return float(a); }>)
      .Case("arith.trunci",
            map1<I, uint8_t, [](I a) { return uint8_t(a & 1); }>)
      .Case("math.absi",
            map1<I, I, [](I a) { return a < 0 ? wrap(0 - uint64_t(a)) : a; }>)
      .Default(nullptr);
}

static Handler booleanHandler(llvm::StringRef name) {
  using B = uint8_t;
  return llvm::StringSwitch<Handler>(name)
      .Case("arith.andi", map2<B, B, [](B a, B b) { return B(a & b); }>)
      .Case("arith.ori", map2<B, B, [](B a, B b) { return B(a | b); }>)
      .Case("arith.xori", map2<B, B, [](B a, B b) { return B(a ^ b); }>)
      .Case("arith.extui", map1<B, int64_t, [](B a) { return int64_t(a); }>)
      .Case("arith.extsi", map1<B, int64_t, [](B a) { return -int64_t(a); }>)
      .Case("arith.uitofp", map1<B, float, [](B a) { return float(a); }>)
      .Default(nullptr);
}

static Handler compareIntegers(mlir::arith::CmpIPredicate predicate) {
  using P = mlir::arith::CmpIPredicate;
  using I = int64_t;
  using U = uint64_t;
  switch (predicate) {
  case P::eq:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(a == b); }>;
  case P::ne:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(a != b); }>;
  case P::slt:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(a < b); }>;
  case P::sle:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(a <= b); }>;
  case P::sgt:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(a > b); }>;
  case P::sge:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(a >= b); }>;
  case P::ult:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(U(a) < U(b)); }>;
  case P::ule:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(U(a) <= U(b)); }>;
  case P::ugt:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(U(a) > U(b)); }>;
  case P::uge:
    return map2<I, uint8_t, [](I a, I b) { return uint8_t(U(a) >= U(b)); }>;
  }
  return nullptr;
}

static Handler compareBooleans(mlir::arith::CmpIPredicate predicate) {
  using B = uint8_t;
  if (predicate == mlir::arith::CmpIPredicate::eq)
    return map2<B, B, [](B a, B b) { return B(a == b); }>;
  if (predicate == mlir::arith::CmpIPredicate::ne)
    return map2<B, B, [](B a, B b) { return B(a != b); }>;
  return nullptr;
}

static Handler compareFloats(mlir::arith::CmpFPredicate predicate) {
  using P = mlir::arith::CmpFPredicate;
  using F = float;
  using B = uint8_t;
  // A C++ comparison is an ordered one, but for !=.
  switch (predicate) {
  case P::AlwaysFalse:
    return map2<F, B, [](F, F) { return B(0); }>;
  case P::OEQ:
    return map2<F, B, [](F a, F b) { return B(a == b); }>;
  case P::OGT:
    return map2<F, B, [](F a, F b) { return B(a > b); }>;
  case P::OGE:
    return map2<F, B, [](F a, F b) { return B(a >= b); }>;
  case P::OLT:
    return map2<F, B, [](F a, F b) { return B(a < b); }>;
  case P::OLE:
    return map2<F, B, [](F a, F b) { return B(a <= b); }>;
  case P::ONE:
    return map2<F, B, [](F a, F b) { return B(a < b || a > b); }>;
  case P::ORD:
    return map2<F, B, [](F a, F b) { return B(a == a && b == b); }>;
  case P::UEQ:
    return map2<F, B, [](F a, F b) { return B(!(a < b || a > b)); }>;
  case P::UGT:
    return map2<F, B, [](F a, F b) { return B(!(a <= b)); }>;
  case P::UGE:
    return map2<F, B, [](F a, F b) { return B(!(a < b)); }>;
  case P::ULT:
    return map2<F, B, [](F a, F b) { return B(!(a >= b)); }>;
  case P::ULE:
    return map2<F, B, [](F a, F b) { return B(!(a > b)); }>;
  case P::UNE:
    return map2<F, B, [](F a, F b) { return B(a != b); }>;
  case P::UNO:
    return map2<F, B, [](F a, F b) { return B(a != a || b != b); }>;
  case P::AlwaysTrue:
    return map2<F, B, [](F, F) { return B(1); }>;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Expected<bool> compileConstant(mlir::arith::ConstantOp op,
                                      Instruction &instruction) {
  Element element = instruction.shape.element;
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(op.getValue())) {
    instruction.number = element == Element::I1
                             ? integer.getValue().getBoolValue()
                             : integer.getValue().getSExtValue();
    instruction.run = constantScalar;
    return true;
  }
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(op.getValue())) {
    instruction.real = float(number.getValueAsDouble());
    instruction.run = constantScalar;
    return true;
  }
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!dense)
    return unsupported(op, "only dense constants are known");
  auto data = std::make_shared<std::vector<char>>(instruction.shape.bytes());
  char *at = data->data();
  auto append = [&](auto value) {
    std::memcpy(at, &value, sizeof(value));
    at += sizeof(value);
  };
  if (isFloat(element))
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>())
      append(float(value.convertToDouble()));
  else
    for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
      element == Element::I1 ? append(uint8_t(value.getBoolValue()))
                             : append(int64_t(value.getSExtValue()));
  instruction.data = std::move(data);
  instruction.run = constantTile;
  return true;
}

Expected<bool> weft::reference::compileElementwise(mlir::Operation &op,
                                                   Instruction &instruction) {
  if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op))
    return compileConstant(constant, instruction);
  if (op.getNumResults() != 1 || op.getNumOperands() == 0 ||
      op.getNumRegions() != 0)
    return false;
  Element from = instruction.from.element;
  llvm::StringRef name = op.getName().getStringRef();
  if (auto compare = llvm::dyn_cast<mlir::arith::CmpIOp>(op))
    instruction.run = from == Element::I1
                          ? compareBooleans(compare.getPredicate())
                          : compareIntegers(compare.getPredicate());
  else if (auto compare = llvm::dyn_cast<mlir::arith::CmpFOp>(op))
    instruction.run = compareFloats(compare.getPredicate());
  else if (name == "arith.select")
    instruction.run = isFloat(instruction.shape.element) ? select<float>
                      : instruction.shape.element == Element::I64
                          ? select<int64_t>
                          : select<uint8_t>;
  else if (isFloat(from))
    instruction.run = floatHandler(name);
  else if (from == Element::I64)
    instruction.run = integerHandler(name);
  else
    instruction.run = booleanHandler(name);
  return instruction.run != nullptr;
}
