//===- backward.cpp - A variable-length backward in C++ -------------------===//
//
// Two sequences packed one behind the other (thd), grouped-query heads. The
// first has keys but no queries, so its dK and dV are zero, whatever workspace
// and results held before: they start as NaN here. The rest must be numbers.
// Exit codes: 0 right, 1 wrong or an error, 77 no GPU here.
//
//===----------------------------------------------------------------------===//

#include "weft.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <vector>

static constexpr int kHeadsQ = 4, kHeadsKv = 2, kHeadDim = 64;
static constexpr int kRowsQ = 70, kRowsKv = 150, kIdleKeys = 50;

template <typename T> static T *toDevice(const std::vector<T> &host) {
  void *device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T),
             cudaMemcpyHostToDevice);
  return static_cast<T *>(device);
}

// A packed [rows, heads, head_dim] tensor of f16: small numbers from a fixed
// sequence, or NaN for a result.
static weft_tensor makeTensor(int rows, int heads, bool result = false) {
  static uint32_t state = 1;
  std::vector<uint16_t> values(size_t(rows) * heads * kHeadDim, 0xffff);
  if (!result)
    for (uint16_t &value : values) {
      state = state * 1664525 + 1013904223;
      // Either sign, magnitude 0.25 to 1.
      value = uint16_t(0x3400 + (state >> 21) % 0x800) | (state >> 31) << 15;
    }
  return {toDevice(values), 0, int64_t(heads) * kHeadDim, kHeadDim, 1};
}

static int fail(const char *what, const weft::Status &status) {
  std::fprintf(stderr, "%s: %s: %s\n", what, weft_status_string(status.code),
               status.message.c_str());
  return 1;
}

// Plans `spec` and runs it.
static weft::Status run(const weft::Context &context, const char *spec,
                        const weft::Problem &problem) {
  auto derived = weft::deriveSpec(spec, problem);
  if (!derived)
    return derived.status();
  auto plan = context.plan(*derived, "cuda:0");
  if (!plan)
    return plan.status();
  return plan->run(problem);
}

// Zero on the rows of the sequence without queries, numbers elsewhere.
static bool check(const char *name, const weft_tensor &gradient) {
  std::vector<uint16_t> values(size_t(kRowsKv) * kHeadsKv * kHeadDim);
  if (cudaMemcpy(values.data(), gradient.data, values.size() * 2,
                 cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  bool anySet = false;
  for (size_t i = 0; i < values.size(); ++i) {
    size_t row = i / (kHeadsKv * kHeadDim);
    bool zero = (values[i] & 0x7fff) == 0;
    bool nan = (values[i] & 0x7c00) == 0x7c00;
    if (nan || (row < kIdleKeys && !zero)) {
      std::fprintf(stderr, "%s row %zu holds 0x%04x\n", name, row, values[i]);
      return false;
    }
    anySet |= !zero;
  }
  if (!anySet)
    std::fprintf(stderr, "%s is zero everywhere\n", name);
  return anySet;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device here\n");
    return 77;
  }
  auto context = weft::Context::create();
  if (!context)
    return fail("context", context.status());

  weft::Problem problem;
  problem.batch = 2;
  problem.q.heads = kHeadsQ;
  problem.q.rows = kRowsQ;
  problem.q.cu_seqlens = toDevice<int32_t>({0, 0, kRowsQ});
  problem.kv.heads = kHeadsKv;
  problem.kv.rows = kRowsKv;
  problem.kv.cu_seqlens = toDevice<int32_t>({0, kIdleKeys, kRowsKv});
  problem.scale = 0.125;
  problem.query = makeTensor(kRowsQ, kHeadsQ);
  problem.key = makeTensor(kRowsKv, kHeadsKv);
  problem.value = makeTensor(kRowsKv, kHeadsKv);
  problem.out = makeTensor(kRowsQ, kHeadsQ, true);
  problem.lse = {toDevice(std::vector<float>(kRowsQ * kHeadsQ)), 0, 1, kRowsQ,
                 1};
  weft::Status status =
      run(*context, "forward f16 head_dim=64 head_ratio=2 layout=thd", problem);
  if (!status)
    return fail("forward", status);

  problem.d_out = makeTensor(kRowsQ, kHeadsQ);
  problem.d_query = makeTensor(kRowsQ, kHeadsQ, true);
  problem.d_key = makeTensor(kRowsKv, kHeadsKv, true);
  problem.d_value = makeTensor(kRowsKv, kHeadsKv, true);
  problem.flags = WEFT_RUN_POISON;
  problem.poison = 0xff;
  status = run(*context,
               "backward f16 head_dim=64 head_ratio=2 layout=thd deterministic",
               problem);
  if (!status)
    return fail("backward", status);
  if (!check("dk", problem.d_key) || !check("dv", problem.d_value))
    return 1;
  std::printf("right: dK and dV of the sequence without queries are zero\n");
  return 0;
}
