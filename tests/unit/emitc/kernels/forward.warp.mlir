// The forward, head dim 128, causal, batch layout.
module {
  warp.func @forward_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: f32 {weft.name = "scale"}) grid <q, 128, heads_q> descending schedule <rows = 128, columns = 64, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
    %cst = arith.constant 0.693147182 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant 0xFF800000 : f32
    %c128_i64 = arith.constant 128 : i64
    %c1_i64 = arith.constant 1 : i64
    %c127_i64 = arith.constant 127 : i64
    %cst_3 = arith.constant 1.44269502 : f32
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<128x128xf32, #warp.acc>
    %cst_5 = arith.constant dense<0xFF800000> : tensor<128xf32, #warp.row>
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<128xf32, #warp.row>
    %c0_i64 = arith.constant 0 : i64
    %c64_i64 = arith.constant 64 : i64
    %cst_7 = arith.constant dense<0.000000e+00> : tensor<128x64xf32, #warp.acc>
    %c63_i64 = arith.constant 63 : i64
    %0 = warp.ring : <1, <128, 128, bf16>>
    %1 = warp.ring : <2, <64, 128, bf16>>
    %2 = warp.ring : <2, <64, 128, bf16>>
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %3 = arith.muli %tile, %c128_i64 : i64
      %4 = tile.rows %sequence, %3 : <q, 128>
      warp.put %0[%c0_i64], %arg0[%4, %head] : <1, <128, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 128>
      warp.commit
      %5 = tile.length  q %sequence
      %6 = tile.length  kv %sequence
      %7 = arith.subi %6, %c1_i64 : i64
      %8 = arith.subi %5, %c1_i64 : i64
      %9 = arith.addi %3, %c127_i64 : i64
      %10 = arith.minsi %9, %8 : i64
      %11 = arith.mulf %arg5, %cst_3 : f32
      %12 = arith.ceildivsi %6, %c64_i64 : i64
      %13 = arith.floordivsi %10, %c64_i64 : i64
      %14 = arith.addi %13, %c1_i64 : i64
      %15 = arith.minsi %12, %14 : i64
      %16 = arith.cmpi sgt, %15, %c0_i64 : i64
      scf.if %16 {
        %21 = tile.rows %sequence, %c0_i64 : <kv, 64>
        warp.put %1[%c0_i64], %arg1[%21, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        warp.put %2[%c0_i64], %arg2[%21, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      }
      warp.commit
      %17:4 = scf.for %arg6 = %c0_i64 to %15 step %c1_i64 iter_args(%arg7 = %cst_4, %arg8 = %cst_5, %arg9 = %cst_6, %arg10 = %c0_i64) -> (tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %21 = arith.subi %arg10, %c1_i64 : i64
        %22 = arith.cmpi eq, %arg10, %c0_i64 : i64
        %23 = arith.select %22, %c1_i64, %21 : i64
        %24 = arith.addi %arg6, %c1_i64 : i64
        %25 = arith.cmpi slt, %24, %15 : i64
        scf.if %25 {
          %50 = arith.muli %24, %c64_i64 : i64
          %51 = tile.rows %sequence, %50 : <kv, 64>
          warp.put %1[%23], %arg1[%51, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
          warp.put %2[%23], %arg2[%51, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        }
        warp.commit
        %26 = arith.muli %arg6, %c64_i64 : i64
        %27 = warp.get %1[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %28 = warp.get %0[%c0_i64] : <1, <128, 128, bf16>> -> <128, 128, bf16>
        %29 = warp.mma %28, %27 transposed, %cst_7 : !warp.shared<128, 128, bf16>, <64, 128, bf16> -> tensor<128x64xf32, #warp.acc>
        %30 = arith.addi %26, %c63_i64 : i64
        %31 = arith.cmpi sle, %6, %30 : i64
        %32 = arith.minsi %30, %7 : i64
        %33 = arith.cmpi sgt, %32, %3 : i64
        %34 = arith.ori %33, %31 : i1
        %35 = warp.map(%29) : (tensor<128x64xf32, #warp.acc>) -> tensor<128x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
          %50 = arith.mulf %arg11, %11 : f32
          warp.yield %50 : f32
        }
        %36 = scf.if %34 -> (tensor<128x64xf32, #warp.acc>) {
          %50 = warp.map(%35) : (tensor<128x64xf32, #warp.acc>) -> tensor<128x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %51 = arith.addi %26, %arg13 : i64
            %52 = arith.addi %3, %arg12 : i64
            %53 = arith.cmpi sle, %51, %52 : i64
            %54 = arith.cmpi slt, %51, %6 : i64
            %55 = arith.andi %53, %54 : i1
            %56 = arith.select %55, %arg11, %cst_2 : f32
            warp.yield %56 : f32
          }
          scf.yield %50 : tensor<128x64xf32, #warp.acc>
        } else {
          scf.yield %35 : tensor<128x64xf32, #warp.acc>
        }
        %37 = warp.reduce  max %36 : tensor<128x64xf32, #warp.acc> -> tensor<128xf32, #warp.row>
        %38:2 = warp.map(%arg8, %37) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
        ^bb0(%arg11: f32, %arg12: f32):
          %50 = arith.maxnumf %arg11, %arg12 : f32
          %51 = arith.cmpf oeq, %50, %cst_2 : f32
          %52 = arith.select %51, %cst_1, %50 : f32
          warp.yield %50, %52 : f32, f32
        }
        %39 = warp.map(%36, %38#1) : (tensor<128x64xf32, #warp.acc>, tensor<128xf32, #warp.row>) -> tensor<128x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: i64, %arg14: i64):
          %50 = arith.subf %arg11, %arg12 : f32
          %51 = math.exp2 %50 : f32
          warp.yield %51 : f32
        }
        %40 = warp.reduce  sum %39 : tensor<128x64xf32, #warp.acc> -> tensor<128xf32, #warp.row>
        %41 = warp.get %2[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %42 = warp.pack %39 : tensor<128x64xf32, #warp.acc> -> tensor<128x64xbf16, #warp.operand>
        %43 = warp.map(%arg8, %38#1) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
        ^bb0(%arg11: f32, %arg12: f32):
          %50 = arith.subf %arg11, %arg12 : f32
          %51 = math.exp2 %50 : f32
          warp.yield %51 : f32
        }
        %44 = warp.map(%arg7, %43) : (tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>) -> tensor<128x128xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: i64, %arg14: i64):
          %50 = arith.mulf %arg11, %arg12 : f32
          warp.yield %50 : f32
        }
        %45 = warp.mma %42, %41, %44 : tensor<128x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<128x128xf32, #warp.acc>
        %46 = arith.addi %arg10, %c1_i64 : i64
        %47 = arith.cmpi eq, %arg10, %c1_i64 : i64
        %48 = arith.select %47, %c0_i64, %46 : i64
        %49 = warp.map(%arg9, %43, %40) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: f32):
          %50 = arith.mulf %arg11, %arg12 : f32
          %51 = arith.addf %50, %arg13 : f32
          warp.yield %51 : f32
        }
        scf.yield %45, %38#0, %49, %48 : tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>, i64
      }
      %18 = warp.map(%17#2) : (tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
      ^bb0(%arg6: f32):
        %21 = arith.cmpf oeq, %arg6, %cst_1 : f32
        %22 = arith.divf %cst_0, %arg6 : f32
        %23 = arith.select %21, %cst_1, %22 : f32
        warp.yield %23 : f32
      }
      %19 = warp.map(%17#0, %18) : (tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>) -> tensor<128x128xbf16, #warp.acc> {
      ^bb0(%arg6: f32, %arg7: f32, %arg8: i64, %arg9: i64):
        %21 = arith.mulf %arg6, %arg7 : f32
        %22 = arith.truncf %21 : f32 to bf16
        warp.yield %22 : bf16
      }
      warp.store %19, %arg3[%4, %head] : tensor<128x128xbf16, #warp.acc>, <bf16, q, heads_q, 128>, <q, 128>
      %20 = warp.map(%17#2, %17#1) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
      ^bb0(%arg6: f32, %arg7: f32):
        %21 = math.log2 %arg6 : f32
        %22 = arith.addf %arg7, %21 : f32
        %23 = arith.mulf %22, %cst : f32
        warp.yield %23 : f32
      }
      warp.store %20, %arg4[%4, %head] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
      warp.wait 0
    }
    warp.return
  }
}
