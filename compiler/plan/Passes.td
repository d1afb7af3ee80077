//===- Passes.td - Passes that make and check plans ------------*- tablegen -*-===//

#ifndef WEFT_COMPILER_PLAN_PASSES_TD
#define WEFT_COMPILER_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnToPlan : Pass<"attn-to-plan", "::mlir::ModuleOp"> {
  let summary = "writes the launches of a problem, and who owns each buffer";
  let description = [{
    Adds to the module one `plan.kernel` per kernel (contract and schedule) and
    one `plan.func` per variant. The attn op stays: kernels name it. Schedules
    come from the target (`weft.target`) and its tuning table, or from the table
    that `weft.tuning` holds as JSON.

    A backward whose query heads share key heads has two variants. The last
    walks a key head's query heads inside one CTA and needs no workspace for dK
    and dV; the one before it, for problems with too few key tiles to fill the
    GPU, gives each query head a CTA of its own and sums the partials.
    A forward with packed queries has a variant more for each `length` that the
    tuning table has rows for: taken where sequences have at most so many
    queries in the mean, which the sizes of a call say. Its kernel has tiles for
    such, and is right for any lengths.

    Results whose side may have rows outside the sequences are filled there
    (`plan.fill`). A side has none if its layout is `batch` and not padded: its
    results arrive `filled` on gap and tail, which are empty. The facts of the
    problem that later steps ask for are copied to the module: `weft.q` and
    `weft.kv` (#attn.side), `weft.align`, `weft.head_ratio` and
    `weft.deterministic`.

    Input:
    ```mlir
    module attributes {weft.target = "sm_80"} {
      attn.forward @attention bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1
          q = <thd> kv = <thd>
    }
    ```
    Output:
    ```mlir
    attn.forward @attention ...
    plan.kernel @forward forward of @attention schedule <rows = 128, columns = 64, stages = 2>
      contract [#plan.operand<"query", in, [valid]>, ..., #plan.operand<"lse", out, [valid]>]
    plan.func @forward_plan(%query: !plan.buffer<bf16, q, heads_q, 128, valid = defined> {weft.name = "query"}, ...) {
      ...
      %0:2 = plan.launch @forward grid(%ctas) in(%query, %key, %value : ...) out(%out, %lse : ...) -> ...
      %1 = plan.fill %0#0, 0.0 on [gap, tail] : ...
      %2 = plan.fill %0#1, 0xFFF0000000000000 on [gap, tail] : ...
      plan.return %1, %2 : ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::weft::plan::PlanDialect"];
}

def PlanMergeFills : Pass<"plan-merge-fills", "::mlir::ModuleOp"> {
  let summary = "gathers the fills of a plan into one launch";
  let description = [{
    Every `plan.fill` of a plan becomes an operand of one launch of a generated
    kernel, placed where the last of them was. Variants whose fills agree share
    the kernel. The fills must be free to move down to there: nothing in between
    uses what they return.

    Input:
    ```mlir
    %1 = plan.fill %a, 0.0 on [gap, tail] : ...
    %2 = plan.fill %b, 0.0 on [gap, tail] : ...
    ```
    Output:
    ```mlir
    plan.kernel @fill fill of @attention schedule <rows = 256>
      contract [#plan.operand<"d_key", out, [gap, tail], 0.0>, #plan.operand<"d_value", out, [gap, tail], 0.0>]
    ...
    %1:2 = plan.launch @fill grid(%ctas) out(%a, %b : ...) -> ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PlanLaunchEarly : Pass<"plan-launch-early", "::mlir::ModuleOp"> {
  let summary = "lets launches begin while the one before them still runs";
  let description = [{
    Marks as `early` every launch that comes right behind another one, on targets
    that can (`weft.target`): its CTAs take the places that those of the launch
    before leave, and then wait (`tile-to-warp` writes `warp.await_launches`). A
    launch behind a memset is not marked: a memset is a full barrier.

    Input:
    ```mlir
    %0 = plan.launch @delta grid(%ctas) in(...) out(...) -> ...
    %1 = plan.launch @dq grid(%ctas) in(...) out(...) -> ...
    ```
    Output:
    ```mlir
    %0 = plan.launch @delta grid(%ctas) in(...) out(...) -> ...
    %1 = plan.launch @dq grid(%ctas) early in(...) out(...) -> ...
    ```
  }];
}

def PlanPackArena : Pass<"plan-pack-arena", "::mlir::ModuleOp"> {
  let summary = "gives each workspace buffer its place in the arena";
  let description = [{
    Writes the `offset` of every `plan.reserve`: behind all earlier buffers that
    are still live there, aligned to 256 bytes. What lies behind the last of
    those is free. Sizes are formulas, so whether a buffer would fit in a hole
    before them is not asked.

    Input:
    ```mlir
    %0 = plan.reserve "d_key_partial" bytes(%a) : ...
    %1 = plan.reserve "d_value_partial" bytes(%b) : ...
    ```
    Output:
    ```mlir
    %c0 = arith.constant 0 : i64
    %0 = plan.reserve "d_key_partial" bytes(%a) offset(%c0) : ...
    %c256 = arith.constant 256 : i64
    %blocks = arith.ceildivsi %a, %c256 : i64
    %size = arith.muli %blocks, %c256 : i64
    %end = arith.addi %c0, %size : i64
    %1 = plan.reserve "d_value_partial" bytes(%b) offset(%end) : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PlanVerify : Pass<"plan-verify", "::mlir::ModuleOp"> {
  let summary = "proves who owns and who initialises every buffer of a plan";
  let description = [{
    Checks every plan of the module against the contracts of its kernels alone
    and changes nothing. Errors name the buffer and the launch:

    1. every read and every add finds the state it needs: a read of `valid` or
       `all` what a launch computed, not what a memset left there;
    2. results arrive undefined on `valid` and inputs defined; on return every
       result is defined on `valid`, and filled on `gap` and
       `tail`: with -inf for LSE, else with 0;
    3. a buffer has one owner: what an op consumed is not used again;
    4. offsets are multiples of 256 and buffers that are live together do not
       overlap, for all sizes (offsets are linear in terms that are at least 0);
    5. every workspace buffer is released, and every result returned;
    6. a deterministic plan adds to nothing, but in turn (other adds of a launch
       have no order); a counter of turns begins as `filled(0)`;
    7. a launch whose kernel has a body has one CTA for every point of the
       body's grid, for all lengths that the sequences can have (a persistent
       one: as many, or as run at once on all multiprocessors).

    Variants take the same arguments, and one of them is always taken: all have
    a guard but the last.

    Example, of the fault this project began with: dK of a key head without
    queries would hold what memory held.
    ```mlir
    // error: launch of @dkdv adds, which needs filled(0) or an earlier sum, to 'd_key_partial' on valid, which is undefined there
    %0 = plan.launch @dkdv grid(%ctas) in(...) acc(%d_key_partial : !plan.buffer<f32, kv, heads_q, 128>) -> ...
    ```
  }];
}

#endif // WEFT_COMPILER_PLAN_PASSES_TD
