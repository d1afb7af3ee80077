// RUN: weft-opt %s -split-input-file -verify-diagnostics

// Tiles that warpgroups hand to one another, and what lies in fragments.

warp.func @body(%v: tensor<128x64xbf16, #warp.operand>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{turns #warp.operand into a swizzled tile with its columns for rows, not 'tensor<128x64xbf16, #warp.operand>' into '!warp.shared<128, 64, bf16, swizzled>'}}
  %t = warp.exchange %v : tensor<128x64xbf16, #warp.operand> -> !warp.shared<128, 64, bf16, swizzled>
  warp.return
}

// -----

warp.func @body(%ring: !warp.ring<2, !warp.shared<64, 128, bf16, swizzled>>, %v: tensor<128x64xbf16, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{turns #warp.operand into a swizzled tile with its columns for rows, not 'tensor<128x64xbf16, #warp.acc>' into '!warp.shared<64, 128, bf16, swizzled>'}}
  warp.deposit %ring, %v : !warp.ring<2, !warp.shared<64, 128, bf16, swizzled>>, tensor<128x64xbf16, #warp.acc>
  warp.return
}

// -----

warp.func @body(%ring: !warp.ring<2, !warp.shared<64, 128, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{gives a tile of its ring, '!warp.shared<64, 128, bf16, swizzled>', not '!warp.shared<64, 64, bf16, swizzled>'}}
  %t = warp.held %ring : !warp.ring<2, !warp.shared<64, 128, bf16, swizzled>> -> !warp.shared<64, 64, bf16, swizzled>
  warp.return
}

// -----

// expected-error @below {{#warp.slice needs static sizes that are multiples of (64, 16), not (32, 128)}}
warp.func @body(%v: tensor<32x128xf32, #warp.slice>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.return
}

// -----

// expected-error @below {{fragments are f32, of a multiple of 16 rows and of 64 columns, not 64 x 32 of 'f32'}}
warp.func @body(%t: !warp.shared<64, 32, f32, fragments>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.return
}

// -----

warp.func @body(%t: !warp.shared<64, 64, f32, fragments>, %v: tensor<64x128xf32, #warp.slice>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{puts f32 fragments into a tile of their shape that lies in fragments; not 'tensor<64x128xf32, #warp.slice>' into '!warp.shared<64, 64, f32, fragments>'}}
  warp.stage %v, %t : tensor<64x128xf32, #warp.slice>, !warp.shared<64, 64, f32, fragments>
  warp.return
}

// -----

warp.func @body(%t: !warp.shared<64, 64, f32, fragments>, %rows: !tile.rows<q, 64>, %head: i64,
                %sum: !tile.buffer<f32, q, heads_q, 128, fragments, rounded = 64> {weft.name = "sum"}) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{adds all columns of its rows, in fragments, to a buffer in fragments; not '!warp.shared<64, 64, f32, fragments>' to '!tile.buffer<f32, q, heads_q, 128, fragments, rounded = 64>'}}
  warp.add_staged %t, %sum[%rows, %head] : !warp.shared<64, 64, f32, fragments>, <f32, q, heads_q, 128, fragments, rounded = 64>, <q, 64>
  warp.return
}
