//===- Views.h - The extents of a problem's tensors -------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CUDA_VIEWS_H
#define WEFT_RUNTIME_CUDA_VIEWS_H

#include "runtime/program/Program.h"
#include "runtime/spec/Problem.h"

namespace weft {

/// How far a tensor's indices go; strides are those of its view. For thd the
/// batch is 1 and `rows` are those of the whole tensor.
struct ViewExtents {
  int64_t batch = 0, rows = 0, heads = 0, columns = 0; ///< LSE: 1 column

  bool empty() const { return batch == 0 || rows == 0 || heads == 0; }
};

inline ViewExtents extentsOf(const Problem &problem, const AttentionSpec &spec,
                             program::TensorRole role) {
  using program::TensorRole;
  bool kvSide = role == TensorRole::key || role == TensorRole::value ||
                role == TensorRole::d_key || role == TensorRole::d_value;
  bool valueDim = role == TensorRole::value || role == TensorRole::out ||
                  role == TensorRole::d_out || role == TensorRole::d_value;
  const SideSizes &side = kvSide ? problem.kv : problem.q;
  bool thd = (kvSide ? spec.kv : spec.q).layout == LayoutClass::Thd;
  ViewExtents extents;
  extents.batch = thd ? 1 : problem.batch;
  extents.rows = thd ? side.rows : side.seqlen;
  extents.heads = side.heads;
  extents.columns = role == TensorRole::lse ? 1
                    : valueDim              ? spec.headDimV
                                            : spec.headDim;
  return extents;
}

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_VIEWS_H
