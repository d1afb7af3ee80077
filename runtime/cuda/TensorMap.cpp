//===- TensorMap.cpp - Descriptors of bulk tensor copies ------------------===//

#include "runtime/cuda/TensorMap.h"

#include "runtime/cuda/Views.h"
#include "runtime/program/Bindings.h"

#include <cstring>

using namespace weft;
using llvm::Error;
using llvm::Twine;

static CUtensorMapSwizzle swizzleOf(int32_t bytes) {
  switch (bytes) {
  case 32:
    return CU_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return CU_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return CU_TENSOR_MAP_SWIZZLE_128B;
  default:
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

Error weft::encodeTensorMap(const CudaDriver &driver,
                            const program::TensorMapRecipe &recipe,
                            const Problem &problem, const AttentionSpec &spec,
                            CUtensorMap &map) {
  std::memset(&map, 0, sizeof(map));
  ViewExtents extents = extentsOf(problem, spec, recipe.tensor());
  if (extents.empty())
    return Error::success();
  const TensorView &view = program::tensorOf(problem, recipe.tensor());
  cuuint64_t bytes = recipe.element_bytes();
  const cuuint64_t sizes[4] = {
      cuuint64_t(recipe.columns()), cuuint64_t(extents.rows),
      cuuint64_t(extents.heads), cuuint64_t(extents.batch)};
  // The stride of a dimension of one step is free, and has to be legal here.
  cuuint64_t row = sizes[0] * bytes;
  const cuuint64_t strides[3] = {sizes[1] > 1 ? view.rowStride * bytes : row,
                                 sizes[2] > 1 ? view.headStride * bytes : row,
                                 sizes[3] > 1 ? view.batchStride * bytes : row};
  const cuuint32_t box[4] = {cuuint32_t(recipe.box_columns()),
                             cuuint32_t(recipe.box_rows()), 1, 1};
  const cuuint32_t steps[4] = {1, 1, 1, 1};
  return driver.check(driver.cuTensorMapEncodeTiled(
                          &map,
                          bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                     : CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                          4, view.data, sizes, strides, box, steps,
                          CU_TENSOR_MAP_INTERLEAVE_NONE,
                          swizzleOf(recipe.swizzle_bytes()),
                          CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                      "describing tensor " +
                          Twine(program::EnumNameTensorRole(recipe.tensor())) +
                          " for bulk copies");
}
