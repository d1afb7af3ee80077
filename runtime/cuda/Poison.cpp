//===- Poison.cpp - Filling results before a run --------------------------===//

#include "runtime/cuda/Poison.h"

#include "runtime/cuda/Views.h"
#include "runtime/program/Bindings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace weft;
using llvm::ArrayRef;
using llvm::Error;
using llvm::SmallVector;
using llvm::Twine;

/// The largest distance of two runs in one fill (CU_DEVICE_ATTRIBUTE_MAX_PITCH
/// of every device).
static constexpr int64_t maxPitch = (int64_t(1) << 31) - 1;

/// Sorts by stride, drops dimensions of one step, joins those that continue
/// each other.
static SmallVector<ViewDim, 4> simplify(ArrayRef<ViewDim> dims) {
  SmallVector<ViewDim, 4> sorted;
  for (ViewDim dim : dims)
    if (dim.extent != 1)
      sorted.push_back(dim);
  llvm::sort(sorted, [](const ViewDim &a, const ViewDim &b) {
    return a.stride < b.stride;
  });
  SmallVector<ViewDim, 4> joined;
  for (ViewDim dim : sorted) {
    if (!joined.empty() &&
        dim.stride == joined.back().stride * joined.back().extent)
      joined.back().extent *= dim.extent;
    else
      joined.push_back(dim);
  }
  return joined;
}

Error weft::forEachFill(uint64_t address, int64_t elementBytes,
                        ArrayRef<ViewDim> dims,
                        llvm::function_ref<Error(const StridedFill &)> fill) {
  for (const ViewDim &dim : dims)
    if (dim.extent == 0)
      return Error::success();
  SmallVector<ViewDim, 4> outer = simplify(dims);
  StridedFill each{address, 0, 1, 1};
  if (!outer.empty() && outer.front().stride == 1) {
    each.width = outer.front().extent;
    outer.erase(outer.begin());
  }
  // The longest dimension whose steps one fill can take.
  ViewDim *longest = nullptr;
  for (ViewDim &dim : outer)
    if (dim.stride <= maxPitch / elementBytes && dim.stride >= each.width &&
        (!longest || dim.extent > longest->extent))
      longest = &dim;
  if (longest) {
    each.height = longest->extent;
    each.pitch = longest->stride * elementBytes;
    outer.erase(longest);
  }
  SmallVector<int64_t, 4> index(outer.size(), 0);
  while (true) {
    StridedFill here = each;
    for (auto [i, dim] : llvm::zip(index, outer))
      here.address += i * dim.stride * elementBytes;
    if (Error e = fill(here))
      return e;
    size_t d = 0;
    while (d < outer.size() && ++index[d] == outer[d].extent)
      index[d++] = 0;
    if (d == outer.size())
      return Error::success();
  }
}

static CUresult set(const CudaDriver &driver, const StridedFill &fill,
                    int64_t elementBytes, uint8_t value, CUstream stream) {
  uint16_t pattern16 = value * 0x0101u;
  uint32_t pattern32 = value * 0x01010101u;
  if (fill.height == 1)
    return elementBytes == 4 ? driver.cuMemsetD32Async(fill.address, pattern32,
                                                       fill.width, stream)
                             : driver.cuMemsetD16Async(fill.address, pattern16,
                                                       fill.width, stream);
  return elementBytes == 4
             ? driver.cuMemsetD2D32Async(fill.address, fill.pitch, pattern32,
                                         fill.width, fill.height, stream)
             : driver.cuMemsetD2D16Async(fill.address, fill.pitch, pattern16,
                                         fill.width, fill.height, stream);
}

Error weft::poisonResults(const CudaDriver &driver, const Problem &problem,
                          const AttentionSpec &spec, uint8_t value,
                          CUstream stream) {
  using program::TensorRole;
  static const TensorRole forward[] = {TensorRole::out, TensorRole::lse};
  static const TensorRole backward[] = {TensorRole::d_query, TensorRole::d_key,
                                        TensorRole::d_value};
  for (TensorRole role : spec.isBackward() ? ArrayRef<TensorRole>(backward)
                                           : ArrayRef<TensorRole>(forward)) {
    const TensorView &view = program::tensorOf(problem, role);
    ViewExtents extents = extentsOf(problem, spec, role);
    int64_t bytes = program::elementBytes(role);
    const ViewDim dims[] = {{extents.columns, 1},
                            {extents.rows, view.rowStride},
                            {extents.heads, view.headStride},
                            {extents.batch, view.batchStride}};
    auto fill = [&](const StridedFill &fill) {
      return driver.check(set(driver, fill, bytes, value, stream),
                          "poisoning " +
                              Twine(program::EnumNameTensorRole(role)));
    };
    if (Error e = forEachFill(reinterpret_cast<uint64_t>(view.data), bytes,
                              dims, fill))
      return e;
  }
  return Error::success();
}
