// A backward of packed rows, head dim 8, two query heads a key head.
module {
  warp.func @delta_body(%arg0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"}, %arg1: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_out"}, %arg2: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %c64_i64 = arith.constant 64 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %rows_q = tile.rows %sequence, %0 : <q, 64>
      %1 = warp.load %arg0[%rows_q, %head] : <bf16, q, heads_q, 8>, <q, 64> -> tensor<64x16xbf16, #warp.acc>
      %2 = warp.load %arg1[%rows_q, %head] : <bf16, q, heads_q, 8>, <q, 64> -> tensor<64x16xbf16, #warp.acc>
      %3 = warp.map(%1, %2) : (tensor<64x16xbf16, #warp.acc>, tensor<64x16xbf16, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
      ^bb0(%arg3: bf16, %arg4: bf16, %arg5: i64, %arg6: i64):
        %5 = arith.extf %arg3 : bf16 to f32
        %6 = arith.extf %arg4 : bf16 to f32
        %7 = arith.mulf %5, %6 : f32
        warp.yield %7 : f32
      }
      %4 = warp.reduce  sum %3 : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
      warp.store %4, %arg2[%rows_q, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1, packed>, <q, 64>
    }
    warp.return
  }
  warp.func @dkdv_split_body(%arg0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<f32, kv, heads_q, 8, packed> {weft.name = "d_key_partial"}, %arg7: !tile.buffer<f32, kv, heads_q, 8, packed> {weft.name = "d_value_partial"}, %arg8: f32 {weft.name = "scale"}) grid <kv, 64, heads_q> schedule <rows = 64, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %c2_i64 = arith.constant 2 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #warp.acc>
    %c1_i64 = arith.constant 1 : i64
    %cst_2 = arith.constant 1.44269502 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 16, bf16>>
    %1 = warp.ring : <1, <64, 16, bf16>>
    %2 = warp.ring : <2, <64, 16, bf16>>
    %3 = warp.ring : <2, <64, 16, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %5 = arith.divsi %head, %c2_i64 : i64
      %rows_k = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%rows_k, %5] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%rows_k, %5] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      %n_q = tile.length  q %sequence
      %6 = arith.mulf %arg8, %cst_2 : f32
      %7 = arith.ceildivsi %n_q, %c64_i64 : i64
      %8 = arith.cmpi sgt, %7, %c0_i64 : i64
      scf.if %8 {
        %rows_q = tile.rows %sequence, %c0_i64 : <q, 64>
        warp.put %2[%c0_i64], %arg0[%rows_q, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
        warp.put %3[%c0_i64], %arg3[%rows_q, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
      }
      warp.commit
      %9:3 = scf.for %arg9 = %c0_i64 to %7 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1, %arg12 = %c0_i64) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %11 = arith.subi %arg12, %c1_i64 : i64
        %12 = arith.cmpi eq, %arg12, %c0_i64 : i64
        %13 = arith.select %12, %c1_i64, %11 : i64
        %14 = arith.addi %arg9, %c1_i64 : i64
        %15 = arith.cmpi slt, %14, %7 : i64
        scf.if %15 {
          %35 = arith.muli %14, %c64_i64 : i64
          %rows_q_4 = tile.rows %sequence, %35 : <q, 64>
          warp.put %2[%13], %arg0[%rows_q_4, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
          warp.put %3[%13], %arg3[%rows_q_4, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
        }
        warp.commit
        %16 = arith.muli %arg9, %c64_i64 : i64
        %rows_q = tile.rows %sequence, %16 : <q, 64>
        %17 = warp.get %2[%arg12] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %18 = warp.get %0[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %19 = warp.mma %18, %17 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %20 = warp.load %arg4[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
        %21 = warp.get %3[%arg12] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %22 = warp.map(%20) : (tensor<64xf32, #warp.column>) -> tensor<64xf32, #warp.column> {
        ^bb0(%arg13: f32):
          %35 = arith.cmpf oeq, %arg13, %cst_0 : f32
          %36 = arith.select %35, %cst, %arg13 : f32
          %37 = arith.mulf %36, %cst_2 : f32
          warp.yield %37 : f32
        }
        %23 = warp.map(%19, %22) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %35 = arith.mulf %arg13, %6 : f32
          %36 = arith.subf %35, %arg14 : f32
          %37 = math.exp2 %36 : f32
          warp.yield %37 : f32
        }
        %24 = warp.pack %23 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %25 = warp.mma %24, %21, %arg11 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
        %26 = warp.get %1[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %27 = warp.mma %26, %21 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %28 = warp.load %arg5[%rows_q, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.column>
        %29 = warp.map(%27, %28, %23) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>, tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: f32, %arg16: i64, %arg17: i64):
          %35 = arith.subf %arg13, %arg14 : f32
          %36 = arith.mulf %arg15, %35 : f32
          warp.yield %36 : f32
        }
        %30 = warp.pack %29 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %31 = warp.mma %30, %17, %arg10 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
        %32 = arith.addi %arg12, %c1_i64 : i64
        %33 = arith.cmpi eq, %arg12, %c1_i64 : i64
        %34 = arith.select %33, %c0_i64, %32 : i64
        scf.yield %31, %25, %34 : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64
      }
      %10 = warp.map(%9#0) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %11 = arith.mulf %arg9, %arg8 : f32
        warp.yield %11 : f32
      }
      warp.store %10, %arg6[%rows_k, %head] : tensor<64x16xf32, #warp.acc>, <f32, kv, heads_q, 8, packed>, <kv, 64>
      warp.store %9#1, %arg7[%rows_k, %head] : tensor<64x16xf32, #warp.acc>, <f32, kv, heads_q, 8, packed>, <kv, 64>
      warp.wait 0
    }
    warp.return
  }
  warp.func @reduce_dk_body(%arg0: !tile.buffer<f32, kv, heads_q, 8, packed> {weft.name = "d_key_partial"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"}) grid <kv, 64, heads_kv> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %c64_i64 = arith.constant 64 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #warp.acc>
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %rows_k = tile.rows %sequence, %0 : <kv, 64>
      %1 = arith.muli %head, %c2_i64 : i64
      %2 = scf.for %arg2 = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x16xf32, #warp.acc>)  : i64 {
        %4 = arith.addi %1, %arg2 : i64
        %5 = warp.load %arg0[%rows_k, %4] : <f32, kv, heads_q, 8, packed>, <kv, 64> -> tensor<64x16xf32, #warp.acc>
        %6 = warp.map(%arg3, %5) : (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %7 = arith.addf %arg4, %arg5 : f32
          warp.yield %7 : f32
        }
        scf.yield %6 : tensor<64x16xf32, #warp.acc>
      }
      %3 = warp.map(%2) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %4 = arith.truncf %arg2 : f32 to bf16
        warp.yield %4 : bf16
      }
      warp.store %3, %arg1[%rows_k, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
    }
    warp.return
  }
  warp.func @reduce_dv_body(%arg0: !tile.buffer<f32, kv, heads_q, 8, packed> {weft.name = "d_value_partial"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_value"}) grid <kv, 64, heads_kv> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %c64_i64 = arith.constant 64 : i64
    %cst = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #warp.acc>
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %rows_k = tile.rows %sequence, %0 : <kv, 64>
      %1 = arith.muli %head, %c2_i64 : i64
      %2 = scf.for %arg2 = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x16xf32, #warp.acc>)  : i64 {
        %4 = arith.addi %1, %arg2 : i64
        %5 = warp.load %arg0[%rows_k, %4] : <f32, kv, heads_q, 8, packed>, <kv, 64> -> tensor<64x16xf32, #warp.acc>
        %6 = warp.map(%arg3, %5) : (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %7 = arith.addf %arg4, %arg5 : f32
          warp.yield %7 : f32
        }
        scf.yield %6 : tensor<64x16xf32, #warp.acc>
      }
      %3 = warp.map(%2) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %4 = arith.truncf %arg2 : f32 to bf16
        warp.yield %4 : bf16
      }
      warp.store %3, %arg1[%rows_k, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
    }
    warp.return
  }
  warp.func @dq_body(%arg0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_query"}, %arg7: f32 {weft.name = "scale"}) grid <q, 64, heads_q> schedule <rows = 64, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c63_i64 = arith.constant 63 : i64
    %cst_1 = arith.constant 1.44269502 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #warp.acc>
    %c0_i64 = arith.constant 0 : i64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 16, bf16>>
    %1 = warp.ring : <1, <64, 16, bf16>>
    %2 = warp.ring : <2, <64, 16, bf16>>
    %3 = warp.ring : <2, <64, 16, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %rows_q = tile.rows %sequence, %4 : <q, 64>
      %5 = arith.divsi %head, %c2_i64 : i64
      warp.put %0[%c0_i64], %arg0[%rows_q, %head] : <1, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg3[%rows_q, %head] : <1, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
      warp.commit
      %6 = warp.load %arg4[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.row>
      %7 = warp.load %arg5[%rows_q, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.row>
      %n_k = tile.length  kv %sequence
      %8 = arith.mulf %arg7, %cst_1 : f32
      %9 = arith.ceildivsi %n_k, %c64_i64 : i64
      %10 = arith.cmpi sgt, %9, %c0_i64 : i64
      scf.if %10 {
        %rows_k = tile.rows %sequence, %c0_i64 : <kv, 64>
        warp.put %2[%c0_i64], %arg1[%rows_k, %5] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
        warp.put %3[%c0_i64], %arg2[%rows_k, %5] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      }
      warp.commit
      %11 = warp.map(%6) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
      ^bb0(%arg8: f32):
        %14 = arith.cmpf oeq, %arg8, %cst_0 : f32
        %15 = arith.select %14, %cst, %arg8 : f32
        %16 = arith.mulf %15, %cst_1 : f32
        warp.yield %16 : f32
      }
      %12:2 = scf.for %arg8 = %c0_i64 to %9 step %c1_i64 iter_args(%arg9 = %cst_2, %arg10 = %c0_i64) -> (tensor<64x16xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %14 = arith.subi %arg10, %c1_i64 : i64
        %15 = arith.cmpi eq, %arg10, %c0_i64 : i64
        %16 = arith.select %15, %c1_i64, %14 : i64
        %17 = arith.addi %arg8, %c1_i64 : i64
        %18 = arith.cmpi slt, %17, %9 : i64
        scf.if %18 {
          %35 = arith.muli %17, %c64_i64 : i64
          %rows_k = tile.rows %sequence, %35 : <kv, 64>
          warp.put %2[%16], %arg1[%rows_k, %5] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
          warp.put %3[%16], %arg2[%rows_k, %5] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
        }
        warp.commit
        %19 = arith.muli %arg8, %c64_i64 : i64
        %20 = warp.get %2[%arg10] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %21 = warp.get %0[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %22 = warp.mma %21, %20 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %23 = arith.addi %19, %c63_i64 : i64
        %24 = arith.cmpi sle, %n_k, %23 : i64
        %25 = scf.if %24 -> (tensor<64x64xf32, #warp.acc>) {
          %35 = warp.map(%22) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %36 = arith.addi %19, %arg13 : i64
            %37 = arith.cmpi slt, %36, %n_k : i64
            %38 = arith.mulf %arg11, %8 : f32
            %39 = arith.select %37, %38, %cst_0 : f32
            warp.yield %39 : f32
          }
          scf.yield %35 : tensor<64x64xf32, #warp.acc>
        } else {
          %35 = warp.map(%22) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %36 = arith.mulf %arg11, %8 : f32
            warp.yield %36 : f32
          }
          scf.yield %35 : tensor<64x64xf32, #warp.acc>
        }
        %26 = warp.get %3[%arg10] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %27 = warp.get %1[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %28 = warp.mma %27, %26 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %29 = warp.map(%25, %11, %28, %7) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>, tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %35 = arith.subf %arg11, %arg12 : f32
          %36 = math.exp2 %35 : f32
          %37 = arith.subf %arg13, %arg14 : f32
          %38 = arith.mulf %36, %37 : f32
          warp.yield %38 : f32
        }
        %30 = warp.pack %29 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %31 = warp.mma %30, %20, %arg9 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
        %32 = arith.addi %arg10, %c1_i64 : i64
        %33 = arith.cmpi eq, %arg10, %c1_i64 : i64
        %34 = arith.select %33, %c0_i64, %32 : i64
        scf.yield %31, %34 : tensor<64x16xf32, #warp.acc>, i64
      }
      %13 = warp.map(%12#0) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg8: f32, %arg9: i64, %arg10: i64):
        %14 = arith.mulf %arg8, %arg7 : f32
        %15 = arith.truncf %14 : f32 to bf16
        warp.yield %15 : bf16
      }
      warp.store %13, %arg6[%rows_q, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, q, heads_q, 8>, <q, 64>
      warp.wait 0
    }
    warp.return
  }
  warp.func @dkdv_body(%arg0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"}, %arg7: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_value"}, %arg8: f32 {weft.name = "scale"}) grid <kv, 64, heads_kv> schedule <rows = 64, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x16xf32, #warp.acc>
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %cst_2 = arith.constant 1.44269502 : f32
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 16, bf16>>
    %1 = warp.ring : <1, <64, 16, bf16>>
    %2 = warp.ring : <2, <64, 16, bf16>>
    %3 = warp.ring : <2, <64, 16, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %rows_k = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%rows_k, %head] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%rows_k, %head] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      %5 = arith.muli %head, %c2_i64 : i64
      %6:2 = scf.for %arg9 = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>)  : i64 {
        %9 = arith.addi %5, %arg9 : i64
        %n_q = tile.length  q %sequence
        %10 = arith.mulf %arg8, %cst_2 : f32
        %11 = arith.ceildivsi %n_q, %c64_i64 : i64
        warp.barrier
        %12 = arith.cmpi sgt, %11, %c0_i64 : i64
        scf.if %12 {
          %rows_q = tile.rows %sequence, %c0_i64 : <q, 64>
          warp.put %2[%c0_i64], %arg0[%rows_q, %9] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
          warp.put %3[%c0_i64], %arg3[%rows_q, %9] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
        }
        warp.commit
        %13:3 = scf.for %arg12 = %c0_i64 to %11 step %c1_i64 iter_args(%arg13 = %arg10, %arg14 = %arg11, %arg15 = %c0_i64) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64)  : i64 {
          warp.wait 0
          warp.barrier
          %14 = arith.subi %arg15, %c1_i64 : i64
          %15 = arith.cmpi eq, %arg15, %c0_i64 : i64
          %16 = arith.select %15, %c1_i64, %14 : i64
          %17 = arith.addi %arg12, %c1_i64 : i64
          %18 = arith.cmpi slt, %17, %11 : i64
          scf.if %18 {
            %38 = arith.muli %17, %c64_i64 : i64
            %rows_q_4 = tile.rows %sequence, %38 : <q, 64>
            warp.put %2[%16], %arg0[%rows_q_4, %9] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
            warp.put %3[%16], %arg3[%rows_q_4, %9] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
          }
          warp.commit
          %19 = arith.muli %arg12, %c64_i64 : i64
          %rows_q = tile.rows %sequence, %19 : <q, 64>
          %20 = warp.get %2[%arg15] : <2, <64, 16, bf16>> -> <64, 16, bf16>
          %21 = warp.get %0[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
          %22 = warp.mma %21, %20 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
          %23 = warp.load %arg4[%rows_q, %9] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
          %24 = warp.get %3[%arg15] : <2, <64, 16, bf16>> -> <64, 16, bf16>
          %25 = warp.map(%23) : (tensor<64xf32, #warp.column>) -> tensor<64xf32, #warp.column> {
          ^bb0(%arg16: f32):
            %38 = arith.cmpf oeq, %arg16, %cst_0 : f32
            %39 = arith.select %38, %cst, %arg16 : f32
            %40 = arith.mulf %39, %cst_2 : f32
            warp.yield %40 : f32
          }
          %26 = warp.map(%22, %25) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: i64, %arg19: i64):
            %38 = arith.mulf %arg16, %10 : f32
            %39 = arith.subf %38, %arg17 : f32
            %40 = math.exp2 %39 : f32
            warp.yield %40 : f32
          }
          %27 = warp.pack %26 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
          %28 = warp.mma %27, %24, %arg14 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
          %29 = warp.get %1[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
          %30 = warp.mma %29, %24 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
          %31 = warp.load %arg5[%rows_q, %9] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.column>
          %32 = warp.map(%30, %31, %26) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>, tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: f32, %arg19: i64, %arg20: i64):
            %38 = arith.subf %arg16, %arg17 : f32
            %39 = arith.mulf %arg18, %38 : f32
            warp.yield %39 : f32
          }
          %33 = warp.pack %32 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
          %34 = warp.mma %33, %20, %arg13 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
          %35 = arith.addi %arg15, %c1_i64 : i64
          %36 = arith.cmpi eq, %arg15, %c1_i64 : i64
          %37 = arith.select %36, %c0_i64, %35 : i64
          scf.yield %34, %28, %37 : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64
        }
        scf.yield %13#0, %13#1 : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>
      }
      %7 = warp.map(%6#0) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %9 = arith.mulf %arg9, %arg8 : f32
        %10 = arith.truncf %9 : f32 to bf16
        warp.yield %10 : bf16
      }
      warp.store %7, %arg6[%rows_k, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
      %8 = warp.map(%6#1) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %9 = arith.truncf %arg9 : f32 to bf16
        warp.yield %9 : bf16
      }
      warp.store %8, %arg7[%rows_k, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.wait 0
    }
    warp.return
  }
  warp.func @fill_body(%arg0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_value"}) grid <held, 64, heads_q> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %c64_i64 = arith.constant 64 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      warp.fill %arg0[%0, %head], 0.000000e+00 : <bf16, q, heads_q, 8>
      warp.fill %arg1[%0, %head], 0.000000e+00 : <bf16, kv, heads_kv, 8>
      warp.fill %arg2[%0, %head], 0.000000e+00 : <bf16, kv, heads_kv, 8>
    }
    warp.return
  }
}
