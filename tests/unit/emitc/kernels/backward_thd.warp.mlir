// A backward of packed rows, head dim 8, two query heads a key head.
module {
  warp.func @delta_body(%arg0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"}, %arg1: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "d_out"}, %arg2: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<thd>, weft.q = #attn.side<thd>} {
    %c64_i64 = arith.constant 64 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %1 = tile.rows %sequence, %0 : <q, 64>
      %2 = warp.load %arg0[%1, %head] : <bf16, q, heads_q, 8>, <q, 64> -> tensor<64x16xbf16, #warp.acc>
      %3 = warp.load %arg1[%1, %head] : <bf16, q, heads_q, 8>, <q, 64> -> tensor<64x16xbf16, #warp.acc>
      %4 = warp.map(%2, %3) : (tensor<64x16xbf16, #warp.acc>, tensor<64x16xbf16, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
      ^bb0(%arg3: bf16, %arg4: bf16, %arg5: i64, %arg6: i64):
        %6 = arith.extf %arg3 : bf16 to f32
        %7 = arith.extf %arg4 : bf16 to f32
        %8 = arith.mulf %6, %7 : f32
        warp.yield %8 : f32
      }
      %5 = warp.reduce  sum %4 : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
      warp.store %5, %arg2[%1, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1, packed>, <q, 64>
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
      %6 = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%6, %5] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%6, %5] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      %7 = tile.length  q %sequence
      %8 = arith.mulf %arg8, %cst_2 : f32
      %9 = arith.ceildivsi %7, %c64_i64 : i64
      %10 = arith.cmpi sgt, %9, %c0_i64 : i64
      scf.if %10 {
        %13 = tile.rows %sequence, %c0_i64 : <q, 64>
        warp.put %2[%c0_i64], %arg0[%13, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
        warp.put %3[%c0_i64], %arg3[%13, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
      }
      warp.commit
      %11:3 = scf.for %arg9 = %c0_i64 to %9 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1, %arg12 = %c0_i64) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %13 = arith.subi %arg12, %c1_i64 : i64
        %14 = arith.cmpi eq, %arg12, %c0_i64 : i64
        %15 = arith.select %14, %c1_i64, %13 : i64
        %16 = arith.addi %arg9, %c1_i64 : i64
        %17 = arith.cmpi slt, %16, %9 : i64
        scf.if %17 {
          %38 = arith.muli %16, %c64_i64 : i64
          %39 = tile.rows %sequence, %38 : <q, 64>
          warp.put %2[%15], %arg0[%39, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
          warp.put %3[%15], %arg3[%39, %head] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
        }
        warp.commit
        %18 = arith.muli %arg9, %c64_i64 : i64
        %19 = tile.rows %sequence, %18 : <q, 64>
        %20 = warp.get %2[%arg12] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %21 = warp.get %0[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %22 = warp.mma %21, %20 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %23 = warp.load %arg4[%19, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
        %24 = warp.get %3[%arg12] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %25 = warp.map(%23) : (tensor<64xf32, #warp.column>) -> tensor<64xf32, #warp.column> {
        ^bb0(%arg13: f32):
          %38 = arith.cmpf oeq, %arg13, %cst_0 : f32
          %39 = arith.select %38, %cst, %arg13 : f32
          %40 = arith.mulf %39, %cst_2 : f32
          warp.yield %40 : f32
        }
        %26 = warp.map(%22, %25) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %38 = arith.mulf %arg13, %8 : f32
          %39 = arith.subf %38, %arg14 : f32
          %40 = math.exp2 %39 : f32
          warp.yield %40 : f32
        }
        %27 = warp.pack %26 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %28 = warp.mma %27, %24, %arg11 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
        %29 = warp.get %1[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %30 = warp.mma %29, %24 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %31 = warp.load %arg5[%19, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.column>
        %32 = warp.map(%30, %31, %26) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>, tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: f32, %arg16: i64, %arg17: i64):
          %38 = arith.subf %arg13, %arg14 : f32
          %39 = arith.mulf %arg15, %38 : f32
          warp.yield %39 : f32
        }
        %33 = warp.pack %32 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %34 = warp.mma %33, %20, %arg10 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
        %35 = arith.addi %arg12, %c1_i64 : i64
        %36 = arith.cmpi eq, %arg12, %c1_i64 : i64
        %37 = arith.select %36, %c0_i64, %35 : i64
        scf.yield %34, %28, %37 : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64
      }
      %12 = warp.map(%11#0) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %13 = arith.mulf %arg9, %arg8 : f32
        warp.yield %13 : f32
      }
      warp.store %12, %arg6[%6, %head] : tensor<64x16xf32, #warp.acc>, <f32, kv, heads_q, 8, packed>, <kv, 64>
      warp.store %11#1, %arg7[%6, %head] : tensor<64x16xf32, #warp.acc>, <f32, kv, heads_q, 8, packed>, <kv, 64>
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
      %1 = tile.rows %sequence, %0 : <kv, 64>
      %2 = arith.muli %head, %c2_i64 : i64
      %3 = scf.for %arg2 = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x16xf32, #warp.acc>)  : i64 {
        %5 = arith.addi %2, %arg2 : i64
        %6 = warp.load %arg0[%1, %5] : <f32, kv, heads_q, 8, packed>, <kv, 64> -> tensor<64x16xf32, #warp.acc>
        %7 = warp.map(%arg3, %6) : (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %8 = arith.addf %arg4, %arg5 : f32
          warp.yield %8 : f32
        }
        scf.yield %7 : tensor<64x16xf32, #warp.acc>
      }
      %4 = warp.map(%3) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %5 = arith.truncf %arg2 : f32 to bf16
        warp.yield %5 : bf16
      }
      warp.store %4, %arg1[%1, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
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
      %1 = tile.rows %sequence, %0 : <kv, 64>
      %2 = arith.muli %head, %c2_i64 : i64
      %3 = scf.for %arg2 = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x16xf32, #warp.acc>)  : i64 {
        %5 = arith.addi %2, %arg2 : i64
        %6 = warp.load %arg0[%1, %5] : <f32, kv, heads_q, 8, packed>, <kv, 64> -> tensor<64x16xf32, #warp.acc>
        %7 = warp.map(%arg3, %6) : (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %8 = arith.addf %arg4, %arg5 : f32
          warp.yield %8 : f32
        }
        scf.yield %7 : tensor<64x16xf32, #warp.acc>
      }
      %4 = warp.map(%3) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %5 = arith.truncf %arg2 : f32 to bf16
        warp.yield %5 : bf16
      }
      warp.store %4, %arg1[%1, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
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
      %5 = tile.rows %sequence, %4 : <q, 64>
      %6 = arith.divsi %head, %c2_i64 : i64
      warp.put %0[%c0_i64], %arg0[%5, %head] : <1, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg3[%5, %head] : <1, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
      warp.commit
      %7 = warp.load %arg4[%5, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.row>
      %8 = warp.load %arg5[%5, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.row>
      %9 = tile.length  kv %sequence
      %10 = arith.mulf %arg7, %cst_1 : f32
      %11 = arith.ceildivsi %9, %c64_i64 : i64
      %12 = arith.cmpi sgt, %11, %c0_i64 : i64
      scf.if %12 {
        %16 = tile.rows %sequence, %c0_i64 : <kv, 64>
        warp.put %2[%c0_i64], %arg1[%16, %6] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
        warp.put %3[%c0_i64], %arg2[%16, %6] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      }
      warp.commit
      %13 = warp.map(%7) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
      ^bb0(%arg8: f32):
        %16 = arith.cmpf oeq, %arg8, %cst_0 : f32
        %17 = arith.select %16, %cst, %arg8 : f32
        %18 = arith.mulf %17, %cst_1 : f32
        warp.yield %18 : f32
      }
      %14:2 = scf.for %arg8 = %c0_i64 to %11 step %c1_i64 iter_args(%arg9 = %cst_2, %arg10 = %c0_i64) -> (tensor<64x16xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %16 = arith.subi %arg10, %c1_i64 : i64
        %17 = arith.cmpi eq, %arg10, %c0_i64 : i64
        %18 = arith.select %17, %c1_i64, %16 : i64
        %19 = arith.addi %arg8, %c1_i64 : i64
        %20 = arith.cmpi slt, %19, %11 : i64
        scf.if %20 {
          %38 = arith.muli %19, %c64_i64 : i64
          %39 = tile.rows %sequence, %38 : <kv, 64>
          warp.put %2[%18], %arg1[%39, %6] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
          warp.put %3[%18], %arg2[%39, %6] : <2, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
        }
        warp.commit
        %21 = arith.muli %arg8, %c64_i64 : i64
        %22 = warp.get %2[%arg10] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %23 = warp.get %0[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %24 = warp.mma %23, %22 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %25 = arith.addi %21, %c63_i64 : i64
        %26 = arith.cmpi sle, %9, %25 : i64
        %27 = warp.map(%24) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
          %38 = arith.mulf %arg11, %10 : f32
          warp.yield %38 : f32
        }
        %28 = scf.if %26 -> (tensor<64x64xf32, #warp.acc>) {
          %38 = warp.map(%27) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %39 = arith.addi %21, %arg13 : i64
            %40 = arith.cmpi slt, %39, %9 : i64
            %41 = arith.select %40, %arg11, %cst_0 : f32
            warp.yield %41 : f32
          }
          scf.yield %38 : tensor<64x64xf32, #warp.acc>
        } else {
          scf.yield %27 : tensor<64x64xf32, #warp.acc>
        }
        %29 = warp.get %3[%arg10] : <2, <64, 16, bf16>> -> <64, 16, bf16>
        %30 = warp.get %1[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
        %31 = warp.mma %30, %29 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
        %32 = warp.map(%28, %13, %31, %8) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>, tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %38 = arith.subf %arg11, %arg12 : f32
          %39 = math.exp2 %38 : f32
          %40 = arith.subf %arg13, %arg14 : f32
          %41 = arith.mulf %39, %40 : f32
          warp.yield %41 : f32
        }
        %33 = warp.pack %32 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %34 = warp.mma %33, %22, %arg9 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
        %35 = arith.addi %arg10, %c1_i64 : i64
        %36 = arith.cmpi eq, %arg10, %c1_i64 : i64
        %37 = arith.select %36, %c0_i64, %35 : i64
        scf.yield %34, %37 : tensor<64x16xf32, #warp.acc>, i64
      }
      %15 = warp.map(%14#0) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg8: f32, %arg9: i64, %arg10: i64):
        %16 = arith.mulf %arg8, %arg7 : f32
        %17 = arith.truncf %16 : f32 to bf16
        warp.yield %17 : bf16
      }
      warp.store %15, %arg6[%5, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, q, heads_q, 8>, <q, 64>
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
      %5 = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%5, %head] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%5, %head] : <1, <64, 16, bf16>>, <bf16, kv, heads_kv, 8>, <kv, 64>
      warp.commit
      %6 = arith.muli %head, %c2_i64 : i64
      %7:2 = scf.for %arg9 = %c0_i64 to %c2_i64 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>)  : i64 {
        %10 = arith.addi %6, %arg9 : i64
        %11 = tile.length  q %sequence
        %12 = arith.mulf %arg8, %cst_2 : f32
        %13 = arith.ceildivsi %11, %c64_i64 : i64
        warp.barrier
        %14 = arith.cmpi sgt, %13, %c0_i64 : i64
        scf.if %14 {
          %16 = tile.rows %sequence, %c0_i64 : <q, 64>
          warp.put %2[%c0_i64], %arg0[%16, %10] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
          warp.put %3[%c0_i64], %arg3[%16, %10] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
        }
        warp.commit
        %15:3 = scf.for %arg12 = %c0_i64 to %13 step %c1_i64 iter_args(%arg13 = %arg10, %arg14 = %arg11, %arg15 = %c0_i64) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64)  : i64 {
          warp.wait 0
          warp.barrier
          %16 = arith.subi %arg15, %c1_i64 : i64
          %17 = arith.cmpi eq, %arg15, %c0_i64 : i64
          %18 = arith.select %17, %c1_i64, %16 : i64
          %19 = arith.addi %arg12, %c1_i64 : i64
          %20 = arith.cmpi slt, %19, %13 : i64
          scf.if %20 {
            %41 = arith.muli %19, %c64_i64 : i64
            %42 = tile.rows %sequence, %41 : <q, 64>
            warp.put %2[%18], %arg0[%42, %10] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
            warp.put %3[%18], %arg3[%42, %10] : <2, <64, 16, bf16>>, <bf16, q, heads_q, 8>, <q, 64>
          }
          warp.commit
          %21 = arith.muli %arg12, %c64_i64 : i64
          %22 = tile.rows %sequence, %21 : <q, 64>
          %23 = warp.get %2[%arg15] : <2, <64, 16, bf16>> -> <64, 16, bf16>
          %24 = warp.get %0[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
          %25 = warp.mma %24, %23 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
          %26 = warp.load %arg4[%22, %10] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
          %27 = warp.get %3[%arg15] : <2, <64, 16, bf16>> -> <64, 16, bf16>
          %28 = warp.map(%26) : (tensor<64xf32, #warp.column>) -> tensor<64xf32, #warp.column> {
          ^bb0(%arg16: f32):
            %41 = arith.cmpf oeq, %arg16, %cst_0 : f32
            %42 = arith.select %41, %cst, %arg16 : f32
            %43 = arith.mulf %42, %cst_2 : f32
            warp.yield %43 : f32
          }
          %29 = warp.map(%25, %28) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: i64, %arg19: i64):
            %41 = arith.mulf %arg16, %12 : f32
            %42 = arith.subf %41, %arg17 : f32
            %43 = math.exp2 %42 : f32
            warp.yield %43 : f32
          }
          %30 = warp.pack %29 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
          %31 = warp.mma %30, %27, %arg14 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
          %32 = warp.get %1[%c0_i64] : <1, <64, 16, bf16>> -> <64, 16, bf16>
          %33 = warp.mma %32, %27 transposed, %cst_3 : !warp.shared<64, 16, bf16>, <64, 16, bf16> -> tensor<64x64xf32, #warp.acc>
          %34 = warp.load %arg5[%22, %10] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.column>
          %35 = warp.map(%33, %34, %29) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>, tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: f32, %arg19: i64, %arg20: i64):
            %41 = arith.subf %arg16, %arg17 : f32
            %42 = arith.mulf %arg18, %41 : f32
            warp.yield %42 : f32
          }
          %36 = warp.pack %35 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
          %37 = warp.mma %36, %23, %arg13 : tensor<64x64xbf16, #warp.operand>, <64, 16, bf16> -> tensor<64x16xf32, #warp.acc>
          %38 = arith.addi %arg15, %c1_i64 : i64
          %39 = arith.cmpi eq, %arg15, %c1_i64 : i64
          %40 = arith.select %39, %c0_i64, %38 : i64
          scf.yield %37, %31, %40 : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>, i64
        }
        scf.yield %15#0, %15#1 : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>
      }
      %8 = warp.map(%7#0) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %10 = arith.mulf %arg9, %arg8 : f32
        %11 = arith.truncf %10 : f32 to bf16
        warp.yield %11 : bf16
      }
      warp.store %8, %arg6[%5, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
      %9 = warp.map(%7#1) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %10 = arith.truncf %arg9 : f32 to bf16
        warp.yield %10 : bf16
      }
      warp.store %9, %arg7[%5, %head] : tensor<64x16xbf16, #warp.acc>, <bf16, kv, heads_kv, 8>, <kv, 64>
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
