// RUN: weft-opt %s -split-input-file -verify-contracts | FileCheck %s

// Bodies that keep their contracts, in ways that are less than obvious.

// Half of a tile at a time; the halves under opposite conditions.
// CHECK-LABEL: plan.kernel @halves
plan.kernel @halves delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
tile.func @halves_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                       %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %middle = arith.addi %first, %c32 : i64
  %n_q = tile.length q %sequence
  %upper = tile.rows %sequence, %first : !tile.rows<q, 32>
  %lower = tile.rows %sequence, %middle : !tile.rows<q, 32>
  %a = tile.load %out[%upper, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32> -> tensor<32xf32>
  tile.store %a, %delta[%upper, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 32>
  // Where it is skipped it has no rows.
  %more = arith.cmpi slt, %middle, %n_q : i64
  scf.if %more {
    tile.store %a, %delta[%lower, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 32>
  }
  tile.return
}

// -----

// All query heads of a key head from one point; both sides of an open branch.
module attributes {weft.head_ratio = 6 : i64} {
  // CHECK-LABEL: plan.kernel @group
  plan.kernel @group delta of @attention schedule <rows = 64>
      contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
  tile.func @group_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                        %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
      grid <q, 64, heads_kv> schedule <rows = 64> {
    %sequence, %tile, %head = tile.point
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %c6 = arith.constant 6 : i64
    %c64 = arith.constant 64 : i64
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %base = arith.muli %head, %c6 : i64
    %one = arith.constant 1 : i64
    scf.for %g = %c0 to %c6 step %c2 : i64 {
      %even = arith.addi %base, %g : i64
      %odd = arith.addi %even, %one : i64
      %a = tile.load %out[%rows, %even] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
      %large = arith.cmpf ogt, %a, %a : tensor<64xf32>
      %any = tile.any %large : tensor<64xi1>
      scf.if %any {
        tile.store %a, %delta[%rows, %even] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
      } else {
        tile.store %a, %delta[%rows, %even] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
      }
      tile.store %a, %delta[%rows, %odd] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
    }
    tile.return
  }
}

// -----

// Rows that no sequence has; a grid of query heads has all key heads.
module attributes {weft.head_ratio = 1 : i64} {
  // CHECK-LABEL: plan.kernel @fill
  plan.kernel @fill fill of @attention schedule <rows = 64>
      contract [#plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>,
                #plan.operand<"d_key", out, [gap, tail], 0.0>]
  tile.func @fill_body(%lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
                       %d_key: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "d_key"})
      grid <held, 64, heads_q> schedule <rows = 64> {
    %sequence, %tile, %head = tile.point
    %c64 = arith.constant 64 : i64
    %first = arith.muli %tile, %c64 : i64
    tile.fill %lse[%first, %head], 0xFFF0000000000000 : !tile.buffer<f32, q, heads_q, 1>
    tile.fill %d_key[%first, %head], 0.0 : !tile.buffer<bf16, kv, heads_kv, 64>
    tile.return
  }
}

// -----

// Adds, which need not be everywhere.
// CHECK-LABEL: plan.kernel @adds
plan.kernel @adds delta of @attention schedule <rows = 64>
    contract [#plan.operand<"sums", acc, [valid]>]
tile.func @adds_body(%sums: !tile.buffer<f32, kv, heads_q, 1, packed> {weft.name = "sums"},
                     %window_left: i64 {weft.name = "window_left"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %a = arith.constant dense<1.0> : tensor<32xf32>
  %n_k = tile.length kv %sequence
  %first = arith.muli %tile, %c64 : i64
  %left = arith.subi %first, %window_left : i64
  %from = arith.floordivsi %left, %c32 : i64
  %start = arith.maxsi %from, %c0 : i64
  %end = arith.ceildivsi %n_k, %c32 : i64
  scf.for %j = %start to %end step %c1 : i64 {
    %at = arith.muli %j, %c32 : i64
    %rows = tile.rows %sequence, %at : !tile.rows<kv, 32>
    tile.add %a, %sums[%rows, %head] : tensor<32xf32>, !tile.buffer<f32, kv, heads_q, 1, packed>, !tile.rows<kv, 32>
  }
  tile.return
}

// -----

// Whole tiles of rounded rows: added to and read without clips, in a loop over
// the query tiles up to the last that has rows, or from its own point.
// CHECK-LABEL: plan.kernel @whole_tiles
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
plan.kernel @whole_tiles dq of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"sum", acc, [valid], rounded = 64>]
tile.func @whole_tiles_body(%out: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"},
                            %sum: !sum {weft.name = "sum"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %n_q = tile.length q %sequence
  %tiles = arith.ceildivsi %n_q, %c64 : i64
  %last = arith.minsi %tiles, %tile : i64
  scf.for %i = %c0 to %last step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 64> -> tensor<64x16xf32>
    tile.add %a, %sum[%rows, %head] unclipped : tensor<64x16xf32>, !sum, !tile.rows<q, 64>
  }
  tile.return
}

// -----

// CHECK-LABEL: plan.kernel @convert
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
plan.kernel @convert reduce of @attention schedule <rows = 64>
    contract [#plan.operand<"sum", in, [valid], rounded = 64>, #plan.operand<"out", out, [valid]>]
tile.func @convert_body(%sum: !sum {weft.name = "sum"},
                        %out: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %sum[%rows, %head] unclipped : !sum, !tile.rows<q, 64> -> tensor<64x16xf32>
  tile.store %a, %out[%rows, %head] : tensor<64x16xf32>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 64>
  tile.return
}

// -----

// A store that is clipped at the last tile's end writes all of it.
// CHECK-LABEL: plan.kernel @larger_tiles
!delta = !tile.buffer<f32, q, heads_q, 1, packed, rounded = 32>
plan.kernel @larger_tiles delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid], rounded = 32>]
tile.func @larger_tiles_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                             %delta: !delta {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !delta, !tile.rows<q, 64>
  tile.return
}
