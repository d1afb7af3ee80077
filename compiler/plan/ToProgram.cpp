//===- ToProgram.cpp - A plan as a launch program -------------------------===//

#include "compiler/plan/ToProgram.h"

#include "compiler/attn/FromSpec.h"
#include "compiler/plan/Buffers.h"
#include "compiler/target/Target.h"
#include "runtime/program/Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace weft;
using namespace weft::plan;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
using program::ExprOp;

static Error error(const Twine &message) {
  return llvm::createStringError(message);
}

namespace {
/// Writes formulas; equal ones are written once.
class FormulaWriter {
public:
  explicit FormulaWriter(std::vector<program::Expr> &exprs) : exprs(exprs) {}

  int32_t constant(int64_t value) {
    return node(ExprOp::constant, program::SizeKind::batch, 0, 0, value);
  }
  int32_t size(program::SizeKind kind) {
    return node(ExprOp::size, kind, 0, 0, 0);
  }
  int32_t binary(ExprOp op, int32_t lhs, int32_t rhs) {
    return node(op, program::SizeKind::batch, lhs, rhs, 0);
  }

  Expected<int32_t> write(Value value) {
    auto found = written.find(value);
    if (found != written.end())
      return found->second;
    Expected<int32_t> index = writeOp(value.getDefiningOp());
    if (index)
      written[value] = *index;
    return index;
  }

private:
  int32_t node(ExprOp op, program::SizeKind size, int32_t lhs, int32_t rhs,
               int64_t value) {
    auto [entry, isNew] = nodes.try_emplace(
        std::tuple(op, size, lhs, rhs, value), int32_t(exprs.size()));
    if (isNew)
      exprs.emplace_back(op, size, lhs, rhs, value);
    return entry->second;
  }

  Expected<int32_t> writeOp(Operation *op) {
    if (!op)
      return error("a formula depends on an argument of its plan");
    if (auto number = dyn_cast<arith::ConstantOp>(op))
      if (auto attr = dyn_cast<IntegerAttr>(number.getValue())) {
        bool isBool = attr.getType().isInteger(1);
        return constant(isBool ? attr.getValue().getZExtValue()
                               : attr.getInt());
      }
    if (auto of = dyn_cast<SizeOp>(op))
      if (auto kind = program::toSizeKind(stringifySize(of.getSize())))
        return size(*kind);
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      switch (compare.getPredicate()) {
      case arith::CmpIPredicate::slt:
        return writeBinary(ExprOp::less, op->getOperand(0), op->getOperand(1));
      case arith::CmpIPredicate::sgt:
        return writeBinary(ExprOp::less, op->getOperand(1), op->getOperand(0));
      case arith::CmpIPredicate::sle:
        return writeBinary(ExprOp::less_equal, op->getOperand(0),
                           op->getOperand(1));
      case arith::CmpIPredicate::sge:
        return writeBinary(ExprOp::less_equal, op->getOperand(1),
                           op->getOperand(0));
      default:
        return unknown(op);
      }
    }
    auto kind = llvm::TypeSwitch<Operation *, std::optional<ExprOp>>(op)
                    .Case([](arith::AddIOp) { return ExprOp::add; })
                    .Case([](arith::SubIOp) { return ExprOp::sub; })
                    .Case([](arith::MulIOp) { return ExprOp::mul; })
                    .Case([](arith::CeilDivSIOp) { return ExprOp::ceil_div; })
                    .Case([](arith::FloorDivSIOp) { return ExprOp::floor_div; })
                    .Case([](arith::MaxSIOp) { return ExprOp::max; })
                    .Case([](arith::MinSIOp) { return ExprOp::min; })
                    .Case([](arith::AndIOp op) -> std::optional<ExprOp> {
                      // Of conditions; bits of sizes have no meaning.
                      if (op.getType().isInteger(1))
                        return ExprOp::logical_and;
                      return std::nullopt;
                    })
                    .Default([](Operation *) { return std::nullopt; });
    if (!kind)
      return unknown(op);
    return writeBinary(*kind, op->getOperand(0), op->getOperand(1));
  }

  Error unknown(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os);
    return error("'" + text +
                 "' has no formula; sizes are computed with constants, "
                 "plan.size, addi, subi, muli, ceildivsi, floordivsi, maxsi, "
                 "minsi, signed "
                 "comparisons and andi of them");
  }

  Expected<int32_t> writeBinary(ExprOp op, Value lhs, Value rhs) {
    Expected<int32_t> a = write(lhs);
    if (!a)
      return a;
    Expected<int32_t> b = write(rhs);
    if (!b)
      return b;
    return binary(op, *a, *b);
  }

  std::vector<program::Expr> &exprs;
  std::map<std::tuple<ExprOp, program::SizeKind, int32_t, int32_t, int64_t>,
           int32_t>
      nodes;
  llvm::DenseMap<Value, int32_t> written;
};

/// Writes the program of one module.
class ProgramWriter {
public:
  explicit ProgramWriter(ModuleOp module)
      : module(module), formulas(result.exprs) {}

  Expected<program::ProgramT> run() {
    auto spec = module->getAttrOfType<StringAttr>(kSpecAttr);
    auto target = module->getAttrOfType<StringAttr>(kTargetAttr);
    if (!spec || !target)
      return error(Twine("the module lacks the attribute ") +
                   (spec ? kTargetAttr : kSpecAttr) +
                   ", which a launch program carries");
    result.spec = spec.str();
    result.target = target.str();
    Expected<const Target *> described = targetByName(target.getValue());
    if (!described)
      return described.takeError();
    for (auto kernel : module.getOps<emitc::FuncOp>())
      if (kernel->hasAttr("weft.entry"))
        if (Error e = addKernel(kernel, **described))
          return e;
    for (auto func : module.getOps<FuncOp>())
      if (Error e = addVariant(func))
        return e;
    if (result.variants.empty())
      return error("the module has no plan.func");
    return std::move(result);
  }

private:
  Error addKernel(emitc::FuncOp kernel, const Target &target) {
    auto threads = kernel->getAttrOfType<IntegerAttr>("weft.threads");
    auto shared = kernel->getAttrOfType<IntegerAttr>("weft.shared_bytes");
    if (!threads || !shared)
      return error("kernel @" + kernel.getSymName() +
                   " lacks weft.threads or weft.shared_bytes");
    if (shared.getInt() > target.sharedPerCta)
      return error("kernel @" + kernel.getSymName() + " needs " +
                   Twine(shared.getInt()) +
                   " bytes of shared memory; a CTA of " + target.name +
                   " has " + Twine(target.sharedPerCta) +
                   "; choose smaller tiles or fewer stages");
    auto entry = std::make_unique<program::KernelT>();
    entry->name = kernel->getAttrOfType<StringAttr>("weft.entry").str();
    entry->threads = threads.getInt();
    entry->shared_bytes = shared.getInt();
    kernels[kernel.getSymName()] = {kernel, int32_t(result.kernels.size())};
    result.kernels.push_back(std::move(entry));
    return Error::success();
  }

  Error addVariant(FuncOp func) {
    program::VariantT variant;
    llvm::DenseMap<Value, int32_t> buffers;
    int32_t arena = formulas.constant(0);
    auto write = [&](Value value, int32_t &index) -> Error {
      Expected<int32_t> formula = formulas.write(value);
      if (!formula)
        return formula.takeError();
      index = *formula;
      return Error::success();
    };
    for (Operation &op : func.getBody().front()) {
      if (auto guard = dyn_cast<GuardOp>(op)) {
        if (Error e = write(guard.getCondition(), variant.guard))
          return e;
      } else if (auto reserve = dyn_cast<ReserveOp>(op)) {
        if (!reserve.getOffset())
          return error("workspace '" + reserve.getName() +
                       "' has no offset; run plan-pack-arena");
        auto buffer = std::make_unique<program::BufferT>();
        buffer->name = reserve.getName().str();
        if (Error e = write(reserve.getBytes(), buffer->bytes))
          return e;
        if (Error e = write(reserve.getOffset(), buffer->offset))
          return e;
        arena = formulas.binary(
            ExprOp::max, arena,
            formulas.binary(ExprOp::add, buffer->offset, buffer->bytes));
        buffers[reserve.getResult()] = variant.buffers.size();
        variant.buffers.push_back(std::move(buffer));
      } else if (auto memset = dyn_cast<MemsetOp>(op)) {
        Expected<program::MemsetT> step = addMemset(memset, buffers);
        if (!step)
          return step.takeError();
        addStep(variant, std::move(*step));
      } else if (auto launch = dyn_cast<LaunchOp>(op)) {
        Expected<program::LaunchT> step = addLaunch(launch, buffers);
        if (!step)
          return step.takeError();
        addStep(variant, std::move(*step));
      } else if (isa<FillOp>(op)) {
        return error("@" + func.getSymName() +
                     " has a plan.fill; run plan-merge-fills");
      }
    }
    variant.arena_bytes = arena;
    result.variants.push_back(
        std::make_unique<program::VariantT>(std::move(variant)));
    return Error::success();
  }

  template <typename Action>
  static void addStep(program::VariantT &variant, Action &&action) {
    auto step = std::make_unique<program::StepT>();
    step->action.Set(std::forward<Action>(action));
    variant.steps.push_back(std::move(step));
  }

  Expected<program::MemsetT>
  addMemset(MemsetOp op, const llvm::DenseMap<Value, int32_t> &buffers) {
    program::MemsetT memset;
    memset.buffer = buffers.lookup(bufferRoot(op.getBuffer()));
    Type type = op.getBuffer().getType().getElementType();
    APFloat value = op.getValue();
    if (auto floatType = dyn_cast<FloatType>(type)) {
      bool lossy;
      value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lossy);
      uint64_t bits = value.bitcastToAPInt().getZExtValue();
      // Elements have 16 or 32 bits.
      memset.value = floatType.getWidth() == 32 ? bits : bits << 16 | bits;
      return memset;
    }
    llvm::APSInt number(32, /*isUnsigned=*/false);
    bool exact;
    if (value.convertToInteger(number, APFloat::rmTowardZero, &exact) !=
        APFloat::opOK)
      return error("memset of '" + bufferName(op.getBuffer()) +
                   "': its value is no 32-bit integer");
    memset.value = number.getZExtValue();
    return memset;
  }

  Expected<program::LaunchT>
  addLaunch(LaunchOp op, const llvm::DenseMap<Value, int32_t> &buffers) {
    std::string body = (op.getKernel() + KernelOp::bodySuffix()).str();
    auto found = kernels.find(body);
    if (found == kernels.end())
      return error("launch of @" + op.getKernel() + ": the module has no @" +
                   body + " with a weft.entry; lower the kernels to emitc");
    auto [kernel, index] = found->second;
    program::LaunchT launch;
    launch.kernel = index;
    launch.early = op.getEarly();
    Expected<int32_t> grid = formulas.write(op.getGrid());
    if (!grid)
      return grid.takeError();
    launch.grid = *grid;
    SmallVector<Value> operands(op.getIns());
    llvm::append_range(operands, op.getAccs());
    llvm::append_range(operands, op.getOuts());
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
      auto arg = std::make_unique<program::ArgT>();
      if (Error e = addArg(kernel, i, operands, buffers, *arg))
        return error("launch of @" + op.getKernel() + ": parameter " +
                     Twine(i) + ": " + llvm::toString(std::move(e)));
      launch.args.push_back(std::move(arg));
    }
    return launch;
  }

  Error addArg(emitc::FuncOp kernel, unsigned index, ArrayRef<Value> operands,
               const llvm::DenseMap<Value, int32_t> &buffers,
               program::ArgT &arg) {
    auto source = kernel.getArgAttrOfType<DictionaryAttr>(index, "weft.arg");
    auto kind = source ? source.getAs<StringAttr>("kind") : StringAttr();
    if (!kind)
      return error("it has no weft.arg that says what it is");
    Type type = kernel.getArgumentTypes()[index];
    if (type.isInteger(64))
      arg.type = program::ArgType::i64;
    else if (type.isInteger(32))
      arg.type = program::ArgType::i32;
    else if (type.isF32())
      arg.type = program::ArgType::f32;
    else
      arg.type = program::ArgType::pointer;

    auto which = source.getAs<StringAttr>("which");
    StringRef name = which ? which.getValue() : StringRef();
    auto badName = [&] {
      return error("weft.arg of kind '" + kind.getValue() +
                   "' has an unknown 'which': '" + name + "'");
    };
    if (kind == "tensor_map")
      return addTensorMap(source, operands, arg);
    if (kind == "tensor" || kind == "stride") {
      auto number = source.getAs<IntegerAttr>("operand");
      if (!number || number.getInt() < 0 ||
          number.getInt() >= int64_t(operands.size()))
        return error("weft.arg names no operand of the contract");
      Value root = bufferRoot(operands[number.getInt()]);
      auto buffer = buffers.find(root);
      if (kind == "tensor" && buffer != buffers.end()) {
        arg.kind = program::ArgKind::workspace;
        arg.buffer = buffer->second;
        return Error::success();
      }
      std::optional<program::TensorRole> role =
          program::toTensorRole(bufferName(root));
      if (!role)
        return error("'" + bufferName(root) +
                     "' is no tensor of the call, so "
                     "it has no strides");
      arg.tensor = *role;
      arg.kind = program::ArgKind::tensor;
      if (kind == "stride") {
        std::optional<program::StrideKind> stride = program::toStrideKind(name);
        if (!stride)
          return badName();
        arg.kind = program::ArgKind::stride;
        arg.stride = *stride;
      }
      return Error::success();
    }
    if (kind == "offsets") {
      std::optional<program::OffsetsRole> role = program::toOffsetsRole(name);
      if (!role)
        return badName();
      arg.kind = program::ArgKind::offsets;
      arg.offsets = *role;
      return Error::success();
    }
    if (kind == "size") {
      std::optional<program::SizeKind> size = program::toSizeKind(name);
      if (!size)
        return badName();
      arg.kind = program::ArgKind::size;
      arg.expr = formulas.size(*size);
      return Error::success();
    }
    if (kind == "scalar") {
      std::optional<program::ScalarRole> role = program::toScalarRole(name);
      if (!role)
        return badName();
      arg.kind = program::ArgKind::scalar;
      arg.scalar = *role;
      return Error::success();
    }
    return error("weft.arg has an unknown kind: '" + kind.getValue() + "'");
  }

  /// How the host describes a tensor for bulk copies: boxes of 64 columns of 16
  /// bits, which are the 128 bytes of a swizzled row.
  Error addTensorMap(DictionaryAttr source, ArrayRef<Value> operands,
                     program::ArgT &arg) {
    auto number = source.getAs<IntegerAttr>("operand");
    auto rows = source.getAs<IntegerAttr>("box_rows");
    auto columns = source.getAs<IntegerAttr>("columns");
    if (!number || !rows || !columns || number.getInt() < 0 ||
        number.getInt() >= int64_t(operands.size()))
      return error("weft.arg of kind 'tensor_map' needs an operand of the "
                   "contract, box_rows and columns");
    Value root = bufferRoot(operands[number.getInt()]);
    std::optional<program::TensorRole> role =
        program::toTensorRole(bufferName(root));
    if (!role)
      return error("'" + bufferName(root) +
                   "' is no tensor of the call; bulk copies of workspace are "
                   "not described");
    program::TensorMapRecipeT recipe;
    recipe.tensor = *role;
    recipe.element_bytes = 2;
    recipe.box_rows = rows.getInt();
    recipe.box_columns = 64;
    recipe.columns = columns.getInt();
    recipe.swizzle_bytes = 128;
    auto same = [&](const std::unique_ptr<program::TensorMapRecipeT> &other) {
      return other->tensor == recipe.tensor &&
             other->box_rows == recipe.box_rows &&
             other->columns == recipe.columns;
    };
    auto found = llvm::find_if(result.tensor_maps, same);
    arg.kind = program::ArgKind::tensor_map;
    arg.type = program::ArgType::tensor_map;
    arg.tensor_map = found - result.tensor_maps.begin();
    if (found == result.tensor_maps.end())
      result.tensor_maps.push_back(
          std::make_unique<program::TensorMapRecipeT>(recipe));
    return Error::success();
  }

  ModuleOp module;
  program::ProgramT result;
  FormulaWriter formulas;
  /// By symbol: the function, and its index in the program.
  llvm::StringMap<std::pair<emitc::FuncOp, int32_t>> kernels;
};
} // namespace

Expected<program::ProgramT> weft::buildProgram(ModuleOp module) {
  return ProgramWriter(module).run();
}
