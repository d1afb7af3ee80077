//===- Sizes.h - Writes formulas in the sizes of a call ---------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_SIZES_H
#define WEFT_COMPILER_PLAN_SIZES_H

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <map>

namespace weft {

/// Writes i64 arithmetic on `plan.size` at the insertion point of `builder`.
/// Sizes and constants are written once for the life of the object, which is
/// one block, written downwards.
class SizeBuilder {
public:
  explicit SizeBuilder(mlir::OpBuilder &builder) : builder(builder) {}

  mlir::Value get(plan::Size size) {
    mlir::Value &value = sizes[size];
    if (!value)
      value = plan::SizeOp::create(builder, builder.getUnknownLoc(), size);
    return value;
  }
  mlir::Value heads(plan::HeadSpace space) {
    switch (space) {
    case plan::HeadSpace::none:
      return constant(1);
    case plan::HeadSpace::heads_q:
      return get(plan::Size::heads_q);
    case plan::HeadSpace::heads_kv:
      return get(plan::Size::heads_kv);
    }
    llvm_unreachable("all spaces are handled");
  }
  mlir::Value constant(int64_t number) {
    mlir::Value &value = constants[number];
    if (!value)
      value = mlir::arith::ConstantOp::create(
          builder, builder.getUnknownLoc(), builder.getI64IntegerAttr(number));
    return value;
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, builder.getUnknownLoc(), a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return mlir::arith::MulIOp::create(builder, builder.getUnknownLoc(), a, b);
  }
  mlir::Value max(mlir::Value a, mlir::Value b) {
    return mlir::arith::MaxSIOp::create(builder, builder.getUnknownLoc(), a, b);
  }
  mlir::Value ceilDiv(mlir::Value a, int64_t divisor) {
    return mlir::arith::CeilDivSIOp::create(builder, builder.getUnknownLoc(), a,
                                            constant(divisor));
  }

  mlir::Value floorDiv(mlir::Value a, int64_t divisor) {
    return mlir::arith::FloorDivSIOp::create(builder, builder.getUnknownLoc(),
                                             a, constant(divisor));
  }
  /// Bytes of a workspace buffer; `packed`: its side's layout is thd.
  mlir::Value bytes(plan::BufferType type, bool packed) {
    int64_t elementBytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    mlir::Value size = rows(type, packed);
    mlir::Value ofHeads = mul(size, heads(type.getHeadSpace()));
    return mul(ofHeads, constant(elementBytes * type.getColumns()));
  }

private:
  /// Rows of a buffer. One op a statement: the order of arguments is the C++
  /// compiler's.
  mlir::Value rows(plan::BufferType type, bool packed) {
    if (type.getRowSpace() == plan::RowSpace::none)
      return constant(1);
    bool q = type.getRowSpace() == plan::RowSpace::q;
    int64_t rounded = type.getRounded();
    if (!rounded || packed) {
      mlir::Value held = get(q ? plan::Size::rows_q : plan::Size::rows_kv);
      if (!rounded)
        return held;
      mlir::Value whole = floorDiv(held, rounded);
      return mul(add(whole, get(plan::Size::batch)), constant(rounded));
    }
    mlir::Value seqlen = get(q ? plan::Size::seqlen_q : plan::Size::seqlen_kv);
    mlir::Value tiles = ceilDiv(seqlen, rounded);
    return mul(mul(get(plan::Size::batch), tiles), constant(rounded));
  }

  mlir::OpBuilder &builder;
  std::map<plan::Size, mlir::Value> sizes;
  std::map<int64_t, mlir::Value> constants;
};

} // namespace weft

#endif // WEFT_COMPILER_PLAN_SIZES_H
