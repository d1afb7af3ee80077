/*===- ForeignLlvm.c - weft beside another LLVM in one process ------------===*\
|*                                                                            *|
|*   foreign-llvm before|after LIBLLVM LIBWEFT                                *|
|*                                                                            *|
|* Loads an LLVM for all to see, before or after weft, and uses both in turn: *|
|* neither may meet the other's symbols, options or passes.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "runtime/api/weft.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *load(const char *path, int flags) {
  void *library = dlopen(path, RTLD_NOW | flags);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return library;
}

static void *find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return symbol;
}
#define CALL(library, name, type) (*(type *)find(library, name))

typedef void *New(void);
typedef void *NewIn(const char *, void *);
typedef char *Text(void *);
typedef void Free(void *);
typedef void Options(int, const char *const *, const char *);

/* Makes and prints a module, and reads options, which are global. */
static int useLlvm(void *llvm) {
  static const char *arguments[] = {"foreign-llvm", "-inline-threshold=7"};
  static int parsed;
  void *context = CALL(llvm, "LLVMContextCreate", New)();
  void *module =
      CALL(llvm, "LLVMModuleCreateWithNameInContext", NewIn)("theirs", context);
  char *text = CALL(llvm, "LLVMPrintModuleToString", Text)(module);
  int right = strstr(text, "theirs") != NULL;
  if (!parsed++)
    CALL(llvm, "LLVMParseCommandLineOptions", Options)(2, arguments, "");
  CALL(llvm, "LLVMDisposeMessage", Free)(text);
  CALL(llvm, "LLVMDisposeModule", Free)(module);
  CALL(llvm, "LLVMContextDispose", Free)(context);
  return right;
}

#define WEFT(library, name) (*(__typeof__(&name))find(library, #name))

/* Compiles a plan. */
static int useWeft(void *weft) {
  weft_context_options options;
  weft_context *context;
  weft_plan *plan;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.cache_directory = "";
  if (WEFT(weft, weft_context_create)(&options, &context) != WEFT_OK)
    return 0;
  if (WEFT(weft, weft_plan_create)(context,
                                   "forward bf16 head_dim=64 layout=thd",
                                   "sm_80", &plan) != WEFT_OK) {
    fprintf(stderr, "%s\n", WEFT(weft, weft_last_error)());
    return 0;
  }
  WEFT(weft, weft_plan_destroy)(plan);
  WEFT(weft, weft_context_destroy)(context);
  return 1;
}

int main(int argc, char **argv) {
  void *llvm, *weft;
  int right;
  if (argc != 4)
    return 1;
  if (strcmp(argv[1], "before") == 0) {
    llvm = load(argv[2], RTLD_GLOBAL);
    right = useLlvm(llvm);
    weft = load(argv[3], RTLD_GLOBAL);
    right = right && useWeft(weft);
  } else {
    weft = load(argv[3], RTLD_GLOBAL);
    right = useWeft(weft);
    llvm = load(argv[2], RTLD_GLOBAL);
    right = right && useLlvm(llvm);
  }
  right = right && useWeft(weft) && useLlvm(llvm);
  printf("%s\n", right ? "right" : "wrong");
  return !right;
}
