// RUN: not weft-translate --weft-to-cuda %s 2>&1 | FileCheck %s
// CHECK: has no kernel: no emitc.func with weft.entry; run the passes up to warp-to-emitc first
module {
}
