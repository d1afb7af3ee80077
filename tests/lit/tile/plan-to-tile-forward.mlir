// RUN: weft-opt %s -split-input-file -plan-to-tile -canonicalize -cse | FileCheck %s

attn.forward @attention bf16 head_dim = 40, head_dim_v = 64, head_ratio = 4
    q = #attn.side<batch> kv = #attn.side<thd, padded> align = 2 mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi sle, %j, %i : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention
    schedule <rows = 128, columns = 64, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]

// The problem goes; its layouts and alignment stay.
// CHECK-NOT: attn.forward
// CHECK-LABEL: tile.func @forward_body(
// CHECK-SAME: %query: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"},
// CHECK-SAME: %key: !tile.buffer<bf16, kv, heads_kv, 40> {weft.name = "key"},
// CHECK-SAME: %value: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "value"},
// CHECK-SAME: %out: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "out"},
// CHECK-SAME: %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
// CHECK-SAME: %scale: f32 {weft.name = "scale"})
// CHECK-SAME: grid <q, 128, heads_q> schedule <rows = 128, columns = 64, stages = 2>
// CHECK-SAME: attributes {weft.align = 2 : i64, weft.kv = #attn.side<thd, padded>, weft.q = #attn.side<batch>} {
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[C63:.*]] = arith.constant 63 : i64
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[C127:.*]] = arith.constant 127 : i64
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i64
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
// CHECK-DAG: %[[NO_OUT:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK-DAG: %[[NO_MAX:.*]] = arith.constant dense<0xFF800000> : tensor<128xf32>
// CHECK-DAG: %[[NO_SUM:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-DAG: %[[MASKED:.*]] = arith.constant dense<0xFF800000> : tensor<128x64xf32>
// CHECK: %sequence, %tile, %head = tile.point
// CHECK: %[[I0:.*]] = arith.muli %tile, %[[C128]]
// CHECK: %rows_q = tile.rows %sequence, %[[I0]]
// CHECK: %[[HEAD_KV:.*]] = arith.divsi %head, %[[C4]]
// Columns past the head dim are zeros that load writes.
// CHECK: %query_tile = tile.load %query[%rows_q, %head] : {{.*}} -> tensor<128x48xbf16>
// CHECK: %n_q = tile.length q %sequence
// CHECK: %n_k = tile.length kv %sequence
// CHECK: %[[K_END:.*]] = arith.subi %n_k, %[[C1]]
// CHECK: %[[Q_END:.*]] = arith.subi %n_q, %[[C1]]
// CHECK: %[[I_END:.*]] = arith.addi %[[I0]], %[[C127]]
// CHECK: %[[I1:.*]] = arith.minsi %[[I_END]], %[[Q_END]]
// CHECK: %[[SCALE:.*]] = arith.mulf %scale, %[[LOG2E]]
// Key tiles up to the one with the last query's position.
// CHECK: %[[TILES:.*]] = arith.ceildivsi %n_k, %[[C64]]
// CHECK: %[[DIAGONAL:.*]] = arith.floordivsi %[[I1]], %[[C64]]
// CHECK: %[[PAST:.*]] = arith.addi %[[DIAGONAL]], %[[C1]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[TILES]], %[[PAST]]
// CHECK: %[[END:.*]]:3 = scf.for %[[T:.*]] = %[[C0]] to %[[LAST]] step %[[C1]] iter_args(%[[ACC:.*]] = %[[NO_OUT]], %[[M:.*]] = %[[NO_MAX]], %[[L:.*]] = %[[NO_SUM]])
// CHECK:   %[[J0:.*]] = arith.muli %[[T]], %[[C64]]
// CHECK:   %rows_k = tile.rows %sequence, %[[J0]]
// CHECK:   %key_tile = tile.load %key[%rows_k, %[[HEAD_KV]]] : {{.*}} -> tensor<64x48xbf16>
// CHECK:   %[[S:.*]] = tile.dot %query_tile, %key_tile transposed, %{{.*}} : tensor<128x48xbf16>, tensor<64x48xbf16> -> tensor<128x64xf32>
// CHECK:   %[[SCALE_TILE:.*]] = tensor.splat %[[SCALE]] : tensor<128x64xf32>
// CHECK:   %[[BASE2:.*]] = arith.mulf %[[S]], %[[SCALE_TILE]]
// The mask is needed on the diagonal and where keys end.
// CHECK:   %[[J_END:.*]] = arith.addi %[[J0]], %[[C63]]
// CHECK:   %[[ENDS:.*]] = arith.cmpi sle, %n_k, %[[J_END]]
// CHECK:   %[[J1:.*]] = arith.minsi %[[J_END]], %[[K_END]]
// CHECK:   %[[CUTS:.*]] = arith.cmpi sgt, %[[J1]], %[[I0]]
// CHECK:   %[[MIXED:.*]] = arith.ori %[[CUTS]], %[[ENDS]]
// CHECK:   %[[SCORES:.*]] = scf.if %[[MIXED]] -> (tensor<128x64xf32>) {
// CHECK:     %row = tile.coordinates %[[I0]] dim = 0 : tensor<128x64xi64>
// CHECK:     %column = tile.coordinates %[[J0]] dim = 1 : tensor<128x64xi64>
// CHECK:     %[[KEPT:.*]] = arith.cmpi sle, %column, %row : tensor<128x64xi64>
// CHECK:     %[[N_K:.*]] = tensor.splat %n_k : tensor<128x64xi64>
// CHECK:     %[[EXISTS:.*]] = arith.cmpi slt, %column, %[[N_K]]
// CHECK:     %[[BOTH:.*]] = arith.andi %[[KEPT]], %[[EXISTS]]
// CHECK:     %[[CHOSEN:.*]] = arith.select %[[BOTH]], %[[BASE2]], %[[MASKED]]
// CHECK:     scf.yield %[[CHOSEN]]
// CHECK:   } else {
// CHECK:     scf.yield %[[BASE2]]
// CHECK:   }
// CHECK:   %p, %max, %sum, %rescale = tile.softmax_step %[[SCORES]], %[[M]], %[[L]]
// CHECK:   %[[R:.*]] = tile.expand %rescale dim = 1 : tensor<128xf32> -> tensor<128x64xf32>
// CHECK:   %[[OLD:.*]] = arith.mulf %[[ACC]], %[[R]]
// CHECK:   %value_tile = tile.load %value[%rows_k, %[[HEAD_KV]]] : {{.*}} -> tensor<64x64xbf16>
// CHECK:   %[[P:.*]] = arith.truncf %p : tensor<128x64xf32> to tensor<128x64xbf16>
// CHECK:   %[[NEW:.*]] = tile.dot %[[P]], %value_tile, %[[OLD]]
// CHECK:   scf.yield %[[NEW]], %max, %sum
// CHECK: }
// A row without a key has sum 0: O is 0, LSE -inf.
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[END]]#2, %[[NO_SUM]]
// CHECK: %[[DIVIDED:.*]] = arith.divf %{{.*}}, %[[END]]#2
// CHECK: %[[INVERSE:.*]] = arith.select %[[EMPTY]], %[[NO_SUM]], %[[DIVIDED]]
// CHECK: %[[INVERSE_TILE:.*]] = tile.expand %[[INVERSE]] dim = 1
// CHECK: %[[O:.*]] = arith.mulf %[[END]]#0, %[[INVERSE_TILE]]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[O]]
// CHECK: tile.store %[[ROUNDED]], %out[%rows_q, %head]
// CHECK: %[[LOG:.*]] = math.log2 %[[END]]#2
// CHECK: %[[LSE2:.*]] = arith.addf %[[END]]#1, %[[LOG]]
// CHECK: %[[LSE:.*]] = arith.mulf %[[LSE2]], %{{.*}}
// CHECK: tile.store %[[LSE]], %lse[%rows_q, %head]
// CHECK: tile.return

// -----

// No mask: only the end of the keys is masked, and one head ratio needs no
// division.
attn.forward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 32>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]

// CHECK-LABEL: tile.func @forward_body
// CHECK-NOT: arith.divsi
// CHECK: %[[TILES:.*]] = arith.ceildivsi %n_k
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[TILES]]
// CHECK: %[[J_END:.*]] = arith.addi
// CHECK: %[[ENDS:.*]] = arith.cmpi sle, %n_k, %[[J_END]]
// CHECK: scf.if %[[ENDS]]
// CHECK-NOT: tile.coordinates {{.*}} dim = 0
// CHECK: tile.coordinates {{.*}} dim = 1
// CHECK: scf.yield

// -----

// A window with run-time bounds: both ends of the loop are solved, and what
// does not depend on the position stays scalar. The score change comes before
// the factor log2(e).
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
    parameters ["window_left", "window_right", "softcap"] mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64,
       %left: i64, %right: i64, %cap: f32):
    %d = arith.subi %n_k, %n_q : i64
    %middle = arith.addi %i, %d : i64
    %start = arith.subi %middle, %left : i64
    %end = arith.addi %middle, %right : i64
    %from = arith.cmpi sge, %j, %start : i64
    %to = arith.cmpi sle, %j, %end : i64
    %keep = arith.andi %from, %to : i1
    attn.yield %keep : i1
  } score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64,
       %left: i64, %right: i64, %cap: f32):
    %one = arith.constant 1.0 : f32
    %inverse = arith.divf %one, %cap : f32
    %x = arith.mulf %s, %inverse : f32
    %t = math.tanh %x : f32
    %y = arith.mulf %cap, %t : f32
    attn.yield %y : f32
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]

// CHECK-LABEL: tile.func @forward_body
// CHECK-SAME: %scale: f32 {weft.name = "scale"}, %softcap: f32 {weft.name = "softcap"}, %window_left: i64 {weft.name = "window_left"}, %window_right: i64 {weft.name = "window_right"})
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[LOG2E:.*]] = arith.constant dense<1.44269502> : tensor<64x64xf32>
// CHECK: %[[D:.*]] = arith.subi %n_k, %n_q : i64
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %softcap : f32
// CHECK: %[[TILES:.*]] = arith.ceildivsi %n_k, %[[C64]]
// CHECK: %[[SUM:.*]] = arith.addi %[[I0:.*]], %[[D]]
// CHECK: %[[J_FIRST:.*]] = arith.subi %[[SUM]], %window_left
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[J_FIRST]], %n_k
// CHECK: %[[TILES_IF:.*]] = arith.select %[[INSIDE]], %[[TILES]], %[[C0]]
// CHECK: %[[T_FIRST:.*]] = arith.floordivsi %[[J_FIRST]], %[[C64]]
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[T_FIRST]], %[[C0]]
// CHECK: %[[LAST:.*]] = arith.minsi %[[TILES_IF]], %{{.*}}
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK: %[[S:.*]] = tile.dot
// CHECK: %[[SCALE:.*]] = tensor.splat %scale
// CHECK: %[[SCALED:.*]] = arith.mulf %[[S]], %[[SCALE]]
// CHECK: %[[INVERSE_TILE:.*]] = tensor.splat %[[INVERSE]]
// CHECK: %[[X:.*]] = arith.mulf %[[SCALED]], %[[INVERSE_TILE]]
// CHECK: %[[TANH:.*]] = math.tanh %[[X]]
// CHECK: %[[CAP:.*]] = tensor.splat %softcap
// CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %{{.*}}
// CHECK: %[[BASE2:.*]] = arith.mulf %[[Y]], %[[LOG2E]]
// CHECK: scf.if
// CHECK: arith.select %{{.*}}, %[[BASE2]]

// -----

// Keys 0 to 3 and those up to i: the kept tiles are not known to be one
// interval, so each is tested.
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %four = arith.constant 4 : i64
    %prefix = arith.cmpi slt, %j, %four : i64
    %causal = arith.cmpi sle, %j, %i : i64
    %keep = arith.ori %prefix, %causal : i1
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]

// CHECK-LABEL: tile.func @forward_body
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}, %[[L:.*]] = %{{.*}})
// CHECK:   %[[MAY:.*]] = arith.ori
// CHECK:   %[[NEXT:.*]]:3 = scf.if %[[MAY]] -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) {
// CHECK:     tile.load %key
// CHECK:     tile.load %value
// CHECK:   } else {
// CHECK-NEXT: scf.yield %[[ACC]], %[[M]], %[[L]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[NEXT]]#0, %[[NEXT]]#1, %[[NEXT]]#2

// -----

// A mask that differs by head only is decided once for the whole loop.
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi ult, %h, %b : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]

// CHECK-LABEL: tile.func @forward_body
// CHECK: %[[KEEP:.*]] = arith.cmpi ult, %head, %sequence : i64
// CHECK: %[[LAST:.*]] = arith.select %[[KEEP]], %{{.*}}, %{{.*}} : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LAST]]
