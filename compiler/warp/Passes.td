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

    Facts read off the body: `descending` if the end of a key loop moves with
    the tile of the queries and its start does not. `weft.align` of the
    `tile.func` (2 if absent) becomes `align`; its other attributes (`weft.q`,
    `weft.kv`) stay.

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
    vectors, whole tiles of i1 and i64 (a mask never leaves its map), and
    extensions of rounded tiles.

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

#endif // WEFT_COMPILER_WARP_PASSES_TD
