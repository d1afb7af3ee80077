// RUN: weft-opt %s --warp-to-emitc --verify-diagnostics

// expected-error @below {{argument 0 is a 'tensor<64x16xf32>'; a kernel takes !tile.buffer, i64 and f32}}
warp.func @body(%a: tensor<64x16xf32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}
