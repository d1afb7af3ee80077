//===- HostPathTest.cpp - What a warm run must not do ---------------------===//
//
// This program's own malloc and pthread_mutex_lock stand before the C
// library's, and count.
//
//===----------------------------------------------------------------------===//

#include "tests/benchmarks/Device.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

using namespace weft;
using namespace weft::bench;

// Counts only on the thread that is being watched.
static thread_local bool watched = false;
static thread_local int allocations = 0, locks = 0;

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes) {
  allocations += watched;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  allocations += watched;
  return __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  allocations += watched;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  allocations += watched;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  allocations += watched;
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : 12;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) noexcept {
  using Lock = int (*)(pthread_mutex_t *);
  static const Lock next =
      reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  locks += watched;
  return next(mutex);
}
}

namespace {
struct Case {
  const char *name, *pass;
  bool packed, interleaved;
};

class WarmRun : public testing::TestWithParam<Case> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(
    , WarmRun,
    testing::Values(Case{"ForwardPacked", "forward", true, false},
                    Case{"ForwardBatch", "forward", false, false},
                    Case{"ForwardInterleaved", "forward", false, true},
                    Case{"BackwardPacked", "backward", true, false},
                    Case{"BackwardBatch", "backward", false, false},
                    Case{"BackwardInterleaved", "backward", false, true}),
    [](auto &info) { return info.param.name; });

TEST_P(WarmRun, AllocatesNothingAndTakesNoLock) {
  Sample sample(GetParam().pass, GetParam().packed, GetParam().interleaved);
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.cache_directory = cacheFolder().c_str();
  auto context = Context::create(&options);
  ASSERT_TRUE(context) << context.status().message;
  auto plan = context->plan(sample.spec, "cuda:0");
  ASSERT_TRUE(plan) << plan.status().message;
  Status first = plan->run(sample.problem);
  ASSERT_TRUE(first) << first.message;

  // The counters see what is there to see.
  watched = true;
  free(malloc(1));
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  watched = false;
  pthread_mutex_unlock(&mutex);
  EXPECT_GE(allocations, 1);
  EXPECT_GE(locks, 1);
  allocations = locks = 0;

  if (!Device::get().isNull())
    GTEST_SKIP() << "a real driver may allocate and lock";
  // Workspace from the stream's pool, and the caller's.
  for (bool own : {false, true}) {
    auto bytes = plan->workspaceBytes(sample.problem);
    ASSERT_TRUE(bytes);
    if (own && *bytes) {
      sample.problem.workspace = Device::get().memory(*bytes);
      sample.problem.workspace_bytes = *bytes;
    }
    watched = true;
    Status status = plan->run(sample.problem);
    watched = false;
    EXPECT_TRUE(status) << status.message;
    EXPECT_EQ(allocations, 0);
    EXPECT_EQ(locks, 0);
  }
}
