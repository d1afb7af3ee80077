//===- CaseMemory.h - The host memory of a case -----------------*- C++ -*-===//
//
// One set of allocations, sized for the largest call, in which every call of a
// case runs. Inputs are drawn anew for each call; results and workspace keep
// what the call before left in them.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_CASEMEMORY_H
#define WEFT_RUNTIME_CASES_CASEMEMORY_H

#include "runtime/cases/Call.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace weft::cases {

/// Host memory that a problem's pointers point into, aligned to 256 bytes. An
/// executor on a device mirrors each allocation and moves the pointers.
struct Allocation {
  std::string name;
  void *data = nullptr;
  int64_t bytes = 0; ///< above 0
};

/// One tensor in host memory.
struct HostTensor {
  TensorId id = TensorId::Q;
  Placement place;
  DType dtype = DType::BF16;
  char *data = nullptr; ///< of the allocation; null only without elements

  bool isLse() const { return place.elementBytes == 4; }
  double load(int64_t row, int64_t head, int64_t column) const;
  void store(int64_t row, int64_t head, int64_t column, double value);
  /// All columns of a row and head.
  void loadRow(int64_t row, int64_t head, double *to) const;
  void storeRow(int64_t row, int64_t head, const double *from);
  /// The elements in logical order (row, head, column), as bytes.
  std::vector<char> bits() const;
};

class CaseMemory {
public:
  /// Allocates for `calls`; those that could not be resolved are null. What
  /// does not fit `maxCaseBytes` is an error.
  static llvm::Expected<CaseMemory>
  create(const CaseFile &file, llvm::ArrayRef<const ResolvedCall *> calls);

  /// The workspace of every call; filled as the case says. Once.
  llvm::Error reserveWorkspace(int64_t bytes);

  /// Draws every input of the case's pass, gap and tail rows included.
  /// Elements of input allocations that belong to no tensor become NaN.
  /// `other`: another draw than the case's.
  void drawInputs(const ResolvedCall &call, bool other = false);
  /// Fills gap and tail rows of O and LSE, which a forward left zero, before
  /// they are inputs of the backward.
  void fillForwardGaps(const ResolvedCall &call);
  /// Fills the results of `pass` (their own elements only) and the workspace
  /// with bytes of `pattern`.
  void poison(const ResolvedCall &call, PassKind pass, uint8_t pattern = 0xff);

  /// The problem of one pass of `call`, workspace included. Writes the offsets
  /// and lengths of the call into their allocations.
  Problem problem(const ResolvedCall &call, PassKind pass);
  HostTensor tensor(const ResolvedCall &call, TensorId id) const;
  llvm::ArrayRef<Allocation> allocations() const { return list; }

private:
  struct Free {
    void operator()(void *data) const;
  };

  explicit CaseMemory(const CaseFile &file) : file(&file) {}
  llvm::Error allocate(llvm::StringRef name, int64_t bytes);
  Allocation *find(llvm::StringRef name);
  const Allocation *find(llvm::StringRef name) const {
    return const_cast<CaseMemory *>(this)->find(name);
  }
  void drawTensor(const ResolvedCall &call, TensorId id, bool gapsOnly,
                  bool other = false);
  void fillResults();
  const int32_t *copyList(llvm::StringRef name, const int32_t *list,
                          int64_t entries);

  const CaseFile *file;
  std::vector<Allocation> list;
  std::vector<std::unique_ptr<void, Free>> owned;
};

/// The most host memory of one case.
inline constexpr int64_t maxCaseBytes = int64_t(24) << 30;

/// The results of one pass, in the order they are reported.
llvm::ArrayRef<TensorId> resultsOf(PassKind pass);

/// For every row of the buffer, whether a sequence uses it.
std::vector<bool> usedRows(const ResolvedCall &call, TensorId id);

/// What was in memory before a launch, to find writes outside the results.
class Snapshot {
public:
  explicit Snapshot(const CaseMemory &memory);
  /// The allocations (workspace apart) where some byte that is not an element
  /// of one of `results` changed, each with its first such byte.
  std::vector<std::string> foreignWrites(const CaseMemory &memory,
                                         const ResolvedCall &call,
                                         llvm::ArrayRef<TensorId> results);

private:
  std::vector<std::vector<char>> copies;
};

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_CASEMEMORY_H
