// RUN: weft-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// expected-error@+1 {{a buffer is <type, q|kv, heads_q|heads_kv, columns[, strided|packed|uniform|fragments][, rounded = multiple of 8]>}}
"test.type"() {t = !tile.buffer<bf16, rows, heads_q, 8>} : () -> ()

// -----

// expected-error@+1 {{a buffer is <type, q|kv, heads_q|heads_kv, columns[, strided|packed|uniform|fragments][, rounded = multiple of 8]>}}
"test.type"() {t = !tile.buffer<bf16, q, heads_q, 8, dense>} : () -> ()

// -----

// expected-error@+1 {{a buffer holds f16, bf16 or f32, or i32 counters, not 'i8'}}
"test.type"() {t = !tile.buffer<i8, q, heads_q, 8>} : () -> ()

// -----

// expected-error@+1 {{a buffer of a kernel has rows of q or kv and heads of heads_q or heads_kv}}
"test.type"() {t = !tile.buffer<f32, none, heads_q, 8>} : () -> ()

// -----

// expected-error@+1 {{a buffer of a kernel has rows of q or kv and heads of heads_q or heads_kv}}
"test.type"() {t = !tile.buffer<f32, q, one, 8>} : () -> ()

// -----

// expected-error@+1 {{a buffer has at least 1 column, not 0}}
"test.type"() {t = !tile.buffer<f32, q, heads_q, 0>} : () -> ()

// -----

// expected-error@+1 {{rows are rounded up to a positive multiple of 8, not to one of 20}}
"test.type"() {t = !tile.buffer<f32, q, heads_q, 8, packed, rounded = 20>} : () -> ()

// -----

// expected-error@+1 {{only workspace, which is packed, has rounded rows}}
"test.type"() {t = !tile.buffer<f32, q, heads_q, 8, rounded = 64>} : () -> ()

// -----

// expected-error@+1 {{rows belong to q or kv}}
"test.type"() {t = !tile.rows<none, 8>} : () -> ()

// -----

// expected-error@+1 {{at least 1 row, not 0}}
"test.type"() {t = !tile.rows<q, 0>} : () -> ()

// -----

// expected-error@+1 {{a tile of a grid has at least 1 row, not 0}}
"test.attribute"() {a = #tile.grid<q, 0, heads_q>} : () -> ()

// -----

// expected-error@+1 {{a grid has the heads of heads_q or heads_kv}}
"test.attribute"() {a = #tile.grid<q, 16, one>} : () -> ()

// -----

// expected-error@+1 {{counters are <i32, none, one, 1, packed> for tickets, or <i32, q|kv, heads_q|heads_kv, 1, packed, rounded = R> for tiles of R rows}}
"test.type"() {t = !tile.buffer<i32, q, heads_q, 1, packed>} : () -> ()

// -----

// expected-error@+1 {{counters are <i32, none, one, 1, packed> for tickets}}
"test.type"() {t = !tile.buffer<i32, none, one, 2, packed>} : () -> ()

// -----

// expected-error @below {{fragments are f32, in tiles of rows rounded to a multiple of 16, of one column or a multiple of 64}}
tile.func @fragments(%x: !tile.buffer<f32, q, heads_q, 64, fragments> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  tile.return
}
