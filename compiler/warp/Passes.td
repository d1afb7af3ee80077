//===- Passes.td - The step from tiles to warps ------------*- tablegen -*-===//

#ifndef WEFT_COMPILER_WARP_PASSES_TD
#define WEFT_COMPILER_WARP_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileToWarp : Pass<"tile-to-warp", "::mlir::ModuleOp"> {
  let summary = "gives every tile of a body its place: registers or shared memory";
  let description = [{
    Each `tile.func` becomes a `warp.func`. The tiles of a product that come
    from memory are fetched into shared memory; a rounded accumulator that is
    multiplied again stays in registers as an operand; every other tile is a
    register tile, `#warp.acc`, and every vector `#warp.row` or
    `#warp.column`, as its uses ask. Work is done only where the point exists.

    Facts read off the body: `descending` if the end of a loop moves with the
    point's tile and its start does not; `uneven` if one of the two does. `weft.align` of the
    `tile.func` (2 if absent) becomes `align`; its other attributes (`weft.q`,
    `weft.kv`) stay. A body that a plan of the module launches `early` begins
    with `warp.await_launches`.

    Before:

    ```mlir
    tile.func @body(%q: ..., %k: ..., %v: ...) grid <q, 64, heads_q> schedule <rows = 64, columns = 64> {
      %sequence, %tile, %head = tile.point
      ...
      %a = tile.load %q[%rows, %head] : ... -> tensor<64x64xbf16>
      %b = tile.load %k[%rows_j, %head] : ... -> tensor<64x64xbf16>
      %s = tile.dot %a, %b transposed, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
      %m = tile.reduce max %s : tensor<64x64xf32> -> tensor<64xf32>
      %e = tile.expand %m dim = 1 : tensor<64xf32> -> tensor<64x64xf32>
      %d = arith.subf %s, %e : tensor<64x64xf32>
      %p = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xbf16>
      %o = tile.dot %p, %c, %acc : ...
      tile.return
    }
    ```

    After:

    ```mlir
    warp.func @body(%q: ..., %k: ..., %v: ...) grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
      %sequence, %tile, %head, %exists = warp.point
      scf.if %exists {
        ...
        %a = warp.fetch %q[%rows, %head] : ... -> !warp.shared<64, 64, bf16>
        %b = warp.fetch %k[%rows_j, %head] : ... -> !warp.shared<64, 64, bf16>
        %s = warp.mma %a, %b transposed, %zero : ... -> tensor<64x64xf32, #warp.acc>
        %m = warp.reduce max %s : ... -> tensor<64xf32, #warp.row>
        %e = warp.expand %m : tensor<64xf32, #warp.row> -> tensor<64x64xf32, #warp.acc>
        %d = arith.subf %s, %e : tensor<64x64xf32, #warp.acc>
        %p = warp.pack %d : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %o = warp.mma %p, %c, %acc : ...
      }
      warp.return
    }
    ```
  }];
  let dependentDialects = ["::weft::warp::WarpDialect", "::mlir::scf::SCFDialect"];
}

def WarpPipeline : Pass<"warp-pipeline", "::weft::warp::FuncOp"> {
  let summary = "turns fetches into copies that run ahead of their use";
  let description = [{
    Every fetch gets a ring. A fetch of an innermost loop gets one of the
    schedule's `stages` slots, and its copies are started stages - 1 steps
    ahead: the first before the loop, the others in it, each followed by a
    commit whether or not there was a tile left to copy, so that the groups can
    be counted. A step begins with one wait and one barrier: what it needs has
    come, and every warp is done with the slot that is filled next. After the
    last step no copy is under way, so nothing drains; a loop inside another one
    starts with a barrier, since its slots may still be read.

    A fetch outside loops has one slot. If only pipelined loops use it, their
    wait and barrier cover it, and a wait at the end sees to it that no copy
    outlives the kernel if they have no step; else a wait and a barrier precede
    its first use.
    A fetch whose rows cannot be computed ahead (they depend on values that the
    loop carries), or of a loop around another one, is copied and waited for
    where it stands.

    Before:

    ```mlir
    %r = scf.for %j = %first to %last step %one iter_args(%acc = %zero) -> (...) : i64 {
      %rows = tile.rows %sequence, %j : !tile.rows<kv, 64>
      %k = warp.fetch %key[%rows, %head] : ... -> !warp.shared<64, 128, bf16>
      ...
      scf.yield %next : ...
    }
    ```

    After (two stages):

    ```mlir
    %ring = warp.ring : !warp.ring<2, !warp.shared<64, 128, bf16>>
    %any = arith.cmpi slt, %first, %last : i64
    scf.if %any {
      %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
      warp.put %ring[%zero], %key[%rows, %head] : ...
    }
    warp.commit
    %r:2 = scf.for %j = %first to %last step %one iter_args(%acc = %zero, %slot = %c0) -> (..., i64) : i64 {
      warp.wait 0
      warp.barrier
      %free = <slot - 1, or the last one>
      %ahead = arith.addi %j, %one : i64
      %more = arith.cmpi slt, %ahead, %last : i64
      scf.if %more {
        %rows = tile.rows %sequence, %ahead : !tile.rows<kv, 64>
        warp.put %ring[%free], %key[%rows, %head] : ...
      }
      warp.commit
      %k = warp.get %ring[%slot] : ... -> !warp.shared<64, 128, bf16>
      ...
      %following = <slot + 1, or 0>
      scf.yield %next, %following : ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def WarpFuseMaps : Pass<"warp-fuse-maps", "::weft::warp::FuncOp"> {
  let summary = "gathers elementwise work into loops over a thread's elements";
  let description = [{
    Elementwise ops on register tiles of one shape and layout, between the same
    products, reductions, loads and other ops of a block, become one `warp.map`;
    run-time scalars are seen from outside. What a map yields is what other maps
    and ops use. Work that costs less than the registers to keep it is done
    again in each map that needs it: constants, splats, coordinates, expanded
    vectors, whole tiles of i1 and i64 (a mask never leaves its map),
    extensions of rounded tiles, and tiles times one factor.

    Before:

    ```mlir
    %e = warp.expand %m : tensor<64xf32, #warp.row> -> tensor<64x64xf32, #warp.acc>
    %d = arith.subf %s, %e : tensor<64x64xf32, #warp.acc>
    %p = math.exp2 %d : tensor<64x64xf32, #warp.acc>
    ```

    After:

    ```mlir
    %p = warp.map(%s, %m) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
    ^bb0(%x: f32, %y: f32, %row: i64, %column: i64):
      %d = arith.subf %x, %y : f32
      %e = math.exp2 %d : f32
      warp.yield %e : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WarpPartialSums : Pass<"warp-partial-sums", "::weft::warp::FuncOp"> {
  let summary = "leaves row sums in parts until the sum itself is asked for";
  let description = [{
    For schedules with `mma = warpgroup`. A sum over columns gives each lane its
    own part (`#warp.partial`); parts are carried by loops, added, and scaled by
    what a row has in common. `warp.combine` adds them over the lanes where
    anything else asks. A vote on whether a sum is large (`warp.any`) is taken
    on the parts.

    Before:

    ```mlir
    %sum = warp.reduce sum %p : tensor<128x128xf32, #warp.acc> -> tensor<128xf32, #warp.row>
    %l1 = arith.addf %l, %sum : tensor<128xf32, #warp.row>
    scf.yield %l1
    ...
    %log = math.log2 %loop : tensor<128xf32, #warp.row>
    ```

    After:

    ```mlir
    %sum = warp.reduce sum %p : tensor<128x128xf32, #warp.acc> -> tensor<128xf32, #warp.partial>
    %l1 = arith.addf %l, %sum : tensor<128xf32, #warp.partial>
    scf.yield %l1
    ...
    %all = warp.combine %loop : tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
    %log = math.log2 %all : tensor<128xf32, #warp.row>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def WarpSpecialize : Pass<"warp-specialize", "::weft::warp::FuncOp"> {
  let summary = "splits a kernel into a producer that copies and consumers";
  let description = [{
    For schedules with `mma = warpgroup`. Every buffer that is fetched from
    gets a ring: one slot outside loops, else the schedule's `stages`, or
    `value_stages` for b of a product that is not transposed; under a
    persistent schedule, if the target's shared memory has room, at least two, so
    that the next point's tiles come ahead. The producer walks
    the kernel's points, loops and branches and sends the tiles; the consumers
    receive each before its first use, and give it back behind its last.
    In a forward over packed queries, warps look for the points' sequences.
    A store of 16-bit rows goes through a tile of the same rows that is outside
    loops and whose ring has two slots; the tile goes back behind it.
    Products are issued and awaited at once (the pass `warp-overlap` lets them
    run on). Rows of such a b that are behind the end of its sequence are
    cleared, on sides where a bulk copy may bring others.

    Before:

    ```mlir
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      ...
      scf.for %j = ... {
        %k = warp.fetch %key[%rows, %head] : ... -> !warp.shared<128, 128, bf16, swizzled>
        %s = warp.mma %q, %k transposed, %zero : ...
      }
    }
    ```

    After:

    ```mlir
    %ring = warp.ring : !warp.ring<2, !warp.shared<128, 128, bf16, swizzled>>
    warp.roles registers(24, 240) producer {
      warp.points {
      ^bb0(%sequence: i64, %tile: i64, %head: i64):
        scf.for %j = ... {
          warp.send %ring, %key[%rows, %head] : ...
        }
      }
    } consumer {
      warp.points {
      ^bb0(%sequence: i64, %tile: i64, %head: i64):
        scf.for %j = ... {
          %k = warp.receive %ring : ...
          %0 = warp.issue %q, %k transposed : ...
          %s = warp.await %0, 0 : ...
          warp.consumed %ring : ...
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::weft::attn::AttnDialect"];
}

def WarpOverlap : Pass<"warp-overlap", "::weft::warp::FuncOp"> {
  let summary = "issues a step's second product beside the next step's first";
  let description = [{
    For loops whose step is a product, work on its result, and a second product
    that adds to a carried accumulator which nothing but one branch touches (see
    `tile-fix-reference`), with such a step before the loop. The accumulator is
    carried while its products are under way; only the branch waits for it. Steps
    go in pairs, so that the second product's first operand alternates between
    two sets of registers; the last pair may have one step, and then the product
    behind the loop reads the other set. The second product's tile goes back one
    step later; the tile that all first products read, if nothing behind the loop
    does, before the last second product.

    Before:

    ```mlir
    scf.for %j ... iter_args(%acc, %l) {
      %k = warp.receive %keys
      %0 = warp.issue %q, %k transposed
      %s = warp.await %0, 0
      warp.consumed %keys
      ...
      %x:3 = scf.if %redo { ... scf.yield %p1, %rescaled, %l1 } else { scf.yield %p, %acc, %l2 }
      %v = warp.receive %values
      %1 = warp.issue %x#0, %v, %x#1
      %acc1 = warp.await %1, 0
      warp.consumed %values
      scf.yield %acc1, %x#2
    }
    ```

    After, one of the two steps of a pair (`%p` is that of the step before):

    ```mlir
      %k = warp.receive %keys
      %0 = warp.issue %q, %k transposed
      %v = warp.receive %values
      %1 = warp.issue %p, %v, %pending
      %s = warp.await %0, 1
      warp.consumed %keys
      warp.consumed %values                     // the one before %v
      ...
      %x:3 = scf.if %redo {
        %acc = warp.await %1, 0
        ...
        %2 = warp.settled %rescaled
        scf.yield %p1, %2, %l1
      } else {
        scf.yield %p2, %1, %l2
      }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def WarpCarryProducts : Pass<"warp-carry-products", "::weft::warp::FuncOp"> {
  let summary = "leaves a step's sums under way while the next step begins";
  let description = [{
    For loops whose steps add products to what they carry and do nothing else
    with it: the gradients. The products of tiles alone are issued one after the
    other at the step's beginning; the sums are waited for behind the loop. A
    tile that a sum reads last goes back one step later, at the first wait, by
    which it is done; sums that read tiles of a ring with one slot stay as they
    are. More than one sum is waited for at the step's end. The consumers take
    turns between the first wait and the second.

    Before:

    ```mlir
    scf.for %j ... iter_args(%dq) {
      %k = warp.receive %keys
      %0 = warp.issue %q, %k transposed
      %s = warp.await %0, 0
      ...
      %v = warp.receive %values
      %1 = warp.issue %do, %v transposed
      %dp = warp.await %1, 0
      warp.consumed %values
      ...
      %2 = warp.issue %ds, %k, %dq
      %dq1 = warp.await %2, 0
      warp.consumed %keys
      scf.yield %dq1
    }
    ```

    After:

    ```mlir
    %none = warp.settled %dq
    %sum = scf.for %j ... iter_args(%dq = %none) {
      %k = warp.receive %keys
      %0 = warp.issue %q, %k transposed
      %v = warp.receive %values
      %1 = warp.issue %do, %v transposed
      warp.take_turn
      %s = warp.await %0, 1
      scf.if %later { warp.consumed %keys age 1 }
      ...
      warp.pass_turn
      %dp = warp.await %1, 0
      warp.consumed %values
      ...
      %2 = warp.issue %ds, %k, %dq
      scf.yield %2
    }
    %dq1 = warp.await %sum, 0
    scf.if %any { warp.consumed %keys }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def WarpDelayProducts : Pass<"warp-delay-products", "::weft::warp::FuncOp"> {
  let summary = "makes a step's dK one step later and its dQ two steps later";
  let description = [{
    For loops whose step hands a rounded tile, dS, from warpgroup to warpgroup
    (`warp.deposit`): the gradients of queries and keys in one kernel. The
    product that reads it from registers, dK, is issued in the next step, that
    which reads it from shared memory, dQ, in the one after that, so that nothing
    waits for the exchange. The first step's dK adds zeros times its own queries;
    what dQ's product gives in the first two steps is dropped. dV runs on into
    the next step, as by `warp-carry-products`. The products of the last steps
    follow the loop.

    Before:

    ```mlir
    %r:2 = scf.for %j = ... iter_args(%dk, %dv) {
      %q = warp.receive %queries
      %0 = warp.issue %k, %q transposed
      %s = warp.await %0, 0
      ...
      %1 = warp.issue %ds, %q, %dk
      %dk1 = warp.await %1, 0
      warp.consumed %queries
      warp.deposit %exchange, %ds
      %t = warp.receive %exchange
      %2 = warp.issue %t, %k
      %dq = warp.await %2, 0
      warp.consumed %exchange
      warp.stage %dq, %staged
      warp.add_staged %staged, %sum[%rows, %head]
      scf.yield %dk1, %dv1
    }
    ```

    After:

    ```mlir
    %r:3 = scf.for %j = ... iter_args(%dk, %dv, %last = %zeros) {
      %t = warp.receive %exchange when %third
      %2 = warp.issue %t, %k
      %q1 = warp.held %queries when %second
      %1 = warp.issue %last, %q1, %dk
      scf.if %second { warp.deposit %exchange, %last }
      %dv1 = warp.await %dv, 2
      %q = warp.receive %queries
      %0 = warp.issue %k, %q transposed
      %dq = warp.await %2, 2
      scf.if %third {
        warp.consumed %exchange
        warp.stage %dq, %staged
      }
      %3 = warp.issue %v, %do transposed
      scf.if %third { warp.add_staged %staged, %sum[%rows2, %head] }    // of step j - 2
      ...
      %dk1 = warp.await %1, 2
      scf.if %second { warp.consumed %queries age 1 }
      %s = warp.await %0, 1
      ...
      scf.yield %dk1, %dv1, %ds
    }
    %dk2 = scf.if %any { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def WarpPackMaps : Pass<"warp-pack-maps", "::weft::warp::FuncOp"> {
  let summary = "lets maps pack and add up what they yield";
  let description = [{
    For schedules with `mma = warpgroup`, behind `warp-fuse-maps`: a tile that is
    only packed and added up never stands in registers as a whole.

    Before:

    ```mlir
    %p = warp.map(%s, %m) : (...) -> tensor<128x128xf32, #warp.acc> { ... warp.yield %e : f32 }
    %sum = warp.reduce sum %p : ... -> tensor<128xf32, #warp.partial>
    %a = warp.pack %p : ... -> tensor<128x128xbf16, #warp.operand>
    ```

    After:

    ```mlir
    %sum, %a = warp.map(%s, %m) : (...) -> (tensor<128xf32, #warp.partial>, tensor<128x128xbf16, #warp.operand>) {
      ...
      %r = arith.truncf %e : f32 to bf16
      warp.yield %e, %r : f32, bf16
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // WEFT_COMPILER_WARP_PASSES_TD
