//===- Device.cpp - Something to run plans on -----------------------------===//

#include "tests/benchmarks/Device.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

namespace weft::bench {

// The few entry points that no plan calls, by their names.
template <typename... Args>
static int call(void *library, const char *name, Args... args) {
  auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
  return function ? function(args...) : -1;
}

static void must(int status, const char *what) {
  if (status == 0)
    return;
  std::fprintf(stderr, "%s failed: CUDA error %d\n", what, status);
  std::exit(1);
}

// Whether the driver at `path` has a device.
static void *openDriver(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  int count = 0;
  if (!library || call(library, "cuInit", 0u) ||
      call(library, "cuDeviceGetCount", &count) || count == 0)
    return nullptr;
  return library;
}

Device::Device() {
  const char *given = std::getenv("WEFT_LIBCUDA");
  library = openDriver(given ? given : "libcuda.so.1");
  if (!library && !given) {
    // Beside this program, wherever both were carried to.
    std::filesystem::path lib =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() /
        "../lib/libweftNullDriver.so";
    setenv("WEFT_LIBCUDA", lib.c_str(), 1);
    library = openDriver(lib);
  }
  if (!library) {
    std::fprintf(stderr, "no CUDA device, and no null driver either\n");
    std::exit(1);
  }
  char name[64] = {};
  call(library, "cuDeviceGetName", &name[0], 63, 0);
  null = std::string(name) == "Null GPU";
  must(call(library, "cuDevicePrimaryCtxRetain", &context, 0),
       "opening the device");
}

const Device &Device::get() {
  static const Device device;
  return device;
}

void Device::enter() const {
  must(call(library, "cuCtxSetCurrent", context), "entering the device");
}

void *Device::memory(size_t bytes) const {
  enter();
  unsigned long long pointer = 0;
  must(call(library, "cuMemAlloc_v2", &pointer, bytes),
       "allocating device memory");
  return reinterpret_cast<void *>(pointer);
}

void *Device::upload(const std::vector<int32_t> &values) const {
  void *to = memory(values.size() * sizeof(int32_t));
  must(call(library, "cuMemcpyAsync", reinterpret_cast<unsigned long long>(to),
            reinterpret_cast<unsigned long long>(values.data()),
            values.size() * sizeof(int32_t), static_cast<void *>(nullptr)),
       "copying to the device");
  wait(nullptr);
  return to;
}

void *Device::makeStream() const {
  enter();
  void *stream = nullptr;
  must(call(library, "cuStreamCreate", &stream, 1u), "making a stream");
  return stream;
}

void Device::wait(void *stream) const {
  enter();
  must(call(library, "cuStreamSynchronize", stream), "waiting for the stream");
}

Sample::Sample(const std::string &pass, bool packed, bool interleaved) {
  constexpr int64_t batch = 8, seqlen = 512, rows = batch * seqlen;
  constexpr int64_t headsQ = 16, headsKv = 4, dim = 128;
  const Device &device = Device::get();
  spec = pass + " bf16 head_dim=128 head_ratio=4 mask=causal layout=" +
         (packed ? "thd" : "batch");
  problem.batch = batch;
  problem.q.heads = headsQ;
  problem.kv.heads = headsKv;
  std::vector<int32_t> offsets;
  for (int64_t i = 0; i <= batch; ++i)
    offsets.push_back(int32_t(i * seqlen));
  for (weft_side *side : {&problem.q, &problem.kv}) {
    if (packed) {
      side->rows = rows;
      side->cu_seqlens = static_cast<int32_t *>(device.upload(offsets));
    } else {
      side->seqlen = seqlen;
    }
  }
  auto tensor = [&](void *data, int64_t row) -> weft_tensor {
    return {data, packed ? 0 : seqlen * row, row, dim, 1};
  };
  auto own = [&](int64_t heads) {
    return tensor(device.memory(2 * rows * heads * dim), heads * dim);
  };
  // Queries, keys and values, or their gradients.
  auto inputs = [&](weft_tensor &query, weft_tensor &key, weft_tensor &value) {
    if (!interleaved) {
      query = own(headsQ);
      key = own(headsKv);
      value = own(headsKv);
      return;
    }
    int64_t row = (headsQ + 2 * headsKv) * dim;
    char *all = static_cast<char *>(device.memory(2 * rows * row));
    query = tensor(all, row);
    key = tensor(all + 2 * headsQ * dim, row);
    value = tensor(all + 2 * (headsQ + headsKv) * dim, row);
  };
  inputs(problem.query, problem.key, problem.value);
  problem.out = own(headsQ);
  problem.lse = {device.memory(4 * rows * headsQ), packed ? 0 : headsQ * seqlen,
                 1, packed ? rows : seqlen, 1};
  if (pass == "backward") {
    problem.d_out = own(headsQ);
    inputs(problem.d_query, problem.d_key, problem.d_value);
  }
  problem.scale = 0.088;
  problem.stream = device.makeStream();
}

const std::string &cacheFolder() {
  struct Folder {
    std::string path;
    Folder() {
      char name[] = "/tmp/weft-benchmark-XXXXXX";
      if (mkdtemp(name))
        path = name;
    }
    ~Folder() {
      std::error_code error;
      if (!path.empty())
        std::filesystem::remove_all(path, error);
    }
  };
  static const Folder folder;
  return folder.path;
}

} // namespace weft::bench
