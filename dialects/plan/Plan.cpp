//===- Plan.cpp - The plan dialect: attributes, types, registration -------===//

#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::plan;

#include "dialects/plan/PlanDialect.cpp.inc"
#include "dialects/plan/PlanEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/plan/PlanAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/plan/PlanTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/PlanOps.cpp.inc"
      >();
}

/// Parses one keyword of an enum; the error lists what is allowed.
template <typename Enum>
static FailureOr<Enum> parseEnum(AsmParser &parser, StringRef what,
                                 std::optional<Enum> (*symbolize)(StringRef),
                                 StringRef allowed) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  if (std::optional<Enum> value = symbolize(keyword))
    return *value;
  return parser.emitError(loc)
         << "unknown " << what << " '" << keyword << "'; allowed: " << allowed;
}

//===----------------------------------------------------------------------===//
// #plan.state
//===----------------------------------------------------------------------===//

StateAttr StateAttr::undefined(MLIRContext *context) {
  return get(context, StateKind::undefined, FloatAttr());
}
StateAttr StateAttr::defined(MLIRContext *context) {
  return get(context, StateKind::defined, FloatAttr());
}
StateAttr StateAttr::filled(MLIRContext *context, double value) {
  return get(context, StateKind::filled,
             FloatAttr::get(Float64Type::get(context), value));
}
bool StateAttr::isFilledWith(double value) const {
  return getKind() == StateKind::filled &&
         getValue().getValueAsDouble() == value;
}

/// Prints a float so that it reads back as the same f64.
static void printValue(AsmPrinter &printer, FloatAttr value) {
  printer.printAttributeWithoutType(value);
}
static FailureOr<FloatAttr> parseValue(AsmParser &parser) {
  FloatAttr value;
  if (parser.parseAttribute(value, Float64Type::get(parser.getContext())))
    return failure();
  return value;
}

/// `undefined`, `defined` or `filled(v)`.
static void printState(AsmPrinter &printer, StateAttr state) {
  printer << stringifyStateKind(state.getKind());
  if (state.getValue()) {
    printer << '(';
    printValue(printer, state.getValue());
    printer << ')';
  }
}
static FailureOr<StateAttr> parseState(AsmParser &parser) {
  FailureOr<StateKind> kind = parseEnum<StateKind>(
      parser, "state", symbolizeStateKind, "undefined, defined, filled(value)");
  if (failed(kind))
    return failure();
  FloatAttr value;
  if (*kind == StateKind::filled) {
    if (parser.parseLParen())
      return failure();
    FailureOr<FloatAttr> parsed = parseValue(parser);
    if (failed(parsed) || parser.parseRParen())
      return failure();
    value = *parsed;
  }
  return StateAttr::get(parser.getContext(), *kind, value);
}

Attribute StateAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<StateAttr> state = parseState(parser);
  if (failed(state) || parser.parseGreater())
    return {};
  return *state;
}
void StateAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printState(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// #plan.operand, #plan.schedule
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kDomains = "valid, gap, tail, all";
static constexpr StringLiteral kRounded = "rounded";

/// `= R`, behind the keyword.
static ParseResult parseRounded(AsmParser &parser, int64_t &rounded) {
  if (parser.parseEqual())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(rounded))
    return failure();
  // What is not rounded does not say so.
  if (rounded == 0)
    return parser.emitError(loc) << roundingRule(0);
  return success();
}

std::string weft::plan::roundingRule(int64_t rounded) {
  return ("rows are rounded up to a positive multiple of 8, not to one of " +
          Twine(rounded))
      .str();
}
std::string weft::plan::roundingText(int64_t rounded) {
  return rounded ? ("rounded to " + Twine(rounded)).str() : "not rounded";
}
bool weft::plan::isRounding(int64_t rounded) {
  return rounded >= 0 && rounded % 8 == 0;
}

LogicalResult OperandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef name, Access access,
                                  ArrayRef<Domain> domains, FloatAttr value,
                                  int64_t rounded) {
  if (!isRounding(rounded))
    return emitError() << roundingRule(rounded);
  return success();
}

Attribute OperandAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma())
    return {};
  FailureOr<Access> access = parseEnum<Access>(
      parser, "access", symbolizeAccess, "in, out, acc, ordered, counter");
  if (failed(access) || parser.parseComma())
    return {};
  SmallVector<Domain> domains;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            FailureOr<Domain> domain =
                parseEnum<Domain>(parser, "domain", symbolizeDomain, kDomains);
            if (failed(domain))
              return failure();
            domains.push_back(*domain);
            return success();
          }))
    return {};
  FloatAttr value;
  int64_t rounded = 0;
  SMLoc loc = parser.getCurrentLocation();
  bool more = succeeded(parser.parseOptionalComma());
  if (more && failed(parser.parseOptionalKeyword(kRounded))) {
    FailureOr<FloatAttr> parsed = parseValue(parser);
    if (failed(parsed))
      return {};
    value = *parsed;
    more = succeeded(parser.parseOptionalComma());
    if (more && parser.parseKeyword(kRounded))
      return {};
  }
  if ((more && parseRounded(parser, rounded)) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    name, *access, domains, value, rounded);
}

void OperandAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName() << "\", " << stringifyAccess(getAccess())
          << ", [";
  llvm::interleaveComma(getDomains(), printer.getStream(), [&](Domain domain) {
    printer << stringifyDomain(domain);
  });
  printer << ']';
  if (getValue()) {
    printer << ", ";
    printValue(printer, getValue());
  }
  if (getRounded())
    printer << ", " << kRounded << " = " << getRounded();
  printer << '>';
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t rows, int64_t columns, int64_t warps,
                                   int64_t stages, MatrixUnit mma,
                                   int64_t valueStages, bool persistent,
                                   int64_t ctasPerSm) {
  if (rows <= 0 || rows % 16)
    return emitError() << "rows must be a positive multiple of 16, not "
                       << rows;
  if (columns < 0 || columns % 16)
    return emitError() << "columns must be a multiple of 16, not " << columns;
  if (warps < 1 || warps > 32)
    return emitError() << "warps must be from 1 to 32, not " << warps;
  if (rows % (16 * warps))
    return emitError() << "each of the " << warps
                       << " warps must own a multiple of 16 rows, which "
                       << rows << " rows do not give";
  if (stages < 1)
    return emitError() << "stages must be at least 1, not " << stages;
  if (valueStages < 0)
    return emitError() << "value_stages must be at least 0, not "
                       << valueStages;
  if (ctasPerSm < 1)
    return emitError() << "ctas_per_sm must be at least 1, not " << ctasPerSm;
  if (mma == MatrixUnit::warpgroup) {
    if (warps % 4 || rows != 16 * warps)
      return emitError() << "a warpgroup is 4 warps with 64 rows; " << warps
                         << " warps and " << rows << " rows do not fit";
    if (columns < 16 || columns > 256)
      return emitError() << "a warpgroup multiplies by 16 to 256 columns, not "
                         << columns;
    int64_t threads = 32 * warps + 128;
    if (ctasPerSm > 2048 / threads)
      return emitError() << "a multiprocessor has 2048 threads, room for "
                         << 2048 / threads << " CTAs of " << threads << ", not "
                         << ctasPerSm;
  } else if (valueStages || persistent || ctasPerSm != 1) {
    return emitError() << "value_stages, persistent and ctas_per_sm need mma = "
                          "warpgroup";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// !plan.buffer
//===----------------------------------------------------------------------===//

BufferType BufferType::undefined(Type elementType, RowSpace rowSpace,
                                 HeadSpace headSpace, int64_t columns,
                                 int64_t rounded) {
  StateAttr state = StateAttr::undefined(elementType.getContext());
  return get(elementType.getContext(), elementType, rowSpace, headSpace,
             columns, rounded, state, state, state, state);
}
StateAttr BufferType::getState(Domain domain) const {
  switch (domain) {
  case Domain::valid:
    return getValid();
  case Domain::gap:
    return getGap();
  case Domain::tail:
    return getTail();
  case Domain::all:
    return getAll();
  }
  llvm_unreachable("a domain");
}
BufferType BufferType::withState(Domain domain, StateAttr state) const {
  auto pick = [&](Domain d) { return d == domain ? state : getState(d); };
  return get(getContext(), getElementType(), getRowSpace(), getHeadSpace(),
             getColumns(), getRounded(), pick(Domain::valid), pick(Domain::gap),
             pick(Domain::tail), pick(Domain::all));
}
BufferType BufferType::withAllUndefined() const {
  return undefined(getElementType(), getRowSpace(), getHeadSpace(),
                   getColumns(), getRounded());
}
ArrayRef<Domain> BufferType::getDomains() const {
  static const Domain rows[] = {Domain::valid, Domain::gap, Domain::tail};
  static const Domain whole[] = {Domain::all};
  if (getRowSpace() == RowSpace::none)
    return whole;
  return rows;
}
bool BufferType::isSameMemory(BufferType other) const {
  return withAllUndefined() == other.withAllUndefined();
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType, RowSpace rowSpace,
                                 HeadSpace headSpace, int64_t columns,
                                 int64_t rounded, StateAttr valid,
                                 StateAttr gap, StateAttr tail, StateAttr all) {
  if (!elementType.isF16() && !elementType.isBF16() && !elementType.isF32() &&
      !elementType.isInteger(32))
    return emitError() << "elements of a buffer are f16, bf16, f32 or i32, not "
                       << elementType;
  if (columns < 1)
    return emitError() << "a buffer needs at least 1 column, not " << columns;
  if (!isRounding(rounded))
    return emitError() << roundingRule(rounded);
  if (rowSpace == RowSpace::none) {
    if (rounded)
      return emitError() << "a buffer without rows has none to round";
    if (!valid.isUndefined() || !gap.isUndefined() || !tail.isUndefined())
      return emitError() << "a buffer without rows has only the domain 'all'";
    if (headSpace != HeadSpace::none)
      return emitError() << "a buffer without rows has no heads: use 'one'";
  } else if (!all.isUndefined()) {
    return emitError() << "a buffer with rows has the domains valid, gap and "
                          "tail, not 'all'";
  }
  return success();
}

Type BufferType::parse(AsmParser &parser) {
  Type elementType;
  int64_t columns;
  if (parser.parseLess() || parser.parseType(elementType) ||
      parser.parseComma())
    return {};
  FailureOr<RowSpace> rows = parseEnum<RowSpace>(
      parser, "row space", symbolizeRowSpace, "none, q, kv");
  if (failed(rows) || parser.parseComma())
    return {};
  FailureOr<HeadSpace> heads = parseEnum<HeadSpace>(
      parser, "head space", symbolizeHeadSpace, "one, heads_q, heads_kv");
  if (failed(heads) || parser.parseComma() || parser.parseInteger(columns))
    return {};
  StateAttr none = StateAttr::undefined(parser.getContext());
  StateAttr states[4] = {none, none, none, none};
  int64_t rounded = 0;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword(kRounded))) {
      if (parseRounded(parser, rounded))
        return {};
      continue;
    }
    FailureOr<Domain> domain =
        parseEnum<Domain>(parser, "domain", symbolizeDomain, kDomains);
    if (failed(domain) || parser.parseEqual())
      return {};
    FailureOr<StateAttr> state = parseState(parser);
    if (failed(state))
      return {};
    states[static_cast<unsigned>(*domain)] = *state;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<BufferType>(parser.getContext(), elementType, *rows,
                                       *heads, columns, rounded, states[0],
                                       states[1], states[2], states[3]);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<' << getElementType() << ", " << stringifyRowSpace(getRowSpace())
          << ", " << stringifyHeadSpace(getHeadSpace()) << ", " << getColumns();
  if (isRounded())
    printer << ", " << kRounded << " = " << getRounded();
  for (Domain domain : getDomains()) {
    StateAttr state = getState(domain);
    if (state.isUndefined())
      continue;
    printer << ", " << stringifyDomain(domain) << " = ";
    printState(printer, state);
  }
  printer << '>';
}
