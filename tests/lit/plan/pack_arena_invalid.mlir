// RUN: weft-opt %s -plan-pack-arena -verify-diagnostics

plan.func @leak() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  // expected-error @below {{workspace 'delta' is never released}}
  %0 = plan.reserve "delta" bytes(%bytes) : !plan.buffer<f32, q, one, 1>
  plan.return
}
