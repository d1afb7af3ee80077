//===- PlanVerify.cpp - Proves the ownership of a plan's buffers ----------===//

#include "compiler/plan/Buffers.h"
#include "compiler/plan/OneModule.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/SizeAlgebra.h"
#include "dialects/attn/Attn.h"
#include "dialects/tile/Tile.h"
#include "runtime/program/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

namespace weft {
#define GEN_PASS_DEF_PLANVERIFY
#include "compiler/plan/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;
using namespace weft::plan;

static constexpr StringRef kRoles[] = {"query",   "key",   "value",
                                       "out",     "lse",   "d_out",
                                       "d_query", "d_key", "d_value"};

static std::string stateText(StateAttr state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyStateKind(state.getKind());
  if (state.getValue()) {
    SmallString<16> number;
    state.getValue().getValue().toString(number);
    os << '(' << number << ')';
  }
  return text;
}

/// The op as messages name it: "launch of @dkdv".
static std::string opText(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return ("launch of @" + launch.getKernel()).str();
  return op->getName().stripDialect().str();
}

namespace {
/// Checks one plan.
class Verifier {
public:
  Verifier(ModuleOp module, FuncOp func) : module(module), func(func) {}

  LogicalResult run() {
    return success(succeeded(checkArguments()) && succeeded(checkOps()) &&
                   succeeded(checkOwners()) && succeeded(checkArena()));
  }

private:
  Block &body() { return func.getBody().front(); }

  //===--- Arguments -----------------------------------------------------===//

  /// Whether rows of `rowSpace` may lie outside the sequences; nothing if the
  /// module does not say.
  std::optional<attn::SideAttr> side(RowSpace rowSpace) {
    if (auto attr = module->getAttrOfType<attn::SideAttr>(
            rowSpace == RowSpace::q ? "weft.q" : "weft.kv"))
      return attr;
    return std::nullopt;
  }

  LogicalResult checkArguments() {
    llvm::StringSet<> seen;
    for (BlockArgument argument : body().getArguments()) {
      StringRef name = bufferName(argument);
      if (!llvm::is_contained(kRoles, name))
        return func.emitError()
               << "argument " << argument.getArgNumber() << " of @"
               << func.getSymName() << " is named '" << name
               << "'; its weft.name must be one of "
               << llvm::join(ArrayRef<StringRef>(kRoles), ", ");
      if (!seen.insert(name).second)
        return func.emitError() << "two arguments of @" << func.getSymName()
                                << " are named '" << name << "'";
      auto type = dyn_cast<BufferType>(argument.getType());
      RowSpace rows =
          llvm::is_contained({"key", "value", "d_key", "d_value"}, name)
              ? RowSpace::kv
              : RowSpace::q;
      if (!type || type.getRowSpace() != rows)
        return func.emitError()
               << "argument '" << name << "' must be a buffer of row space "
               << stringifyRowSpace(rows) << ", not " << argument.getType();
      if (type.isRounded())
        return func.emitError()
               << "argument '" << name << "' has rows "
               << roundingText(type.getRounded())
               << "; only workspace has, a tensor's rows are the caller's";
      if (failed(checkArrival(argument, type)))
        return failure();
    }
    return success();
  }

  /// What an argument may claim to hold. Inputs: `valid`. Others: gap and
  /// tail, where there are no such rows.
  LogicalResult checkArrival(BlockArgument argument, BufferType type) {
    if (type.getValid().getValue())
      return func.emitError()
             << "argument '" << bufferName(argument) << "' arrives "
             << stateText(type.getValid())
             << " on valid; an input arrives defined, a result undefined";
    for (Domain domain : {Domain::gap, Domain::tail}) {
      if (type.getState(domain).isUndefined())
        continue;
      std::optional<attn::SideAttr> rows = side(type.getRowSpace());
      StringRef space = stringifyRowSpace(type.getRowSpace());
      if (!rows)
        return func.emitError()
               << "argument '" << bufferName(argument) << "' arrives "
               << stateText(type.getState(domain)) << " on "
               << stringifyDomain(domain)
               << ", which needs the module attribute weft." << space
               << " to say that side " << space << " has no such rows";
      if (rows->getLayout() == attn::RowLayout::thd || rows->getPadded())
        return func.emitError()
               << "argument '" << bufferName(argument) << "' arrives "
               << stateText(type.getState(domain)) << " on "
               << stringifyDomain(domain) << ", but side " << space
               << " may have such rows, which hold anything; fill them";
    }
    return success();
  }

  //===--- States --------------------------------------------------------===//

  LogicalResult checkOps() {
    for (Operation &op : body()) {
      if (auto launch = dyn_cast<LaunchOp>(op)) {
        if (failed(checkLaunch(launch)) || failed(checkGrid(launch)))
          return failure();
      } else if (auto memset = dyn_cast<MemsetOp>(op)) {
        if (isa<BlockArgument>(bufferRoot(memset.getBuffer())))
          return memset.emitError()
                 << "memset of '" << bufferName(memset.getBuffer())
                 << "', which is no workspace: its strides are the caller's; "
                    "fill its domains with plan.fill";
      } else if (auto reserve = dyn_cast<ReserveOp>(op)) {
        if (failed(checkBytes(reserve)))
          return failure();
      } else if (auto release = dyn_cast<ReleaseOp>(op)) {
        if (isa<BlockArgument>(bufferRoot(release.getBuffer())))
          return release.emitError()
                 << "release of '" << bufferName(release.getBuffer())
                 << "', which is no workspace";
      } else if (auto done = dyn_cast<ReturnOp>(op)) {
        if (failed(checkReturn(done)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult checkLaunch(LaunchOp launch) {
    auto kernel = module.lookupSymbol<KernelOp>(launch.getKernel());
    unsigned index = 0;
    auto each = [&](OperandRange values, auto check) -> LogicalResult {
      for (Value value : values) {
        OperandAttr contract = kernel.getOperandContract(index++);
        auto type = cast<BufferType>(value.getType());
        for (Domain domain : contract.getDomains())
          if (!llvm::is_contained(type.getDomains(), domain))
            return launch.emitError()
                   << opText(launch) << " covers " << stringifyDomain(domain)
                   << " of '" << bufferName(value)
                   << "', a domain that the buffer does not have";
        if (type.getRounded() != contract.getRounded())
          return launch.emitError()
                 << opText(launch) << " takes '" << bufferName(value)
                 << "' with rows " << roundingText(contract.getRounded())
                 << " by its contract, but they are "
                 << roundingText(type.getRounded());
        if (failed(check(value, type, contract)))
          return failure();
      }
      return success();
    };
    auto needs = [&](Value value, Domain domain, StateAttr found,
                     const Twine &needed) {
      return launch.emitError()
             << opText(launch) << " " << needed << " '" << bufferName(value)
             << "' on " << stringifyDomain(domain) << ", which is "
             << stateText(found) << " there";
    };

    if (failed(each(launch.getIns(),
                    [&](Value value, BufferType type, OperandAttr contract) {
                      for (Domain domain : contract.getDomains())
                        if (!type.getState(domain).isReadable())
                          return LogicalResult(needs(
                              value, domain, type.getState(domain), "reads"));
                      return checkComputed(launch, value, type, contract);
                    })))
      return failure();

    unsigned result = 0;
    auto leaves = [&](Value value, BufferType expected) -> LogicalResult {
      Type after = launch.getResult(result++).getType();
      if (after == expected)
        return success();
      return launch.emitError()
             << opText(launch) << " leaves '" << bufferName(value) << "' as "
             << expected << " by its contract, but returns " << after;
    };
    if (failed(each(launch.getAccs(), [&](Value value, BufferType type,
                                          OperandAttr contract) {
          if (contract.getAccess() == Access::counter)
            return checkCounter(launch, value, type, contract, needs, leaves);
          if (contract.getAccess() == Access::acc &&
              module->hasAttr("weft.deterministic"))
            return LogicalResult(
                launch.emitError()
                << opText(launch) << " adds to '" << bufferName(value)
                << "' in no fixed order, but the problem is deterministic; "
                   "give each contributor a buffer of its own and sum them, or "
                   "let them add in turn");
          BufferType expected = type;
          for (Domain domain : contract.getDomains()) {
            StateAttr state = type.getState(domain);
            if (!state.isFilledWith(0) && !isSum(value, domain))
              return LogicalResult(
                  needs(value, domain, state,
                        "adds, which needs filled(0) or an earlier sum, to"));
            expected = expected.withState(
                domain, StateAttr::defined(module.getContext()));
          }
          return leaves(value, expected);
        })))
      return failure();
    return each(launch.getOuts(),
                [&](Value value, BufferType type, OperandAttr contract) {
                  StateAttr state = StateAttr::defined(module.getContext());
                  if (FloatAttr filled = contract.getValue())
                    state = StateAttr::filled(module.getContext(),
                                              filled.getValueAsDouble());
                  BufferType expected = type;
                  for (Domain domain : contract.getDomains())
                    expected = expected.withState(domain, state);
                  return leaves(value, expected);
                });
  }

  /// A counter begins with zeros, and its kernel leaves it so: an aborted call
  /// may have left anything.
  template <typename Needs, typename Leaves>
  LogicalResult checkCounter(LaunchOp launch, Value value, BufferType type,
                             OperandAttr contract, Needs needs, Leaves leaves) {
    if (!type.getElementType().isInteger(32))
      return launch.emitError()
             << opText(launch) << " counts in '" << bufferName(value)
             << "', whose elements are " << type.getElementType()
             << "; counters are i32";
    for (Domain domain : contract.getDomains())
      if (StateAttr state = type.getState(domain); !state.isFilledWith(0))
        return needs(value, domain, state, "counts, which needs filled(0), in");
    return leaves(value, type);
  }

  /// What a memset left in the rows of sequences is where sums begin, and
  /// nobody's result: a launch that was to add to it is missing.
  LogicalResult checkComputed(LaunchOp launch, Value value, BufferType type,
                              OperandAttr contract) {
    for (Domain domain : {Domain::valid, Domain::all})
      if (llvm::is_contained(contract.getDomains(), domain) &&
          type.getState(domain).getValue())
        return launch.emitError()
               << opText(launch) << " reads '" << bufferName(value) << "' on "
               << stringifyDomain(domain) << ", which is still "
               << stateText(type.getState(domain))
               << "; a launch must write it or add to it first";
    return success();
  }

  /// Once the kernel has a body, which says what its grid covers: a CTA for
  /// every point, whatever the sequences' lengths are.
  LogicalResult checkGrid(LaunchOp launch) {
    Operation *kernel = module.lookupSymbol(
        (launch.getKernel() + KernelOp::bodySuffix()).str());
    auto grid =
        kernel ? kernel->getAttrOfType<tile::GridAttr>("grid") : nullptr;
    if (!grid)
      return success();
    auto schedule =
        module.lookupSymbol<KernelOp>(launch.getKernel()).getSchedule();
    bool held = grid.getKind() == tile::GridKind::held;
    bool q = grid.getKind() == tile::GridKind::q;
    std::optional<attn::SideAttr> rows = side(q ? RowSpace::q : RowSpace::kv);
    if (!held && !rows)
      return success();
    SizeAlgebra::Polynomial needed;
    if (held) {
      needed = algebra.ceilDiv(
          algebra.max(algebra.size(Size::rows_q), algebra.size(Size::rows_kv)),
          grid.getRows());
    } else if (rows->getLayout() == attn::RowLayout::thd) {
      // Each sequence may end in a part of a tile.
      needed = algebra.add(
          algebra.ceilDiv(algebra.size(q ? Size::rows_q : Size::rows_kv),
                          grid.getRows()),
          algebra.size(Size::batch));
    } else {
      needed = algebra.multiply(
          algebra.ceilDiv(algebra.size(q ? Size::seqlen_q : Size::seqlen_kv),
                          grid.getRows()),
          algebra.size(Size::batch));
    }
    if (grid.getHeads() != HeadSpace::none)
      needed = algebra.multiply(
          needed,
          algebra.size(grid.getHeads() == HeadSpace::heads_q ? Size::heads_q
                                                             : Size::heads_kv));
    // CTAs that take point after point: as many as run at once will do.
    auto isAtOnce = [&](Value value) {
      return algebra.normalize(value) ==
             algebra.multiply(algebra.size(Size::sm_count),
                              algebra.constant(schedule.getCtasPerSm()));
    };
    Value ctas = launch.getGrid();
    if (auto least = ctas.getDefiningOp<arith::MinSIOp>();
        least && schedule.getPersistent()) {
      if (isAtOnce(least.getRhs()))
        ctas = least.getLhs();
      else if (isAtOnce(least.getLhs()))
        ctas = least.getRhs();
    }
    // One more would take a head that is none.
    if (algebra.normalize(ctas) == needed)
      return success();
    return launch.emitError()
           << opText(launch) << " has a grid of "
           << algebra.str(algebra.normalize(launch.getGrid()))
           << " CTAs, but its points may be " << algebra.str(needed);
  }

  /// Whether what `domain` holds is the result of adds to zeros.
  bool isSum(Value value, Domain domain) {
    auto launch = value.getDefiningOp<LaunchOp>();
    if (!launch)
      return false;
    unsigned index = cast<OpResult>(value).getResultNumber();
    bool isAcc = index < launch.getAccs().size();
    auto kernel = module.lookupSymbol<KernelOp>(launch.getKernel());
    OperandAttr contract =
        kernel.getOperandContract(launch.getIns().size() + index);
    if (llvm::is_contained(contract.getDomains(), domain))
      return isAcc && contract.getAccess() != Access::counter;
    return isSum(previousState(value), domain);
  }

  LogicalResult checkReturn(ReturnOp op) {
    for (Value value : op.getResults()) {
      StringRef name = bufferName(value);
      if (!isa<BlockArgument>(bufferRoot(value)))
        return op.emitError()
               << "returns workspace '" << name << "'; release it";
      auto type = cast<BufferType>(value.getType());
      if (cast<BufferType>(bufferRoot(value).getType()).getValid().isReadable())
        return op.emitError()
               << "returns '" << name
               << "', which arrives defined on valid; a result arrives "
                  "undefined, so that the plan must write it";
      if (type.getValid() != StateAttr::defined(module.getContext()))
        return op.emitError()
               << "returns '" << name << "' " << stateText(type.getValid())
               << " on valid; a launch must write it";
      double outside =
          name == "lse" ? -std::numeric_limits<double>::infinity() : 0.0;
      for (Domain domain : {Domain::gap, Domain::tail})
        if (!type.getState(domain).isFilledWith(outside))
          return op.emitError()
                 << "returns '" << name << "' "
                 << stateText(type.getState(domain)) << " on "
                 << stringifyDomain(domain) << "; it must be filled with "
                 << (name == "lse" ? "-inf" : "0") << " there";
    }
    return success();
  }

  //===--- Owners --------------------------------------------------------===//

  LogicalResult checkOwners() {
    for (BlockArgument argument : body().getArguments())
      if (failed(checkOwner(argument)))
        return failure();
    for (Operation &op : body())
      for (Value result : op.getResults())
        if (isa<BufferType>(result.getType()) && failed(checkOwner(result)))
          return failure();
    return success();
  }

  LogicalResult checkOwner(Value value) {
    StringRef name = bufferName(value);
    Operation *consumer = nullptr;
    for (OpOperand &use : value.getUses()) {
      if (!isConsumed(use))
        continue;
      // Uses are listed last first; the earlier of two consumers is right.
      Operation *other = use.getOwner();
      if (consumer) {
        bool swap = other->isBeforeInBlock(consumer);
        Operation *second = swap ? consumer : other;
        return second->emitError()
               << opText(second) << " takes '" << name << "', which "
               << (consumer == other
                       ? "it takes already"
                       : opText(swap ? other : consumer) + " has taken")
               << "; a buffer has one owner";
      }
      consumer = other;
    }
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isConsumed(use) || !consumer || user->isBeforeInBlock(consumer))
        continue;
      return user->emitError()
             << opText(user) << " reads '" << name << "', which "
             << (user == consumer ? "it also writes"
                                  : opText(consumer) + " has taken")
             << "; a buffer has one owner";
    }
    return checkEnd(value, name, consumer);
  }

  /// Nothing outlives the plan, and nothing is lost.
  LogicalResult checkEnd(Value value, StringRef name, Operation *consumer) {
    Value root = bufferRoot(value);
    if (auto reserve = root.getDefiningOp<ReserveOp>()) {
      if (!consumer)
        return reserve.emitError()
               << "workspace '" << name << "' is never released";
      return success();
    }
    if (consumer)
      return success();
    if (value != root)
      return value.getDefiningOp()->emitError()
             << opText(value.getDefiningOp()) << " writes '" << name
             << "', which is not returned; an input is only read, a result is "
                "returned";
    // An argument that nothing consumes is an input.
    if (!cast<BufferType>(value.getType()).getValid().isReadable())
      return func.emitError()
             << "argument '" << name << "' of @" << func.getSymName()
             << " arrives undefined and is not returned";
    return success();
  }

  //===--- Arena ---------------------------------------------------------===//

  LogicalResult checkBytes(ReserveOp reserve) {
    BufferType type = reserve.getResult().getType();
    SizeAlgebra::Polynomial expected = SizeAlgebra::constant(
        type.getColumns() *
        int64_t(type.getElementType().getIntOrFloatBitWidth() / 8));
    auto times = [&](Size size) {
      expected = algebra.multiply(expected, algebra.size(size));
    };
    bool q = type.getRowSpace() == RowSpace::q;
    if (int64_t rounded = type.getRounded()) {
      std::optional<attn::SideAttr> rows = side(type.getRowSpace());
      if (!rows)
        return reserve.emitError() << "workspace '" << reserve.getName()
                                   << "' has rows " << roundingText(rounded)
                                   << ", which needs the module attribute weft."
                                   << stringifyRowSpace(type.getRowSpace())
                                   << " to say how they lie";
      SizeAlgebra::Polynomial batch = algebra.size(Size::batch), tiles;
      if (rows->getLayout() == attn::RowLayout::thd)
        tiles = algebra.add(
            algebra.floorDiv(algebra.size(q ? Size::rows_q : Size::rows_kv),
                             rounded),
            batch);
      else
        tiles = algebra.multiply(
            algebra.ceilDiv(algebra.size(q ? Size::seqlen_q : Size::seqlen_kv),
                            rounded),
            batch);
      expected = algebra.multiply(
          algebra.multiply(expected, SizeAlgebra::constant(rounded)), tiles);
    } else if (type.getRowSpace() != RowSpace::none) {
      times(q ? Size::rows_q : Size::rows_kv);
    }
    if (type.getHeadSpace() != HeadSpace::none)
      times(type.getHeadSpace() == HeadSpace::heads_q ? Size::heads_q
                                                      : Size::heads_kv);
    SizeAlgebra::Polynomial bytes = algebra.normalize(reserve.getBytes());
    if (bytes == expected)
      return success();
    return reserve.emitError()
           << "workspace '" << reserve.getName() << "' needs exactly "
           << algebra.str(expected) << " bytes, not " << algebra.str(bytes);
  }

  LogicalResult checkArena() {
    SmallVector<ReserveOp> reserves(body().getOps<ReserveOp>());
    for (auto [index, reserve] : llvm::enumerate(reserves)) {
      if (static_cast<bool>(reserve.getOffset()) !=
          static_cast<bool>(reserves[0].getOffset()))
        return reserve.emitError()
               << "workspace '" << reserve.getName() << "' "
               << (reserve.getOffset() ? "has" : "lacks")
               << " an offset, unlike '" << reserves[0].getName()
               << "'; run plan-pack-arena";
      if (!reserve.getOffset())
        continue;
      SizeAlgebra::Polynomial offset = algebra.normalize(reserve.getOffset());
      if (!algebra.isMultipleOf(offset, program::arenaAlignment))
        return reserve.emitError()
               << "workspace '" << reserve.getName() << "' begins at "
               << algebra.str(offset) << ", which is not always a multiple of "
               << program::arenaAlignment;
      if (!algebra.isNonNegative(offset))
        return reserve.emitError()
               << "workspace '" << reserve.getName() << "' begins at "
               << algebra.str(offset) << ", which may be below 0";
      for (ReserveOp other : ArrayRef(reserves).take_front(index))
        if (!releaseOf(other)->isBeforeInBlock(reserve) &&
            !areDisjoint(other, reserve))
          return reserve.emitError()
                 << "workspace '" << reserve.getName() << "' at "
                 << algebra.str(offset) << " may overlap '" << other.getName()
                 << "', which is still live: "
                 << algebra.str(algebra.normalize(other.getBytes()))
                 << " bytes at "
                 << algebra.str(algebra.normalize(other.getOffset()));
    }
    return success();
  }

  bool areDisjoint(ReserveOp a, ReserveOp b) {
    auto isBefore = [&](ReserveOp first, ReserveOp second) {
      SizeAlgebra::Polynomial end =
          algebra.add(algebra.normalize(first.getOffset()),
                      algebra.alignUp(algebra.normalize(first.getBytes()),
                                      program::arenaAlignment));
      return algebra.isNonNegative(
          algebra.add(algebra.normalize(second.getOffset()), end, -1));
    };
    return isBefore(a, b) || isBefore(b, a);
  }

  ModuleOp module;
  FuncOp func;
  SizeAlgebra algebra;
};

struct PlanVerify : weft::impl::PlanVerifyBase<PlanVerify> {
  void runOnOperation() override {
    if (failed(verifyOneModule(getOperation())))
      return signalPassFailure();
    // Silence would read as a proof.
    if (getOperation().getOps<FuncOp>().empty()) {
      getOperation().emitError(
          "there is nothing to verify: the module has no plan.func");
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<FuncOp>())
      if (failed(Verifier(getOperation(), func).run()))
        return signalPassFailure();
    if (failed(checkVariants()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  /// Variants are for the same call, and one of them is always taken.
  LogicalResult checkVariants() {
    SmallVector<FuncOp> funcs(getOperation().getOps<FuncOp>());
    for (FuncOp func : funcs) {
      bool guarded = !func.getBody().getOps<GuardOp>().empty();
      bool last = func == funcs.back();
      if (last && guarded)
        return func.emitError()
               << "the last variant, @" << func.getSymName()
               << ", has a guard: where none holds, no plan would be left";
      if (!last && !guarded)
        return func.emitError()
               << "variant @" << func.getSymName()
               << " has no guard, so those after it are never taken";
      if (func.getFunctionType() != funcs[0].getFunctionType() ||
          func.getArgAttrsAttr() != funcs[0].getArgAttrsAttr())
        return func.emitError()
               << "variants @" << func.getSymName() << " and @"
               << funcs[0].getSymName() << " differ in arguments or results";
    }
    return success();
  }
};
} // namespace
