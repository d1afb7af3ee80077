//===- PrintCuda.cpp - EmitC as CUDA C++ to read --------------------------===//

#include "compiler/emitc/PrintCuda.h"

#include "compiler/emitc/Expressions.h"
#include "compiler/emitc/KernelWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weft {
namespace {

/// How tightly C++ operators bind, loosest first.
enum Precedence {
  Conditional = 1,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Primary
};

struct Expression {
  std::string text;
  int precedence = Primary;
  /// For an operand that must bind at least as tightly as `wanted`.
  std::string in(int wanted) const {
    return precedence < wanted ? "(" + text + ")" : text;
  }
};

class CudaPrinter {
public:
  llvm::Expected<std::string> print(emitc::FuncOp func);

private:
  void printBlock(Block &block, const Twine &indent);
  void printOp(Operation &op, const std::string &indent);
  void printFor(emitc::ForOp loop, const std::string &indent);

  Expression expression(Value value);
  Expression expressionOf(Operation *op);
  std::string list(ValueRange values);
  std::string typeName(Type type);
  std::string declare(Type type, StringRef name);

  std::string newName(Operation *op, StringRef fallback);
  void fail(const Twine &message) {
    if (error.empty())
      error = message.str();
  }

  /// Ops that another's line has taken in.
  DenseSet<Operation *> printed;
  std::string out;
  std::string error;
  DenseMap<Value, std::string> names;
  /// Names taken in the function and its open scopes.
  llvm::StringMap<unsigned> taken;
  /// What was taken when the open braces of a block were reached.
  SmallVector<llvm::StringMap<unsigned>> stepNames;
};

std::string CudaPrinter::newName(Operation *op, StringRef fallback) {
  std::string stem = fallback.str();
  if (auto given = op->getAttrOfType<StringAttr>(plan::kNameAttr)) {
    stem.clear();
    for (char c : given.getValue())
      stem += llvm::isAlnum(c) ? c : '_';
    if (stem.empty() || llvm::isDigit(stem.front()))
      stem = "_" + stem;
  }
  std::string name = stem;
  for (unsigned i = 2; taken.count(name); ++i)
    name = stem + "_" + std::to_string(i);
  taken.insert({name, 0});
  return name;
}

std::string CudaPrinter::typeName(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return "bool";
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth()) + "_t";
  }
  if (type.isF32())
    return "float";
  if (auto opaque = dyn_cast<emitc::OpaqueType>(type))
    return opaque.getValue().str();
  if (auto pointer = dyn_cast<emitc::PointerType>(type))
    return typeName(pointer.getPointee()) + " *";
  if (auto lvalue = dyn_cast<emitc::LValueType>(type))
    return typeName(lvalue.getValueType());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  fail("no CUDA C++ for the type " + text);
  return "void";
}

std::string CudaPrinter::declare(Type type, StringRef name) {
  if (auto array = dyn_cast<emitc::ArrayType>(type)) {
    std::string text = typeName(array.getElementType()) + " " + name.str();
    for (int64_t size : array.getShape())
      text += "[" + std::to_string(size) + "]";
    return text;
  }
  std::string text = typeName(type);
  return text + (text.back() == '*' ? "" : " ") + name.str();
}

Expression CudaPrinter::expression(Value value) {
  if (auto it = names.find(value); it != names.end())
    return {it->second};
  if (Operation *op = value.getDefiningOp())
    return expressionOf(op);
  fail("a value has no name");
  return {};
}

std::string CudaPrinter::list(ValueRange values) {
  std::string text;
  for (Value value : values)
    text += (text.empty() ? "" : ", ") + expression(value).text;
  return text;
}

Expression CudaPrinter::expressionOf(Operation *op) {
  auto binary = [&](StringRef sign, int precedence) -> Expression {
    // Left associative.
    return {expression(op->getOperand(0)).in(precedence) + " " + sign.str() +
                " " + expression(op->getOperand(1)).in(precedence + 1),
            precedence};
  };
  // Few know that comparisons bind tighter: they get parentheses.
  auto bitwise = [&](StringRef sign, int precedence) -> Expression {
    auto side = [&](unsigned i) {
      Expression text = expression(op->getOperand(i));
      bool same = i == 0 && text.precedence == precedence;
      return text.in(same ? precedence : int(Shift));
    };
    return {side(0) + " " + sign.str() + " " + side(1), precedence};
  };
  return llvm::TypeSwitch<Operation *, Expression>(op)
      .Case([&](emitc::LiteralOp op) -> Expression {
        std::string text = op.getValue().str();
        return {text, text.front() == '-' ? Unary : Primary};
      })
      .Case([&](emitc::AddOp) { return binary("+", Additive); })
      .Case([&](emitc::SubOp) { return binary("-", Additive); })
      .Case([&](emitc::MulOp) { return binary("*", Multiplicative); })
      .Case([&](emitc::DivOp) { return binary("/", Multiplicative); })
      .Case([&](emitc::RemOp) { return binary("%", Multiplicative); })
      .Case([&](emitc::BitwiseLeftShiftOp) { return binary("<<", Shift); })
      .Case([&](emitc::BitwiseRightShiftOp) { return binary(">>", Shift); })
      .Case([&](emitc::BitwiseAndOp) { return bitwise("&", BitAnd); })
      .Case([&](emitc::BitwiseOrOp) { return bitwise("|", BitOr); })
      .Case([&](emitc::BitwiseXorOp) { return bitwise("^", BitXor); })
      .Case([&](emitc::LogicalAndOp) { return binary("&&", LogicalAnd); })
      .Case([&](emitc::LogicalOrOp) { return binary("||", LogicalOr); })
      .Case([&](emitc::CmpOp op) -> Expression {
        switch (op.getPredicate()) {
        case emitc::CmpPredicate::eq:
          return binary("==", Equality);
        case emitc::CmpPredicate::ne:
          return binary("!=", Equality);
        case emitc::CmpPredicate::lt:
          return binary("<", Relational);
        case emitc::CmpPredicate::le:
          return binary("<=", Relational);
        case emitc::CmpPredicate::gt:
          return binary(">", Relational);
        case emitc::CmpPredicate::ge:
          return binary(">=", Relational);
        case emitc::CmpPredicate::three_way:
          break;
        }
        fail("no three-way comparison in CUDA C++");
        return {};
      })
      .Case([&](emitc::UnaryMinusOp op) -> Expression {
        return {"-" + expression(op.getOperand()).in(Primary), Unary};
      })
      .Case([&](emitc::LogicalNotOp op) -> Expression {
        return {"!" + expression(op.getOperand()).in(Unary), Unary};
      })
      .Case([&](emitc::CastOp op) -> Expression {
        return {"static_cast<" + typeName(op.getDest().getType()) + ">(" +
                expression(op.getSource()).text + ")"};
      })
      .Case([&](emitc::ConditionalOp op) -> Expression {
        return {expression(op.getCondition()).in(LogicalOr) + " ? " +
                    expression(op.getTrueValue()).in(LogicalOr) + " : " +
                    expression(op.getFalseValue()).in(LogicalOr),
                Conditional};
      })
      .Case([&](emitc::LoadOp op) { return expression(op.getOperand()); })
      .Case([&](emitc::SubscriptOp op) -> Expression {
        std::string text = expression(op.getValue()).in(Primary);
        for (Value index : op.getIndices())
          text += "[" + expression(index).text + "]";
        return {text};
      })
      .Case([&](emitc::AddressOfOp op) -> Expression {
        return {"&" + expression(op.getReference()).in(Unary), Unary};
      })
      .Case([&](emitc::CallOpaqueOp op) -> Expression {
        std::string text = op.getCallee().str();
        if (op.getArgs())
          fail("calls with attributes as arguments are not printed");
        if (ArrayAttr parameters = op.getTemplateArgsAttr()) {
          SmallVector<std::string> values;
          for (Attribute value : parameters)
            if (auto number = dyn_cast<IntegerAttr>(value))
              values.push_back(std::to_string(number.getInt()));
            else
              fail("template arguments are integers");
          text += "<" + llvm::join(values, ", ") + ">";
        }
        return {text + "(" + list(op.getOperands()) + ")"};
      })
      .Default([&](Operation *op) -> Expression {
        fail("no CUDA C++ for the op " + op->getName().getStringRef());
        return {};
      });
}

/// A name for what has none, by its type.
StringRef fallbackName(Type type) {
  if (type.isInteger(1))
    return "test";
  if (type.isF32())
    return "x";
  if (isa<emitc::PointerType>(type))
    return "pointer";
  return "v";
}

void CudaPrinter::printFor(emitc::ForOp loop, const std::string &indent) {
  std::string lower = expression(loop.getLowerBound()).text;
  std::string upper = expression(loop.getUpperBound()).in(Additive);
  std::string step = expression(loop.getStep()).text;
  Value index = loop.getInductionVar();
  std::string name = newName(loop, "i");
  names[index] = name;
  out += indent + "for (" + declare(index.getType(), name) + " = " + lower +
         "; " + name + " < " + upper + "; " +
         (step == "1" ? "++" + name : name + " += " + step) + ") {\n";
  printBlock(*loop.getBody(), indent + "  ");
  out += indent + "}\n";
  taken.erase(name);
}

void CudaPrinter::printOp(Operation &op, const std::string &indent) {
  if (isPartOfUser(&op) || printed.contains(&op))
    return;
  llvm::TypeSwitch<Operation &>(op)
      .Case<emitc::YieldOp, emitc::ReturnOp>([](auto &) {})
      .Case([&](emitc::VerbatimOp op) {
        if (!op.getFmtArgs().empty())
          return fail("verbatim text with operands is not printed");
        if (op.getValue() == "{") {
          out += indent + "{\n";
          stepNames.push_back(taken);
          return;
        }
        if (op.getValue() == "}" && !stepNames.empty()) {
          taken = stepNames.pop_back_val();
          out += indent + "}\n";
          return;
        }
        // A step begins: a line apart from what precedes it.
        if (op.getValue().starts_with("//") && !StringRef(out).ends_with("{\n"))
          out += "\n";
        out += indent + op.getValue().str() + "\n";
      })
      .Case([&](emitc::VariableOp op) {
        std::string name = newName(op, fallbackName(op.getType()));
        names[op.getResult()] = name;
        out += indent + declare(op.getType(), name);
        if (auto initial = dyn_cast<emitc::OpaqueAttr>(op.getValue())) {
          if (!initial.getValue().empty())
            out += " = " + initial.getValue().str();
        } else {
          fail("a variable's initial value is opaque text");
        }
        // Its first value comes with its declaration.
        Operation *next = op->getNextNode();
        while (next && isPartOfUser(next))
          next = next->getNextNode();
        if (auto assign = dyn_cast_or_null<emitc::AssignOp>(next);
            assign && assign.getVar() == op.getResult()) {
          out += " = " + expression(assign.getValue()).text;
          printed.insert(assign);
        }
        out += ";\n";
      })
      .Case([&](emitc::AssignOp op) {
        out += indent + expression(op.getVar()).text + " = " +
               expression(op.getValue()).text + ";\n";
      })
      .Case([&](emitc::ForOp op) { printFor(op, indent); })
      .Case([&](emitc::IfOp op) {
        out += indent + "if (" + expression(op.getCondition()).text + ") {\n";
        printBlock(op.getThenRegion().front(), indent + "  ");
        if (!op.getElseRegion().empty()) {
          out += indent + "} else {\n";
          printBlock(op.getElseRegion().front(), indent + "  ");
        }
        out += indent + "}\n";
      })
      .Default([&](Operation &op) {
        Expression text = expressionOf(&op);
        if (op.getNumResults() == 0) {
          out += indent + text.text + ";\n";
          return;
        }
        Type type = op.getResult(0).getType();
        std::string name = newName(&op, fallbackName(type));
        names[op.getResult(0)] = name;
        // A pointer is a name for a place, not a constant place.
        out += indent + (isa<emitc::PointerType>(type) ? "" : "const ") +
               declare(type, name) + " = " + text.text + ";\n";
      });
}

void CudaPrinter::printBlock(Block &block, const Twine &indent) {
  std::string margin = indent.str();
  llvm::StringMap<unsigned> outer = taken;
  size_t open = stepNames.size();
  for (Operation &op : block) {
    auto verbatim = dyn_cast<emitc::VerbatimOp>(op);
    size_t depth = stepNames.size() - open;
    if (verbatim && verbatim.getValue() == "}" && depth)
      --depth;
    printOp(op, margin + std::string(2 * depth, ' '));
  }
  taken = std::move(outer);
}

llvm::Expected<std::string> CudaPrinter::print(emitc::FuncOp func) {
  auto entry = func->getAttrOfType<StringAttr>(kEntryAttr);
  auto threads = func->getAttrOfType<IntegerAttr>(kThreadsAttr);
  if (!entry || !threads || !func.getBody().hasOneBlock())
    return llvm::createStringError(
        "@" + func.getSymName() +
        " is no kernel: it needs the attributes weft.entry and weft.threads "
        "and a body of one block, as warp-to-emitc writes them");
  if (auto headers = func->getAttrOfType<ArrayAttr>(kHeadersAttr))
    for (auto header : headers.getAsRange<StringAttr>())
      out += "#include \"weft/" + header.str() + ".cuh\"\n";
  if (auto functions = func->getAttrOfType<ArrayAttr>(kFunctionsAttr))
    for (auto text : functions.getAsRange<StringAttr>())
      out += "\n" + text.str();
  // Without the 1, ptxas spills rather than miss an occupancy it aims at.
  auto ctasPerSm = func->getAttrOfType<IntegerAttr>(kCtasPerSmAttr);
  out += "\nextern \"C\" __global__ void __launch_bounds__(" +
         std::to_string(threads.getInt()) + ", " +
         std::to_string(ctasPerSm ? ctasPerSm.getInt() : 1) + ")\n" +
         entry.str() + "(";
  // A variable must not hide a function.
  func.walk([&](emitc::CallOpaqueOp call) {
    taken.insert({call.getCallee(), 0});
  });
  std::string between;
  for (BlockArgument argument : func.getArguments()) {
    auto given = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                   plan::kNameAttr);
    std::string stem =
        given ? given.str() : "arg" + std::to_string(argument.getArgNumber());
    std::string name = stem;
    for (unsigned i = 2; taken.count(name); ++i)
      name = stem + "_" + std::to_string(i);
    taken.insert({name, 0});
    names[argument] = name;
    out += between + "\n    " + declare(argument.getType(), name);
    between = ",";
  }
  out += ") {\n";
  printBlock(func.getBody().front(), "  ");
  out += "}\n";
  if (!error.empty())
    return llvm::createStringError("printing @" + func.getSymName() + ": " +
                                   error);
  return std::move(out);
}

} // namespace

llvm::Expected<std::string> printCuda(emitc::FuncOp func) {
  return CudaPrinter().print(func);
}

} // namespace weft
