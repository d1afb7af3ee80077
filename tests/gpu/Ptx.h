//===- Ptx.h - Kernels of the GPU tests -------------------------*- C++ -*-===//
//
// PTX stands in for a cubin: the driver compiles it for the GPU at hand, so
// these tests need neither NVRTC nor the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_GPU_PTX_H
#define WEFT_TESTS_GPU_PTX_H

namespace weft::ptx {

/// add(out: u32*, in: u32*, bias: u32): out[cta] = in[cta] + bias
inline constexpr const char *add = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 out, .param .u64 in, .param .u32 bias) {
  .reg .b64 %o, %i, %offset;
  .reg .b32 %c, %b, %v;
  ld.param.u64 %o, [out];
  ld.param.u64 %i, [in];
  ld.param.u32 %b, [bias];
  mov.u32 %c, %ctaid.x;
  mul.wide.u32 %offset, %c, 4;
  add.u64 %i, %i, %offset;
  add.u64 %o, %o, %offset;
  ld.global.u32 %v, [%i];
  add.u32 %v, %v, %b;
  st.global.u32 [%o], %v;
  ret;
}
)";

/// record(out: u64*, p: ptr, w: ptr, o: ptr, stride: i64, heads: i32,
/// scale: f32, window: i64): writes what it was given
inline constexpr const char *record = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry record(.param .u64 out, .param .u64 p, .param .u64 w,
    .param .u64 o, .param .u64 stride, .param .u32 heads, .param .f32 scale,
    .param .u64 window) {
  .reg .b64 %to, %v;
  .reg .b32 %n;
  ld.param.u64 %to, [out];
  ld.param.u64 %v, [p];
  st.global.u64 [%to], %v;
  ld.param.u64 %v, [w];
  st.global.u64 [%to+8], %v;
  ld.param.u64 %v, [o];
  st.global.u64 [%to+16], %v;
  ld.param.u64 %v, [stride];
  st.global.u64 [%to+24], %v;
  ld.param.u32 %n, [heads];
  cvt.u64.u32 %v, %n;
  st.global.u64 [%to+32], %v;
  ld.param.b32 %n, [scale];
  cvt.u64.u32 %v, %n;
  st.global.u64 [%to+40], %v;
  ld.param.u64 %v, [window];
  st.global.u64 [%to+48], %v;
  ret;
}
)";

/// count(counter: u32*): every thread adds one
inline constexpr const char *count = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 counter) {
  .reg .b64 %p;
  ld.param.u64 %p, [counter];
  red.global.add.u32 [%p], 1;
  ret;
}
)";

/// shared(out: u32*): goes through the last word of 96 KiB of shared memory
inline constexpr const char *shared = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry shared(.param .u64 out) {
  .reg .b64 %p;
  .reg .b32 %s, %v;
  ld.param.u64 %p, [out];
  mov.u32 %s, memory;
  mov.u32 %v, 77;
  st.volatile.shared.u32 [%s+98300], %v;
  ld.volatile.shared.u32 %v, [%s+98300];
  st.global.u32 [%p], %v;
  ret;
}
)";

/// small(): refuses more than 32 threads
inline constexpr const char *small = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry small() .maxntid 32, 1, 1 {
  ret;
}
)";

/// fault(): ends in a trap
inline constexpr const char *fault = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry fault() {
  trap;
}
)";

/// next(counter: u32*): waits for its predecessor, then adds one, not
/// atomically
inline constexpr const char *next = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry next(.param .u64 counter) {
  .reg .b64 %p;
  .reg .b32 %v;
  griddepcontrol.launch_dependents;
  ld.param.u64 %p, [counter];
  griddepcontrol.wait;
  ld.volatile.global.u32 %v, [%p];
  nanosleep.u32 2000;
  add.u32 %v, %v, 1;
  st.volatile.global.u32 [%p], %v;
  ret;
}
)";

/// cluster(out: u32*): out[cta] = 100 * CTAs of its cluster + rank within it
inline constexpr const char *cluster = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry cluster(.param .u64 out) {
  .reg .b64 %p, %offset;
  .reg .b32 %c, %n, %r, %v;
  ld.param.u64 %p, [out];
  mov.u32 %c, %ctaid.x;
  mul.wide.u32 %offset, %c, 4;
  add.u64 %p, %p, %offset;
  mov.u32 %n, %cluster_nctarank;
  mov.u32 %r, %cluster_ctarank;
  mad.lo.u32 %v, %n, 100, %r;
  st.global.u32 [%p], %v;
  ret;
}
)";

/// box(out: u32*, map: CUtensorMap, row: u32, head: u32, batch: u32): copies a
/// box of 4 rows of 8 two-byte columns
inline constexpr const char *box = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry box(.param .u64 out, .param .align 64 .b8 map[128],
    .param .u32 row, .param .u32 head, .param .u32 batch) {
  .shared .align 128 .b8 tile[64];
  .shared .align 8 .b64 arrived;
  .reg .b64 %o, %m;
  .reg .b32 %t, %b, %r, %h, %n, %zero, %v, %i, %s;
  .reg .pred %done, %more;
  ld.param.u64 %o, [out];
  mov.b64 %m, map;
  cvta.param.u64 %m, %m;
  ld.param.u32 %r, [row];
  ld.param.u32 %h, [head];
  ld.param.u32 %n, [batch];
  mov.u32 %zero, 0;
  mov.u32 %t, tile;
  mov.u32 %b, arrived;
  mbarrier.init.shared.b64 [%b], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 _, [%b], 64;
  cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes
    [%t], [%m, {%zero, %r, %h, %n}], [%b];
again:
  mbarrier.try_wait.parity.shared.b64 %done, [%b], 0;
  @!%done bra again;
  mov.u32 %i, 0;
copy:
  add.u32 %s, %t, %i;
  ld.shared.u32 %v, [%s];
  st.global.u32 [%o], %v;
  add.u64 %o, %o, 4;
  add.u32 %i, %i, 4;
  setp.lt.u32 %more, %i, 64;
  @%more bra copy;
  ret;
}
)";

} // namespace weft::ptx

#endif // WEFT_TESTS_GPU_PTX_H
