// A backward, head dim 128, causal, four query heads a key head.
module {
  warp.func @delta_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "out"}, %arg1: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg2: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %c64_i64 = arith.constant 64 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %rows_q = tile.rows %sequence, %0 : <q, 64>
      %1 = warp.load %arg0[%rows_q, %head] : <bf16, q, heads_q, 128>, <q, 64> -> tensor<64x128xbf16, #warp.acc>
      %2 = warp.load %arg1[%rows_q, %head] : <bf16, q, heads_q, 128>, <q, 64> -> tensor<64x128xbf16, #warp.acc>
      %3 = warp.map(%1, %2) : (tensor<64x128xbf16, #warp.acc>, tensor<64x128xbf16, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
      ^bb0(%arg3: bf16, %arg4: bf16, %arg5: i64, %arg6: i64):
        %5 = arith.extf %arg3 : bf16 to f32
        %6 = arith.extf %arg4 : bf16 to f32
        %7 = arith.mulf %5, %6 : f32
        warp.yield %7 : f32
      }
      %4 = warp.reduce  sum %3 : tensor<64x128xf32, #warp.acc> -> tensor<64xf32, #warp.row>
      warp.store %4, %arg2[%rows_q, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1, packed>, <q, 64>
    }
    warp.return
  }
  warp.func @dkdv_split_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<f32, kv, heads_q, 128, packed> {weft.name = "d_key_partial"}, %arg7: !tile.buffer<f32, kv, heads_q, 128, packed> {weft.name = "d_value_partial"}, %arg8: f32 {weft.name = "scale"}) grid <kv, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c1_i64 = arith.constant 1 : i64
    %c63_i64 = arith.constant 63 : i64
    %cst_2 = arith.constant 1.44269502 : f32
    %c0_i64 = arith.constant 0 : i64
    %c32_i64 = arith.constant 32 : i64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 128, bf16>>
    %1 = warp.ring : <1, <64, 128, bf16>>
    %2 = warp.ring : <2, <32, 128, bf16>>
    %3 = warp.ring : <2, <32, 128, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %5 = arith.divsi %head, %c4_i64 : i64
      %rows_k = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%rows_k, %5] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%rows_k, %5] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      %n_q = tile.length  q %sequence
      %n_k = tile.length  kv %sequence
      %6 = arith.subi %n_k, %c1_i64 : i64
      %7 = arith.addi %4, %c63_i64 : i64
      %8 = arith.minsi %7, %6 : i64
      %9 = arith.mulf %arg8, %cst_2 : f32
      %10 = arith.ceildivsi %n_q, %c32_i64 : i64
      %11 = arith.cmpi slt, %4, %n_q : i64
      %12 = arith.select %11, %10, %c0_i64 : i64
      %13 = arith.floordivsi %4, %c32_i64 : i64
      %14 = arith.maxsi %13, %c0_i64 : i64
      %15 = arith.cmpi slt, %14, %12 : i64
      scf.if %15 {
        %18 = arith.muli %14, %c32_i64 : i64
        %rows_q = tile.rows %sequence, %18 : <q, 32>
        warp.put %2[%c0_i64], %arg0[%rows_q, %head] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
        warp.put %3[%c0_i64], %arg3[%rows_q, %head] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
      }
      warp.commit
      %16:3 = scf.for %arg9 = %14 to %12 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1, %arg12 = %c0_i64) -> (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %18 = arith.subi %arg12, %c1_i64 : i64
        %19 = arith.cmpi eq, %arg12, %c0_i64 : i64
        %20 = arith.select %19, %c1_i64, %18 : i64
        %21 = arith.addi %arg9, %c1_i64 : i64
        %22 = arith.cmpi slt, %21, %12 : i64
        scf.if %22 {
          %44 = arith.muli %21, %c32_i64 : i64
          %rows_q_4 = tile.rows %sequence, %44 : <q, 32>
          warp.put %2[%20], %arg0[%rows_q_4, %head] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
          warp.put %3[%20], %arg3[%rows_q_4, %head] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
        }
        warp.commit
        %23 = arith.muli %arg9, %c32_i64 : i64
        %rows_q = tile.rows %sequence, %23 : <q, 32>
        %24 = warp.get %2[%arg12] : <2, <32, 128, bf16>> -> <32, 128, bf16>
        %25 = warp.get %0[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %26 = warp.mma %25, %24 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <32, 128, bf16> -> tensor<64x32xf32, #warp.acc>
        %27 = arith.cmpi sgt, %8, %23 : i64
        %28 = scf.if %27 -> (tensor<64x32xf32, #warp.acc>) {
          %44 = warp.map(%26) : (tensor<64x32xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
          ^bb0(%arg13: f32, %arg14: i64, %arg15: i64):
            %45 = arith.addi %4, %arg14 : i64
            %46 = arith.addi %23, %arg15 : i64
            %47 = arith.cmpi sle, %45, %46 : i64
            %48 = arith.mulf %arg13, %9 : f32
            %49 = arith.select %47, %48, %cst_0 : f32
            warp.yield %49 : f32
          }
          scf.yield %44 : tensor<64x32xf32, #warp.acc>
        } else {
          %44 = warp.map(%26) : (tensor<64x32xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
          ^bb0(%arg13: f32, %arg14: i64, %arg15: i64):
            %45 = arith.mulf %arg13, %9 : f32
            warp.yield %45 : f32
          }
          scf.yield %44 : tensor<64x32xf32, #warp.acc>
        }
        %29 = warp.load %arg4[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 32> -> tensor<32xf32, #warp.column>
        %30 = warp.get %3[%arg12] : <2, <32, 128, bf16>> -> <32, 128, bf16>
        %31 = warp.map(%29) : (tensor<32xf32, #warp.column>) -> tensor<32xf32, #warp.column> {
        ^bb0(%arg13: f32):
          %44 = arith.cmpf oeq, %arg13, %cst_0 : f32
          %45 = arith.select %44, %cst, %arg13 : f32
          %46 = arith.mulf %45, %cst_2 : f32
          warp.yield %46 : f32
        }
        %32 = warp.map(%28, %31) : (tensor<64x32xf32, #warp.acc>, tensor<32xf32, #warp.column>) -> tensor<64x32xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %44 = arith.subf %arg13, %arg14 : f32
          %45 = math.exp2 %44 : f32
          warp.yield %45 : f32
        }
        %33 = warp.pack %32 : tensor<64x32xf32, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
        %34 = warp.mma %33, %30, %arg11 : tensor<64x32xbf16, #warp.operand>, <32, 128, bf16> -> tensor<64x128xf32, #warp.acc>
        %35 = warp.get %1[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %36 = warp.mma %35, %30 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <32, 128, bf16> -> tensor<64x32xf32, #warp.acc>
        %37 = warp.load %arg5[%rows_q, %head] : <f32, q, heads_q, 1, packed>, <q, 32> -> tensor<32xf32, #warp.column>
        %38 = warp.map(%36, %37, %32) : (tensor<64x32xf32, #warp.acc>, tensor<32xf32, #warp.column>, tensor<64x32xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: f32, %arg16: i64, %arg17: i64):
          %44 = arith.subf %arg13, %arg14 : f32
          %45 = arith.mulf %arg15, %44 : f32
          warp.yield %45 : f32
        }
        %39 = warp.pack %38 : tensor<64x32xf32, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
        %40 = warp.mma %39, %24, %arg10 : tensor<64x32xbf16, #warp.operand>, <32, 128, bf16> -> tensor<64x128xf32, #warp.acc>
        %41 = arith.addi %arg12, %c1_i64 : i64
        %42 = arith.cmpi eq, %arg12, %c1_i64 : i64
        %43 = arith.select %42, %c0_i64, %41 : i64
        scf.yield %40, %34, %43 : tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64
      }
      %17 = warp.map(%16#0) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %18 = arith.mulf %arg9, %arg8 : f32
        warp.yield %18 : f32
      }
      warp.store %17, %arg6[%rows_k, %head] : tensor<64x128xf32, #warp.acc>, <f32, kv, heads_q, 128, packed>, <kv, 64>
      warp.store %16#1, %arg7[%rows_k, %head] : tensor<64x128xf32, #warp.acc>, <f32, kv, heads_q, 128, packed>, <kv, 64>
      warp.wait 0
    }
    warp.return
  }
  warp.func @reduce_dk_body(%arg0: !tile.buffer<f32, kv, heads_q, 128, packed> {weft.name = "d_key_partial"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "d_key"}) grid <kv, 64, heads_kv> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %c64_i64 = arith.constant 64 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %rows_k = tile.rows %sequence, %0 : <kv, 64>
      %1 = arith.muli %head, %c4_i64 : i64
      %2 = scf.for %arg2 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x128xf32, #warp.acc>)  : i64 {
        %4 = arith.addi %1, %arg2 : i64
        %5 = warp.load %arg0[%rows_k, %4] : <f32, kv, heads_q, 128, packed>, <kv, 64> -> tensor<64x128xf32, #warp.acc>
        %6 = warp.map(%arg3, %5) : (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %7 = arith.addf %arg4, %arg5 : f32
          warp.yield %7 : f32
        }
        scf.yield %6 : tensor<64x128xf32, #warp.acc>
      }
      %3 = warp.map(%2) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %4 = arith.truncf %arg2 : f32 to bf16
        warp.yield %4 : bf16
      }
      warp.store %3, %arg1[%rows_k, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
    }
    warp.return
  }
  warp.func @reduce_dv_body(%arg0: !tile.buffer<f32, kv, heads_q, 128, packed> {weft.name = "d_value_partial"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "d_value"}) grid <kv, 64, heads_kv> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %c64_i64 = arith.constant 64 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %rows_k = tile.rows %sequence, %0 : <kv, 64>
      %1 = arith.muli %head, %c4_i64 : i64
      %2 = scf.for %arg2 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x128xf32, #warp.acc>)  : i64 {
        %4 = arith.addi %1, %arg2 : i64
        %5 = warp.load %arg0[%rows_k, %4] : <f32, kv, heads_q, 128, packed>, <kv, 64> -> tensor<64x128xf32, #warp.acc>
        %6 = warp.map(%arg3, %5) : (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %7 = arith.addf %arg4, %arg5 : f32
          warp.yield %7 : f32
        }
        scf.yield %6 : tensor<64x128xf32, #warp.acc>
      }
      %3 = warp.map(%2) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %4 = arith.truncf %arg2 : f32 to bf16
        warp.yield %4 : bf16
      }
      warp.store %3, %arg1[%rows_k, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
    }
    warp.return
  }
  warp.func @dq_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_query"}, %arg7: f32 {weft.name = "scale"}) grid <q, 64, heads_q> descending schedule <rows = 64, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %c4_i64 = arith.constant 4 : i64
    %c1_i64 = arith.constant 1 : i64
    %c63_i64 = arith.constant 63 : i64
    %cst_1 = arith.constant 1.44269502 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c0_i64 = arith.constant 0 : i64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 128, bf16>>
    %1 = warp.ring : <1, <64, 128, bf16>>
    %2 = warp.ring : <2, <64, 128, bf16>>
    %3 = warp.ring : <2, <64, 128, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %rows_q = tile.rows %sequence, %4 : <q, 64>
      %5 = arith.divsi %head, %c4_i64 : i64
      warp.put %0[%c0_i64], %arg0[%rows_q, %head] : <1, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg3[%rows_q, %head] : <1, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
      warp.commit
      %6 = warp.load %arg4[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.row>
      %7 = warp.load %arg5[%rows_q, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.row>
      %n_q = tile.length  q %sequence
      %n_k = tile.length  kv %sequence
      %8 = arith.subi %n_k, %c1_i64 : i64
      %9 = arith.subi %n_q, %c1_i64 : i64
      %10 = arith.addi %4, %c63_i64 : i64
      %11 = arith.minsi %10, %9 : i64
      %12 = arith.mulf %arg7, %cst_1 : f32
      %13 = arith.ceildivsi %n_k, %c64_i64 : i64
      %14 = arith.floordivsi %11, %c64_i64 : i64
      %15 = arith.addi %14, %c1_i64 : i64
      %16 = arith.minsi %13, %15 : i64
      %17 = arith.cmpi sgt, %16, %c0_i64 : i64
      scf.if %17 {
        %rows_k = tile.rows %sequence, %c0_i64 : <kv, 64>
        warp.put %2[%c0_i64], %arg1[%rows_k, %5] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        warp.put %3[%c0_i64], %arg2[%rows_k, %5] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      }
      warp.commit
      %18 = warp.map(%6) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
      ^bb0(%arg8: f32):
        %21 = arith.cmpf oeq, %arg8, %cst_0 : f32
        %22 = arith.select %21, %cst, %arg8 : f32
        %23 = arith.mulf %22, %cst_1 : f32
        warp.yield %23 : f32
      }
      %19:2 = scf.for %arg8 = %c0_i64 to %16 step %c1_i64 iter_args(%arg9 = %cst_2, %arg10 = %c0_i64) -> (tensor<64x128xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %21 = arith.subi %arg10, %c1_i64 : i64
        %22 = arith.cmpi eq, %arg10, %c0_i64 : i64
        %23 = arith.select %22, %c1_i64, %21 : i64
        %24 = arith.addi %arg8, %c1_i64 : i64
        %25 = arith.cmpi slt, %24, %16 : i64
        scf.if %25 {
          %45 = arith.muli %24, %c64_i64 : i64
          %rows_k = tile.rows %sequence, %45 : <kv, 64>
          warp.put %2[%23], %arg1[%rows_k, %5] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
          warp.put %3[%23], %arg2[%rows_k, %5] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        }
        warp.commit
        %26 = arith.muli %arg8, %c64_i64 : i64
        %27 = warp.get %2[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %28 = warp.get %0[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %29 = warp.mma %28, %27 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
        %30 = arith.addi %26, %c63_i64 : i64
        %31 = arith.cmpi sle, %n_k, %30 : i64
        %32 = arith.minsi %30, %8 : i64
        %33 = arith.cmpi sgt, %32, %4 : i64
        %34 = arith.ori %33, %31 : i1
        %35 = scf.if %34 -> (tensor<64x64xf32, #warp.acc>) {
          %45 = warp.map(%29) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %46 = arith.addi %26, %arg13 : i64
            %47 = arith.addi %4, %arg12 : i64
            %48 = arith.cmpi sle, %46, %47 : i64
            %49 = arith.cmpi slt, %46, %n_k : i64
            %50 = arith.andi %48, %49 : i1
            %51 = arith.mulf %arg11, %12 : f32
            %52 = arith.select %50, %51, %cst_0 : f32
            warp.yield %52 : f32
          }
          scf.yield %45 : tensor<64x64xf32, #warp.acc>
        } else {
          %45 = warp.map(%29) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %46 = arith.mulf %arg11, %12 : f32
            warp.yield %46 : f32
          }
          scf.yield %45 : tensor<64x64xf32, #warp.acc>
        }
        %36 = warp.get %3[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %37 = warp.get %1[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %38 = warp.mma %37, %36 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
        %39 = warp.map(%35, %18, %38, %7) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>, tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %45 = arith.subf %arg11, %arg12 : f32
          %46 = math.exp2 %45 : f32
          %47 = arith.subf %arg13, %arg14 : f32
          %48 = arith.mulf %46, %47 : f32
          warp.yield %48 : f32
        }
        %40 = warp.pack %39 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %41 = warp.mma %40, %27, %arg9 : tensor<64x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<64x128xf32, #warp.acc>
        %42 = arith.addi %arg10, %c1_i64 : i64
        %43 = arith.cmpi eq, %arg10, %c1_i64 : i64
        %44 = arith.select %43, %c0_i64, %42 : i64
        scf.yield %41, %44 : tensor<64x128xf32, #warp.acc>, i64
      }
      %20 = warp.map(%19#0) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg8: f32, %arg9: i64, %arg10: i64):
        %21 = arith.mulf %arg8, %arg7 : f32
        %22 = arith.truncf %21 : f32 to bf16
        warp.yield %22 : bf16
      }
      warp.store %20, %arg6[%rows_q, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, q, heads_q, 128>, <q, 64>
      warp.wait 0
    }
    warp.return
  }
  warp.func @dkdv_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "d_key"}, %arg7: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "d_value"}, %arg8: f32 {weft.name = "scale"}) grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c63_i64 = arith.constant 63 : i64
    %cst_2 = arith.constant 1.44269502 : f32
    %c32_i64 = arith.constant 32 : i64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 128, bf16>>
    %1 = warp.ring : <1, <64, 128, bf16>>
    %2 = warp.ring : <2, <32, 128, bf16>>
    %3 = warp.ring : <2, <32, 128, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %rows_k = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%rows_k, %head] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%rows_k, %head] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      %5 = arith.muli %head, %c4_i64 : i64
      %6:2 = scf.for %arg9 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1) -> (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>)  : i64 {
        %9 = arith.addi %5, %arg9 : i64
        %n_q = tile.length  q %sequence
        %n_k = tile.length  kv %sequence
        %10 = arith.subi %n_k, %c1_i64 : i64
        %11 = arith.addi %4, %c63_i64 : i64
        %12 = arith.minsi %11, %10 : i64
        %13 = arith.mulf %arg8, %cst_2 : f32
        %14 = arith.ceildivsi %n_q, %c32_i64 : i64
        %15 = arith.cmpi slt, %4, %n_q : i64
        %16 = arith.select %15, %14, %c0_i64 : i64
        %17 = arith.floordivsi %4, %c32_i64 : i64
        %18 = arith.maxsi %17, %c0_i64 : i64
        warp.barrier
        %19 = arith.cmpi slt, %18, %16 : i64
        scf.if %19 {
          %21 = arith.muli %18, %c32_i64 : i64
          %rows_q = tile.rows %sequence, %21 : <q, 32>
          warp.put %2[%c0_i64], %arg0[%rows_q, %9] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
          warp.put %3[%c0_i64], %arg3[%rows_q, %9] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
        }
        warp.commit
        %20:3 = scf.for %arg12 = %18 to %16 step %c1_i64 iter_args(%arg13 = %arg10, %arg14 = %arg11, %arg15 = %c0_i64) -> (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64)  : i64 {
          warp.wait 0
          warp.barrier
          %21 = arith.subi %arg15, %c1_i64 : i64
          %22 = arith.cmpi eq, %arg15, %c0_i64 : i64
          %23 = arith.select %22, %c1_i64, %21 : i64
          %24 = arith.addi %arg12, %c1_i64 : i64
          %25 = arith.cmpi slt, %24, %16 : i64
          scf.if %25 {
            %47 = arith.muli %24, %c32_i64 : i64
            %rows_q_4 = tile.rows %sequence, %47 : <q, 32>
            warp.put %2[%23], %arg0[%rows_q_4, %9] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
            warp.put %3[%23], %arg3[%rows_q_4, %9] : <2, <32, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 32>
          }
          warp.commit
          %26 = arith.muli %arg12, %c32_i64 : i64
          %rows_q = tile.rows %sequence, %26 : <q, 32>
          %27 = warp.get %2[%arg15] : <2, <32, 128, bf16>> -> <32, 128, bf16>
          %28 = warp.get %0[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
          %29 = warp.mma %28, %27 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <32, 128, bf16> -> tensor<64x32xf32, #warp.acc>
          %30 = arith.cmpi sgt, %12, %26 : i64
          %31 = scf.if %30 -> (tensor<64x32xf32, #warp.acc>) {
            %47 = warp.map(%29) : (tensor<64x32xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
            ^bb0(%arg16: f32, %arg17: i64, %arg18: i64):
              %48 = arith.addi %4, %arg17 : i64
              %49 = arith.addi %26, %arg18 : i64
              %50 = arith.cmpi sle, %48, %49 : i64
              %51 = arith.mulf %arg16, %13 : f32
              %52 = arith.select %50, %51, %cst_0 : f32
              warp.yield %52 : f32
            }
            scf.yield %47 : tensor<64x32xf32, #warp.acc>
          } else {
            %47 = warp.map(%29) : (tensor<64x32xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
            ^bb0(%arg16: f32, %arg17: i64, %arg18: i64):
              %48 = arith.mulf %arg16, %13 : f32
              warp.yield %48 : f32
            }
            scf.yield %47 : tensor<64x32xf32, #warp.acc>
          }
          %32 = warp.load %arg4[%rows_q, %9] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 32> -> tensor<32xf32, #warp.column>
          %33 = warp.get %3[%arg15] : <2, <32, 128, bf16>> -> <32, 128, bf16>
          %34 = warp.map(%32) : (tensor<32xf32, #warp.column>) -> tensor<32xf32, #warp.column> {
          ^bb0(%arg16: f32):
            %47 = arith.cmpf oeq, %arg16, %cst_0 : f32
            %48 = arith.select %47, %cst, %arg16 : f32
            %49 = arith.mulf %48, %cst_2 : f32
            warp.yield %49 : f32
          }
          %35 = warp.map(%31, %34) : (tensor<64x32xf32, #warp.acc>, tensor<32xf32, #warp.column>) -> tensor<64x32xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: i64, %arg19: i64):
            %47 = arith.subf %arg16, %arg17 : f32
            %48 = math.exp2 %47 : f32
            warp.yield %48 : f32
          }
          %36 = warp.pack %35 : tensor<64x32xf32, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
          %37 = warp.mma %36, %33, %arg14 : tensor<64x32xbf16, #warp.operand>, <32, 128, bf16> -> tensor<64x128xf32, #warp.acc>
          %38 = warp.get %1[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
          %39 = warp.mma %38, %33 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <32, 128, bf16> -> tensor<64x32xf32, #warp.acc>
          %40 = warp.load %arg5[%rows_q, %9] : <f32, q, heads_q, 1, packed>, <q, 32> -> tensor<32xf32, #warp.column>
          %41 = warp.map(%39, %40, %35) : (tensor<64x32xf32, #warp.acc>, tensor<32xf32, #warp.column>, tensor<64x32xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: f32, %arg19: i64, %arg20: i64):
            %47 = arith.subf %arg16, %arg17 : f32
            %48 = arith.mulf %arg18, %47 : f32
            warp.yield %48 : f32
          }
          %42 = warp.pack %41 : tensor<64x32xf32, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
          %43 = warp.mma %42, %27, %arg13 : tensor<64x32xbf16, #warp.operand>, <32, 128, bf16> -> tensor<64x128xf32, #warp.acc>
          %44 = arith.addi %arg15, %c1_i64 : i64
          %45 = arith.cmpi eq, %arg15, %c1_i64 : i64
          %46 = arith.select %45, %c0_i64, %44 : i64
          scf.yield %43, %37, %46 : tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64
        }
        scf.yield %20#0, %20#1 : tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>
      }
      %7 = warp.map(%6#0) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %9 = arith.mulf %arg9, %arg8 : f32
        %10 = arith.truncf %9 : f32 to bf16
        warp.yield %10 : bf16
      }
      warp.store %7, %arg6[%rows_k, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
      %8 = warp.map(%6#1) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %9 = arith.truncf %arg9 : f32 to bf16
        warp.yield %9 : bf16
      }
      warp.store %8, %arg7[%rows_k, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.wait 0
    }
    warp.return
  }
}
