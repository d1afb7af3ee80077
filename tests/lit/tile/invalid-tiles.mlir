// RUN: weft-opt %s -split-input-file -verify-diagnostics

%a = arith.constant dense<0.0> : tensor<16xbf16>
%b = arith.constant dense<0.0> : tensor<16x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
// expected-error@+1 {{'tile.dot' op takes tiles of two dimensions}}
%0 = tile.dot %a, %b, %acc : tensor<16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16x16xf16>
%b = arith.constant dense<0.0> : tensor<16x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
// expected-error@+1 {{'tile.dot' op multiplies f16 by f16 or bf16 by bf16 into f32, not 'f16' by 'bf16' into 'f32'}}
%0 = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xbf16> -> tensor<16x16xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<8x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
// expected-error@+1 {{'tile.dot' op shapes do not fit: 'tensor<16x32xbf16>', 'tensor<8x16xbf16>' into 'tensor<16x16xf32>'}}
%0 = tile.dot %a, %b, %acc : tensor<16x32xbf16>, tensor<8x16xbf16> -> tensor<16x16xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<32x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
// expected-error@+1 {{'tile.dot' op shapes do not fit: 'tensor<16x32xbf16>', transposed 'tensor<32x16xbf16>' into 'tensor<16x16xf32>'}}
%0 = tile.dot %a, %b transposed, %acc : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<32x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
// expected-error@+1 {{'tile.dot' op shapes do not fit: transposed 'tensor<16x32xbf16>', 'tensor<32x16xbf16>' into 'tensor<16x16xf32>'}}
%0 = tile.dot %a transposed, %b, %acc : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16x32xf32>
// expected-error@+1 {{'tile.any' op asks a tile of i1, not 'tensor<16x32xf32>'}}
%0 = tile.any %a : tensor<16x32xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16x32xf32>
// expected-error@+1 {{'tile.reduce' op of 'tensor<16x32xf32>' gives one value per row, not 'tensor<32xf32>'}}
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<32xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16xf32>
// expected-error@+1 {{'tile.expand' op dim is 0 or 1, not 2}}
%0 = tile.expand %a dim = 2 : tensor<16xf32> -> tensor<16x16xf32>

// -----

%a = arith.constant dense<0.0> : tensor<16xf32>
// expected-error@+1 {{'tile.expand' op of 'tensor<16xf32>' along dim 0 does not give 'tensor<16x32xf32>'}}
%0 = tile.expand %a dim = 0 : tensor<16xf32> -> tensor<16x32xf32>

// -----

%first = arith.constant 0 : i64
// expected-error@+1 {{'tile.coordinates' op gives an i64 tile of two dimensions, not 'tensor<16x32xi32>'}}
%0 = tile.coordinates %first dim = 0 : tensor<16x32xi32>

// -----

%first = arith.constant 0 : i64
// expected-error@+1 {{'tile.coordinates' op dim is 0 or 1, not -1}}
%0 = tile.coordinates %first dim = -1 : tensor<16x32xi64>

// -----

%scores = arith.constant dense<0.0> : tensor<16x32xf32>
%rows = arith.constant dense<0.0> : tensor<32xf32>
// expected-error@+1 {{'tile.softmax_step' op takes f32 scores of two dimensions and one f32 per row, not 'tensor<16x32xf32>' and 'tensor<32xf32>'}}
%p, %m, %l, %r = tile.softmax_step %scores, %rows, %rows : tensor<16x32xf32>, tensor<32xf32>
