/*===- FakeNvrtc.c - An NVRTC that compiles nothing
------------------------===*\
|*                                                                            *|
|* Takes any program and gives an empty ELF file for it. The environment says *|
|* what else happens:                                                         *|
|*   FAKE_NVRTC_COUNT=FILE  grows by a byte at each compile                   *|
|*   FAKE_NVRTC_SLEEP=MS    a compile takes so long                           *|
|*   FAKE_NVRTC_NO_BUILTINS a compile fails as without libnvrtc-builtins      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <nvrtc.h>

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct _nvrtcProgram {
  char log[512];
  char name[128];
};

nvrtcResult nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  *count = 2;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *architectures) {
  architectures[0] = 80;
  architectures[1] = 90;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source,
                               const char *name, int headers,
                               const char *const *texts,
                               const char *const *names) {
  (void)source, (void)headers, (void)texts, (void)names;
  *program = calloc(1, sizeof **program);
  snprintf((*program)->name, sizeof(*program)->name, "%s", name);
  char *dot = strrchr((*program)->name, '.');
  if (dot)
    *dot = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  free(*program);
  *program = NULL;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                const char *const *options) {
  (void)count, (void)options;
  const char *path = getenv("FAKE_NVRTC_COUNT");
  if (path) {
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, "x", 1) != 1)
      return NVRTC_ERROR_INTERNAL_ERROR;
    close(file);
  }
  const char *sleep = getenv("FAKE_NVRTC_SLEEP");
  if (sleep) {
    long ms = atol(sleep);
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
  }
  if (getenv("FAKE_NVRTC_NO_BUILTINS")) {
    snprintf(program->log, sizeof program->log,
             "nvrtc: error: failed to open libnvrtc-builtins.so.13.0.");
    return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
  }
  snprintf(program->log, sizeof program->log,
           "ptxas info    : Compiling entry function '%s' for 'sm_90a'\n"
           "ptxas info    : Used 8 registers, used 0 barriers\n",
           program->name);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size) {
  *size = strlen(program->log) + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log) {
  strcpy(log, program->log);
  return NVRTC_SUCCESS;
}

/* A head, one empty section: whole, as far as one can see. */
static const size_t bytes = sizeof(Elf64_Ehdr) + sizeof(Elf64_Shdr);

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size) {
  (void)program;
  *size = bytes;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin) {
  (void)program;
  Elf64_Ehdr header;
  memset(&header, 0, sizeof header);
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  memset(cubin, 0, bytes);
  memcpy(cubin, &header, sizeof header);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size) {
  (void)program;
  *size = 1 + strlen(".version 9.0\n");
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx) {
  (void)program;
  strcpy(ptx, ".version 9.0\n");
  return NVRTC_SUCCESS;
}
