//===- VerifyContracts.cpp - Contracts derived again from bodies ----------===//

#include "compiler/plan/OneModule.h"
#include "compiler/verify/Coverage.h"
#include "compiler/verify/Footprint.h"
#include "compiler/verify/Passes.h"
#include "compiler/verify/Turns.h"
#include "dialects/warp/Warp.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringExtras.h"

namespace weft {
#define GEN_PASS_DEF_VERIFYCONTRACTS
#include "compiler/verify/Passes.h.inc"

namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/verify/Passes.h.inc"
} // namespace

void registerVerifyPasses() { registerWeftVerifyPasses(); }
} // namespace weft

using namespace mlir;
using namespace weft;
using weft::plan::Access;
using weft::plan::Domain;

static std::string domainNames(ArrayRef<Domain> domains) {
  return llvm::join(
      llvm::map_range(
          domains, [](Domain domain) { return plan::stringifyDomain(domain); }),
      ", ");
}

namespace {
/// A `tile.func` or `warp.func`.
struct BodyFacts {
  FunctionOpInterface op;
  tile::GridAttr grid;
};

/// Checks one kernel's contract against its body.
class Kernel {
public:
  Kernel(plan::KernelOp kernel, BodyFacts body,
         std::optional<int64_t> headRatio)
      : kernel(kernel), body(body), forms(body.grid, headRatio) {}

  LogicalResult verify() {
    if (failed(checkOperands()))
      return failure();
    FailureOr<SmallVector<Footprint>> footprints =
        readFootprints(body.op, forms);
    if (failed(footprints))
      return failure();
    unsigned tickets = 0;
    for (const Footprint &footprint : *footprints)
      tickets += footprint.tickets.size();
    if (tickets > 1)
      return error(nullptr) << "takes " << tickets << " tickets for one point";
    hasTicket = tickets == 1;
    if (Operation *point = hasTicket ? findPoint() : nullptr)
      return error(point)
             << "takes a ticket and this besides, which gives another point";
    for (auto [index, attribute] : llvm::enumerate(kernel.getContract()))
      if (failed(checkOperand(cast<plan::OperandAttr>(attribute),
                              (*footprints)[index])))
        return failure();
    if (!isa<tile::FuncOp>(body.op))
      return success();
    return TurnChecks{body.op, kernel.getSymName(), forms, hasTicket}
        .checkValuesBehindArrivals();
  }

private:
  /// An op that gives the point of a CTA's own number, or null.
  Operation *findPoint() {
    Operation *point = nullptr;
    body.op->walk([&](Operation *op) {
      if (isa<tile::PointOp, warp::PointOp, warp::PointsOp>(op))
        point = op;
    });
    return point;
  }

  /// The body's buffers are the contract's operands.
  LogicalResult checkOperands() {
    // Those come first.
    size_t buffers = 0;
    for (Type type : body.op.getArgumentTypes()) {
      if (!isa<tile::BufferType>(type))
        break;
      ++buffers;
    }
    if (buffers != kernel.getContract().size())
      return body.op->emitError()
             << "body of @" << kernel.getSymName() << " takes " << buffers
             << " buffers, but its contract names "
             << kernel.getContract().size() << " operands";
    for (auto [index, attribute] : llvm::enumerate(kernel.getContract())) {
      StringRef declared = cast<plan::OperandAttr>(attribute).getName();
      StringRef name = operandName(body.op.getArgument(index));
      if (name != declared)
        return body.op->emitError()
               << "body of @" << kernel.getSymName() << " takes '" << name
               << "' as operand " << index << ", which is '" << declared
               << "' in its contract";
      int64_t promised = cast<plan::OperandAttr>(attribute).getRounded();
      int64_t taken = cast<tile::BufferType>(body.op.getArgumentTypes()[index])
                          .getRounded();
      if (taken != promised)
        return body.op->emitError()
               << "body of @" << kernel.getSymName() << " takes '" << name
               << "' with rows " << plan::roundingText(taken)
               << ", but its contract says " << plan::roundingText(promised);
    }
    return success();
  }

  /// An error at `op`, or at the body where nothing stands for it.
  InFlightDiagnostic error(Operation *op) {
    return (op ? op : body.op.getOperation())->emitError()
           << "body of @" << kernel.getSymName() << " ";
  }

  LogicalResult checkOperand(plan::OperandAttr declared, Footprint &footprint) {
    struct Use {
      Access access;
      StringRef verb;
      ArrayRef<AccessOnPath> ops;
    };
    const Use uses[] = {
        {Access::in, "reads", footprint.reads},
        {Access::out, "stores to", footprint.stores},
        {Access::acc, "adds to", footprint.adds},
        {Access::ordered, "adds in turn to", footprint.orderedAdds}};
    auto isOther = [&](Operation *op, StringRef verb) {
      return error(op) << verb << " '" << declared.getName() << "', which is '"
                       << plan::stringifyAccess(declared.getAccess())
                       << "' in its contract";
    };
    for (const Use &use : uses) {
      // What a kernel stores it may read back in some places.
      bool readsBack =
          use.access == Access::in && declared.getAccess() == Access::out;
      if (use.access != declared.getAccess() && !use.ops.empty() && !readsBack)
        return isOther(use.ops.front().op, use.verb);
    }
    if (declared.getAccess() == Access::counter)
      return checkCounter(declared, footprint);
    if (!footprint.turns.empty())
      return isOther(footprint.turns.front().op, "counts in");
    if (!footprint.tickets.empty())
      return isOther(footprint.tickets.front(), "counts in");
    const Use &own = *llvm::find_if(uses, [&](const Use &use) {
      return use.access == declared.getAccess();
    });
    if (own.ops.empty())
      return isMissing(declared, own.verb);
    ArrayRef<AccessOnPath> ops = own.ops;
    if (failed(checkDomains(declared, ops)))
      return failure();
    TurnChecks turns{body.op, kernel.getSymName(), forms, hasTicket};
    if (declared.getAccess() == Access::ordered &&
        failed(turns.checkOneCounter(declared.getName(), ops)))
      return failure();
    if (declared.getAccess() != Access::in &&
        failed(turns.checkBehindArrivals(declared.getName(), ops)))
      return failure();
    if (declared.getAccess() != Access::out)
      return success();
    return success(succeeded(turns.checkReadBack(declared.getName(),
                                                 footprint.reads, ops)) &&
                   succeeded(checkValue(declared, ops)) &&
                   succeeded(checkWriters(declared, ops)) &&
                   succeeded(checkCoverage(declared, ops)));
  }

  LogicalResult isMissing(plan::OperandAttr declared, StringRef verb) {
    return error(nullptr) << "never " << verb << " '" << declared.getName()
                          << "', which is '"
                          << plan::stringifyAccess(declared.getAccess())
                          << "' in its contract";
  }

  LogicalResult checkCounter(plan::OperandAttr declared, Footprint &footprint) {
    if (footprint.turns.empty() && footprint.tickets.empty())
      return isMissing(declared, "counts in");
    // Tickets are of the one counter, turns of those of the tiles.
    Domain domain = footprint.turns.empty() ? Domain::all : Domain::valid;
    if (ArrayRef(domain) != declared.getDomains())
      return error(footprint.turns.empty()
                       ? footprint.tickets.front()
                       : footprint.turns.front().op.getOperation())
             << "counts in '" << declared.getName() << "' on "
             << domainNames(domain) << ", but its contract says "
             << domainNames(declared.getDomains());
    if (footprint.turns.empty())
      return success();
    return TurnChecks{body.op, kernel.getSymName(), forms, hasTicket}
        .checkTurns(declared.getName(), footprint.turns);
  }

  /// Accesses to rows of sequences are on `valid`, fills on the others.
  LogicalResult checkDomains(plan::OperandAttr declared,
                             ArrayRef<AccessOnPath> ops) {
    for (const AccessOnPath &access : ops) {
      tile::RowAccess op = access.op;
      SmallVector<Domain> domains{Domain::valid};
      if (!op.getRows())
        domains = {Domain::gap, Domain::tail};
      if (ArrayRef(domains) != declared.getDomains())
        return error(op) << "touches '" << declared.getName() << "' on "
                         << domainNames(domains) << ", but its contract says "
                         << domainNames(declared.getDomains());
    }
    return success();
  }

  LogicalResult checkValue(plan::OperandAttr declared,
                           ArrayRef<AccessOnPath> ops) {
    // Null once two stores differ. Of f16 and f32 the same double.
    auto constantOf = [](tile::RowAccess op) {
      return op.getWrittenConstant();
    };
    FloatAttr value = constantOf(ops.front().op);
    for (const AccessOnPath &access : ops.drop_front()) {
      FloatAttr other = constantOf(access.op);
      if (!value || !other ||
          value.getValueAsDouble() != other.getValueAsDouble())
        value = {};
    }
    FloatAttr promised = declared.getValue();
    if (!promised && !value)
      return success();
    if (promised && value &&
        promised.getValueAsDouble() == value.getValueAsDouble())
      return success();
    InFlightDiagnostic diagnostic = error(ops.front().op);
    diagnostic << "stores ";
    if (value)
      diagnostic << "nothing but " << value.getValueAsDouble();
    else
      diagnostic << "more than one value";
    diagnostic << " to '" << declared.getName() << "', but its contract says ";
    if (promised)
      diagnostic << promised.getValueAsDouble();
    else
      diagnostic << "no value";
    return diagnostic;
  }

  LogicalResult checkCoverage(plan::OperandAttr declared,
                              ArrayRef<AccessOnPath> ops) {
    Coverage coverage(forms, ops);
    auto witness = coverage.findUnwritten(body.op.getFunctionBody().front());
    if (!witness)
      return success();
    InFlightDiagnostic diagnostic =
        error(ops.front().op)
        << "leaves rows of '" << declared.getName() << "' unwritten on "
        << domainNames(declared.getDomains())
        << ", which its contract covers: " << LinearForms::describe(*witness);
    if (Operation *unfollowed = coverage.getUnfollowed())
      diagnostic.attachNote(unfollowed->getLoc())
          << "stores here do not count: they hang on what is not linear in "
             "lengths, heads and the point";
    return diagnostic;
  }

  /// Each element of an `out` has one writer.
  LogicalResult checkWriters(plan::OperandAttr declared,
                             ArrayRef<AccessOnPath> ops) {
    auto elements = [&](const AccessOnPath &access) {
      Conjunction conditions = access.path;
      llvm::append_range(conditions, elementsOf(access.op, forms));
      return conditions;
    };
    SmallVector<Conjunction> written(llvm::map_range(ops, elements));
    // Behind an arrival one point goes on, and it does not matter which: say
    // the first.
    SmallVector<Operation *> arrivals;
    SmallVector<Conjunction> byOne = written;
    for (auto [index, access] : llvm::enumerate(ops)) {
      auto [arrival, branch] = arrivalBefore(access.op);
      arrivals.push_back(arrival);
      if (arrival)
        llvm::append_range(byOne[index],
                           forms.whenIs(branch.getCondition(), true)->front());
    }
    for (size_t one = 0; one < ops.size(); ++one)
      for (size_t other = 0; other <= one; ++other) {
        bool areOfOne = arrivals[one] && arrivals[one] == arrivals[other];
        ArrayRef<Conjunction> points = areOfOne ? byOne : written;
        if (auto witness = forms.solveForTwoPoints(points[one], points[other]))
          return error(ops[one].op)
                 << "may write an element of '" << declared.getName()
                 << "' at two points of its grid, one of them: "
                 << LinearForms::describe(*witness);
      }
    return success();
  }

  plan::KernelOp kernel;
  BodyFacts body;
  LinearForms forms;
  bool hasTicket =
      false; ///< whether points begin in the order of their numbers
};

struct VerifyContracts : weft::impl::VerifyContractsBase<VerifyContracts> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyOneModule(module)))
      return signalPassFailure();
    // Silence would read as a proof.
    if (module.getOps<plan::KernelOp>().empty()) {
      module.emitError(
          "there is nothing to verify: the module has no plan.kernel");
      return signalPassFailure();
    }
    std::optional<int64_t> headRatio;
    if (auto ratio = module->getAttrOfType<IntegerAttr>(plan::kHeadRatioAttr))
      headRatio = ratio.getInt();

    llvm::StringMap<BodyFacts> bodies;
    for (Operation &op : *module.getBody())
      if (auto body = dyn_cast<tile::FuncOp>(op))
        bodies[body.getSymName()] = {body, body.getGrid()};
      else if (auto body = dyn_cast<warp::FuncOp>(op))
        bodies[body.getSymName()] = {body, body.getGrid()};

    for (auto kernel : module.getOps<plan::KernelOp>()) {
      auto body = bodies.find(nameOfBody(kernel));
      if (body == bodies.end()) {
        kernel.emitError() << "kernel @" << kernel.getSymName()
                           << " has no body @" << nameOfBody(kernel)
                           << " that could keep its contract";
        return signalPassFailure();
      }
      if (failed(Kernel(kernel, body->second, headRatio).verify()))
        return signalPassFailure();
    }
    WalkResult launches = module.walk([&](plan::LaunchOp launch) {
      auto kernel = module.lookupSymbol<plan::KernelOp>(launch.getKernel());
      return WalkResult(
          checkLaunch(launch, bodies.find(nameOfBody(kernel))->second));
    });
    if (launches.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  /// The first op of a body that comes before its wait for earlier launches and
  /// may touch what they write; null if there is none.
  static Operation *firstBeforeWait(FunctionOpInterface body) {
    for (Operation &op : body.getFunctionBody().front()) {
      if (isa<warp::AwaitLaunchesOp>(op))
        return nullptr;
      // Memory of the CTA's own, and numbers.
      if (!isa<warp::RingOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
        return &op;
    }
    return body;
  }

  /// Each buffer of a launch is the memory that the body takes it for, and no
  /// launch begins before what it reads is there.
  static LogicalResult checkLaunch(plan::LaunchOp launch, BodyFacts body) {
    if (launch.getEarly() && isa<warp::FuncOp>(body.op))
      if (Operation *first = firstBeforeWait(body.op)) {
        InFlightDiagnostic diagnostic =
            launch.emitError()
            << "launch of @" << launch.getKernel()
            << " is early, but its body does not begin with "
               "warp.await_launches, which waits for the launches before it";
        diagnostic.attachNote(first->getLoc()) << "comes first";
        return diagnostic;
      }
    // The operands behind the grid, in the contract's order: in, acc, out.
    for (auto [index, value] :
         llvm::enumerate(llvm::drop_begin(launch.getOperands()))) {
      auto given = cast<plan::BufferType>(value.getType());
      Value argument = body.op.getArgument(index);
      auto taken = cast<tile::BufferType>(argument.getType());
      if (given.getElementType() != taken.getElementType() ||
          given.getRowSpace() != taken.getRowSpace() ||
          given.getHeadSpace() != taken.getHeadSpace() ||
          given.getColumns() != taken.getColumns() ||
          given.getRounded() != taken.getRounded())
        return launch.emitError()
               << "launch of @" << launch.getKernel() << " passes " << given
               << " as '" << operandName(argument)
               << "', which its body takes for " << taken;
    }
    return success();
  }

  static std::string nameOfBody(plan::KernelOp kernel) {
    return (kernel.getSymName() + plan::KernelOp::bodySuffix()).str();
  }
};
} // namespace
