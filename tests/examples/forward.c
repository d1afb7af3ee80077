/*===- forward.c - A causal forward through the C interface ---------------===*\
|*                                                                            *|
|* With Q = 0 every key weighs the same, so the answer is known: row i of a   *|
|* causal problem sees i + 1 keys, LSE is log(i + 1), and with V = 1, O is 1. *|
|* Exit codes: 0 right, 1 wrong or an error, 77 no GPU here.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "weft.h"

#include <cuda_runtime_api.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBatch = 2, kSeqlen = 200, kHeadsQ = 4, kHeadsKv = 2, kHeadDim = 64 };
enum { kBf16One = 0x3f80 };

/* A packed [batch, seqlen, heads, head_dim] tensor of bf16 on the device. */
static weft_tensor makeTensor(int heads, uint16_t value) {
  size_t count = (size_t)kBatch * kSeqlen * heads * kHeadDim;
  uint16_t *host = malloc(count * sizeof *host);
  weft_tensor tensor = {NULL, (int64_t)kSeqlen * heads * kHeadDim,
                        (int64_t)heads * kHeadDim, kHeadDim, 1};
  for (size_t i = 0; i < count; ++i)
    host[i] = value;
  if (cudaMalloc(&tensor.data, count * sizeof *host) == cudaSuccess)
    cudaMemcpy(tensor.data, host, count * sizeof *host, cudaMemcpyHostToDevice);
  free(host);
  return tensor;
}

static int failed(const char *what, weft_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, weft_status_string(status),
          weft_last_error());
  return 1;
}

/* Compares the results with what they must be. */
static int check(const weft_problem *problem) {
  static uint16_t out[kBatch * kSeqlen * kHeadsQ * kHeadDim];
  static float lse[kBatch * kHeadsQ * kSeqlen];
  if (cudaMemcpy(out, problem->out.data, sizeof out, cudaMemcpyDeviceToHost) !=
          cudaSuccess ||
      cudaMemcpy(lse, problem->lse.data, sizeof lse, cudaMemcpyDeviceToHost) !=
          cudaSuccess) {
    fprintf(stderr, "cannot read the results: %s\n",
            cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  for (size_t i = 0; i < sizeof out / sizeof *out; ++i) {
    /* One step of bf16 below 1 is allowed: P is rounded, its sum is not. */
    if (out[i] < kBf16One - 1 || out[i] > kBf16One + 1) {
      fprintf(stderr, "o[%zu] is 0x%04x, not 1\n", i, out[i]);
      return 1;
    }
  }
  for (size_t i = 0; i < sizeof lse / sizeof *lse; ++i) {
    double expected = log((double)(i % kSeqlen + 1));
    if (!(fabs(lse[i] - expected) < 1e-5)) {
      fprintf(stderr, "lse[%zu] is %g, not %g\n", i, lse[i], expected);
      return 1;
    }
  }
  return 0;
}

int main(void) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: no CUDA device here\n");
    return 77;
  }

  weft_context *context;
  weft_status status = weft_context_create(NULL, &context);
  if (status != WEFT_OK)
    return failed("context", status);

  weft_problem problem;
  weft_problem_init(&problem, sizeof problem);
  problem.batch = kBatch;
  problem.q.heads = kHeadsQ;
  problem.kv.heads = kHeadsKv;
  problem.q.seqlen = problem.kv.seqlen = kSeqlen;
  problem.query = makeTensor(kHeadsQ, 0);
  problem.key = makeTensor(kHeadsKv, kBf16One);
  problem.value = makeTensor(kHeadsKv, kBf16One);
  problem.out = makeTensor(kHeadsQ, 0xffff);
  problem.lse.row_stride = 1;
  problem.lse.head_stride = kSeqlen;
  problem.lse.batch_stride = kHeadsQ * kSeqlen;
  cudaMalloc(&problem.lse.data, sizeof(float) * kBatch * kHeadsQ * kSeqlen);
  problem.scale = 1 / sqrt((double)kHeadDim);

  /* The problem decides part of the spec: its alignment. */
  char *spec;
  status = weft_spec_derive(
      "forward bf16 head_dim=64 head_ratio=2 layout=bshd mask=causal", &problem,
      &spec);
  if (status != WEFT_OK)
    return failed("spec", status);
  weft_plan *plan;
  status = weft_plan_create(context, spec, "cuda:0", &plan);
  if (status != WEFT_OK)
    return failed("plan", status);
  printf("%s, compiled for %s\n", weft_plan_spec(plan), weft_plan_target(plan));
  status = weft_plan_run(plan, &problem);
  if (status != WEFT_OK)
    return failed("run", status);

  int wrong = check(&problem);
  weft_plan_destroy(plan);
  weft_free(spec);
  weft_context_destroy(context);
  if (!wrong)
    printf("right: O is 1 and LSE is log(i + 1) everywhere\n");
  return wrong;
}
