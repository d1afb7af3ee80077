// pipeline: compile-from-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_86"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %0 = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  }
}
// -----
// pipeline: compile-from-tile
!work = !plan.buffer<f32, q, heads_q, 2>
plan.func @two() {
  value = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  plan.release %0 : !work
  plan.return
// -----
// pipeline: compile-from-tile
plan.func @f() {
  %true = arith.constant true
  scf.if %true {
  verbatim
  plan.return
// -----
// pipeline: compile-from-tile
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> align = 8
// -----
// pipeline: compile-from-tile
tile.func @rank(%0: f32 {weft.name = "speed"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: compile-from-tile
tile.func @a_body(%0: f32 {weft.name = "scale"},
                  %1: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: compile-from-tile
module attributes {i1 = "sm_80"} {
  attn.forward @attention bf16 head_dim = 128, head_dim_v = 64, head_ratio = 2 q = <thd> kv = <batch>
}
// -----
// pipeline: compile-from-tile
warp.func @body(%t: !warp.shared<32, 64, bf16>, %n: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.clear_rows %t, %n : !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: compile-from-tile
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @f() {
  %n = plan.size batch
  plan.launch @k grid(%n)
  plan.return
}
// -----
// pipeline: compile-from-tile
plan.func @f(%0: !lse<f64, q, one, 1>) {}
// -----
// pipeline: compile-from-tile
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: compile-from-tile
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <packed = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.packed %sequence, %tile : !tile.packed<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.packed<q, 16> -> tensor<16x?xbf16>
  tile.return
}
// -----
// pipeline: compile-from-tile
plan.kernel @k delta of @a schedule <true = 64, columns = 8> contract []
// -----
// pipeline: compile-from-tile
warp.func @tested(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  scf.for %j = %first to %last step %c32 : i64 {
    %empty = arith.cmpi 0, %j, %tile : i64
    scf.if %empty {
    } else {
      %rows_j = tile.rows %sequence, %j : <kv, 32>
      %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
      %s = warp.mma %k, %350 transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    }
  }
  warp.return
}
// -----
// pipeline: compile-from-tile
warp.func @body(%q: !warp.shared<64, 64, bf16, %127>, %k: !warp.shared<32, 17, bf16, %127>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, [] = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<64, 64, bf16, %127>, !warp.shared<32, 64, bf16, %127> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: compile-from-tile
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedule<rows = 64>, align = "weft_forward" : i64}> ({
  warp.return
}) : () -> ()
// -----
// pipeline: compile-from-tile
warp.func @one_stage(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 1> align = 16 {
  %sequence, %tile, %head, %c4 = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  scf.for %j = %first to %last step %c32 : i64 {
    %rows_j = tile.rows %sequence, %j : <kv, 32>
    %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
    %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
  }
  warp.return
}
// -----
// pipeline: compile-from-tile
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
             %1: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}
