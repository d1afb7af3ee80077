/*===- precompiled.c - A causal forward without a compiler ----------------===*\
|*                                                                            *|
|* Built against libweft-runtime alone, which needs neither MLIR nor NVRTC.   *|
|* The pack was compiled elsewhere:                                           *|
|*   weftc compile --manifest=precompiled.json -o precompiled.weftpack        *|
|* With Q = 0 every key weighs the same: row i of a causal problem sees i + 1 *|
|* keys and LSE is log(i + 1).                                                *|
|* Exit codes: 0 right, 1 wrong or an error, 77 no GPU here.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "weft.h"

#include <cuda_runtime_api.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { kBatch = 1, kSeqlen = 300, kHeads = 2, kHeadDim = 64 };
static const char kSpec[] =
    "forward f16 head_dim=64 head_ratio=1 layout=batch mask=causal";

static int failed(const char *what, weft_status status) {
  fprintf(stderr, "%s: %s: %s\n", what, weft_status_string(status),
          weft_last_error());
  return 1;
}

/* A packed [batch, seqlen, heads, head_dim] tensor of zeros. */
static weft_tensor makeTensor(void) {
  weft_tensor tensor = {NULL, kSeqlen * kHeads * kHeadDim, kHeads * kHeadDim,
                        kHeadDim, 1};
  size_t bytes = (size_t)2 * kBatch * kSeqlen * kHeads * kHeadDim;
  if (cudaMalloc(&tensor.data, bytes) == cudaSuccess)
    cudaMemset(tensor.data, 0, bytes);
  return tensor;
}

static int run(const weft_plan *plan) {
  static float lse[kBatch * kHeads * kSeqlen];
  size_t i;
  weft_status status;
  weft_problem problem;
  weft_problem_init(&problem, sizeof problem);
  problem.batch = kBatch;
  problem.q.heads = problem.kv.heads = kHeads;
  problem.q.seqlen = problem.kv.seqlen = kSeqlen;
  problem.query = makeTensor();
  problem.key = makeTensor();
  problem.value = makeTensor();
  problem.out = makeTensor();
  problem.lse.row_stride = 1;
  problem.lse.head_stride = kSeqlen;
  problem.lse.batch_stride = kHeads * kSeqlen;
  cudaMalloc(&problem.lse.data, sizeof lse);
  problem.scale = 0.125;
  status = weft_plan_run(plan, &problem);
  if (status != WEFT_OK)
    return failed("run", status);
  if (cudaMemcpy(lse, problem.lse.data, sizeof lse, cudaMemcpyDeviceToHost) !=
      cudaSuccess) {
    fprintf(stderr, "cannot read the results: %s\n",
            cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  for (i = 0; i < sizeof lse / sizeof *lse; ++i)
    if (!(fabs(lse[i] - log((double)(i % kSeqlen + 1))) < 1e-5)) {
      fprintf(stderr, "lse[%lu] is %g\n", (unsigned long)i, lse[i]);
      return 1;
    }
  printf("right: LSE is log(i + 1) everywhere\n");
  return 0;
}

int main(int argc, char **argv) {
  int devices = 0, wrong;
  weft_context *context;
  weft_plan *plan;
  weft_status status;
  if (argc != 2) {
    fprintf(stderr, "usage: precompiled PACK\n");
    return 1;
  }
  status = weft_context_create(NULL, &context);
  if (status != WEFT_OK)
    return failed("context", status);
  status = weft_context_load_pack(context, argv[1]);
  if (status != WEFT_OK)
    return failed("pack", status);

  /* What the pack lacks is an error that says how to add it. */
  status = weft_plan_create(context, "forward f16 head_dim=72 layout=batch",
                            "sm_90a", &plan);
  if (status != WEFT_NOT_PRECOMPILED || !strstr(weft_last_error(), "\"arch\""))
    return failed("a plan that is in no pack", status);
  status = weft_plan_create(context, kSpec, "sm_90a", &plan);
  if (status != WEFT_OK)
    return failed("plan for sm_90a", status);
  weft_plan_destroy(plan);

  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    printf("skipped: the pack is right, but there is no CUDA device here\n");
    return 77;
  }
  status = weft_plan_create(context, kSpec, "cuda:0", &plan);
  if (status != WEFT_OK)
    return failed("plan", status);
  wrong = run(plan);
  weft_plan_destroy(plan);
  weft_context_destroy(context);
  return wrong;
}
