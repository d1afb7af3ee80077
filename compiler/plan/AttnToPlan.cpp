//===- AttnToPlan.cpp - The launches of a problem -------------------------===//

#include "compiler/attn/FromSpec.h"
#include "compiler/plan/Buffers.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/Sizes.h"
#include "compiler/schedule/Schedule.h"
#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <limits>

namespace weft {
#define GEN_PASS_DEF_ATTNTOPLAN
#include "compiler/plan/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;
using namespace weft::plan;

namespace {
/// What a plan needs to know of its attn op.
struct ProblemFacts {
  template <typename ProblemOp>
  explicit ProblemFacts(ProblemOp op)
      : symbol(FlatSymbolRefAttr::get(op.getSymNameAttr())),
        dtype(op.getDtype()), headDim(op.getHeadDim()),
        headDimV(op.getHeadDimV()), headRatio(op.getHeadRatio()), q(op.getQ()),
        kv(op.getKv()), align(op.getAlign()),
        scoreChange(!op.getScore().empty()), masked(!op.getMask().empty()) {
    if constexpr (std::is_same_v<ProblemOp, attn::BackwardOp>)
      scalarDOut = op.getScalarDout();
  }

  ScheduleProblem schedule() const {
    auto isRagged = [](attn::SideAttr side) {
      return side.getLayout() == attn::RowLayout::thd || side.getPadded();
    };
    return {headDim,   headDimV, scoreChange,
            align,     masked,   isRagged(q) || isRagged(kv),
            scalarDOut};
  }

  attn::SideAttr side(RowSpace rowSpace) const {
    return rowSpace == RowSpace::q ? q : kv;
  }

  FlatSymbolRefAttr symbol;
  Type dtype;
  int64_t headDim, headDimV, headRatio;
  attn::SideAttr q, kv;
  int64_t align;
  bool scoreChange, masked;
  bool scalarDOut = false;
  bool deterministic = false;
};

/// The operands of a kernel by name; all cover `valid`.
struct Operands {
  SmallVector<StringRef> ins, accs, outs;
};

/// The kernels of a module, and how launches name their operands.
class KernelTable {
public:
  KernelTable(ModuleOp module, const ProblemFacts &facts, const Target &target)
      : module(module), facts(facts), target(target) {}

  /// The kernel `name`, made on first use. `length`: of the mean sequence of
  /// queries, 0: any.
  FailureOr<KernelOp> get(StringRef name, KernelKind kind,
                          ArrayRef<Attribute> contract, int64_t length) {
    KernelOp &kernel = kernels[name];
    if (kernel)
      return kernel;
    Location loc = module.getLoc();
    ScheduleProblem problem = facts.schedule();
    problem.length = length;
    llvm::Expected<Schedule> schedule = chooseSchedule(kind, problem, target);
    if (!schedule) {
      emitError(loc) << llvm::toString(schedule.takeError());
      return failure();
    }
    OpBuilder builder = kernelBuilder(module);
    kernel = KernelOp::create(builder, loc, name, kind, facts.symbol.getValue(),
                              schedule->toAttr(module.getContext()),
                              builder.getArrayAttr(contract));
    return kernel;
  }

private:
  ModuleOp module;
  const ProblemFacts &facts;
  const Target &target;
  llvm::StringMap<KernelOp> kernels;
};

/// Writes one plan.func: buffers by name, each the latest value.
class PlanBuilder {
public:
  PlanBuilder(ModuleOp module, const ProblemFacts &facts, KernelTable &kernels)
      : context(module.getContext()), builder(context), sizes(builder),
        loc(builder.getUnknownLoc()), facts(facts), kernels(kernels) {
    builder.setInsertionPointToEnd(module.getBody());
  }

  /// Opens the function. `results` arrive with nothing known on `valid`.
  void begin(StringRef name, ArrayRef<StringRef> inputs,
             ArrayRef<StringRef> results) {
    SmallVector<Type> types, returned;
    SmallVector<DictionaryAttr> names;
    for (StringRef input : inputs)
      types.push_back(tensorType(input).withState(Domain::valid,
                                                  StateAttr::defined(context)));
    for (StringRef result : results) {
      BufferType type = tensorType(result);
      // A side without padding has no row outside its sequences.
      bool vacuous = !mayHavePadding(type.getRowSpace());
      BufferType filled = outsideFilled(type, fillValue(result));
      types.push_back(vacuous ? filled : type);
      returned.push_back(
          filled.withState(Domain::valid, StateAttr::defined(context)));
    }
    SmallVector<StringRef> roles(inputs);
    llvm::append_range(roles, results);
    for (StringRef role : roles)
      names.push_back(builder.getDictionaryAttr(
          builder.getNamedAttr(kNameAttr, builder.getStringAttr(role))));
    OperationState state(loc, FuncOp::getOperationName());
    state.addAttribute(FuncOp::getSymNameAttrName(state.name),
                       builder.getStringAttr(name));
    state.addAttribute(FuncOp::getFunctionTypeAttrName(state.name),
                       TypeAttr::get(builder.getFunctionType(types, returned)));
    state.addRegion();
    func = cast<FuncOp>(builder.create(state));
    func.setAllArgAttrs(names);
    Block *body =
        builder.createBlock(&func.getBody(), func.getBody().end(), types,
                            SmallVector<Location>(types.size(), loc));
    for (auto [role, argument] : llvm::zip(roles, body->getArguments()))
      buffers[role] = argument;
    for (StringRef result : results)
      resultNames.push_back(result);
  }

  /// Runs the plan only where the tiles of the key side, one CTA per key head,
  /// would leave multiprocessors idle.
  void guardFewKeyTiles(int64_t rows) {
    Value ctas = grid(RowSpace::kv, rows, HeadSpace::heads_kv);
    Value few = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      ctas, sizes.get(Size::sm_count));
    GuardOp::create(builder, loc, few);
  }

  /// Runs the plan only for packed queries of which a sequence has at most
  /// `length` in the mean, and takes kernels for these. Its kernels are right
  /// for any lengths.
  void guardShortQueries(int64_t length) {
    Value rows = sizes.get(Size::rows_q);
    Value batch = sizes.get(Size::batch);
    Value most = sizes.mul(batch, sizes.constant(length));
    Value areShort = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sle, rows, most);
    GuardOp::create(builder, loc, areShort);
    this->length = length;
  }

  void reserve(StringRef name, BufferType type) {
    Value bytes = sizes.bytes(type, isPacked(type.getRowSpace()));
    buffers[name] = ReserveOp::create(builder, loc, type, name, bytes, Value());
  }

  /// Fills a buffer that was reserved with zeros.
  void clear(StringRef name) {
    Value &buffer = buffers[name];
    StateAttr zero = StateAttr::filled(context, 0.0);
    auto type = cast<BufferType>(buffer.getType());
    for (Domain domain : type.getDomains())
      type = type.withState(domain, zero);
    buffer = MemsetOp::create(builder, loc, type, buffer,
                              builder.getF64FloatAttr(0.0));
  }

  void release(StringRef name) {
    ReleaseOp::create(builder, loc, buffers.lookup(name));
    buffers.erase(name);
  }

  /// Launches a kernel over the tiles of `rowSpace`.
  LogicalResult launch(StringRef name, KernelKind kind,
                       const Operands &operands, RowSpace rowSpace,
                       HeadSpace heads) {
    SmallVector<Attribute> contract;
    auto declare = [&](ArrayRef<StringRef> names, Access access) {
      for (StringRef name : names) {
        auto type = cast<BufferType>(buffers.lookup(name).getType());
        contract.push_back(OperandAttr::get(context, name, access,
                                            {Domain::valid}, FloatAttr(),
                                            type.getRounded()));
      }
    };
    declare(operands.ins, Access::in);
    declare(operands.accs, Access::acc);
    declare(operands.outs, Access::out);
    FailureOr<KernelOp> kernel = kernels.get(name, kind, contract, length);
    if (failed(kernel))
      return failure();
    SmallVector<Value> ins, accs, outs;
    for (StringRef in : operands.ins)
      ins.push_back(buffers.lookup(in));
    SmallVector<Type> results;
    SmallVector<StringRef> changed;
    auto change = [&](ArrayRef<StringRef> names, SmallVector<Value> &values) {
      for (StringRef name : names) {
        changed.push_back(name);
        values.push_back(buffers.lookup(name));
        results.push_back(
            cast<BufferType>(values.back().getType())
                .withState(Domain::valid, StateAttr::defined(context)));
      }
    };
    change(operands.accs, accs);
    change(operands.outs, outs);
    ScheduleAttr schedule = kernel->getSchedule();
    Value ctas = grid(rowSpace, schedule.getRows(), heads);
    // CTAs that take point after point are as many as run at once.
    if (schedule.getPersistent()) {
      Value atOnce = sizes.get(Size::sm_count);
      if (schedule.getCtasPerSm() != 1)
        atOnce = sizes.mul(atOnce, sizes.constant(schedule.getCtasPerSm()));
      ctas = arith::MinSIOp::create(builder, loc, ctas, atOnce);
    }
    auto op = LaunchOp::create(builder, loc, results, name, ctas, ins, accs,
                               outs, /*early=*/false);
    for (auto [name, result] : llvm::zip_equal(changed, op.getResults()))
      buffers[name] = result;
    return success();
  }

  /// Fills what the kernels leave, and returns the results.
  void end() {
    SmallVector<Value> results;
    for (StringRef name : resultNames) {
      Value buffer = buffers.lookup(name);
      auto type = cast<BufferType>(buffer.getType());
      if (mayHavePadding(type.getRowSpace())) {
        double value = fillValue(name);
        buffer =
            FillOp::create(builder, loc, outsideFilled(type, value), buffer,
                           builder.getF64FloatAttr(value),
                           builder.getI32ArrayAttr(
                               {int32_t(Domain::gap), int32_t(Domain::tail)}));
      }
      results.push_back(buffer);
    }
    ReturnOp::create(builder, loc, results);
  }

  BufferType partialType(int64_t columns) {
    return BufferType::undefined(builder.getF32Type(), RowSpace::kv,
                                 HeadSpace::heads_q, columns);
  }
  /// Of queries; `rounded`: each sequence has tiles of so many rows to itself.
  BufferType sumType(int64_t columns, int64_t rounded) {
    return BufferType::undefined(builder.getF32Type(), RowSpace::q,
                                 HeadSpace::heads_q, columns, rounded);
  }
  BufferType rowStatisticType(int64_t rounded = 0) {
    return sumType(1, rounded);
  }

private:
  BufferType tensorType(StringRef role) {
    if (role == "lse")
      return rowStatisticType();
    bool kv = llvm::is_contained({"key", "value", "d_key", "d_value"}, role);
    bool v = llvm::is_contained({"value", "out", "d_out", "d_value"}, role);
    return BufferType::undefined(facts.dtype, kv ? RowSpace::kv : RowSpace::q,
                                 kv ? HeadSpace::heads_kv : HeadSpace::heads_q,
                                 v ? facts.headDimV : facts.headDim);
  }

  /// What a result holds where it has rows of no sequence.
  static double fillValue(StringRef role) {
    return role == "lse" ? -std::numeric_limits<double>::infinity() : 0.0;
  }
  BufferType outsideFilled(BufferType type, double value) {
    StateAttr filled = StateAttr::filled(context, value);
    return type.withState(Domain::gap, filled).withState(Domain::tail, filled);
  }
  bool isPacked(RowSpace rowSpace) {
    return facts.side(rowSpace).getLayout() == attn::RowLayout::thd;
  }
  bool mayHavePadding(RowSpace rowSpace) {
    return isPacked(rowSpace) || facts.side(rowSpace).getPadded();
  }

  /// CTAs of a grid over tiles of `rows` rows. From rows held, never from
  /// lengths, which the host does not know: in thd every sequence may end in a
  /// part of a tile.
  Value grid(RowSpace rowSpace, int64_t rows, HeadSpace heads) {
    // One op a statement: the order of arguments is the C++ compiler's.
    bool q = rowSpace == RowSpace::q;
    bool thd = isPacked(rowSpace);
    Value batch = sizes.get(Size::batch);
    Value length = sizes.get(thd ? (q ? Size::rows_q : Size::rows_kv)
                                 : (q ? Size::seqlen_q : Size::seqlen_kv));
    Value tiles = sizes.ceilDiv(length, rows);
    Value slots = thd ? sizes.add(tiles, batch) : sizes.mul(batch, tiles);
    return sizes.mul(slots, sizes.heads(heads));
  }

  MLIRContext *context;
  OpBuilder builder;
  SizeBuilder sizes;
  Location loc;
  const ProblemFacts &facts;
  KernelTable &kernels;
  FuncOp func;
  int64_t length = 0; ///< most queries of the mean sequence; 0: any
  llvm::StringMap<Value> buffers;
  SmallVector<StringRef> resultNames;
};

struct AttnToPlan : weft::impl::AttnToPlanBase<AttnToPlan> {
  using AttnToPlanBase::AttnToPlanBase;

  void runOnOperation() override {
    SmallVector<Operation *> problems;
    for (Operation &op : *getOperation().getBody())
      if (isa<attn::ForwardOp, attn::BackwardOp>(op))
        problems.push_back(&op);
    if (problems.size() != 1) {
      getOperation().emitError()
          << "attn-to-plan needs one attn.forward or attn.backward, not "
          << problems.size();
      return signalPassFailure();
    }
    if (!getOperation().getOps<FuncOp>().empty() ||
        !getOperation().getOps<KernelOp>().empty()) {
      getOperation().emitError() << "attn-to-plan: the module has a plan "
                                    "already; go on from there, or remove it";
      return signalPassFailure();
    }
    FailureOr<const Target *> target = targetOf(getOperation(), "attn-to-plan");
    if (failed(target))
      return signalPassFailure();
    Target tuned = **target;
    if (auto tuning = getOperation()->getAttrOfType<StringAttr>(kTuningAttr))
      tuned.tuning = tuning.getValue();
    LogicalResult done =
        isa<attn::ForwardOp>(problems[0])
            ? planForward(cast<attn::ForwardOp>(problems[0]), tuned)
            : planBackward(cast<attn::BackwardOp>(problems[0]), tuned);
    getOperation()->removeAttr(kTuningAttr);
    if (failed(done))
      signalPassFailure();
  }

  /// Facts that outlive the attn op.
  void annotate(const ProblemFacts &facts) {
    Builder builder(&getContext());
    getOperation()->setAttr("weft.q", facts.q);
    getOperation()->setAttr("weft.kv", facts.kv);
    getOperation()->setAttr(kHeadRatioAttr,
                            builder.getI64IntegerAttr(facts.headRatio));
    getOperation()->setAttr("weft.align",
                            builder.getI64IntegerAttr(facts.align));
    if (facts.deterministic)
      getOperation()->setAttr("weft.deterministic", builder.getUnitAttr());
  }

  LogicalResult planForward(attn::ForwardOp op, const Target &target) {
    ProblemFacts facts(op);
    // A forward has no adds: every call gives the same bits.
    facts.deterministic = true;
    annotate(facts);
    KernelTable kernels(getOperation(), facts, target);
    // The host knows how long packed sequences are in the mean: rows held and
    // the number of sequences say it, without the offsets.
    if (facts.q.getLayout() == attn::RowLayout::thd) {
      llvm::Expected<std::vector<ShortSchedule>> schedules =
          shortSchedules(KernelKind::forward, facts.schedule(), target);
      if (!schedules)
        return emitError(getOperation().getLoc())
               << llvm::toString(schedules.takeError());
      for (const ShortSchedule &schedule : *schedules)
        if (failed(planForwardVariant(facts, kernels, schedule.length)))
          return failure();
    }
    return planForwardVariant(facts, kernels, 0);
  }

  /// `length`: for sequences with as many queries in the mean; 0: for all.
  LogicalResult planForwardVariant(const ProblemFacts &facts,
                                   KernelTable &kernels, int64_t length) {
    PlanBuilder plan(getOperation(), facts, kernels);
    std::string suffix = length ? "_" + std::to_string(length) : "";
    plan.begin("forward_plan" + suffix, {"query", "key", "value"},
               {"out", "lse"});
    if (length)
      plan.guardShortQueries(length);
    if (failed(plan.launch("forward" + suffix, KernelKind::forward,
                           {{"query", "key", "value"}, {}, {"out", "lse"}},
                           RowSpace::q, HeadSpace::heads_q)))
      return failure();
    plan.end();
    return success();
  }

  LogicalResult planBackward(attn::BackwardOp op, const Target &target) {
    if (!op.getScore().empty() && op.getDerivative().empty())
      return op.emitOpError()
             << "has a score region without its derivative; run "
                "attn-derive-score, or write the region";
    ProblemFacts facts(op);
    facts.deterministic = op.getDeterministic();
    annotate(facts);
    KernelTable kernels(getOperation(), facts, target);
    Gradients kernelsOf =
        chooseGradients(facts.schedule(), target, facts.deterministic);
    // With one query head per key head the two variants would be one.
    if (facts.headRatio > 1 &&
        failed(planBackwardVariant(facts, kernels, target, kernelsOf, true)))
      return failure();
    return planBackwardVariant(facts, kernels, target, kernelsOf, false);
  }

  /// `split`: each query head of a group has CTAs of its own, and the partial
  /// key gradients are summed afterwards.
  LogicalResult planBackwardVariant(const ProblemFacts &facts,
                                    KernelTable &kernels, const Target &target,
                                    Gradients kernelsOf, bool split) {
    PlanBuilder plan(getOperation(), facts, kernels);
    plan.begin(split ? "backward_split" : "backward",
               {"query", "key", "value", "out", "lse", "d_out"},
               {"d_query", "d_key", "d_value"});
    if (split) {
      llvm::Expected<Schedule> schedule =
          chooseSchedule(keyKernel(kernelsOf), facts.schedule(), target);
      if (!schedule)
        return emitError(getOperation().getLoc())
               << llvm::toString(schedule.takeError());
      plan.guardFewKeyTiles(schedule->rows);
    }
    // One kernel for all gradients takes whole tiles of workspace.
    int64_t rounded = 0;
    if (kernelsOf == Gradients::one) {
      llvm::Expected<Schedule> schedule =
          chooseSchedule(KernelKind::dqkv, facts.schedule(), target);
      if (!schedule)
        return emitError(getOperation().getLoc())
               << llvm::toString(schedule.takeError());
      rounded = schedule->columns;
    }
    plan.reserve("delta", plan.rowStatisticType(rounded));
    plan.reserve("lse_log2", plan.rowStatisticType(rounded));
    if (failed(plan.launch("delta", KernelKind::delta,
                           {{"out", "d_out", "lse"}, {}, {"delta", "lse_log2"}},
                           RowSpace::q, HeadSpace::heads_q)))
      return failure();

    auto partial = [&](StringRef name) -> StringRef {
      if (!split)
        return name;
      return name == "d_key" ? "d_key_partial" : "d_value_partial";
    };
    // `operands` with the results d_key, d_value.
    auto keyGradients = [&](StringRef walk, StringRef own, KernelKind kind,
                            Operands operands) -> LogicalResult {
      SmallVector<StringRef> results = std::move(operands.outs);
      operands.outs.clear();
      for (StringRef result : results) {
        operands.outs.push_back(partial(result));
        if (split)
          plan.reserve(operands.outs.back(),
                       plan.partialType(result == "d_key" ? facts.headDim
                                                          : facts.headDimV));
      }
      if (failed(plan.launch(split ? own : walk, kind, operands, RowSpace::kv,
                             split ? HeadSpace::heads_q : HeadSpace::heads_kv)))
        return failure();
      if (!split)
        return success();
      for (StringRef result : results) {
        if (failed(plan.launch(result == "d_key" ? "reduce_dk" : "reduce_dv",
                               KernelKind::reduce,
                               {{partial(result)}, {}, {result}}, RowSpace::kv,
                               HeadSpace::heads_kv)))
          return failure();
        plan.release(partial(result));
      }
      return success();
    };
    SmallVector<StringRef> all{"query", "key",      "value",
                               "d_out", "lse_log2", "delta"};
    SmallVector<StringRef> forValue{"query", "key", "d_out", "lse_log2"};
    LogicalResult done = success();
    switch (kernelsOf) {
    case Gradients::one:
      // Every point of the key side adds to the rows of dQ that it meets.
      plan.reserve("d_query_sum", plan.sumType(facts.headDim, rounded));
      plan.clear("d_query_sum");
      done = keyGradients("dqkv", "dqkv_split", KernelKind::dqkv,
                          {all, {"d_query_sum"}, {"d_key", "d_value"}});
      break;
    case Gradients::two:
      done = keyGradients("dkdv", "dkdv_split", KernelKind::dkdv,
                          {all, {}, {"d_key", "d_value"}});
      break;
    case Gradients::three:
      done =
          keyGradients("dk", "dk_split", KernelKind::dk, {all, {}, {"d_key"}});
      if (succeeded(done))
        done = keyGradients("dv", "dv_split", KernelKind::dv,
                            {forValue, {}, {"d_value"}});
    }
    if (failed(done))
      return failure();
    bool summed = kernelsOf == Gradients::one;
    if (failed(summed
                   ? plan.launch("convert", KernelKind::convert,
                                 {{"d_query_sum"}, {}, {"d_query"}},
                                 RowSpace::q, HeadSpace::heads_q)
                   : plan.launch("dq", KernelKind::dq, {all, {}, {"d_query"}},
                                 RowSpace::q, HeadSpace::heads_q)))
      return failure();
    if (summed)
      plan.release("d_query_sum");
    plan.release("delta");
    plan.release("lse_log2");
    plan.end();
    return success();
  }
};
} // namespace

namespace weft {
#define GEN_PASS_REGISTRATION
#include "compiler/plan/Passes.h.inc"
} // namespace weft

void weft::registerPlanPasses() { registerWeftPlanPasses(); }
