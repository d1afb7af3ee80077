//===- Explain.cpp - A plan, told to people -------------------------------===//

#include "compiler/explain/Explain.h"

#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace mlir;
using namespace weft::plan;

// How a formula binds, so that it is printed with the brackets it needs.
enum Precedence { kSum, kProduct, kAtom };

static std::string formula(Value value, Precedence within = kSum);

static std::string binary(Operation *op, llvm::StringRef sign, Precedence own,
                          Precedence within) {
  std::string text = formula(op->getOperand(0), own) + " " + sign.str() + " " +
                     formula(op->getOperand(1), Precedence(own + 1));
  return own < within ? "(" + text + ")" : text;
}

static std::string call(Operation *op, llvm::StringRef name) {
  return name.str() + "(" + formula(op->getOperand(0)) + ", " +
         formula(op->getOperand(1)) + ")";
}

// An i64 over the sizes of a call, as arithmetic people read.
static std::string formula(Value value, Precedence within) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "?";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<SizeOp>(
          [](SizeOp size) { return stringifySize(size.getSize()).str(); })
      .Case<arith::ConstantOp>([](arith::ConstantOp constant) {
        auto integer = llvm::dyn_cast<IntegerAttr>(constant.getValue());
        return integer ? llvm::itostr(integer.getInt()) : std::string("?");
      })
      .Case<arith::AddIOp>(
          [&](Operation *op) { return binary(op, "+", kSum, within); })
      .Case<arith::SubIOp>(
          [&](Operation *op) { return binary(op, "-", kSum, within); })
      .Case<arith::MulIOp>(
          [&](Operation *op) { return binary(op, "*", kProduct, within); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](Operation *op) {
        return "ceil(" + formula(op->getOperand(0)) + " / " +
               formula(op->getOperand(1), kAtom) + ")";
      })
      .Case<arith::MaxSIOp>([](Operation *op) { return call(op, "max"); })
      .Case<arith::MinSIOp>([](Operation *op) { return call(op, "min"); })
      .Case<arith::AndIOp>(
          [&](Operation *op) { return binary(op, "and", kSum, within); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        llvm::StringRef sign;
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::slt:
          sign = "<";
          break;
        case arith::CmpIPredicate::sle:
          sign = "<=";
          break;
        case arith::CmpIPredicate::sgt:
          sign = ">";
          break;
        case arith::CmpIPredicate::sge:
          sign = ">=";
          break;
        case arith::CmpIPredicate::eq:
          sign = "==";
          break;
        default:
          sign = "?";
        }
        return binary(compare, sign, kSum, within);
      })
      .Default(
          [](Operation *op) { return op->getName().getStringRef().str(); });
}

static std::string number(double value) {
  return llvm::formatv("{0}", value == 0 ? 0.0 : value).str();
}
static std::string fillValue(double value) {
  if (value == 0)
    return "0";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return number(value);
}

namespace {

constexpr llvm::StringLiteral kByCaller = "written by the caller";

/// A buffer's history, whatever value holds it at the moment.
struct Buffer {
  std::string name;
  BufferType type;
  enum { Input, Result, Workspace } owner = Input;
  std::string bytes, offset;              // of a workspace buffer
  int reserved = 0, released = 0;         // steps
  std::array<std::string, 4> initialiser; // by domain; empty: nobody
};

/// Tells one plan.
class PlanStory {
public:
  PlanStory(FuncOp func, llvm::raw_ostream &os) : func(func), os(os) {}
  void tell();

private:
  void addArguments();
  void addStep(const llvm::Twine &text) { steps.push_back(text.str()); }
  int step() const { return int(steps.size()) + 1; }
  Buffer &of(Value value) { return buffers[bufferOf.lookup(value)]; }
  std::string nameOf(Value value) { return of(value).name; }
  void pass(Value from, Value to) {
    size_t index = bufferOf.lookup(from);
    bufferOf[to] = index;
  }
  void visit(Operation &op);
  void visitLaunch(LaunchOp launch);
  void tellBuffer(const Buffer &buffer);

  FuncOp func;
  llvm::raw_ostream &os;
  llvm::SmallVector<Buffer> buffers;
  llvm::DenseMap<Value, size_t> bufferOf;
  llvm::SmallVector<std::string> steps;
  std::string guard;
  llvm::SmallVector<std::string> returned;
};

} // namespace

static std::string domainNames(llvm::ArrayRef<Domain> domains) {
  return llvm::join(
      llvm::map_range(
          domains, [](Domain domain) { return stringifyDomain(domain).str(); }),
      ", ");
}

void PlanStory::addArguments() {
  for (BlockArgument argument : func.getBody().getArguments()) {
    auto type = llvm::dyn_cast<BufferType>(argument.getType());
    if (!type)
      continue;
    auto name =
        func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
    Buffer buffer;
    buffer.name =
        name ? name.str() : "argument " + llvm::utostr(argument.getArgNumber());
    buffer.type = type;
    for (Domain domain : type.getDomains())
      if (type.getState(domain).isReadable())
        buffer.initialiser[size_t(domain)] = kByCaller;
    bufferOf[argument] = buffers.size();
    buffers.push_back(std::move(buffer));
  }
}

void PlanStory::visitLaunch(LaunchOp launch) {
  auto kernel = launch->getParentOfType<ModuleOp>().lookupSymbol<KernelOp>(
      launch.getKernel());
  llvm::SmallVector<std::string> reads, adds, writes;
  llvm::SmallVector<Value> operands(launch.getIns());
  llvm::append_range(operands, launch.getAccs());
  llvm::append_range(operands, launch.getOuts());
  size_t ins = launch.getIns().size();
  std::string here =
      llvm::formatv("step {0}, @{1}", step(), launch.getKernel());
  for (auto [index, operand] : llvm::enumerate(operands)) {
    OperandAttr contract = kernel.getOperandContract(index);
    std::string text =
        nameOf(operand) + " (" + domainNames(contract.getDomains()) + ")";
    if (contract.getAccess() == Access::in) {
      reads.push_back(text);
      continue;
    }
    Value result = launch.getResults()[index - ins];
    pass(operand, result);
    if (contract.getAccess() == Access::acc) {
      adds.push_back(text);
      continue;
    }
    std::string how = "written by " + here;
    if (FloatAttr value = contract.getValue()) {
      std::string fill = fillValue(value.getValueAsDouble());
      how = "filled with " + fill + " by " + here;
      text += " = " + fill;
    }
    writes.push_back(text);
    for (Domain domain : contract.getDomains())
      of(result).initialiser[size_t(domain)] = how;
  }
  std::string text = llvm::formatv(
      "launch @{0}{1}, {2} CTAs", launch.getKernel(),
      launch.getEarly() ? " early" : "", formula(launch.getGrid()));
  auto line = [&](llvm::StringRef verb, llvm::ArrayRef<std::string> list) {
    if (!list.empty())
      text += ("\n         " + verb + " " + llvm::join(list, ", ")).str();
  };
  line("reads  ", reads);
  line("adds to", adds);
  line("writes ", writes);
  addStep(text);
}

void PlanStory::visit(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<GuardOp>([&](GuardOp op) { guard = formula(op.getCondition()); })
      .Case<ReserveOp>([&](ReserveOp reserve) {
        Buffer buffer;
        buffer.name = reserve.getName().str();
        buffer.type = reserve.getResult().getType();
        buffer.owner = Buffer::Workspace;
        buffer.bytes = formula(reserve.getBytes());
        if (reserve.getOffset())
          buffer.offset = formula(reserve.getOffset());
        buffer.reserved = step();
        bufferOf[reserve.getResult()] = buffers.size();
        addStep("reserve " + buffer.name);
        buffers.push_back(std::move(buffer));
      })
      .Case<MemsetOp>([&](MemsetOp memset) {
        pass(memset.getBuffer(), memset.getResult());
        std::string value = fillValue(memset.getValue().convertToDouble());
        Buffer &buffer = of(memset.getResult());
        for (Domain domain : buffer.type.getDomains())
          buffer.initialiser[size_t(domain)] = llvm::formatv(
              "filled with {0} by step {1}, memset", value, step());
        addStep("memset " + buffer.name + " with " + value);
      })
      .Case<FillOp>([&](FillOp fill) {
        pass(fill.getBuffer(), fill.getResult());
        std::string value = fillValue(fill.getValue().convertToDouble());
        Buffer &buffer = of(fill.getResult());
        llvm::SmallVector<Domain> domains;
        for (const APInt &index :
             fill.getDomains().getAsValueRange<IntegerAttr>())
          domains.push_back(static_cast<Domain>(index.getZExtValue()));
        for (Domain domain : domains)
          buffer.initialiser[size_t(domain)] =
              llvm::formatv("filled with {0} by step {1}, fill", value, step());
        addStep("fill " + buffer.name + " (" + domainNames(domains) +
                ") with " + value);
      })
      .Case<LaunchOp>([&](LaunchOp launch) { visitLaunch(launch); })
      .Case<ReleaseOp>([&](ReleaseOp release) {
        Buffer &buffer = of(release.getBuffer());
        buffer.released = step();
        addStep("release " + buffer.name);
      })
      .Case<ReturnOp>([&](ReturnOp op) {
        for (Value result : op.getResults()) {
          Buffer &buffer = of(result);
          buffer.owner = Buffer::Result;
          // A result that arrives filled on a domain has no rows there.
          for (std::string &how : buffer.initialiser)
            if (how == kByCaller)
              how = "no such rows: the layout has no padding";
          returned.push_back(buffer.name);
        }
      });
}

void PlanStory::tellBuffer(const Buffer &buffer) {
  BufferType type = buffer.type;
  std::string shape;
  llvm::raw_string_ostream stream(shape);
  stream << type.getElementType() << " [";
  if (type.getRowSpace() != RowSpace::none)
    stream << "rows_" << stringifyRowSpace(type.getRowSpace()) << ", ";
  if (type.getHeadSpace() != HeadSpace::none)
    stream << stringifyHeadSpace(type.getHeadSpace()) << ", ";
  stream << type.getColumns() << "]";

  std::string owner;
  switch (buffer.owner) {
  case Buffer::Input:
    owner = "the caller's, only read";
    break;
  case Buffer::Result:
    owner = "the caller's, a result";
    break;
  case Buffer::Workspace:
    owner = llvm::formatv(
        "the plan's workspace from step {0} to {1}, {2} bytes{3}",
        buffer.reserved, buffer.released, buffer.bytes,
        buffer.offset.empty() ? "" : " at offset " + buffer.offset);
    break;
  }
  os << llvm::formatv("    {0,-16} {1,-29} {2}\n", buffer.name, shape, owner);
  // Neighbouring domains with one story share a line.
  llvm::ArrayRef<Domain> domains = type.getDomains();
  while (!domains.empty()) {
    llvm::StringRef how = buffer.initialiser[size_t(domains.front())];
    llvm::ArrayRef<Domain> same = domains.take_while([&](Domain domain) {
      return buffer.initialiser[size_t(domain)] == how;
    });
    domains = domains.drop_front(same.size());
    if (how.empty())
      how = buffer.owner == Buffer::Input ? "may hold anything: never read"
                                          : "not initialised: never read";
    os << llvm::formatv("        {0,-11}  {1}\n", domainNames(same), how);
  }
}

void PlanStory::tell() {
  addArguments();
  for (Operation &op : func.getBody().front())
    visit(op);

  os << "plan @" << func.getSymName();
  if (!guard.empty())
    os << ", taken if " << guard;
  os << "\n  buffers: who owns them, who initialises each domain\n";
  for (const Buffer &buffer : buffers)
    tellBuffer(buffer);
  os << "  steps, in order\n";
  for (auto [index, text] : llvm::enumerate(steps))
    os << llvm::formatv("    {0,3}  {1}\n", index + 1, text);
  os << "  returns " << llvm::join(returned, ", ") << "\n\n";
}

// What holds of every plan that passed the verifier, and what that rests on.
static const char kClosing[] =
    R"(domains of a buffer's rows
    valid  rows of a sequence's used length
    tail   rows behind the last sequence
    gap    all others: padding between sequences, and rows before the first

checked of this plan
    every read and every add finds the state it needs
    every result is written on valid and filled on gap and tail when it returns
    a buffer has one owner at a time, and nothing outlives the plan
    workspace buffers that live at the same time are disjoint and aligned

trusted, not proved
    kernel bodies keep their contracts (tested against the fp64 formula)
    the order of a grid's points, the device primitives of templates/, the
    printer of CUDA text, NVRTC
    inputs: pointers, strides and sizes describe memory that exists; offsets and
    lengths are clamped where they are read
)";

llvm::Expected<std::string> weft::explainPlan(llvm::StringRef planText) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<attn::AttnDialect, plan::PlanDialect, arith::ArithDialect,
                      math::MathDialect>();
  std::string complaint;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(complaint) << diagnostic << "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(planText, ParserConfig(&context));
  if (!module)
    return llvm::createStringError("cannot explain the plan: " +
                                   llvm::StringRef(complaint).rtrim());
  std::string text;
  llvm::raw_string_ostream os(text);
  bool any = false;
  for (FuncOp func : module->getOps<FuncOp>()) {
    PlanStory(func, os).tell();
    any = true;
  }
  if (!any)
    return llvm::createStringError(
        "cannot explain the plan: the module has no plan.func; give a module "
        "at the plan stage");
  os << kClosing;
  return text;
}
