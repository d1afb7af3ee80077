//===- Program.h - The launch program, read and written ---------*- C++ -*-===//
//
// A launch program is a FlatBuffer (Program.fbs says what it holds). The
// compiler builds a `ProgramT`; the executor runs a `Program` that `load` has
// checked, so a corrupt file is an error and never a crash. A leaf: no MLIR, no
// CUDA headers.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PROGRAM_PROGRAM_H
#define WEFT_RUNTIME_PROGRAM_PROGRAM_H

#include "runtime/program/Program_generated.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace weft::program {

/// The version of the format that this library reads and writes.
inline constexpr uint32_t formatVersion = 1;

/// Alignment, in bytes, of a program in memory and of each buffer in an arena.
inline constexpr int64_t programAlignment = 16;
inline constexpr int64_t arenaAlignment = 256;

/// The bytes of `program`, which must pass `load`.
llvm::Expected<std::vector<uint8_t>> serialize(const ProgramT &program);

/// Reads a program where it lies: `bytes` begin at an address that is a
/// multiple of `programAlignment` and outlive the result. Everything is checked
/// that can be without run-time sizes; kernels without a cubin pass.
llvm::Expected<const Program *> load(llvm::ArrayRef<uint8_t> bytes);

/// What `load` checks beyond the FlatBuffers structure: version, indices,
/// enumerators, argument types, kernel limits, formulas of earlier nodes only.
llvm::Error verify(const Program &program);

} // namespace weft::program

#endif // WEFT_RUNTIME_PROGRAM_PROGRAM_H
