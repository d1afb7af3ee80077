// A backward, head dim 128, causal, four query heads a key head.
module {
  warp.func @delta_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "out"}, %arg1: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg2: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %c64_i64 = arith.constant 64 : i64
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %0 = arith.muli %tile, %c64_i64 : i64
      %1 = tile.rows %sequence, %0 : <q, 64>
      %2 = warp.load %arg0[%1, %head] : <bf16, q, heads_q, 128>, <q, 64> -> tensor<64x128xbf16, #warp.acc>
      %3 = warp.load %arg1[%1, %head] : <bf16, q, heads_q, 128>, <q, 64> -> tensor<64x128xbf16, #warp.acc>
      %4 = warp.map(%2, %3) : (tensor<64x128xbf16, #warp.acc>, tensor<64x128xbf16, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
      ^bb0(%arg3: bf16, %arg4: bf16, %arg5: i64, %arg6: i64):
        %6 = arith.extf %arg3 : bf16 to f32
        %7 = arith.extf %arg4 : bf16 to f32
        %8 = arith.mulf %6, %7 : f32
        warp.yield %8 : f32
      }
      %5 = warp.reduce  sum %4 : tensor<64x128xf32, #warp.acc> -> tensor<64xf32, #warp.row>
      warp.store %5, %arg2[%1, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1, packed>, <q, 64>
    }
    warp.return
  }
  warp.func @dkdv_split_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<f32, kv, heads_q, 128, packed> {weft.name = "d_key_partial"}, %arg7: !tile.buffer<f32, kv, heads_q, 128, packed> {weft.name = "d_value_partial"}, %arg8: f32 {weft.name = "scale"}) grid <kv, 64, heads_q> schedule <rows = 64, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %c4_i64 = arith.constant 4 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c1_i64 = arith.constant 1 : i64
    %c63_i64 = arith.constant 63 : i64
    %cst_2 = arith.constant 1.44269502 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 128, bf16>>
    %1 = warp.ring : <1, <64, 128, bf16>>
    %2 = warp.ring : <2, <64, 128, bf16>>
    %3 = warp.ring : <2, <64, 128, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %5 = arith.divsi %head, %c4_i64 : i64
      %6 = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%6, %5] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%6, %5] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      %7 = tile.length  q %sequence
      %8 = tile.length  kv %sequence
      %9 = arith.subi %8, %c1_i64 : i64
      %10 = arith.addi %4, %c63_i64 : i64
      %11 = arith.minsi %10, %9 : i64
      %12 = arith.mulf %arg8, %cst_2 : f32
      %13 = arith.ceildivsi %7, %c64_i64 : i64
      %14 = arith.cmpi slt, %4, %7 : i64
      %15 = arith.select %14, %13, %c0_i64 : i64
      %16 = arith.floordivsi %4, %c64_i64 : i64
      %17 = arith.maxsi %16, %c0_i64 : i64
      %18 = arith.cmpi slt, %17, %15 : i64
      scf.if %18 {
        %21 = arith.muli %17, %c64_i64 : i64
        %22 = tile.rows %sequence, %21 : <q, 64>
        warp.put %2[%c0_i64], %arg0[%22, %head] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
        warp.put %3[%c0_i64], %arg3[%22, %head] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
      }
      warp.commit
      %19:3 = scf.for %arg9 = %17 to %15 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1, %arg12 = %c0_i64) -> (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %21 = arith.subi %arg12, %c1_i64 : i64
        %22 = arith.cmpi eq, %arg12, %c0_i64 : i64
        %23 = arith.select %22, %c1_i64, %21 : i64
        %24 = arith.addi %arg9, %c1_i64 : i64
        %25 = arith.cmpi slt, %24, %15 : i64
        scf.if %25 {
          %49 = arith.muli %24, %c64_i64 : i64
          %50 = tile.rows %sequence, %49 : <q, 64>
          warp.put %2[%23], %arg0[%50, %head] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
          warp.put %3[%23], %arg3[%50, %head] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
        }
        warp.commit
        %26 = arith.muli %arg9, %c64_i64 : i64
        %27 = tile.rows %sequence, %26 : <q, 64>
        %28 = warp.get %2[%arg12] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %29 = warp.get %0[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %30 = warp.mma %29, %28 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
        %31 = arith.cmpi sgt, %11, %26 : i64
        %32 = warp.map(%30) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: i64, %arg15: i64):
          %49 = arith.mulf %arg13, %12 : f32
          warp.yield %49 : f32
        }
        %33 = scf.if %31 -> (tensor<64x64xf32, #warp.acc>) {
          %49 = warp.map(%32) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg13: f32, %arg14: i64, %arg15: i64):
            %50 = arith.addi %4, %arg14 : i64
            %51 = arith.addi %26, %arg15 : i64
            %52 = arith.cmpi sle, %50, %51 : i64
            %53 = arith.select %52, %arg13, %cst_0 : f32
            warp.yield %53 : f32
          }
          scf.yield %49 : tensor<64x64xf32, #warp.acc>
        } else {
          scf.yield %32 : tensor<64x64xf32, #warp.acc>
        }
        %34 = warp.load %arg4[%27, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
        %35 = warp.get %3[%arg12] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %36 = warp.map(%34) : (tensor<64xf32, #warp.column>) -> tensor<64xf32, #warp.column> {
        ^bb0(%arg13: f32):
          %49 = arith.cmpf oeq, %arg13, %cst_0 : f32
          %50 = arith.select %49, %cst, %arg13 : f32
          %51 = arith.mulf %50, %cst_2 : f32
          warp.yield %51 : f32
        }
        %37 = warp.map(%33, %36) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %49 = arith.subf %arg13, %arg14 : f32
          %50 = math.exp2 %49 : f32
          warp.yield %50 : f32
        }
        %38 = warp.pack %37 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %39 = warp.mma %38, %35, %arg11 : tensor<64x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<64x128xf32, #warp.acc>
        %40 = warp.get %1[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %41 = warp.mma %40, %35 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
        %42 = warp.load %arg5[%27, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.column>
        %43 = warp.map(%41, %42, %37) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>, tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg13: f32, %arg14: f32, %arg15: f32, %arg16: i64, %arg17: i64):
          %49 = arith.subf %arg13, %arg14 : f32
          %50 = arith.mulf %arg15, %49 : f32
          warp.yield %50 : f32
        }
        %44 = warp.pack %43 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %45 = warp.mma %44, %28, %arg10 : tensor<64x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<64x128xf32, #warp.acc>
        %46 = arith.addi %arg12, %c1_i64 : i64
        %47 = arith.cmpi eq, %arg12, %c1_i64 : i64
        %48 = arith.select %47, %c0_i64, %46 : i64
        scf.yield %45, %39, %48 : tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64
      }
      %20 = warp.map(%19#0) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %21 = arith.mulf %arg9, %arg8 : f32
        warp.yield %21 : f32
      }
      warp.store %20, %arg6[%6, %head] : tensor<64x128xf32, #warp.acc>, <f32, kv, heads_q, 128, packed>, <kv, 64>
      warp.store %19#1, %arg7[%6, %head] : tensor<64x128xf32, #warp.acc>, <f32, kv, heads_q, 128, packed>, <kv, 64>
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
      %1 = tile.rows %sequence, %0 : <kv, 64>
      %2 = arith.muli %head, %c4_i64 : i64
      %3 = scf.for %arg2 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x128xf32, #warp.acc>)  : i64 {
        %5 = arith.addi %2, %arg2 : i64
        %6 = warp.load %arg0[%1, %5] : <f32, kv, heads_q, 128, packed>, <kv, 64> -> tensor<64x128xf32, #warp.acc>
        %7 = warp.map(%arg3, %6) : (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %8 = arith.addf %arg4, %arg5 : f32
          warp.yield %8 : f32
        }
        scf.yield %7 : tensor<64x128xf32, #warp.acc>
      }
      %4 = warp.map(%3) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %5 = arith.truncf %arg2 : f32 to bf16
        warp.yield %5 : bf16
      }
      warp.store %4, %arg1[%1, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
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
      %1 = tile.rows %sequence, %0 : <kv, 64>
      %2 = arith.muli %head, %c4_i64 : i64
      %3 = scf.for %arg2 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg3 = %cst) -> (tensor<64x128xf32, #warp.acc>)  : i64 {
        %5 = arith.addi %2, %arg2 : i64
        %6 = warp.load %arg0[%1, %5] : <f32, kv, heads_q, 128, packed>, <kv, 64> -> tensor<64x128xf32, #warp.acc>
        %7 = warp.map(%arg3, %6) : (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>) -> tensor<64x128xf32, #warp.acc> {
        ^bb0(%arg4: f32, %arg5: f32, %arg6: i64, %arg7: i64):
          %8 = arith.addf %arg4, %arg5 : f32
          warp.yield %8 : f32
        }
        scf.yield %7 : tensor<64x128xf32, #warp.acc>
      }
      %4 = warp.map(%3) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg2: f32, %arg3: i64, %arg4: i64):
        %5 = arith.truncf %arg2 : f32 to bf16
        warp.yield %5 : bf16
      }
      warp.store %4, %arg1[%1, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
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
      %5 = tile.rows %sequence, %4 : <q, 64>
      %6 = arith.divsi %head, %c4_i64 : i64
      warp.put %0[%c0_i64], %arg0[%5, %head] : <1, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg3[%5, %head] : <1, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
      warp.commit
      %7 = warp.load %arg4[%5, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.row>
      %8 = warp.load %arg5[%5, %head] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.row>
      %9 = tile.length  q %sequence
      %10 = tile.length  kv %sequence
      %11 = arith.subi %10, %c1_i64 : i64
      %12 = arith.subi %9, %c1_i64 : i64
      %13 = arith.addi %4, %c63_i64 : i64
      %14 = arith.minsi %13, %12 : i64
      %15 = arith.mulf %arg7, %cst_1 : f32
      %16 = arith.ceildivsi %10, %c64_i64 : i64
      %17 = arith.floordivsi %14, %c64_i64 : i64
      %18 = arith.addi %17, %c1_i64 : i64
      %19 = arith.minsi %16, %18 : i64
      %20 = arith.cmpi sgt, %19, %c0_i64 : i64
      scf.if %20 {
        %24 = tile.rows %sequence, %c0_i64 : <kv, 64>
        warp.put %2[%c0_i64], %arg1[%24, %6] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        warp.put %3[%c0_i64], %arg2[%24, %6] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      }
      warp.commit
      %21 = warp.map(%7) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
      ^bb0(%arg8: f32):
        %24 = arith.cmpf oeq, %arg8, %cst_0 : f32
        %25 = arith.select %24, %cst, %arg8 : f32
        %26 = arith.mulf %25, %cst_1 : f32
        warp.yield %26 : f32
      }
      %22:2 = scf.for %arg8 = %c0_i64 to %19 step %c1_i64 iter_args(%arg9 = %cst_2, %arg10 = %c0_i64) -> (tensor<64x128xf32, #warp.acc>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %24 = arith.subi %arg10, %c1_i64 : i64
        %25 = arith.cmpi eq, %arg10, %c0_i64 : i64
        %26 = arith.select %25, %c1_i64, %24 : i64
        %27 = arith.addi %arg8, %c1_i64 : i64
        %28 = arith.cmpi slt, %27, %19 : i64
        scf.if %28 {
          %49 = arith.muli %27, %c64_i64 : i64
          %50 = tile.rows %sequence, %49 : <kv, 64>
          warp.put %2[%26], %arg1[%50, %6] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
          warp.put %3[%26], %arg2[%50, %6] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        }
        warp.commit
        %29 = arith.muli %arg8, %c64_i64 : i64
        %30 = warp.get %2[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %31 = warp.get %0[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %32 = warp.mma %31, %30 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
        %33 = arith.addi %29, %c63_i64 : i64
        %34 = arith.cmpi sle, %10, %33 : i64
        %35 = arith.minsi %33, %11 : i64
        %36 = arith.cmpi sgt, %35, %4 : i64
        %37 = arith.ori %36, %34 : i1
        %38 = warp.map(%32) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
          %49 = arith.mulf %arg11, %15 : f32
          warp.yield %49 : f32
        }
        %39 = scf.if %37 -> (tensor<64x64xf32, #warp.acc>) {
          %49 = warp.map(%38) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %50 = arith.addi %29, %arg13 : i64
            %51 = arith.addi %4, %arg12 : i64
            %52 = arith.cmpi sle, %50, %51 : i64
            %53 = arith.cmpi slt, %50, %10 : i64
            %54 = arith.andi %52, %53 : i1
            %55 = arith.select %54, %arg11, %cst_0 : f32
            warp.yield %55 : f32
          }
          scf.yield %49 : tensor<64x64xf32, #warp.acc>
        } else {
          scf.yield %38 : tensor<64x64xf32, #warp.acc>
        }
        %40 = warp.get %3[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %41 = warp.get %1[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
        %42 = warp.mma %41, %40 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
        %43 = warp.map(%39, %21, %42, %8) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>, tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: f32, %arg14: f32, %arg15: i64, %arg16: i64):
          %49 = arith.subf %arg11, %arg12 : f32
          %50 = math.exp2 %49 : f32
          %51 = arith.subf %arg13, %arg14 : f32
          %52 = arith.mulf %50, %51 : f32
          warp.yield %52 : f32
        }
        %44 = warp.pack %43 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
        %45 = warp.mma %44, %30, %arg9 : tensor<64x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<64x128xf32, #warp.acc>
        %46 = arith.addi %arg10, %c1_i64 : i64
        %47 = arith.cmpi eq, %arg10, %c1_i64 : i64
        %48 = arith.select %47, %c0_i64, %46 : i64
        scf.yield %45, %48 : tensor<64x128xf32, #warp.acc>, i64
      }
      %23 = warp.map(%22#0) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg8: f32, %arg9: i64, %arg10: i64):
        %24 = arith.mulf %arg8, %arg7 : f32
        %25 = arith.truncf %24 : f32 to bf16
        warp.yield %25 : bf16
      }
      warp.store %23, %arg6[%5, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, q, heads_q, 128>, <q, 64>
      warp.wait 0
    }
    warp.return
  }
  warp.func @dkdv_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "d_out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"}, %arg6: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "d_key"}, %arg7: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "d_value"}, %arg8: f32 {weft.name = "scale"}) grid <kv, 64, heads_kv> schedule <rows = 64, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %cst = arith.constant 0x7F800000 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c64_i64 = arith.constant 64 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x128xf32, #warp.acc>
    %c4_i64 = arith.constant 4 : i64
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c63_i64 = arith.constant 63 : i64
    %cst_2 = arith.constant 1.44269502 : f32
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
    %0 = warp.ring : <1, <64, 128, bf16>>
    %1 = warp.ring : <1, <64, 128, bf16>>
    %2 = warp.ring : <2, <64, 128, bf16>>
    %3 = warp.ring : <2, <64, 128, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %4 = arith.muli %tile, %c64_i64 : i64
      %5 = tile.rows %sequence, %4 : <kv, 64>
      warp.put %0[%c0_i64], %arg1[%5, %head] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      warp.put %1[%c0_i64], %arg2[%5, %head] : <1, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.commit
      %6 = arith.muli %head, %c4_i64 : i64
      %7:2 = scf.for %arg9 = %c0_i64 to %c4_i64 step %c1_i64 iter_args(%arg10 = %cst_1, %arg11 = %cst_1) -> (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>)  : i64 {
        %10 = arith.addi %6, %arg9 : i64
        %11 = tile.length  q %sequence
        %12 = tile.length  kv %sequence
        %13 = arith.subi %12, %c1_i64 : i64
        %14 = arith.addi %4, %c63_i64 : i64
        %15 = arith.minsi %14, %13 : i64
        %16 = arith.mulf %arg8, %cst_2 : f32
        %17 = arith.ceildivsi %11, %c64_i64 : i64
        %18 = arith.cmpi slt, %4, %11 : i64
        %19 = arith.select %18, %17, %c0_i64 : i64
        %20 = arith.floordivsi %4, %c64_i64 : i64
        %21 = arith.maxsi %20, %c0_i64 : i64
        warp.barrier
        %22 = arith.cmpi slt, %21, %19 : i64
        scf.if %22 {
          %24 = arith.muli %21, %c64_i64 : i64
          %25 = tile.rows %sequence, %24 : <q, 64>
          warp.put %2[%c0_i64], %arg0[%25, %10] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
          warp.put %3[%c0_i64], %arg3[%25, %10] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
        }
        warp.commit
        %23:3 = scf.for %arg12 = %21 to %19 step %c1_i64 iter_args(%arg13 = %arg10, %arg14 = %arg11, %arg15 = %c0_i64) -> (tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64)  : i64 {
          warp.wait 0
          warp.barrier
          %24 = arith.subi %arg15, %c1_i64 : i64
          %25 = arith.cmpi eq, %arg15, %c0_i64 : i64
          %26 = arith.select %25, %c1_i64, %24 : i64
          %27 = arith.addi %arg12, %c1_i64 : i64
          %28 = arith.cmpi slt, %27, %19 : i64
          scf.if %28 {
            %52 = arith.muli %27, %c64_i64 : i64
            %53 = tile.rows %sequence, %52 : <q, 64>
            warp.put %2[%26], %arg0[%53, %10] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
            warp.put %3[%26], %arg3[%53, %10] : <2, <64, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 64>
          }
          warp.commit
          %29 = arith.muli %arg12, %c64_i64 : i64
          %30 = tile.rows %sequence, %29 : <q, 64>
          %31 = warp.get %2[%arg15] : <2, <64, 128, bf16>> -> <64, 128, bf16>
          %32 = warp.get %0[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
          %33 = warp.mma %32, %31 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
          %34 = arith.cmpi sgt, %15, %29 : i64
          %35 = warp.map(%33) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: i64, %arg18: i64):
            %52 = arith.mulf %arg16, %16 : f32
            warp.yield %52 : f32
          }
          %36 = scf.if %34 -> (tensor<64x64xf32, #warp.acc>) {
            %52 = warp.map(%35) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
            ^bb0(%arg16: f32, %arg17: i64, %arg18: i64):
              %53 = arith.addi %4, %arg17 : i64
              %54 = arith.addi %29, %arg18 : i64
              %55 = arith.cmpi sle, %53, %54 : i64
              %56 = arith.select %55, %arg16, %cst_0 : f32
              warp.yield %56 : f32
            }
            scf.yield %52 : tensor<64x64xf32, #warp.acc>
          } else {
            scf.yield %35 : tensor<64x64xf32, #warp.acc>
          }
          %37 = warp.load %arg4[%30, %10] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
          %38 = warp.get %3[%arg15] : <2, <64, 128, bf16>> -> <64, 128, bf16>
          %39 = warp.map(%37) : (tensor<64xf32, #warp.column>) -> tensor<64xf32, #warp.column> {
          ^bb0(%arg16: f32):
            %52 = arith.cmpf oeq, %arg16, %cst_0 : f32
            %53 = arith.select %52, %cst, %arg16 : f32
            %54 = arith.mulf %53, %cst_2 : f32
            warp.yield %54 : f32
          }
          %40 = warp.map(%36, %39) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: i64, %arg19: i64):
            %52 = arith.subf %arg16, %arg17 : f32
            %53 = math.exp2 %52 : f32
            warp.yield %53 : f32
          }
          %41 = warp.pack %40 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
          %42 = warp.mma %41, %38, %arg14 : tensor<64x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<64x128xf32, #warp.acc>
          %43 = warp.get %1[%c0_i64] : <1, <64, 128, bf16>> -> <64, 128, bf16>
          %44 = warp.mma %43, %38 transposed, %cst_3 : !warp.shared<64, 128, bf16>, <64, 128, bf16> -> tensor<64x64xf32, #warp.acc>
          %45 = warp.load %arg5[%30, %10] : <f32, q, heads_q, 1, packed>, <q, 64> -> tensor<64xf32, #warp.column>
          %46 = warp.map(%44, %45, %40) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.column>, tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
          ^bb0(%arg16: f32, %arg17: f32, %arg18: f32, %arg19: i64, %arg20: i64):
            %52 = arith.subf %arg16, %arg17 : f32
            %53 = arith.mulf %arg18, %52 : f32
            warp.yield %53 : f32
          }
          %47 = warp.pack %46 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
          %48 = warp.mma %47, %31, %arg13 : tensor<64x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<64x128xf32, #warp.acc>
          %49 = arith.addi %arg15, %c1_i64 : i64
          %50 = arith.cmpi eq, %arg15, %c1_i64 : i64
          %51 = arith.select %50, %c0_i64, %49 : i64
          scf.yield %48, %42, %51 : tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>, i64
        }
        scf.yield %23#0, %23#1 : tensor<64x128xf32, #warp.acc>, tensor<64x128xf32, #warp.acc>
      }
      %8 = warp.map(%7#0) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %10 = arith.mulf %arg9, %arg8 : f32
        %11 = arith.truncf %10 : f32 to bf16
        warp.yield %11 : bf16
      }
      warp.store %8, %arg6[%5, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
      %9 = warp.map(%7#1) : (tensor<64x128xf32, #warp.acc>) -> tensor<64x128xbf16, #warp.acc> {
      ^bb0(%arg9: f32, %arg10: i64, %arg11: i64):
        %10 = arith.truncf %arg9 : f32 to bf16
        warp.yield %10 : bf16
      }
      warp.store %9, %arg7[%5, %head] : tensor<64x128xbf16, #warp.acc>, <bf16, kv, heads_kv, 128>, <kv, 64>
      warp.wait 0
    }
    warp.return
  }
}
