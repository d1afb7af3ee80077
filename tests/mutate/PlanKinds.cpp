//===- PlanKinds.cpp - Mutations of launches, contracts and buffers -------===//

#include "tests/mutate/Kinds.h"

#include "compiler/plan/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::mutate;
using namespace weft::plan;

static bool isFill(EditablePlan &plan, LaunchOp launch) {
  return plan.kernelOf(launch).getKind() == KernelKind::fill;
}
static std::string nameIn(LaunchOp launch, OperandAttr contract) {
  return EditablePlan::describe(launch) + ", '" + contract.getName().str() +
         "'";
}
static std::string onDomain(Domain domain) {
  return " on " + stringifyDomain(domain).str();
}

/// Calls `edit(launch, index, operand)` for every operand of every launch until
/// it returns true.
template <typename Edit>
static void forOperands(EditablePlan &plan, Edit edit) {
  for (LaunchOp launch : plan.all<LaunchOp>())
    for (auto [index, operand] : llvm::enumerate(plan.operandsOf(launch)))
      if (edit(launch, unsigned(index), operand))
        return;
}

//===----------------------------------------------------------------------===//
// Memsets
//===----------------------------------------------------------------------===//

static void dropMemset(EditablePlan &plan, Sites &sites) {
  for (MemsetOp memset : plan.all<MemsetOp>())
    if (sites.take(EditablePlan::describe(memset))) {
      memset.getResult().replaceAllUsesWith(memset.getBuffer());
      return memset.erase();
    }
}

static void shrinkMemset(EditablePlan &plan, Sites &sites) {
  for (MemsetOp memset : plan.all<MemsetOp>())
    for (Domain left : memset.getBuffer().getType().getDomains()) {
      SmallVector<int32_t> domains;
      for (Domain domain : memset.getBuffer().getType().getDomains())
        if (domain != left)
          domains.push_back(int32_t(domain));
      // Domains of rounded rows cannot be filled one by one.
      if (domains.empty() || memset.getBuffer().getType().isRounded() ||
          !sites.take(EditablePlan::describe(memset) + ", not" +
                      onDomain(left)))
        continue;
      OpBuilder builder(memset);
      FillOp::create(builder, memset.getLoc(), memset.getResult().getType(),
                     memset.getBuffer(), memset.getValueAttr(),
                     builder.getI32ArrayAttr(domains));
      return memset.erase();
    }
}

static bool isCounter(MemsetOp memset) {
  return memset.getBuffer().getType().getElementType().isInteger(32);
}

static void moveBehindUse(EditablePlan &plan, Sites &sites, bool ofCounters) {
  for (MemsetOp memset : plan.all<MemsetOp>())
    for (LaunchOp launch : plan.all<LaunchOp>())
      if (isCounter(memset) == ofCounters && memset->isBeforeInBlock(launch) &&
          EditablePlan::uses(launch, memset.getBuffer()) &&
          sites.take(EditablePlan::describe(memset) + " after " +
                     EditablePlan::describe(launch)))
        return memset->moveAfter(launch);
}

static void lateMemset(EditablePlan &plan, Sites &sites) {
  moveBehindUse(plan, sites, /*ofCounters=*/false);
}
static void lateCounterReset(EditablePlan &plan, Sites &sites) {
  moveBehindUse(plan, sites, /*ofCounters=*/true);
}

static void memsetValue(EditablePlan &plan, Sites &sites) {
  for (MemsetOp memset : plan.all<MemsetOp>())
    for (double value : {1.0, std::numeric_limits<double>::infinity()})
      if (!(isCounter(memset) && std::isinf(value)) &&
          sites.take(EditablePlan::describe(memset) + " with " +
                     Twine(std::to_string(value)))) {
        memset.setValueAttr(
            FloatAttr::get(Float64Type::get(memset.getContext()), value));
        return;
      }
}

//===----------------------------------------------------------------------===//
// Fills of gap and tail
//===----------------------------------------------------------------------===//

static void skipFill(EditablePlan &plan, Sites &sites) {
  for (LaunchOp launch : plan.all<LaunchOp>())
    if (isFill(plan, launch) && sites.take(EditablePlan::describe(launch)))
      return launch.erase();
}

static void skipFillOfOne(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (!isFill(plan, launch) || !sites.take(nameIn(launch, operand.contract)))
      return false;
    plan.dropOperand(launch, index);
    return true;
  });
}

static void shrinkFill(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    ArrayRef<Domain> domains = operand.contract.getDomains();
    if (!isFill(plan, launch) || domains.size() < 2)
      return false;
    for (Domain left : domains) {
      if (!sites.take(nameIn(launch, operand.contract) + ", not" +
                      onDomain(left)))
        continue;
      SmallVector<Domain> rest(domains);
      llvm::erase(rest, left);
      plan.setContract(launch, index, withDomains(operand.contract, rest));
      return true;
    }
    return false;
  });
}

static void fillValue(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    FloatAttr value = operand.contract.getValue();
    if (!value)
      return false;
    for (double other : {0.0, 1.0, std::numeric_limits<double>::infinity()}) {
      if (value.getValueAsDouble() == other ||
          !sites.take(nameIn(launch, operand.contract) + " with " +
                      Twine(std::to_string(other))))
        continue;
      // The body keeps what the contract says.
      for (Operation *user :
           plan.bodyOf(launch).getBody().getArgument(index).getUsers())
        if (auto fill = dyn_cast<tile::FillOp>(user))
          fill.setValueAttr(FloatAttr::get(value.getType(), other));
      plan.setContract(launch, index, withValue(operand.contract, other));
      return true;
    }
    return false;
  });
}

/// The result says that it arrives filled, and nothing fills it.
static void claimArrival(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (!isFill(plan, launch) || !isa<BlockArgument>(operand.buffer) ||
        !sites.take(nameIn(launch, operand.contract)))
      return false;
    auto type = cast<BufferType>(operand.buffer.getType());
    StateAttr state = StateAttr::filled(
        launch.getContext(), operand.contract.getValue().getValueAsDouble());
    for (Domain domain : operand.contract.getDomains())
      type = type.withState(domain, state);
    operand.buffer.setType(type);
    plan.dropOperand(launch, index);
    return true;
  });
}

/// The same of `valid`: nothing writes the result, or a launch adds to it.
static void claimResult(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (operand.contract.getAccess() != Access::out || isFill(plan, launch) ||
        !isa<BlockArgument>(operand.buffer))
      return false;
    auto arrive = [&](StateAttr state) {
      operand.buffer.setType(cast<BufferType>(operand.buffer.getType())
                                 .withState(Domain::valid, state));
    };
    if (sites.take(nameIn(launch, operand.contract) + " defined")) {
      arrive(StateAttr::defined(launch.getContext()));
      plan.dropOperand(launch, index);
      return true;
    }
    if (sites.take(nameIn(launch, operand.contract) + " filled(0)")) {
      arrive(StateAttr::filled(launch.getContext(), 0));
      plan.setContract(launch, index,
                       withAccess(operand.contract, Access::acc));
      return true;
    }
    return false;
  });
}

//===----------------------------------------------------------------------===//
// Launches and contracts
//===----------------------------------------------------------------------===//

static void dropLaunch(EditablePlan &plan, Sites &sites) {
  for (LaunchOp launch : plan.all<LaunchOp>())
    if (!isFill(plan, launch) && sites.take(EditablePlan::describe(launch)))
      return launch.erase();
}

static void dropStore(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    Access access = operand.contract.getAccess();
    if (isFill(plan, launch) || access == Access::in ||
        access == Access::counter ||
        !sites.take(nameIn(launch, operand.contract)))
      return false;
    plan.dropOperand(launch, index);
    return true;
  });
}

/// The kernel writes all but one of the domains of an `out`, in `valid`'s stead
/// if there is one only.
static void dropStoreDomain(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (isFill(plan, launch) || operand.contract.getAccess() == Access::in)
      return false;
    for (Domain left : operand.contract.getDomains()) {
      SmallVector<Domain> rest(operand.contract.getDomains());
      llvm::erase(rest, left);
      if (rest.empty() && left == Domain::valid)
        rest.push_back(Domain::gap);
      if (rest.empty() || !sites.take(nameIn(launch, operand.contract) +
                                      ", not" + onDomain(left)))
        continue;
      plan.setContract(launch, index, withDomains(operand.contract, rest));
      return true;
    }
    return false;
  });
}

static void swapLaunches(EditablePlan &plan, Sites &sites) {
  SmallVector<LaunchOp> launches = plan.all<LaunchOp>();
  for (auto [i, first] : llvm::enumerate(launches))
    for (LaunchOp second : ArrayRef(launches).drop_front(i + 1)) {
      if (!sites.take(EditablePlan::describe(first) + " with " +
                      EditablePlan::describe(second)))
        continue;
      // Buffers begin before both, so that order alone is at fault.
      for (ReserveOp reserve : plan.all<ReserveOp>())
        if (first->isBeforeInBlock(reserve))
          reserve->moveBefore(first);
      Operation *behind = second->getNextNode();
      second->moveBefore(first);
      return first->moveBefore(behind);
    }
}

static void outToAcc(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (operand.contract.getAccess() != Access::out ||
        !sites.take(nameIn(launch, operand.contract)))
      return false;
    plan.setContract(launch, index, withAccess(operand.contract, Access::acc));
    return true;
  });
}

/// A launch adds to what an earlier one stored, in place of its own buffer.
static void accumulateIntoOutput(EditablePlan &plan, Sites &sites) {
  SmallVector<LaunchOp> launches = plan.all<LaunchOp>();
  for (auto [i, first] : llvm::enumerate(launches))
    for (LaunchOp second : ArrayRef(launches).drop_front(i + 1))
      for (auto stored : plan.operandsOf(first)) {
        if (stored.contract.getAccess() != Access::out || isFill(plan, second))
          continue;
        for (auto [index, own] : llvm::enumerate(plan.operandsOf(second))) {
          if (own.contract.getAccess() == Access::in ||
              EditablePlan::uses(second, stored.buffer) ||
              !cast<BufferType>(own.buffer.getType())
                   .isSameMemory(cast<BufferType>(stored.buffer.getType())) ||
              !sites.take(nameIn(second, own.contract) + " into " +
                          nameIn(first, stored.contract)))
            continue;
          plan.setBuffer(second, index, stored.buffer);
          return plan.setContract(second, index,
                                  withAccess(own.contract, Access::acc));
        }
      }
}

/// A launch reads rows of gap or tail too.
static void readPadding(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (operand.contract.getAccess() != Access::in)
      return false;
    for (Domain domain : {Domain::gap, Domain::tail}) {
      if (llvm::is_contained(operand.contract.getDomains(), domain) ||
          !llvm::is_contained(
              cast<BufferType>(operand.buffer.getType()).getDomains(),
              domain) ||
          !sites.take(nameIn(launch, operand.contract) + onDomain(domain)))
        continue;
      SmallVector<Domain> more(operand.contract.getDomains());
      more.push_back(domain);
      plan.setContract(launch, index, withDomains(operand.contract, more));
      return true;
    }
    return false;
  });
}

/// A launch reads the buffer it writes, in place of one of the same shape.
static void readOwnOutput(EditablePlan &plan, Sites &sites) {
  forOperands(plan, [&](LaunchOp launch, unsigned index, auto operand) {
    if (operand.contract.getAccess() != Access::in)
      return false;
    for (auto written : plan.operandsOf(launch)) {
      if (written.contract.getAccess() == Access::in ||
          !cast<BufferType>(operand.buffer.getType())
               .isSameMemory(cast<BufferType>(written.buffer.getType())) ||
          !sites.take(nameIn(launch, operand.contract) + " is '" +
                      bufferName(written.buffer) + "'"))
        continue;
      plan.setBuffer(launch, index, written.buffer);
      return true;
    }
    return false;
  });
}

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

static void overlapBuffers(EditablePlan &plan, Sites &sites) {
  SmallVector<ReserveOp> reserves = plan.all<ReserveOp>();
  for (auto [i, first] : llvm::enumerate(reserves))
    for (ReserveOp second : ArrayRef(reserves).drop_front(i + 1)) {
      if (!first.getOffset() || second.getOffset() == first.getOffset() ||
          !sites.take("'" + second.getName() + "' over '" + first.getName() +
                      "'"))
        continue;
      return second.getOffsetMutable().assign(first.getOffset());
    }
}

/// `value` plus `summand`, among the sizes.
static Value plus(EditablePlan &plan, Value value, int64_t summand) {
  OpBuilder builder = plan.sizeBuilder();
  Location loc = value.getLoc();
  Value constant = arith::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(summand));
  return arith::AddIOp::create(builder, loc, value, constant);
}

static void misplaceBuffer(EditablePlan &plan, Sites &sites) {
  for (ReserveOp reserve : plan.all<ReserveOp>())
    for (int64_t by : {8, -256}) {
      if (!reserve.getOffset() ||
          !sites.take("'" + reserve.getName() + "' by " + Twine(by) + " bytes"))
        continue;
      return reserve.getOffsetMutable().assign(
          plus(plan, reserve.getOffset(), by));
    }
}

static void shrinkBuffer(EditablePlan &plan, Sites &sites) {
  for (ReserveOp reserve : plan.all<ReserveOp>())
    if (sites.take("'" + reserve.getName() + "' by 4 bytes"))
      return reserve.getBytesMutable().assign(
          plus(plan, reserve.getBytes(), -4));
}

static void dropRounding(EditablePlan &plan, Sites &sites) {
  for (ReserveOp reserve : plan.all<ReserveOp>()) {
    BufferType type = reserve.getResult().getType();
    if (!type.isRounded() || !sites.take("'" + reserve.getName() + "'"))
      continue;
    type = BufferType::undefined(type.getElementType(), type.getRowSpace(),
                                 type.getHeadSpace(), type.getColumns());
    OpBuilder builder = plan.sizeBuilder();
    reserve.getBytesMutable().assign(
        SizeBuilder(builder).bytes(type, /*packed=*/true));
    return reserve.getResult().setType(type);
  }
}

static void releaseEarly(EditablePlan &plan, Sites &sites) {
  for (ReserveOp reserve : plan.all<ReserveOp>()) {
    ReleaseOp release = plan.releaseOf(reserve);
    for (LaunchOp launch : plan.all<LaunchOp>())
      if (launch->isBeforeInBlock(release) &&
          EditablePlan::uses(launch, reserve.getResult()) &&
          sites.take("'" + reserve.getName() + "' before " +
                     EditablePlan::describe(launch)))
        return release->moveBefore(launch);
  }
}

static void dropRelease(EditablePlan &plan, Sites &sites) {
  for (ReleaseOp release : plan.all<ReleaseOp>())
    if (sites.take(EditablePlan::describe(release)))
      return release.erase();
}

static void releaseTwice(EditablePlan &plan, Sites &sites) {
  for (ReleaseOp release : plan.all<ReleaseOp>())
    if (sites.take(EditablePlan::describe(release))) {
      OpBuilder builder(release);
      builder.clone(*release);
      return;
    }
}

/// Every point runs once: a CTA more would take a head that is none.
static void growGrid(EditablePlan &plan, Sites &sites) {
  for (LaunchOp launch : plan.all<LaunchOp>())
    if (sites.take(EditablePlan::describe(launch) + " by one CTA"))
      return launch.getGridMutable().assign(plus(plan, launch.getGrid(), 1));
}

static void shrinkGrid(EditablePlan &plan, Sites &sites) {
  for (LaunchOp launch : plan.all<LaunchOp>()) {
    if (sites.take(EditablePlan::describe(launch) + " by one CTA"))
      return launch.getGridMutable().assign(plus(plan, launch.getGrid(), -1));
    // As from a `max_seqlen` that is too small.
    if (!sites.take(EditablePlan::describe(launch) + " by half"))
      continue;
    OpBuilder builder = plan.sizeBuilder();
    Location loc = launch.getLoc();
    Value two =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(2));
    return launch.getGridMutable().assign(
        arith::CeilDivSIOp::create(builder, loc, launch.getGrid(), two));
  }
}

ArrayRef<Kind> weft::mutate::planKinds() {
  static const Kind kinds[] = {
      {"drop-memset", Level::Plan, "a memset is left out", dropMemset},
      {"shrink-memset", Level::Plan, "a memset leaves out one domain",
       shrinkMemset},
      {"late-memset", Level::Plan, "a memset comes after a use", lateMemset},
      {"memset-value", Level::Plan, "a memset's value is changed", memsetValue},
      {"skip-fill", Level::Plan, "nothing fills gaps and tails", skipFill},
      {"skip-fill-of-one", Level::Plan,
       "nothing fills gaps and tails of one result", skipFillOfOne},
      {"shrink-fill", Level::Plan, "a fill leaves out gaps, or tails",
       shrinkFill},
      {"fill-value", Level::Plan, "a fill's value is changed", fillValue},
      {"claim-arrival", Level::Plan,
       "a result that has padding claims to arrive filled there", claimArrival},
      {"claim-result", Level::Plan,
       "a result claims to arrive written, or with zeros to add to",
       claimResult},
      {"drop-launch", Level::Plan, "a launch is left out", dropLaunch},
      {"drop-store", Level::Plan, "a kernel writes one buffer less", dropStore},
      {"drop-store-domain", Level::Plan,
       "a kernel does not write one domain of a buffer", dropStoreDomain},
      {"swap-launches", Level::Plan, "two launches change places",
       swapLaunches},
      {"out-to-acc", Level::Plan, "a kernel adds where it stored", outToAcc},
      {"accumulate-into-output", Level::Plan,
       "a launch adds to what another one stored", accumulateIntoOutput},
      {"read-padding", Level::Plan, "a kernel reads rows of gap or tail too",
       readPadding},
      {"read-own-output", Level::Plan,
       "a launch reads the buffer that it writes", readOwnOutput},
      {"overlap-buffers", Level::Plan,
       "a workspace buffer begins where another one does", overlapBuffers},
      {"misplace-buffer", Level::Plan,
       "a workspace buffer begins 8 bytes later, or 256 earlier",
       misplaceBuffer},
      {"shrink-buffer", Level::Plan, "a workspace buffer is 4 bytes short",
       shrinkBuffer},
      {"drop-rounding", Level::Plan,
       "a workspace buffer has the rows held where kernels take whole tiles",
       dropRounding},
      {"release-early", Level::Plan, "a release comes before a use",
       releaseEarly},
      {"drop-release", Level::Plan, "a release is left out", dropRelease},
      {"release-twice", Level::Plan, "a release comes twice", releaseTwice},
      {"shrink-grid", Level::Plan, "a launch has one CTA less, or half of them",
       shrinkGrid},
      {"grow-grid", Level::Plan, "a launch has one CTA more", growGrid},
      {"late-counter-reset", Level::Plan, "a counter is reset too late",
       lateCounterReset},
  };
  return kinds;
}
