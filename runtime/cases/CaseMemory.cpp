//===- CaseMemory.cpp - The host memory of a case -------------------------===//

#include "runtime/cases/CaseMemory.h"

#include "runtime/cases/Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

using namespace weft;
using namespace weft::cases;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr int64_t alignment = 256;
/// Behind the end of every result, so that a write past it is seen. Inputs end
/// with their last element, so that a memory checker sees reads past them.
static constexpr int64_t guardBytes = 16384;
static constexpr StringRef workspaceName = "workspace";

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

ArrayRef<TensorId> weft::cases::resultsOf(PassKind pass) {
  static constexpr TensorId forward[] = {TensorId::O, TensorId::Lse};
  static constexpr TensorId backward[] = {TensorId::DQ, TensorId::DK,
                                          TensorId::DV};
  return pass == PassKind::Forward ? ArrayRef<TensorId>(forward)
                                   : ArrayRef<TensorId>(backward);
}

std::vector<bool> weft::cases::usedRows(const ResolvedCall &call, TensorId id) {
  std::vector<bool> used(call.side(id).rows);
  for (const SequenceRows &sequence : call.sequences(id))
    std::fill_n(used.begin() + sequence.start, sequence.used, true);
  return used;
}

/// The tensors of the case's pass.
static ArrayRef<TensorId> tensorsOf(const CaseFile &file) {
  static constexpr TensorId all[] = {TensorId::Q,  TensorId::K,   TensorId::V,
                                     TensorId::O,  TensorId::Lse, TensorId::DO,
                                     TensorId::DQ, TensorId::DK,  TensorId::DV};
  return ArrayRef(all).take_front(file.isBackward() ? 9 : 5);
}

/// The lists of offsets and lengths of one side, by name.
static std::array<std::tuple<StringRef, const int32_t *, int64_t>, 3>
listsOf(const SideSizes &side, bool querySide, int64_t batch) {
  return {{{querySide ? "cu_seqlens_q" : "cu_seqlens_kv", side.cuSeqlens,
            batch + 1},
           {querySide ? "cu_seqlens_q_padded" : "cu_seqlens_kv_padded",
            side.cuSeqlensPadded, batch + 1},
           {querySide ? "seqlens_q" : "seqlens_kv", side.seqlens, batch}}};
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

double HostTensor::load(int64_t row, int64_t head, int64_t column) const {
  const char *at = data + place.elementBytes * (place.at(row, head) +
                                                column * place.columnStride);
  if (isLse()) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  uint16_t value;
  std::memcpy(&value, at, sizeof(value));
  return decode(dtype, value);
}

void HostTensor::store(int64_t row, int64_t head, int64_t column,
                       double value) {
  char *at = data + place.elementBytes *
                        (place.at(row, head) + column * place.columnStride);
  if (isLse()) {
    float stored = float(value);
    std::memcpy(at, &stored, sizeof(stored));
    return;
  }
  uint16_t stored = encode(dtype, value);
  std::memcpy(at, &stored, sizeof(stored));
}

void HostTensor::loadRow(int64_t row, int64_t head, double *to) const {
  if (!isLse() && place.columnStride == 1)
    return decodeRow(dtype, data + place.at(row, head) * place.elementBytes,
                     place.columns, to);
  for (int64_t column = 0; column < place.columns; ++column)
    to[column] = load(row, head, column);
}

void HostTensor::storeRow(int64_t row, int64_t head, const double *from) {
  if (!isLse() && place.columnStride == 1)
    return encodeRow(dtype, from, place.columns,
                     data + place.at(row, head) * place.elementBytes);
  for (int64_t column = 0; column < place.columns; ++column)
    store(row, head, column, from[column]);
}

std::vector<char> HostTensor::bits() const {
  int64_t run = place.columns * place.elementBytes;
  std::vector<char> result(place.elements() * place.elementBytes);
  char *to = result.data();
  for (int64_t row = 0; row < place.rows(); ++row)
    for (int64_t head = 0; head < place.heads; ++head, to += run)
      std::memcpy(to, data + place.at(row, head) * place.elementBytes, run);
  return result;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

void CaseMemory::Free::operator()(void *data) const { std::free(data); }

Error CaseMemory::allocate(StringRef name, int64_t bytes) {
  if (bytes == 0)
    return Error::success();
  int64_t total = bytes;
  for (const Allocation &other : list)
    total += other.bytes;
  void *data = nullptr;
  if (total <= maxCaseBytes)
    data = std::aligned_alloc(alignment,
                              (bytes + alignment - 1) / alignment * alignment);
  if (!data)
    return error("the case needs " + Twine(bytes) + " bytes for " + name +
                 " and " + Twine(total) + " so far; a case may hold " +
                 Twine(maxCaseBytes) + " and the machine must have them");
  owned.emplace_back(data);
  list.push_back({name.str(), data, bytes});
  return Error::success();
}

Allocation *CaseMemory::find(StringRef name) {
  for (Allocation &allocation : list)
    if (allocation.name == name)
      return &allocation;
  return nullptr;
}

Expected<CaseMemory> CaseMemory::create(const CaseFile &file,
                                        ArrayRef<const ResolvedCall *> calls) {
  // Sizes first, in the order of first use, so that memory comes once.
  std::vector<std::pair<std::string, int64_t>> sizes;
  auto need = [&](StringRef name, int64_t bytes) {
    auto it = llvm::find_if(
        sizes, [&](const auto &entry) { return entry.first == name; });
    if (it == sizes.end())
      sizes.push_back({name.str(), bytes});
    else
      it->second = std::max(it->second, bytes);
  };
  for (const ResolvedCall *call : calls) {
    if (!call)
      continue;
    for (TensorId id : tensorsOf(file)) {
      Placement placement = place(file, *call, id);
      std::optional<int64_t> bytes = placement.endBytes();
      if (!bytes || *bytes > maxCaseBytes)
        return error("the strides and the offset of " + nameOf(id) +
                     " reach further than the " + Twine(maxCaseBytes) +
                     " bytes that a case may hold");
      need(placement.allocation,
           *bytes == 0 || !file.isResult(id) ? *bytes : *bytes + guardBytes);
    }
    for (bool querySide : {true, false})
      for (auto [name, entries, count] :
           listsOf(querySide ? call->q : call->kv, querySide, call->batch))
        if (entries)
          need(name, count * int64_t(sizeof(int32_t)));
  }
  CaseMemory memory(file);
  for (const auto &[name, bytes] : sizes)
    if (Error e = memory.allocate(name, bytes))
      return e;
  for (Allocation &allocation : memory.list)
    std::memset(allocation.data, 0xff, allocation.bytes);
  memory.fillResults();
  return memory;
}

/// Repeats a pattern over an allocation.
static void fillPattern(Allocation &allocation, Fill fill, const void *one,
                        int64_t oneBytes) {
  if (fill != Fill::Ones) {
    std::memset(allocation.data, fill == Fill::NaN ? 0xff : 0,
                allocation.bytes);
    return;
  }
  char *data = static_cast<char *>(allocation.data);
  for (int64_t at = 0; at + oneBytes <= allocation.bytes; at += oneBytes)
    std::memcpy(data + at, one, oneBytes);
}

void CaseMemory::fillResults() {
  uint16_t one = encode(file->dtype, 1);
  float oneF32 = 1;
  for (StringRef name : {"o", "dq", "dk", "dv", "dqkv"})
    if (Allocation *allocation = find(name))
      if (name != "o" || file->runsForward())
        fillPattern(*allocation, file->workspace, &one, sizeof(one));
  if (Allocation *lse = find("lse"); lse && file->runsForward())
    fillPattern(*lse, file->workspace, &oneF32, sizeof(oneF32));
}

Error CaseMemory::reserveWorkspace(int64_t bytes) {
  if (Error e = allocate(workspaceName, bytes))
    return e;
  float one = 1;
  if (Allocation *workspace = find(workspaceName))
    fillPattern(*workspace, file->workspace, &one, sizeof(one));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

void CaseMemory::drawTensor(const ResolvedCall &call, TensorId id,
                            bool gapsOnly, bool other) {
  HostTensor tensor = this->tensor(call, id);
  const Placement &place = tensor.place;
  if (place.elements() == 0)
    return;
  if (id == TensorId::DO && file->inputs.onesDOut) {
    tensor.store(0, 0, 0, 1);
    return;
  }
  RandomStream stream(uint64_t(file->inputs.seed) + (other ? 1 : 0),
                      uint64_t(id));
  std::vector<bool> used = usedRows(call, id);
  std::vector<double> drawn(place.columns);
  for (int64_t row = 0; row < place.rows(); ++row) {
    if (gapsOnly && used[row])
      continue;
    bool nan = !used[row] && file->inputs.nanGaps;
    for (int64_t head = 0; head < place.heads; ++head) {
      uint64_t index = uint64_t((row * place.heads + head) * place.columns);
      for (double &value : drawn)
        value = nan ? std::numeric_limits<double>::quiet_NaN()
                    : file->inputs.std * stream.normal(index++);
      tensor.storeRow(row, head, drawn.data());
    }
  }
}

void CaseMemory::drawInputs(const ResolvedCall &call, bool other) {
  std::vector<TensorId> inputs = {TensorId::Q, TensorId::K, TensorId::V};
  if (file->isBackward())
    inputs.push_back(TensorId::DO);
  if (!file->runsForward())
    inputs.insert(inputs.end(), {TensorId::O, TensorId::Lse});
  for (TensorId id : inputs)
    if (Allocation *allocation = find(place(*file, call, id).allocation))
      std::memset(allocation->data, 0xff, allocation->bytes);
  for (TensorId id : inputs)
    drawTensor(call, id, /*gapsOnly=*/false, other);
}

void CaseMemory::fillForwardGaps(const ResolvedCall &call) {
  for (TensorId id : {TensorId::O, TensorId::Lse})
    drawTensor(call, id, /*gapsOnly=*/true);
}

void CaseMemory::poison(const ResolvedCall &call, PassKind pass,
                        uint8_t pattern) {
  for (TensorId id : resultsOf(pass)) {
    HostTensor tensor = this->tensor(call, id);
    const Placement &place = tensor.place;
    for (int64_t row = 0; row < place.rows(); ++row)
      for (int64_t head = 0; head < place.heads; ++head)
        std::memset(tensor.data + place.at(row, head) * place.elementBytes,
                    pattern, place.columns * place.elementBytes);
  }
  if (Allocation *workspace = find(workspaceName))
    std::memset(workspace->data, pattern, workspace->bytes);
}

HostTensor CaseMemory::tensor(const ResolvedCall &call, TensorId id) const {
  HostTensor tensor;
  tensor.id = id;
  tensor.place = place(*file, call, id);
  tensor.dtype = file->dtype;
  const Allocation *allocation = find(tensor.place.allocation);
  tensor.data = allocation && tensor.place.elements() != 0
                    ? static_cast<char *>(allocation->data)
                    : nullptr;
  return tensor;
}

const int32_t *CaseMemory::copyList(StringRef name, const int32_t *entries,
                                    int64_t count) {
  if (!entries || count == 0)
    return nullptr;
  void *data = find(name)->data;
  std::memcpy(data, entries, count * sizeof(int32_t));
  return static_cast<const int32_t *>(data);
}

Problem CaseMemory::problem(const ResolvedCall &call, PassKind pass) {
  Problem problem;
  problem.batch = call.batch;
  problem.q = call.q;
  problem.kv = call.kv;
  for (bool querySide : {true, false}) {
    SideSizes &side = querySide ? problem.q : problem.kv;
    auto lists = listsOf(side, querySide, call.batch);
    const int32_t **members[] = {&side.cuSeqlens, &side.cuSeqlensPadded,
                                 &side.seqlens};
    for (auto [member, entry] : llvm::zip_equal(members, lists)) {
      auto [name, entries, count] = entry;
      *member = copyList(name, entries, count);
    }
  }
  TensorView *views[] = {&problem.query,  &problem.key,  &problem.value,
                         &problem.out,    &problem.lse,  &problem.dOut,
                         &problem.dQuery, &problem.dKey, &problem.dValue};
  size_t count = pass == PassKind::Forward ? 5 : numTensors;
  for (size_t i = 0; i < count; ++i) {
    HostTensor tensor = this->tensor(call, TensorId(i));
    const Placement &place = tensor.place;
    *views[i] = {tensor.data ? tensor.data + place.offset * place.elementBytes
                             : nullptr,
                 place.batchStride, place.rowStride, place.headStride,
                 place.columnStride};
  }
  problem.scale = file->scaleValue();
  problem.windowLeft = file->left.value_or(0);
  problem.windowRight = file->right.value_or(0);
  problem.softcap = file->softcap.value_or(0);
  if (const Allocation *workspace = find(workspaceName)) {
    problem.workspace = workspace->data;
    problem.workspaceBytes = workspace->bytes;
  }
  return problem;
}

//===----------------------------------------------------------------------===//
// Snapshot
//===----------------------------------------------------------------------===//

Snapshot::Snapshot(const CaseMemory &memory) {
  for (const Allocation &allocation : memory.allocations()) {
    const char *data = static_cast<const char *>(allocation.data);
    copies.emplace_back();
    if (allocation.name != workspaceName)
      copies.back().assign(data, data + allocation.bytes);
  }
}

std::vector<std::string> Snapshot::foreignWrites(const CaseMemory &memory,
                                                 const ResolvedCall &call,
                                                 ArrayRef<TensorId> results) {
  // With the results copied over, everything else must be as it was.
  for (TensorId id : results) {
    HostTensor tensor = memory.tensor(call, id);
    const Placement &place = tensor.place;
    for (auto [allocation, copy] :
         llvm::zip_equal(memory.allocations(), copies)) {
      if (allocation.name != place.allocation)
        continue;
      for (int64_t row = 0; row < place.rows(); ++row)
        for (int64_t head = 0; head < place.heads; ++head) {
          int64_t at = place.at(row, head) * place.elementBytes;
          std::memcpy(copy.data() + at, tensor.data + at,
                      place.columns * place.elementBytes);
        }
    }
  }
  std::vector<std::string> found;
  for (auto [allocation, copy] :
       llvm::zip_equal(memory.allocations(), copies)) {
    const char *data = static_cast<const char *>(allocation.data);
    if (copy.empty() || std::memcmp(copy.data(), data, copy.size()) == 0)
      continue;
    size_t byte =
        std::mismatch(copy.begin(), copy.end(), data).first - copy.begin();
    found.push_back(("byte " + Twine(byte) + " of allocation '" +
                     allocation.name +
                     "' changed and is no element of a result")
                        .str());
  }
  return found;
}
