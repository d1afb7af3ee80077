/*===- weft.h - The C interface of weft ---------------------------*- C -*-===*\
|*                                                                            *|
|* An attention problem is described by a line of text (a spec), compiled     *|
|* into a plan, and the plan run on tensors on a stream:                      *|
|*                                                                            *|
|*   weft_context *context;                                                   *|
|*   weft_context_create(NULL, &context);                                     *|
|*   weft_plan *plan;                                                         *|
|*   weft_plan_create(context,                                                *|
|*       "forward bf16 head_dim=128 head_ratio=4 layout=thd mask=causal",     *|
|*       "cuda:0", &plan);                                                    *|
|*   weft_problem problem;                                                    *|
|*   weft_problem_init(&problem, sizeof problem);                             *|
|*   problem.batch = 8; ...                                                   *|
|*   weft_plan_run(plan, &problem);                                           *|
|*                                                                            *|
|* Every function is thread-safe, throws nothing and never ends the process.  *|
|* Those that can fail return a weft_status; weft_last_error then says what   *|
|* was given, what is allowed and what to do. Nothing is launched after an    *|
|* error. Structs start with their size, so that a program built with an      *|
|* older header runs with a newer library.                                    *|
|*                                                                            *|
|* libweft-runtime.so is the same without the compiler: plans come from packs *|
|* (weftc compile --manifest), which weft_context_load_pack opens.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

/* Grows when functions or fields are added; nothing is ever taken away. */
#define WEFT_ABI_VERSION 2

/*===-- Status ------------------------------------------------------------===*/

typedef int32_t weft_status;
enum {
  WEFT_OK = 0,
  WEFT_INVALID_ARGUMENT = 1, /* a spec, problem or argument is not legal */
  WEFT_UNSUPPORTED = 2,      /* legal, but not on this target or device */
  WEFT_UNAVAILABLE = 3,      /* no driver, device or NVRTC here */
  WEFT_COMPILE_FAILED = 4,   /* the compiler or NVRTC refused the kernels */
  WEFT_LAUNCH_FAILED = 5,    /* the driver refused a call */
  /* Since version 2: */
  WEFT_NOT_PRECOMPILED = 6, /* no pack has the plan and nothing compiles */
  WEFT_OUT_OF_MEMORY = 7, /* of the device; the context is as good as before */
  WEFT_DEVICE_LOST = 8,   /* earlier work failed and took the CUDA context
                             with it: the process has to restart */
  WEFT_BAD_PACK = 9       /* cannot be read, is damaged, or too old or new */
};

/* "ok", "invalid argument", ..; never NULL. */
WEFT_API const char *weft_status_string(weft_status status);

/* The message of this thread's latest failure; "" if there was none. Valid
 * until the thread's next call that fails. */
WEFT_API const char *weft_last_error(void);

/* The library's version, as in "0.1.0". */
WEFT_API const char *weft_version(void);

/* WEFT_ABI_VERSION of the library at hand. */
WEFT_API uint32_t weft_abi_version(void);

/* Frees text that a function below gave through a `char **`. NULL is legal. */
WEFT_API void weft_free(void *text);

/*===-- Context -----------------------------------------------------------===*/

/* Owns devices, packs and the cache of compiled kernels. */
typedef struct weft_context weft_context;

typedef struct weft_context_options {
  size_t struct_size; /* sizeof(weft_context_options) */
  /* Where compiled kernels are kept. NULL: WEFT_CACHE_DIR, else
   * $XDG_CACHE_HOME/weft, else ~/.cache/weft. "": in memory only. */
  const char *cache_directory;
  /* Told of what works but not as wished (a cache folder that cannot be
   * written), from any thread; it must not call the library. NULL: standard
   * error. */
  void (*warn)(void *user, const char *message);
  void *user;
  /* A tuning table as JSON (compiler/tuning/Tuning.h), in place of the one the
   * library has for each target; schedules it lacks come from the default
   * table. Packs are then passed by, so it does not go with precompiled_only.
   * NULL: the library's own. */
  const char *tuning;
  /* Not 0: take plans from packs and compile nothing, as libweft-runtime does.
   * Since version 2. */
  int32_t precompiled_only;
  int32_t reserved; /* 0 */
} weft_context_options;

/* `options` may be NULL. Needs neither a GPU nor a driver. */
WEFT_API weft_status weft_context_create(const weft_context_options *options,
                                         weft_context **context);

/* Opens a pack. Plans come from packs first, those opened last before others;
 * one that no pack has is compiled, where the library can and may, else it is
 * WEFT_NOT_PRECOMPILED and the message names the line to add to the manifest.
 * The file is mapped: replace it by a rename, do not write into it. Since
 * version 2. */
WEFT_API weft_status weft_context_load_pack(weft_context *context,
                                            const char *path);

/* Plans made from the context stay valid; what is loaded on a device goes with
 * the last of context and plans, so wait for the work (and drop the graphs) of
 * its plans first. NULL is legal. */
WEFT_API void weft_context_destroy(weft_context *context);

/*===-- Spec --------------------------------------------------------------===*/

/* What a kernel is compiled for. As text, in any order of the keys:
 *
 *   forward|backward f16|bf16 head_dim=128 [head_dim_v=64] head_ratio=4
 *   layout=batch|thd (or layout_q=.. layout_kv=..)
 *   [padded | padded_q | padded_kv]
 *   [mask=causal|causal_bottom_right|sliding_window(left=64,right=?)|
 *    sliding_window_bottom_right(..)]
 *   [score=softcap] [align=2] [do=scalar] [deterministic]
 *
 * `?` is a bound given at run time; a bound left out is unlimited. The same as
 * fields: */
enum { WEFT_FORWARD = 0, WEFT_BACKWARD = 1 };
enum { WEFT_F16 = 0, WEFT_BF16 = 1 };
enum { WEFT_LAYOUT_BATCH = 0, WEFT_LAYOUT_THD = 1 };
enum {
  WEFT_MASK_NONE = 0,
  WEFT_MASK_CAUSAL = 1,              /* j <= i */
  WEFT_MASK_CAUSAL_BOTTOM_RIGHT = 2, /* j <= i + n_k - n_q */
  WEFT_MASK_SLIDING_WINDOW = 3,      /* i - left <= j <= i + right */
  WEFT_MASK_SLIDING_WINDOW_BOTTOM_RIGHT = 4
};
enum {
  WEFT_BOUND_UNLIMITED = 0,
  WEFT_BOUND_RUN_TIME = 1,
  WEFT_BOUND_CONSTANT = 2
};
enum { WEFT_SCORE_NONE = 0, WEFT_SCORE_SOFTCAP = 1 };

typedef struct weft_spec {
  size_t struct_size; /* sizeof(weft_spec) */
  int32_t pass;
  int32_t dtype;
  int64_t head_dim;   /* of Q and K: a multiple of 8 up to 256 */
  int64_t head_dim_v; /* of V and O; 0: head_dim */
  int64_t head_ratio; /* query heads per key head, at least 1 */
  int32_t layout_q, layout_kv;
  /* thd: sequences start at padded offsets of their own. batch: used lengths
   * are given. */
  int32_t padded_q, padded_kv;
  int32_t mask;
  int32_t left_kind, right_kind; /* bounds of a window mask */
  int64_t left, right;           /* for WEFT_BOUND_CONSTANT */
  int32_t score;
  int32_t align;     /* 16, or 2: bytes every row is aligned to. 0: 16 */
  int32_t do_scalar; /* backward: dO is one element, all strides 0 */
  int32_t deterministic;
} weft_spec;

/* Zeroes `spec` and sets its size and a head ratio of 1. */
WEFT_API void weft_spec_init(weft_spec *spec, size_t struct_size);

/* The canonical text of `spec`. Free it with weft_free. */
WEFT_API weft_status weft_spec_format(const weft_spec *spec, char **text);

/* The fields of `text`; sets as many as `spec->struct_size` has room for. */
WEFT_API weft_status weft_spec_parse(const char *text, weft_spec *spec);

/*===-- Problem -----------------------------------------------------------===*/

/* A tensor [batch, rows, heads, columns], thd [rows, heads, columns], in any
 * strides, counted in elements; columns are contiguous. LSE (f32, natural log)
 * is [batch, heads, rows] or [heads, rows] in any strides. All four strides 0:
 * one element seen everywhere (dO only). NULL is legal where there are no
 * elements. */
typedef struct weft_tensor {
  void *data;
  int64_t batch_stride; /* unused for thd */
  int64_t row_stride;
  int64_t head_stride;
  int64_t column_stride; /* 1, or 0 for the scalar dO */
} weft_tensor;

/* Sizes of the query side, or of the key and value side. Offsets and lengths
 * are int32 on the device and are not read by the host. */
typedef struct weft_side {
  int64_t heads;
  int64_t seqlen;     /* batch layouts: rows of one sequence in the buffer */
  int64_t rows;       /* thd: rows the buffer holds. Batch layouts: may be 0 */
  int64_t max_seqlen; /* a hint for speed; 0: unknown */
  const int32_t *cu_seqlens;        /* thd: batch + 1 sums of used lengths */
  const int32_t *cu_seqlens_padded; /* padded thd: batch + 1 starts */
  const int32_t *seqlens;           /* padded batch: batch used lengths */
} weft_side;

enum {
  /* Fill workspace and results with bytes of `poison` first. Answers must not
   * change: bit for bit where the spec is deterministic. */
  WEFT_RUN_POISON = 1 << 0,
  /* Read offsets and lengths back (waits for the stream) and refuse malformed
   * ones. Without it they are clamped where they are read. */
  WEFT_RUN_CHECK_OFFSETS = 1 << 1
};

typedef struct weft_problem {
  size_t struct_size; /* sizeof(weft_problem) */
  int64_t batch;
  weft_side q, kv;
  weft_tensor query, key, value, out, lse;
  weft_tensor d_out, d_query, d_key, d_value; /* backward */
  double scale;                      /* finite; usually 1 / sqrt(head_dim) */
  int64_t window_left, window_right; /* for bounds given at run time */
  double softcap;                    /* for score=softcap, above 0 */
  void *workspace;         /* device memory, 256-byte aligned; NULL: taken from
                              the stream's memory pool */
  int64_t workspace_bytes; /* at least weft_plan_workspace_bytes, if given */
  void *stream;            /* a cudaStream_t or CUstream; NULL: the default */
  uint32_t flags;          /* WEFT_RUN_.. */
  uint32_t poison;         /* the byte of WEFT_RUN_POISON, 0 to 255 */
} weft_problem;

/* Zeroes `problem`, sets its size and the column strides to 1. */
WEFT_API void weft_problem_init(weft_problem *problem, size_t struct_size);

/* The canonical text of `spec` with the facts that `problem` decides (`align`,
 * `do`) filled in: the spec to make a plan of for problems like this one. Free
 * it with weft_free. */
WEFT_API weft_status weft_spec_derive(const char *spec,
                                      const weft_problem *problem, char **text);

/* What weft_problem_set_dlpack sets. Since version 2. */
enum {
  WEFT_QUERY = 0,
  WEFT_KEY = 1,
  WEFT_VALUE = 2,
  WEFT_OUT = 3,
  WEFT_LSE = 4,
  WEFT_D_OUT = 5,
  WEFT_D_QUERY = 6,
  WEFT_D_KEY = 7,
  WEFT_D_VALUE = 8,
  WEFT_CU_SEQLENS_Q = 9, /* int32 vectors from here */
  WEFT_CU_SEQLENS_KV = 10,
  WEFT_CU_SEQLENS_Q_PADDED = 11,
  WEFT_CU_SEQLENS_KV_PADDED = 12,
  WEFT_SEQLENS_Q = 13,
  WEFT_SEQLENS_KV = 14
};

/* Puts a DLPack tensor into `problem`: its data, strides and sizes. `tensor` is
 * a DLTensor * (so a DLManagedTensor * too), which is read and not kept; its
 * memory stays the caller's. `dims` names its dimensions in their order, as in
 * "bshd": b batch, s rows of a sequence, t packed rows (thd layouts), h heads,
 * d columns; LSE has no d. For vectors of offsets and lengths it may be NULL.
 * Type, columns and layout must be those of `spec`, the memory a GPU's, and a
 * size that another tensor of the problem has set must be the same (0 counts
 * as not set). Since version 2. */
WEFT_API weft_status weft_problem_set_dlpack(weft_problem *problem,
                                             const char *spec, int32_t operand,
                                             const void *tensor,
                                             const char *dims);

/*===-- Plan --------------------------------------------------------------===*/

/* A compiled spec. Reusable, for any number of problems and threads. */
typedef struct weft_plan weft_plan;

/* Takes `spec` from a pack or the cache, or compiles it. `where` is "cuda:0" (a
 * device's ordinal), or a target's name ("sm_90a") to compile without a GPU;
 * such a plan can be explained but not run. */
WEFT_API weft_status weft_plan_create(weft_context *context, const char *spec,
                                      const char *where, weft_plan **plan);

/* Not while another thread uses the plan. What it launched goes on, as long as
 * its context lives. NULL is legal. */
WEFT_API void weft_plan_destroy(weft_plan *plan);

/* The canonical spec; lives as long as the plan. */
WEFT_API const char *weft_plan_spec(const weft_plan *plan);

/* The target's name, as in "sm_90a"; lives as long as the plan. */
WEFT_API const char *weft_plan_target(const weft_plan *plan);

/* Bytes of workspace that weft_plan_run needs for `problem`, of which only the
 * sizes are read. */
WEFT_API weft_status weft_plan_workspace_bytes(const weft_plan *plan,
                                               const weft_problem *problem,
                                               int64_t *bytes);

/* Launches `problem` on its stream and returns. Capturable in a CUDA graph. */
WEFT_API weft_status weft_plan_run(const weft_plan *plan,
                                   const weft_problem *problem);

/* The plan for people: launches in order, who owns and who initialises each
 * buffer, and what the proof rests on. Free it with weft_free. libweft-runtime
 * cannot. */
WEFT_API weft_status weft_plan_explain(const weft_plan *plan, char **text);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_H */
