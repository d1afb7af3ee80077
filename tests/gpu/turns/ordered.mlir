// Each key tile adds itself to every query tile, the first key tile first, and
// does so once more: the second launch finds the counters as the first left
// them. "out" gets the sums.

!key = !plan.buffer<f32, kv, heads_kv, 64, valid = defined>
!out = !plan.buffer<f32, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
!out_done = !plan.buffer<f32, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!sum = !plan.buffer<f32, q, heads_q, 64, rounded = 64>
!sum_zero = !plan.buffer<f32, q, heads_q, 64, rounded = 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!sum_done = !plan.buffer<f32, q, heads_q, 64, rounded = 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!turns = !plan.buffer<i32, q, heads_q, 1, rounded = 64>
!turns_zero = !plan.buffer<i32, q, heads_q, 1, rounded = 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!tickets = !plan.buffer<i32, none, one, 1>
!tickets_zero = !plan.buffer<i32, none, one, 1, all = filled(0.0)>

!key_tiles = !tile.buffer<f32, kv, heads_kv, 64>
!out_tiles = !tile.buffer<f32, q, heads_q, 64>
!sum_tiles = !tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>
!turns_tiles = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets_tiles = !tile.buffer<i32, none, one, 1, packed>

module attributes {weft.deterministic, weft.head_ratio = 1 : i64,
                   weft.spec = "forward bf16 head_dim=64 head_ratio=1 layout=batch",
                   weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @add dq of @attention schedule <rows = 64, warps = 4>
    contract [#plan.operand<"key", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
  plan.kernel @use reduce of @attention schedule <rows = 64, warps = 4>
    contract [#plan.operand<"sum", in, [valid], rounded = 64>, #plan.operand<"out", out, [valid]>]

  tile.func @add_body(%key: !key_tiles {weft.name = "key"}, %sum: !sum_tiles {weft.name = "sum"},
                      %turns: !turns_tiles {weft.name = "turns"}, %tickets: !tickets_tiles {weft.name = "tickets"})
      grid <kv, 64, heads_q> schedule <rows = 64, warps = 4> {
    %sequence, %tile, %head = tile.ticket %tickets : !tickets_tiles
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : i64
    %n_q = tile.length q %sequence
    %n_k = tile.length kv %sequence
    %tiles_q = arith.ceildivsi %n_q, %c64 : i64
    %tiles_k = arith.ceildivsi %n_k, %c64 : i64
    %first_key = arith.muli %tile, %c64 : i64
    %keys = tile.rows %sequence, %first_key : !tile.rows<kv, 64>
    %k = tile.load %key[%keys, %head] : !key_tiles, !tile.rows<kv, 64> -> tensor<64x64xf32>
    scf.for %i = %c0 to %tiles_q step %c1 : i64 {
      %first = arith.muli %i, %c64 : i64
      %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
      tile.ordered_add %k, %sum[%rows, %head] turn %tile of %tiles_k by %turns : tensor<64x64xf32>, !sum_tiles, !tile.rows<q, 64>, !turns_tiles
    }
    tile.return
  }

  tile.func @use_body(%sum: !sum_tiles {weft.name = "sum"}, %out: !out_tiles {weft.name = "out"})
      grid <q, 64, heads_q> schedule <rows = 64, warps = 4> {
    %sequence, %tile, %head = tile.point
    %c64 = arith.constant 64 : i64
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %x = tile.load %sum[%rows, %head] : !sum_tiles, !tile.rows<q, 64> -> tensor<64x64xf32>
    tile.store %x, %out[%rows, %head] : tensor<64x64xf32>, !out_tiles, !tile.rows<q, 64>
    tile.return
  }

  plan.func @plan(%key: !key {weft.name = "key"}, %out: !out {weft.name = "out"}) -> (!out_done) {
    %c4 = arith.constant 4 : i64
    %c64 = arith.constant 64 : i64
    %c256 = arith.constant 256 : i64
    %batch = plan.size batch
    %heads = plan.size heads_q
    %seqlen_q = plan.size seqlen_q
    %seqlen_kv = plan.size seqlen_kv
    %each_q = arith.ceildivsi %seqlen_q, %c64 : i64
    %each_kv = arith.ceildivsi %seqlen_kv, %c64 : i64
    %tiles_q = arith.muli %each_q, %batch : i64
    %tiles_kv = arith.muli %each_kv, %batch : i64
    %points_q = arith.muli %tiles_q, %heads : i64
    %points_kv = arith.muli %tiles_kv, %heads : i64
    %rows = arith.muli %points_q, %c64 : i64
    %sum_bytes = arith.muli %rows, %c256 : i64
    %turns_bytes = arith.muli %rows, %c4 : i64
    %sum0 = plan.reserve "sum" bytes(%sum_bytes) : !sum
    %turns0 = plan.reserve "turns" bytes(%turns_bytes) : !turns
    %tickets0 = plan.reserve "tickets" bytes(%c4) : !tickets
    %sum1 = plan.memset %sum0, 0.0 : !sum -> !sum_zero
    %turns1 = plan.memset %turns0, 0.0 : !turns -> !turns_zero
    %tickets1 = plan.memset %tickets0, 0.0 : !tickets -> !tickets_zero
    %sum2, %turns2, %tickets2 = plan.launch @add grid(%points_kv) in(%key : !key) acc(%sum1, %turns1, %tickets1 : !sum_zero, !turns_zero, !tickets_zero) -> !sum_done, !turns_zero, !tickets_zero
    %sum3, %turns3, %tickets3 = plan.launch @add grid(%points_kv) in(%key : !key) acc(%sum2, %turns2, %tickets2 : !sum_done, !turns_zero, !tickets_zero) -> !sum_done, !turns_zero, !tickets_zero
    %out1 = plan.launch @use grid(%points_q) in(%sum3 : !sum_done) out(%out : !out) -> !out_done
    plan.release %sum3 : !sum_done
    plan.release %turns3 : !turns_zero
    plan.release %tickets3 : !tickets_zero
    plan.return %out1 : !out_done
  }
}
