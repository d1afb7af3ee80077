// The query heads of a group store their tiles and arrive; the one that is last
// adds up what all have stored, the first first, writes the sum to "d_key", and
// counts itself in "times". It all is done once more: the second launch finds
// the counters as the first left them. Query and key rows are equally many.

!query = !plan.buffer<f32, q, heads_q, 64, valid = defined>
!d_key = !plan.buffer<f32, kv, heads_kv, 64, gap = filled(0.0), tail = filled(0.0)>
!d_key_done = !plan.buffer<f32, kv, heads_kv, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!part = !plan.buffer<f32, kv, heads_q, 64>
!part_done = !plan.buffer<f32, kv, heads_q, 64, valid = defined>
!times = !plan.buffer<f32, kv, heads_kv, 1>
!times_zero = !plan.buffer<f32, kv, heads_kv, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!times_done = !plan.buffer<f32, kv, heads_kv, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!arrivals = !plan.buffer<i32, kv, heads_kv, 1, rounded = 64>
!arrivals_zero = !plan.buffer<i32, kv, heads_kv, 1, rounded = 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>

!query_tiles = !tile.buffer<f32, q, heads_q, 64>
!d_key_tiles = !tile.buffer<f32, kv, heads_kv, 64>
!part_tiles = !tile.buffer<f32, kv, heads_q, 64, packed>
!times_tiles = !tile.buffer<f32, kv, heads_kv, 1, packed>
!arrivals_tiles = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>

module attributes {weft.head_ratio = 32 : i64,
                   weft.spec = "backward bf16 head_dim=64 head_ratio=32 layout=batch",
                   weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @split dk of @attention schedule <rows = 64, warps = 4>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"times", acc, [valid]>,
              #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"part", out, [valid]>, #plan.operand<"d_key", out, [valid]>]

  tile.func @split_body(%query: !query_tiles {weft.name = "query"}, %times: !times_tiles {weft.name = "times"},
                        %arrivals: !arrivals_tiles {weft.name = "arrivals"},
                        %part: !part_tiles {weft.name = "part"}, %d_key: !d_key_tiles {weft.name = "d_key"})
      grid <kv, 64, heads_q> schedule <rows = 64, warps = 4> {
    %sequence, %tile, %head = tile.point
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %ratio = arith.constant 32 : i64
    %c64 = arith.constant 64 : i64
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %one = arith.constant dense<1.0> : tensor<64xf32>
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
    %queries = tile.rows %sequence, %first : !tile.rows<q, 64>
    %group = arith.divsi %head, %ratio : i64
    %base = arith.muli %group, %ratio : i64
    %member = arith.subi %head, %base : i64
    %x = tile.load %query[%queries, %head] : !query_tiles, !tile.rows<q, 64> -> tensor<64x64xf32>
    tile.store %x, %part[%rows, %head] : tensor<64x64xf32>, !part_tiles, !tile.rows<kv, 64>
    %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %ratio : !arrivals_tiles, !tile.rows<kv, 64>
    scf.if %last {
      tile.add %one, %times[%rows, %group] : tensor<64xf32>, !times_tiles, !tile.rows<kv, 64>
      %sum = scf.for %i = %c0 to %ratio step %c1 iter_args(%so_far = %zero) -> (tensor<64x64xf32>) : i64 {
        %other = arith.addi %base, %i : i64
        %p = tile.load %part[%rows, %other] : !part_tiles, !tile.rows<kv, 64> -> tensor<64x64xf32>
        %next = arith.addf %so_far, %p : tensor<64x64xf32>
        scf.yield %next : tensor<64x64xf32>
      }
      tile.store %sum, %d_key[%rows, %group] : tensor<64x64xf32>, !d_key_tiles, !tile.rows<kv, 64>
    }
    tile.return
  }

  plan.func @plan(%query: !query {weft.name = "query"}, %d_key: !d_key {weft.name = "d_key"}) -> (!d_key_done) {
    %c4 = arith.constant 4 : i64
    %c64 = arith.constant 64 : i64
    %c256 = arith.constant 256 : i64
    %batch = plan.size batch
    %heads = plan.size heads_q
    %heads_kv = plan.size heads_kv
    %held = plan.size rows_kv
    %seqlen = plan.size seqlen_kv
    %each = arith.ceildivsi %seqlen, %c64 : i64
    %tiles = arith.muli %each, %batch : i64
    %points = arith.muli %tiles, %heads : i64
    %part_rows = arith.muli %held, %heads : i64
    %part_bytes = arith.muli %part_rows, %c256 : i64
    %times_rows = arith.muli %held, %heads_kv : i64
    %times_bytes = arith.muli %times_rows, %c4 : i64
    %group_tiles = arith.muli %tiles, %heads_kv : i64
    %arrivals_bytes = arith.muli %group_tiles, %c256 : i64
    %part0 = plan.reserve "part" bytes(%part_bytes) : !part
    %times0 = plan.reserve "times" bytes(%times_bytes) : !times
    %arrivals0 = plan.reserve "arrivals" bytes(%arrivals_bytes) : !arrivals
    %times1 = plan.memset %times0, 0.0 : !times -> !times_zero
    %arrivals1 = plan.memset %arrivals0, 0.0 : !arrivals -> !arrivals_zero
    %times2, %arrivals2, %part1, %d_key1 = plan.launch @split grid(%points) in(%query : !query) acc(%times1, %arrivals1 : !times_zero, !arrivals_zero) out(%part0, %d_key : !part, !d_key) -> !times_done, !arrivals_zero, !part_done, !d_key_done
    %times3, %arrivals3, %part2, %d_key2 = plan.launch @split grid(%points) in(%query : !query) acc(%times2, %arrivals2 : !times_done, !arrivals_zero) out(%part1, %d_key1 : !part_done, !d_key_done) -> !times_done, !arrivals_zero, !part_done, !d_key_done
    plan.release %part2 : !part_done
    plan.release %times3 : !times_done
    plan.release %arrivals3 : !arrivals_zero
    plan.return %d_key2 : !d_key_done
  }
}
