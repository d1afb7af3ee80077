//===- TestDevice.h - A sound kernel to try the checks on -------*- C++ -*-===//
//
// A plain CPU model of a tiled attention kernel: f32 arithmetic, P and dS
// rounded to the input type. Faults can be switched on; every check of the case
// layer must notice its own.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_CASES_TESTDEVICE_H
#define WEFT_TESTS_UNIT_CASES_TESTDEVICE_H

#include "runtime/cases/Device.h"

namespace weft::cases {

enum class Fault {
  None,
  DropKey,        ///< one key of each sequence never counts
  SkipEmpty,      ///< dK and dV of a sequence without queries stay unwritten
  SkipGaps,       ///< rows of gaps and tails stay unwritten
  ReadWorkspace,  ///< dK starts from what the workspace held
  ReadResult,     ///< dQ starts from what it held, if that is not NaN
  WriteNeighbour, ///< one element past a row of dQ is written
  WriteInput,     ///< an element of K is written
  LseBase2,       ///< LSE in base 2
  FailAfterWrite, ///< an error is returned after a result was written
};

class TestDevice : public Device {
public:
  explicit TestDevice(Fault fault = Fault::None) : fault(fault) {}

  llvm::StringRef name() const override { return "test"; }
  llvm::Expected<int64_t> workspaceBytes(const AttentionSpec &, const Problem &,
                                         const RunOptions &) override {
    return 64;
  }
  llvm::Error run(const AttentionSpec &spec, const Problem &problem,
                  llvm::ArrayRef<Allocation> memory,
                  const RunOptions &options) override;
  CompiledFor compiledFor() const override { return {"sm_90a", 132}; }

  int runs = 0;

private:
  Fault fault;
};

} // namespace weft::cases

#endif // WEFT_TESTS_UNIT_CASES_TESTDEVICE_H
