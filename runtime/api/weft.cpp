//===- weft.cpp - The C interface of weft ---------------------------------===//
//
// Handles, status codes and messages over the library's own types. Nothing here
// computes anything.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/weft.h"

#include "runtime/api/Convert.h"
#include "runtime/api/PlanStore.h"
#include "runtime/api/Status.h"
#include "runtime/cuda/Device.h"
#include "runtime/spec/TargetName.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace llvm;
using namespace weft;

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
  case WEFT_NOT_PRECOMPILED:
    return "not precompiled";
  case WEFT_OUT_OF_MEMORY:
    return "out of memory";
  case WEFT_DEVICE_LOST:
    return "device lost";
  case WEFT_BAD_PACK:
    return "bad pack";
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

struct weft_context {
  std::shared_ptr<PlanStore> store;
};

weft_status weft_context_create(const weft_context_options *given,
                                weft_context **context) {
  if (!context)
    return fail(WEFT_INVALID_ARGUMENT, "the place for the context is NULL");
  *context = nullptr;
  weft_context_options options = {};
  if (given) {
    Expected<weft_context_options> read =
        readStruct(given, options, "weft_context_options");
    if (!read)
      return fail(read.takeError(), WEFT_INVALID_ARGUMENT);
    options = *read;
    if (options.reserved)
      return fail(WEFT_INVALID_ARGUMENT,
                  "weft_context_options.reserved is " +
                      Twine(options.reserved) +
                      "; it is for later versions: zero the struct before its "
                      "fields are set");
  }
  bool tuned = options.tuning && *options.tuning;
  if (tuned && options.precompiled_only)
    return fail(WEFT_INVALID_ARGUMENT,
                "weft_context_options.tuning is given with precompiled_only, "
                "which compiles nothing: schedules are chosen when a pack is "
                "compiled; leave one of the two out");
  PlanStore::Warn warn;
  if (options.warn)
    warn = [function = options.warn, user = options.user](StringRef message) {
      function(user, message.str().c_str());
    };
  Expected<std::unique_ptr<PlanCompiler>> compiler =
      makePlanCompiler({options.cache_directory, options.tuning, warn});
  if (!compiler)
    return fail(compiler.takeError(), WEFT_INVALID_ARGUMENT);
  *context = new weft_context{std::make_shared<PlanStore>(
      std::move(*compiler), /*compiles=*/!options.precompiled_only,
      /*usesPacks=*/!tuned, std::move(warn))};
  return WEFT_OK;
}

weft_status weft_context_load_pack(weft_context *context, const char *path) {
  if (!context || !path)
    return fail(WEFT_INVALID_ARGUMENT,
                Twine(!context ? "the context" : "the pack's path") +
                    " is NULL");
  if (Error error = context->store->loadPack(path))
    return fail(std::move(error), WEFT_BAD_PACK);
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
    return fail(fields.takeError(), WEFT_INVALID_ARGUMENT);
  Expected<AttentionSpec> spec = specFromFields(*fields);
  if (!spec)
    return fail(spec.takeError(), WEFT_INVALID_ARGUMENT);
  return give(spec->str(), text);
}

weft_status weft_spec_parse(const char *text, weft_spec *to) {
  weft_spec defaults = {};
  Expected<weft_spec> fields = readStruct(to, defaults, "weft_spec");
  if (!fields)
    return fail(fields.takeError(), WEFT_INVALID_ARGUMENT);
  Expected<AttentionSpec> spec = parseSpec(text);
  if (!spec)
    return fail(spec.takeError(), WEFT_INVALID_ARGUMENT);
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
    return fail(spec.takeError(), WEFT_INVALID_ARGUMENT);
  Expected<weft_problem> full = readProblem(fields);
  if (!full)
    return fail(full.takeError(), WEFT_INVALID_ARGUMENT);
  deriveFacts(problemFromFields(*full, *spec), *spec);
  return give(spec->canonical().str(), text);
}

weft_status weft_problem_set_dlpack(weft_problem *problem, const char *text,
                                    int32_t operand, const void *tensor,
                                    const char *dims) {
  weft_problem defaults = {};
  Expected<weft_problem> fields = readStruct(problem, defaults, "weft_problem");
  if (!fields)
    return fail(fields.takeError(), WEFT_INVALID_ARGUMENT);
  Expected<AttentionSpec> spec = parseSpec(text);
  if (!spec)
    return fail(spec.takeError(), WEFT_INVALID_ARGUMENT);
  if (Error error = setFromDLPack(*fields, *spec, operand, tensor, dims))
    return fail(std::move(error), WEFT_INVALID_ARGUMENT);
  writeStruct(*fields, problem);
  return WEFT_OK;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

struct weft_plan {
  std::shared_ptr<PlanStore> store; // keeps the program
  PlanProgram *program;
  std::string specText;
};

// The target that `where` names: a target, or a device's ordinal.
static Expected<std::string> resolveTarget(StringRef where) {
  if (!where.consume_front("cuda:"))
    return where.str();
  int ordinal;
  if (where.getAsInteger(10, ordinal) || ordinal < 0)
    return statusError(WEFT_INVALID_ARGUMENT,
                       "'cuda:" + where +
                           "' names no device; write cuda:0, cuda:1, ..");
  Expected<const CudaDriver *> driver = CudaDriver::get();
  if (!driver)
    return statusError(WEFT_UNAVAILABLE, driver.takeError());
  Expected<CudaDeviceInfo> device = cudaDeviceInfo(**driver, ordinal);
  if (!device)
    return statusError(WEFT_UNAVAILABLE, device.takeError());
  return targetNameFor(device->major, device->minor);
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
    return fail(spec.takeError(), WEFT_INVALID_ARGUMENT);
  Expected<std::string> target = resolveTarget(where);
  if (!target)
    return fail(target.takeError(), WEFT_UNAVAILABLE);
  Expected<PlanProgram *> program = context->store->get(*spec, *target);
  if (!program) {
    weft_status status = fail(program.takeError(), WEFT_COMPILE_FAILED);
    // A target that the caller did not name, but the device has.
    if (status == WEFT_UNSUPPORTED && *target != where)
      fail(status, Twine(where) + " is a GPU of target " + *target + ": " +
                       std::string(lastError()));
    return status;
  }
  *result = new weft_plan{context->store, *program, spec->str()};
  return WEFT_OK;
}

void weft_plan_destroy(weft_plan *plan) { delete plan; }

const char *weft_plan_spec(const weft_plan *plan) {
  return plan ? plan->specText.c_str() : "";
}

const char *weft_plan_target(const weft_plan *plan) {
  return plan ? plan->program->target.c_str() : "";
}

// The struct of `fields`, for a run or a question.
static weft_status prepare(const weft_plan *plan, const weft_problem *fields,
                           weft_problem &full) {
  if (!plan)
    return fail(WEFT_INVALID_ARGUMENT, "the plan is NULL");
  Expected<weft_problem> read = readProblem(fields);
  if (!read)
    return fail(read.takeError(), WEFT_INVALID_ARGUMENT);
  full = *read;
  return WEFT_OK;
}

weft_status weft_plan_workspace_bytes(const weft_plan *plan,
                                      const weft_problem *fields,
                                      int64_t *bytes) {
  if (!bytes)
    return fail(WEFT_INVALID_ARGUMENT, "the place for the bytes is NULL");
  *bytes = 0;
  weft_problem full;
  if (weft_status status = prepare(plan, fields, full))
    return status;
  Expected<int64_t> needed = plan->program->workspaceBytes(
      problemFromFields(full, plan->program->spec));
  if (!needed)
    return fail(needed.takeError(), WEFT_INVALID_ARGUMENT);
  *bytes = *needed;
  return WEFT_OK;
}

weft_status weft_plan_run(const weft_plan *plan, const weft_problem *fields) {
  weft_problem full;
  if (weft_status status = prepare(plan, fields, full))
    return status;
  Problem problem = problemFromFields(full, plan->program->spec);
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
  if (Error error = plan->program->run(problem, options)) {
    // What the caller got wrong and what the driver refused have codes of their
    // own.
    bool illegal = errorToBool(checkProblem(problem, plan->program->spec));
    return fail(std::move(error),
                illegal ? WEFT_INVALID_ARGUMENT : WEFT_LAUNCH_FAILED);
  }
  return WEFT_OK;
}

weft_status weft_plan_explain(const weft_plan *plan, char **text) {
  if (!plan || !text)
    return fail(WEFT_INVALID_ARGUMENT,
                Twine(!plan ? "the plan" : "the place for the text") +
                    " is NULL");
  *text = nullptr;
  Expected<std::string> explanation = plan->store->explain(*plan->program);
  if (!explanation)
    return fail(explanation.takeError(), WEFT_COMPILE_FAILED);
  return give(*explanation, text);
}
