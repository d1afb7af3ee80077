//===- weft.hpp - The C++ interface of weft ---------------------*- C++ -*-===//
//
// A header-only layer over weft.h for C++17 and later: owners instead of
// handles, results instead of status codes. Throws nothing.
//
//   auto context = weft::Context::create();
//   auto plan = context->plan(
//       "forward bf16 head_dim=128 head_ratio=4 layout=thd mask=causal",
//       "cuda:0");
//   if (!plan)
//     return fail(plan.status().message);
//   weft::Problem problem;
//   problem.batch = 8; ...
//   weft::Status status = plan->run(problem);
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_HPP
#define WEFT_HPP

#include "weft.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft {
// The names of another version never meet these.
inline namespace v1 {

/// Success, or an error's code and message: what was given, what is allowed,
/// what to do.
struct [[nodiscard]] Status {
  weft_status code = WEFT_OK;
  std::string message;

  explicit operator bool() const { return code == WEFT_OK; }

  /// The status of a call just made on this thread.
  static Status of(weft_status code) {
    return code == WEFT_OK ? Status{} : Status{code, weft_last_error()};
  }
};

/// A value, or the status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) { assert(!failure); }

  explicit operator bool() const { return held.has_value(); }
  const Status &status() const { return failure; }

  T &operator*() & { return *held; }
  const T &operator*() const & { return *held; }
  T &&operator*() && { return std::move(*held); }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }

private:
  std::optional<T> held;
  Status failure;
};

namespace detail {
/// Takes text that the library allocated.
inline std::string take(char *text) {
  std::string copy = text ? text : "";
  weft_free(text);
  return copy;
}
} // namespace detail

/// One call: pointers, strides, sizes, scale, stream, workspace. The fields are
/// those of weft_problem.
struct Problem : weft_problem {
  Problem() { weft_problem_init(this, sizeof(weft_problem)); }

  /// Takes data, strides and sizes of `operand` (WEFT_QUERY, ..) from a DLPack
  /// tensor whose dimensions `dims` names, as in "bshd".
  Status set(const std::string &spec, int32_t operand, const void *dlTensor,
             const char *dims = nullptr) {
    return Status::of(
        weft_problem_set_dlpack(this, spec.c_str(), operand, dlTensor, dims));
  }
};

/// What a kernel is compiled for. The fields are those of weft_spec.
struct AttentionSpec : weft_spec {
  AttentionSpec() { weft_spec_init(this, sizeof(weft_spec)); }

  static Result<AttentionSpec> parse(const std::string &text) {
    AttentionSpec spec;
    Status status = Status::of(weft_spec_parse(text.c_str(), &spec));
    if (!status)
      return status;
    return spec;
  }

  /// The canonical text.
  Result<std::string> text() const {
    char *text = nullptr;
    Status status = Status::of(weft_spec_format(this, &text));
    if (!status)
      return status;
    return detail::take(text);
  }
};

/// The canonical text of `spec` with the facts that `problem` decides.
inline Result<std::string> deriveSpec(const std::string &spec,
                                      const Problem &problem) {
  char *text = nullptr;
  Status status = Status::of(weft_spec_derive(spec.c_str(), &problem, &text));
  if (!status)
    return status;
  return detail::take(text);
}

/// A compiled spec, for any number of problems and threads.
class Plan {
public:
  std::string spec() const { return weft_plan_spec(handle.get()); }
  std::string target() const { return weft_plan_target(handle.get()); }

  /// Bytes of workspace that `run` needs; only the sizes are read.
  Result<int64_t> workspaceBytes(const Problem &problem) const {
    int64_t bytes = 0;
    Status status =
        Status::of(weft_plan_workspace_bytes(handle.get(), &problem, &bytes));
    if (!status)
      return status;
    return bytes;
  }

  /// Launches `problem` on its stream and returns.
  Status run(const Problem &problem) const {
    return Status::of(weft_plan_run(handle.get(), &problem));
  }

  /// Launches in order, who owns and who initialises each buffer.
  Result<std::string> explain() const {
    char *text = nullptr;
    Status status = Status::of(weft_plan_explain(handle.get(), &text));
    if (!status)
      return status;
    return detail::take(text);
  }

private:
  friend class Context;
  struct Destroy {
    void operator()(weft_plan *plan) const { weft_plan_destroy(plan); }
  };
  explicit Plan(weft_plan *plan) : handle(plan) {}
  std::unique_ptr<weft_plan, Destroy> handle;
};

/// Owns devices and the cache of compiled kernels.
class Context {
public:
  /// Needs neither a GPU nor a driver.
  static Result<Context> create(const weft_context_options *options = nullptr) {
    weft_context *context = nullptr;
    Status status = Status::of(weft_context_create(options, &context));
    if (!status)
      return status;
    return Context(context);
  }

  /// Opens a pack: plans come from packs first.
  Status loadPack(const std::string &path) const {
    return Status::of(weft_context_load_pack(handle.get(), path.c_str()));
  }

  /// Takes `spec` from a pack or the cache, or compiles it. `where`: "cuda:0",
  /// or a target's name ("sm_90a") to compile without a GPU.
  Result<Plan> plan(const std::string &spec, const std::string &where) const {
    weft_plan *plan = nullptr;
    Status status = Status::of(
        weft_plan_create(handle.get(), spec.c_str(), where.c_str(), &plan));
    if (!status)
      return status;
    return Plan(plan);
  }

private:
  struct Destroy {
    void operator()(weft_context *context) const {
      weft_context_destroy(context);
    }
  };
  explicit Context(weft_context *context) : handle(context) {}
  std::unique_ptr<weft_context, Destroy> handle;
};

} // namespace v1
} // namespace weft

#endif // WEFT_HPP
