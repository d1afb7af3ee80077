// pipeline: tile-expand-softmax
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "d" bytes(%c) : !plan.buffer<f32, none, one, 1, all = defined>
  plan.return
}
// -----
// pipeline: tile-expand-softmax
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.any %p : tensor<128xf32, #warp.row>
  warp.return
}
// -----
// pipeline: tile-expand-softmax
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %keep = arith.cmpi sle, %j, %i : i64
^bb1:
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: tile-expand-softmax
plan.kernel @k delta of @a schedule <rows = 64>
// -----
// pipeline: tile-expand-softmax
plan.func @f(%0: !plan.buffer0i32, none, heads_q, 1>) {}
// -----
// pipeline: tile-expand-softmax
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ringdense<0.0>2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
}
  warp.return
}
