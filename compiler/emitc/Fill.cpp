//===- Fill.cpp - Rows that belong to no sequence -------------------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

/// A warp takes every `warps`-th of the rows, its lanes the columns.
LogicalResult KernelWriter::writeFill(warp::FillOp op) {
  auto type = ::cast<tile::BufferType>(op.getBuffer().getType());
  plan::RowSpace space = type.getRowSpace();
  attn::SideAttr side = sideOf(space);
  bool thd = side.getLayout() == attn::RowLayout::thd;
  std::string suffix = space == plan::RowSpace::q ? "_q" : "_kv";
  Type element = storageType(type.getElementType());
  FailureOr<Value> content =
      literalOf(op, FloatAttr::get(type.getElementType(),
                                   op.getValue().convertToDouble()));
  if (failed(content))
    return failure();

  Value first = scalar(op.getFirst()), head = scalar(op.getHead());
  Value total = rowsHeld(space), batch = sizeArgument("batch");
  Value inOrder;
  if (thd)
    inOrder = once("in order" + suffix, {}, [&] {
      comment("malformed offsets: no row belongs to a sequence");
      Value part = pure(
          "rows", "starts_in_order", i1(),
          {startsOf(space), total, batch, thread(), literal(threads, i32())});
      headers.insert("thread");
      auto all = emitc::CallOpaqueOp::create(builder, loc, TypeRange(i1()),
                                             "cta_all", ValueRange(part));
      return name(all.getResult(0), "in_order" + suffix);
    });

  comment("fill the rows of " + nameOf(op.getBuffer()) +
          " that belong to no sequence");
  Value pointer = tensorArgument(op.getBuffer());
  bool packed = type.getLayout() == tile::BufferLayout::packed;
  bool hasHeads = type.getHeadSpace() != plan::HeadSpace::none;
  Value within =
      hasHeads
          ? compare(emitc::CmpPredicate::lt, head, heads(type.getHeadSpace()))
          : compare(emitc::CmpPredicate::eq, head, literal(0, i64()));
  ifThen(within, [&] {
    auto rows = emitc::ForOp::create(
        builder, loc, warpIndex(), literal(kernel.getGrid().getRows(), i32()),
        literal(warps, i32()), [](OpBuilder &, Location, Value) {});
    rows->setAttr(plan::kNameAttr, builder.getStringAttr("r"));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rows.getBody());
    Value row = name(this->add(first, rows.getInductionVar()), "row");
    ifThen(compare(emitc::CmpPredicate::lt, row, total), [&] {
      Value seqlen, unused;
      if (thd) {
        Value gap = pure("rows", "is_unused_row", i1(),
                         {startsOf(space), usedOf(space), total, batch, row});
        Value malformed =
            emitc::LogicalNotOp::create(builder, loc, i1(), inOrder);
        unused = emitc::LogicalOrOp::create(builder, loc, i1(), malformed, gap);
      } else {
        seqlen = sizeArgument("seqlen" + suffix);
        unused = side.getPadded()
                     ? compare(emitc::CmpPredicate::ge, remainder(row, seqlen),
                               pure("rows", "padded_length", i64(),
                                    {offsetsArgument("seqlens" + suffix),
                                     seqlen, divide(row, seqlen)}))
                     : literal("false", i1());
      }
      ifThen(name(unused, "unused"), [&] {
        Value offset;
        if (packed) {
          offset = hasHeads ? this->add(multiply(head, total), row) : row;
          offset = multiply(offset, literal(type.getColumns(), i64()));
        } else {
          Value rowStride = strideArgument(op.getBuffer(), "row");
          offset =
              thd ? multiply(row, rowStride)
                  : this->add(multiply(divide(row, seqlen),
                                       strideArgument(op.getBuffer(), "batch")),
                              multiply(remainder(row, seqlen), rowStride));
          if (hasHeads)
            offset = this->add(
                offset, multiply(head, strideArgument(op.getBuffer(), "head")));
        }
        Value target = name(this->add(pointer, offset), "target");
        auto columns = emitc::ForOp::create(
            builder, loc, lane(), literal(type.getColumns(), i32()),
            literal(32, i32()), [](OpBuilder &, Location, Value) {});
        columns->setAttr(plan::kNameAttr, builder.getStringAttr("column"));
        OpBuilder::InsertionGuard inner(builder);
        builder.setInsertionPointToStart(columns.getBody());
        set(target, columns.getInductionVar(), this->cast(*content, element));
        emitc::YieldOp::create(builder, loc);
      });
    });
    builder.setInsertionPointToEnd(rows.getBody());
    emitc::YieldOp::create(builder, loc);
  });
  return success();
}

} // namespace weft
