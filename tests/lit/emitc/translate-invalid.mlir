// RUN: not weft-translate --weft-to-cuda %s 2>&1 | FileCheck %s
// CHECK: has no kernel: no emitc.func with weft.entry; run the passes up to warp-to-emitc first
module {
}

// Neither from a file nor from a pipe.
// RUN: weft-opt %s --emit-bytecode -o %t.bytecode
// RUN: not weft-translate --weft-to-cuda %t.bytecode 2>&1 | FileCheck %s --check-prefix=BYTECODE
// RUN: not weft-translate --weft-to-cuda < %t.bytecode 2>&1 | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: error: is bytecode; give the module as text
