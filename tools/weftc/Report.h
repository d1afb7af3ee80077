//===- Report.h - What a compile made, as JSON ------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFTC_REPORT_H
#define WEFT_TOOLS_WEFTC_REPORT_H

#include "compiler/target/Target.h"
#include "runtime/compile/AssembleProgram.h"

#include "llvm/Support/JSON.h"

namespace weft {

/// {"weft": version, "spec": canonical text, "target": "sm_90a",
///  "nvrtc": path, "microseconds": {"attn": .., .., "nvrtc": .., "total": ..},
///  "kernels": [{"name", "threads", "registers", "spill_store_bytes",
///               "spill_load_bytes", "stack_bytes", "shared_bytes" (static and
///               dynamic), "barriers", "warnings": [..], "cubin_bytes",
///               "microseconds"}, ..]}
llvm::json::Object reportOf(const AssembledProgram &program,
                            const Target &target);

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_REPORT_H
