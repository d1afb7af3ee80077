// pipeline: warp-to-emitc
tile.func @foreign() grid <q, 64, heads_q> schedule <rows = 64> {
  a, %tile, %head = tile.point
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tensor.cast %x : tensor<64x64xf32> to tensor<?1000000>
  tile.return
}
// -----
// pipeline: warp-to-emitc
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
  head_dim %s : f32
}
// -----
// pipeline: warp-to-emitc
warp.func @mask(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                %i0: i64 {weft.name = "window_left"}, %j0: i64 {weft.name = "window_right"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %zero = arith.constant 0.0 scalar_dout f32
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c64 : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %y = warp.map(%x) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %j = arith.addi %j0, %column : i64
    %i = arith.addi %i0, %row : i64
    %keep = arith.cmpi sle, %j, %i : i64
    %w = arith.select %keep, %v, %zero : f32
    warp.yield %w : f32
  }
  %z = warp.map(%y) : (tensor<64x16xf32, #warp.acc>) -> tensor<64xFF800000, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %p = arith.muli %row, %column : i64
    %keep = arith.cmpi sle, %p, %i0 : i64
    %w = arith.select %keep, %v, %zero : f32
    warp.yield %w : f32
  }
  warp.add %z, %in[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body() grid <q, 8, heads_q> schedule <rows = 64> align = 8 {
  warp.return
}
// -----
// pipeline: warp-to-emitc
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: warp-to-emitc
warp.func @send_workspace(%a: !tile.buffer<bf16, q, heads_q, 64, packed> {weft.name = "a"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %ring = warp.ring : <1, <128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : <q, 128>
      warp.send %ring, %a[%rows, %h] : <1, <128, 64, bf16, swizzled>>, <bf16, q, heads_q, 64, packed>, <q, 128>
    }
  } consumer {
    warp.points {
    }
  }
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%p: !warp.pending<tensor<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  warp.return
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 0> -> <64, 64, f16>
  warp.return
}
// -----
// pipeline: warp-to-emitc
plan.kernel @k delta of @a schedule <f64 = 24> contract []
// -----
// pipeline: warp-to-emitc
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = tile.dot> align = 16 {
  warp.points {
  ^bb0(%sequence: i64):
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-to-emitc
plan.kernel @k delta of @a schedule <!emitc.ptr = 24> contract []
// -----
// pipeline: warp-to-emitc
plan.kernel @k delta of @a schedule <rows = 64, warps = 0>  []
// -----
// pipeline: warp-to-emitc
plan.func @f(%0: !tile.rows<i32, none, one, 1, valid = defined>) {}
// -----
// pipeline: warp-to-emitc
warp.func @no_point() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @load_columns(%a: !tile.buffer<f32, q, heads_q, 4> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %tile = warp.load %a[%rows, %c0] : <f32, q, heads_q, 4>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @double() grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %x = arith.constant 1.0 : f64
  warp.return
}
// -----
// pipeline: warp-to-emitc
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.guard %true
  #3
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %ring = warp.ring : !tile.buffer2, <32, 64, bf16>>
  warp.put %ring[%c0], %q[%rows, %c0] : <2, <32, 64, bf16>>, <bf16, q, heads_q, 64>, <q, 64>
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @two_stages(%query: !tile.bufferplan.launchbf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_kv, 64>,
                      %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.64> : tensor<64x32xf32, #warp.acc>
  %rows = tile.rows %sequence, %tile : <q, 64>
  %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16>
  %r = scf.for %j = %first to %last step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32, #warp.acc>) : i64 {
    %row = arith.muli %j, %c32 : i64
    %rows_j = tile.rows %sequence, %row : <kv, 32>
    %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
    %s = warp.mma %q, %k transposed, %acc : !warp.shared<64, 64, bf16>, <32, 64, bf16> -> tensor<64x32xf32, #warp.acc>
    scf.yield %s : tensor<64x32xf32, #warp.acc>
  }
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.sharedplan.launch64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%acc, %row) : (tensor<64x32xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %y: f32):
  warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : !warp.sharedq, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, f16>
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acctrue, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  "test.end"(%x) : (f32) -> ()
  }
  warp.return
}
