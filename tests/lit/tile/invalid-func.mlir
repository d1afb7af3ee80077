// RUN: weft-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{'tile.func' op has no body}}
"tile.func"() <{sym_name = "a_body", function_type = () -> (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({}) : () -> ()

// -----

// expected-error@+1 {{'tile.func' op returns nothing; results are stored}}
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({
  tile.return
}) : () -> ()

// -----

// expected-error@+1 {{'tile.func' op grid has tiles of 32 rows, its schedule of 16}}
tile.func @a_body() grid <q, 32, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}

// -----

// expected-error@+1 {{'tile.func' op argument 0 has no 'weft.name'}}
tile.func @a_body(%0: f32) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}

// -----

// expected-error@+1 {{'tile.func' op two arguments are named "scale"}}
tile.func @a_body(%0: f32 {weft.name = "scale"}, %1: f32 {weft.name = "scale"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}

// -----

// expected-error@+1 {{'tile.func' op buffer "lse" comes after a scalar}}
tile.func @a_body(%0: f32 {weft.name = "scale"},
                  %1: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}

// -----

// expected-error@+1 {{'tile.func' op argument "speed" of 'f32' is neither a buffer nor one of scale, softcap, window_left, window_right}}
tile.func @a_body(%0: f32 {weft.name = "speed"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}

// -----

// expected-error@+1 {{'tile.func' op argument "window_left" is 'i64', not 'f32'}}
tile.func @a_body(%0: f32 {weft.name = "window_left"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}

// -----

// expected-error@+1 {{'tile.func' op ends in no tile.return}}
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %0 = arith.constant 0 : i64
}

// -----

// expected-error@+1 {{'tile.point' op expects parent op 'tile.func'}}
%sequence, %tile, %head = tile.point
