//===- weft.cpp - The C interface of weft ---------------------------------===//
//
// Handles, status codes and messages over the library's own types. Nothing here
// computes anything.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/weft.h"

#include "compiler/explain/Explain.h"
#include "compiler/tuning/Tuning.h"
#include "runtime/api/Convert.h"
#include "runtime/cache/CachedProgram.h"
#include "runtime/compile/Nvrtc.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Executor.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <map>
#include <mutex>

using namespace llvm;
using namespace weft;

static std::string &lastError() {
  static thread_local std::string message;
  return message;
}

static weft_status fail(weft_status status, const Twine &message) {
  lastError() = message.str();
  return status;
}

static weft_status fail(weft_status status, Error error) {
  return fail(status, toString(std::move(error)));
}

// Hands `text` to the caller, who frees it with weft_free.
static weft_status give(const std::string &text, char **to) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return fail(WEFT_UNAVAILABLE, "no memory is left for a text of " +
                                      Twine(text.size()) + " bytes");
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *to = copy;
  return WEFT_OK;
}

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

const char *weft_status_string(weft_status status) {
  switch (status) {
  case WEFT_OK:
    return "ok";
  case WEFT_INVALID_ARGUMENT:
    return "invalid argument";
  case WEFT_UNSUPPORTED:
    return "unsupported";
  case WEFT_UNAVAILABLE:
    return "unavailable";
  case WEFT_COMPILE_FAILED:
    return "compile failed";
  case WEFT_LAUNCH_FAILED:
    return "launch failed";
  }
  return "unknown status";
}

const char *weft_last_error(void) { return lastError().c_str(); }
const char *weft_version(void) { return WEFT_VERSION; }
uint32_t weft_abi_version(void) { return WEFT_ABI_VERSION; }
void weft_free(void *text) { std::free(text); }

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

namespace {
/// What a context's plans keep alive.
class SharedState {
public:
  SharedState(std::string directory, ProgramCache::Warn warn,
              std::string tuning)
      : cache(std::move(directory), std::move(warn)),
        tuning(std::move(tuning)) {}

  /// The executor of `program`: one for all plans of a spec, and as old as the
  /// context, since work that it launched may outlive a plan.
  Expected<const CudaExecutor *> executorOf(const ProgramBytes &program) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<CudaExecutor> &executor = executors[program];
    if (!executor) {
      Expected<const CudaDriver *> driver = CudaDriver::get();
      if (!driver)
        return driver.takeError();
      Expected<std::unique_ptr<CudaExecutor>> made =
          CudaExecutor::create(*program, **driver);
      if (!made)
        return made.takeError();
      executor = std::move(*made);
    }
    return executor.get();
  }

  ProgramCache cache;
  const std::string tuning; ///< in place of the targets' own, if not empty

private:
  std::mutex mutex;
  std::map<ProgramBytes, std::unique_ptr<CudaExecutor>> executors;
};
} // namespace

struct weft_context {
  std::shared_ptr<SharedState> shared;
};

weft_status weft_context_create(const weft_context_options *given,
                                weft_context **context) {
  if (!context)
    return fail(WEFT_INVALID_ARGUMENT, "the place for the context is NULL");
  *context = nullptr;
  weft_context_options options{sizeof options, nullptr, nullptr, nullptr,
                               nullptr};
  if (given) {
    Expected<weft_context_options> read =
        readStruct(given, options, "weft_context_options");
    if (!read)
      return fail(WEFT_INVALID_ARGUMENT, read.takeError());
    options = *read;
  }
  std::string tuning = options.tuning ? options.tuning : "";
  if (!tuning.empty())
    if (Error error = parseTuning(tuning).takeError())
      return fail(WEFT_INVALID_ARGUMENT,
                  "weft_context_options.tuning: " + toString(std::move(error)));
  ProgramCache::Warn warn;
  if (options.warn)
    warn = [function = options.warn, user = options.user](StringRef message) {
      function(user, message.str().c_str());
    };
  *context = new weft_context{std::make_shared<SharedState>(
      options.cache_directory ? options.cache_directory
                              : ProgramCache::defaultDirectory(),
      std::move(warn), std::move(tuning))};
  return WEFT_OK;
}

void weft_context_destroy(weft_context *context) { delete context; }

//===----------------------------------------------------------------------===//
// Spec and problem
//===----------------------------------------------------------------------===//

// Zeroes a C struct of the caller's size.
template <typename T> static bool clear(T *value, size_t struct_size) {
  if (!value || struct_size < sizeof(size_t))
    return false;
  std::memset(static_cast<void *>(value), 0, struct_size);
  value->struct_size = struct_size;
  return true;
}

// Writes the fields of `from` that the caller's struct has room for.
template <typename T> static void writeStruct(const T &from, T *to) {
  size_t size = to->struct_size;
  std::memcpy(to, &from, std::min(size, sizeof(T)));
  to->struct_size = size;
}

void weft_spec_init(weft_spec *spec, size_t struct_size) {
  if (!clear(spec, struct_size))
    return;
  weft_spec defaults = {};
  defaults.head_ratio = 1;
  writeStruct(defaults, spec);
}

void weft_problem_init(weft_problem *problem, size_t struct_size) {
  if (!clear(problem, struct_size))
    return;
  weft_problem defaults = {};
  for (weft_tensor *tensor :
       {&defaults.query, &defaults.key, &defaults.value, &defaults.out,
        &defaults.lse, &defaults.d_out, &defaults.d_query, &defaults.d_key,
        &defaults.d_value})
    tensor->column_stride = 1;
  writeStruct(defaults, problem);
}

static Expected<AttentionSpec> parseSpec(const char *text) {
  if (!text)
    return createStringError(
        "the spec is NULL; give a line like 'forward bf16 head_dim=128 "
        "head_ratio=4 layout=thd mask=causal'");
  return AttentionSpec::parse(text);
}

weft_status weft_spec_format(const weft_spec *given, char **text) {
  if (!text)
    return fail(WEFT_INVALID_ARGUMENT, "the place for the text is NULL");
  *text = nullptr;
  weft_spec defaults;
  weft_spec_init(&defaults, sizeof defaults);
  Expected<weft_spec> fields = readStruct(given, defaults, "weft_spec");
  if (!fields)
    return fail(WEFT_INVALID_ARGUMENT, fields.takeError());
  Expected<AttentionSpec> spec = specFromFields(*fields);
  if (!spec)
    return fail(WEFT_INVALID_ARGUMENT, spec.takeError());
  return give(spec->str(), text);
}

weft_status weft_spec_parse(const char *text, weft_spec *to) {
  weft_spec defaults = {};
  Expected<weft_spec> fields = readStruct(to, defaults, "weft_spec");
  if (!fields)
    return fail(WEFT_INVALID_ARGUMENT, fields.takeError());
  Expected<AttentionSpec> spec = parseSpec(text);
  if (!spec)
    return fail(WEFT_INVALID_ARGUMENT, spec.takeError());
  writeStruct(fieldsOf(*spec), to);
  return WEFT_OK;
}

weft_status weft_spec_derive(const char *given, const weft_problem *fields,
                             char **text) {
  if (!text)
    return fail(WEFT_INVALID_ARGUMENT, "the place for the text is NULL");
  *text = nullptr;
  Expected<AttentionSpec> spec = parseSpec(given);
  if (!spec)
    return fail(WEFT_INVALID_ARGUMENT, spec.takeError());
  Expected<Problem> problem = problemFromFields(fields, *spec);
  if (!problem)
    return fail(WEFT_INVALID_ARGUMENT, problem.takeError());
  deriveFacts(*problem, *spec);
  return give(spec->canonical().str(), text);
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

struct weft_plan {
  std::shared_ptr<SharedState> shared;
  AttentionSpec spec;
  std::string specText, targetText;
  Target target;
  ProgramBytes program;
};

// The target that `where` names: a target, or a device's ordinal.
static weft_status resolveTarget(StringRef where, Target &target) {
  if (!where.consume_front("cuda:")) {
    Expected<const Target *> named = targetByName(where);
    if (!named)
      return fail(WEFT_UNSUPPORTED,
                  toString(named.takeError()) + ", or a device such as cuda:0");
    target = **named;
    return WEFT_OK;
  }
  int ordinal;
  if (where.getAsInteger(10, ordinal) || ordinal < 0)
    return fail(WEFT_INVALID_ARGUMENT, "'cuda:" + where +
                                           "' names no device; write cuda:0, "
                                           "cuda:1, ..");
  Expected<const CudaDriver *> driver = CudaDriver::get();
  if (!driver)
    return fail(WEFT_UNAVAILABLE, driver.takeError());
  Expected<CudaDeviceInfo> device = cudaDeviceInfo(**driver, ordinal);
  if (!device)
    return fail(WEFT_UNAVAILABLE, device.takeError());
  Expected<const Target *> found =
      targetForDevice(device->major, device->minor);
  if (!found)
    return fail(WEFT_UNSUPPORTED, found.takeError());
  target = **found;
  return WEFT_OK;
}

weft_status weft_plan_create(weft_context *context, const char *text,
                             const char *where, weft_plan **result) {
  if (!context || !where || !result)
    return fail(WEFT_INVALID_ARGUMENT,
                Twine(!context ? "the context"
                      : !where ? "the target or device"
                               : "the place for the plan") +
                    " is NULL");
  *result = nullptr;
  Expected<AttentionSpec> spec = parseSpec(text);
  if (!spec)
    return fail(WEFT_INVALID_ARGUMENT, spec.takeError());
  auto plan = std::make_unique<weft_plan>();
  if (weft_status status = resolveTarget(where, plan->target))
    return status;
  plan->target.tuning = context->shared->tuning;
  Expected<NvrtcIdentity> nvrtc = findNvrtc();
  if (!nvrtc)
    return fail(WEFT_UNAVAILABLE, nvrtc.takeError());
  Expected<ProgramBytes> program =
      cachedProgram(context->shared->cache, *spec, plan->target);
  if (!program)
    return fail(WEFT_COMPILE_FAILED, program.takeError());
  plan->shared = context->shared;
  plan->specText = spec->str();
  plan->targetText = plan->target.name.str();
  plan->spec = std::move(*spec);
  plan->program = std::move(*program);
  *result = plan.release();
  return WEFT_OK;
}

void weft_plan_destroy(weft_plan *plan) { delete plan; }

const char *weft_plan_spec(const weft_plan *plan) {
  return plan ? plan->specText.c_str() : "";
}

const char *weft_plan_target(const weft_plan *plan) {
  return plan ? plan->targetText.c_str() : "";
}

// The executor of `plan` and the problem of `fields`, for a run or a question.
static weft_status prepare(const weft_plan *plan, const weft_problem *fields,
                           const CudaExecutor *&executor, Problem &problem) {
  if (!plan)
    return fail(WEFT_INVALID_ARGUMENT, "the plan is NULL");
  Expected<Problem> read = problemFromFields(fields, plan->spec);
  if (!read)
    return fail(WEFT_INVALID_ARGUMENT, read.takeError());
  problem = *read;
  // Made when first needed: a plan can be compiled where there is no driver.
  Expected<const CudaExecutor *> made = plan->shared->executorOf(plan->program);
  if (!made)
    return fail(WEFT_UNAVAILABLE, made.takeError());
  executor = *made;
  return WEFT_OK;
}

weft_status weft_plan_workspace_bytes(const weft_plan *plan,
                                      const weft_problem *fields,
                                      int64_t *bytes) {
  if (!bytes)
    return fail(WEFT_INVALID_ARGUMENT, "the place for the bytes is NULL");
  *bytes = 0;
  const CudaExecutor *executor;
  Problem problem;
  if (weft_status status = prepare(plan, fields, executor, problem))
    return status;
  Expected<int64_t> needed = executor->workspaceBytes(problem);
  if (!needed)
    return fail(WEFT_INVALID_ARGUMENT, needed.takeError());
  *bytes = *needed;
  return WEFT_OK;
}

weft_status weft_plan_run(const weft_plan *plan, const weft_problem *fields) {
  const CudaExecutor *executor;
  Problem problem;
  if (weft_status status = prepare(plan, fields, executor, problem))
    return status;
  weft_problem defaults;
  weft_problem_init(&defaults, sizeof defaults);
  weft_problem full = *readStruct(fields, defaults, "weft_problem");
  CudaRunOptions options;
  if (full.flags & ~uint32_t(WEFT_RUN_POISON | WEFT_RUN_CHECK_OFFSETS))
    return fail(WEFT_INVALID_ARGUMENT,
                "weft_problem.flags is " + Twine(full.flags) +
                    "; this library knows WEFT_RUN_POISON (1) and "
                    "WEFT_RUN_CHECK_OFFSETS (2)");
  if (full.flags & WEFT_RUN_POISON) {
    if (full.poison > 0xff)
      return fail(WEFT_INVALID_ARGUMENT, "weft_problem.poison is " +
                                             Twine(full.poison) +
                                             "; it is a byte, 0 to 255");
    options.poison = uint8_t(full.poison);
  }
  options.checkOffsets = full.flags & WEFT_RUN_CHECK_OFFSETS;
  if (Error error = executor->run(problem, options)) {
    // What the caller got wrong and what the driver refused have codes of their
    // own; the executor's message is the same for both.
    bool illegal = errorToBool(checkProblem(problem, plan->spec));
    return fail(illegal ? WEFT_INVALID_ARGUMENT : WEFT_LAUNCH_FAILED,
                std::move(error));
  }
  return WEFT_OK;
}

weft_status weft_plan_explain(const weft_plan *plan, char **text) {
  if (!plan || !text)
    return fail(WEFT_INVALID_ARGUMENT,
                Twine(!plan ? "the plan" : "the place for the text") +
                    " is NULL");
  *text = nullptr;
  Expected<std::string> explanation = explain(plan->spec, plan->target);
  if (!explanation)
    return fail(WEFT_COMPILE_FAILED, explanation.takeError());
  return give(*explanation, text);
}
