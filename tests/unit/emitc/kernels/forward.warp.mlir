// The forward, head dim 128, causal, batch layout.
module {
  warp.func @forward_body(%arg0: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "query"}, %arg1: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "key"}, %arg2: !tile.buffer<bf16, kv, heads_kv, 128> {weft.name = "value"}, %arg3: !tile.buffer<bf16, q, heads_q, 128> {weft.name = "out"}, %arg4: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}, %arg5: f32 {weft.name = "scale"}) grid <q, 128, heads_q> descending schedule <rows = 128, columns = 64, warps = 8, stages = 2> align = 16 attributes {weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>} {
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
      %rows_q = tile.rows %sequence, %3 : <q, 128>
      warp.put %0[%c0_i64], %arg0[%rows_q, %head] : <1, <128, 128, bf16>>, <bf16, q, heads_q, 128>, <q, 128>
      warp.commit
      %n_q = tile.length  q %sequence
      %n_k = tile.length  kv %sequence
      %4 = arith.subi %n_k, %c1_i64 : i64
      %5 = arith.subi %n_q, %c1_i64 : i64
      %6 = arith.addi %3, %c127_i64 : i64
      %7 = arith.minsi %6, %5 : i64
      %8 = arith.mulf %arg5, %cst_3 : f32
      %9 = arith.ceildivsi %n_k, %c64_i64 : i64
      %10 = arith.floordivsi %7, %c64_i64 : i64
      %11 = arith.addi %10, %c1_i64 : i64
      %12 = arith.minsi %9, %11 : i64
      %13 = arith.cmpi sgt, %12, %c0_i64 : i64
      scf.if %13 {
        %rows_k = tile.rows %sequence, %c0_i64 : <kv, 64>
        warp.put %1[%c0_i64], %arg1[%rows_k, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        warp.put %2[%c0_i64], %arg2[%rows_k, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
      }
      warp.commit
      %14:4 = scf.for %arg6 = %c0_i64 to %12 step %c1_i64 iter_args(%arg7 = %cst_4, %arg8 = %cst_5, %arg9 = %cst_6, %arg10 = %c0_i64) -> (tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>, i64)  : i64 {
        warp.wait 0
        warp.barrier
        %18 = arith.subi %arg10, %c1_i64 : i64
        %19 = arith.cmpi eq, %arg10, %c0_i64 : i64
        %20 = arith.select %19, %c1_i64, %18 : i64
        %21 = arith.addi %arg6, %c1_i64 : i64
        %22 = arith.cmpi slt, %21, %12 : i64
        scf.if %22 {
          %46 = arith.muli %21, %c64_i64 : i64
          %rows_k = tile.rows %sequence, %46 : <kv, 64>
          warp.put %1[%20], %arg1[%rows_k, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
          warp.put %2[%20], %arg2[%rows_k, %head] : <2, <64, 128, bf16>>, <bf16, kv, heads_kv, 128>, <kv, 64>
        }
        warp.commit
        %23 = arith.muli %arg6, %c64_i64 : i64
        %24 = warp.get %1[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %25 = warp.get %0[%c0_i64] : <1, <128, 128, bf16>> -> <128, 128, bf16>
        %26 = warp.mma %25, %24 transposed, %cst_7 : !warp.shared<128, 128, bf16>, <64, 128, bf16> -> tensor<128x64xf32, #warp.acc>
        %27 = arith.addi %23, %c63_i64 : i64
        %28 = arith.cmpi sle, %n_k, %27 : i64
        %29 = arith.minsi %27, %4 : i64
        %30 = arith.cmpi sgt, %29, %3 : i64
        %31 = arith.ori %30, %28 : i1
        %32 = scf.if %31 -> (tensor<128x64xf32, #warp.acc>) {
          %46 = warp.map(%26) : (tensor<128x64xf32, #warp.acc>) -> tensor<128x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %47 = arith.addi %23, %arg13 : i64
            %48 = arith.addi %3, %arg12 : i64
            %49 = arith.cmpi sle, %47, %48 : i64
            %50 = arith.cmpi slt, %47, %n_k : i64
            %51 = arith.andi %49, %50 : i1
            %52 = arith.mulf %arg11, %8 : f32
            %53 = arith.select %51, %52, %cst_2 : f32
            warp.yield %53 : f32
          }
          scf.yield %46 : tensor<128x64xf32, #warp.acc>
        } else {
          %46 = warp.map(%26) : (tensor<128x64xf32, #warp.acc>) -> tensor<128x64xf32, #warp.acc> {
          ^bb0(%arg11: f32, %arg12: i64, %arg13: i64):
            %47 = arith.mulf %arg11, %8 : f32
            warp.yield %47 : f32
          }
          scf.yield %46 : tensor<128x64xf32, #warp.acc>
        }
        %33 = warp.reduce  max %32 : tensor<128x64xf32, #warp.acc> -> tensor<128xf32, #warp.row>
        %34:2 = warp.map(%arg8, %33) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
        ^bb0(%arg11: f32, %arg12: f32):
          %46 = arith.maxnumf %arg11, %arg12 : f32
          %47 = arith.cmpf oeq, %46, %cst_2 : f32
          %48 = arith.select %47, %cst_1, %46 : f32
          warp.yield %46, %48 : f32, f32
        }
        %35 = warp.map(%32, %34#1) : (tensor<128x64xf32, #warp.acc>, tensor<128xf32, #warp.row>) -> tensor<128x64xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: i64, %arg14: i64):
          %46 = arith.subf %arg11, %arg12 : f32
          %47 = math.exp2 %46 : f32
          warp.yield %47 : f32
        }
        %36 = warp.reduce  sum %35 : tensor<128x64xf32, #warp.acc> -> tensor<128xf32, #warp.row>
        %37 = warp.get %2[%arg10] : <2, <64, 128, bf16>> -> <64, 128, bf16>
        %38 = warp.pack %35 : tensor<128x64xf32, #warp.acc> -> tensor<128x64xbf16, #warp.operand>
        %39 = warp.map(%arg8, %34#1) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
        ^bb0(%arg11: f32, %arg12: f32):
          %46 = arith.subf %arg11, %arg12 : f32
          %47 = math.exp2 %46 : f32
          warp.yield %47 : f32
        }
        %40 = warp.map(%arg7, %39) : (tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>) -> tensor<128x128xf32, #warp.acc> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: i64, %arg14: i64):
          %46 = arith.mulf %arg11, %arg12 : f32
          warp.yield %46 : f32
        }
        %41 = warp.mma %38, %37, %40 : tensor<128x64xbf16, #warp.operand>, <64, 128, bf16> -> tensor<128x128xf32, #warp.acc>
        %42 = arith.addi %arg10, %c1_i64 : i64
        %43 = arith.cmpi eq, %arg10, %c1_i64 : i64
        %44 = arith.select %43, %c0_i64, %42 : i64
        %45 = warp.map(%arg9, %39, %36) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
        ^bb0(%arg11: f32, %arg12: f32, %arg13: f32):
          %46 = arith.mulf %arg11, %arg12 : f32
          %47 = arith.addf %46, %arg13 : f32
          warp.yield %47 : f32
        }
        scf.yield %41, %34#0, %45, %44 : tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>, i64
      }
      %15 = warp.map(%14#2) : (tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
      ^bb0(%arg6: f32):
        %18 = arith.cmpf oeq, %arg6, %cst_1 : f32
        %19 = arith.divf %cst_0, %arg6 : f32
        %20 = arith.select %18, %cst_1, %19 : f32
        warp.yield %20 : f32
      }
      %16 = warp.map(%14#0, %15) : (tensor<128x128xf32, #warp.acc>, tensor<128xf32, #warp.row>) -> tensor<128x128xbf16, #warp.acc> {
      ^bb0(%arg6: f32, %arg7: f32, %arg8: i64, %arg9: i64):
        %18 = arith.mulf %arg6, %arg7 : f32
        %19 = arith.truncf %18 : f32 to bf16
        warp.yield %19 : bf16
      }
      warp.store %16, %arg3[%rows_q, %head] : tensor<128x128xbf16, #warp.acc>, <bf16, q, heads_q, 128>, <q, 128>
      %17 = warp.map(%14#2, %14#1) : (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) -> tensor<128xf32, #warp.row> {
      ^bb0(%arg6: f32, %arg7: f32):
        %18 = math.log2 %arg6 : f32
        %19 = arith.addf %arg7, %18 : f32
        %20 = arith.mulf %19, %cst : f32
        warp.yield %20 : f32
      }
      warp.store %17, %arg4[%rows_q, %head] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
      warp.wait 0
    }
    warp.return
  }
}
