//===- Fill.cpp - Rows that belong to no sequence -------------------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

/// A warp takes 32 rows at a time: a lane asks for each of them whether it
/// belongs to a sequence, then the lanes are the columns of those that do not.
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
  // Of the side with fewer rows this CTA may have none, or there are none at
  // all.
  Value isHeldHere = compare(emitc::CmpPredicate::lt, first, total);
  ifThen(both(within, isHeldHere), [&] {
    auto blocks = emitc::ForOp::create(
        builder, loc, multiply(warpIndex(), literal(32, i32())),
        literal(kernel.getGrid().getRows(), i32()), literal(32 * warps, i32()),
        [](OpBuilder &, Location, Value) {});
    blocks->setAttr(plan::kNameAttr, builder.getStringAttr("r"));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(blocks.getBody());
    Value begin = name(this->add(first, blocks.getInductionVar()), "begin");
    Value mine = name(this->add(begin, lane()), "mine");
    Value seqlen, unused;
    if (thd) {
      Value gap =
          side.getPadded()
              ? pure("rows", "is_unused_row", i1(),
                     {startsOf(space), usedOf(space), total, batch, mine})
              : pure("rows", "is_outside_row", i1(),
                     {startsOf(space), total, batch, mine});
      Value malformed =
          emitc::LogicalNotOp::create(builder, loc, i1(), inOrder);
      unused = emitc::LogicalOrOp::create(builder, loc, i1(), malformed, gap);
    } else {
      seqlen = sizeArgument("seqlen" + suffix);
      // A row that is not held is in no sequence, whose length is on hand.
      Value held = pure("arithmetic", "lesser", i64(),
                        {mine, subtract(total, literal(1, i64()))});
      unused = side.getPadded()
                   ? compare(emitc::CmpPredicate::ge, remainder(held, seqlen),
                             pure("rows", "padded_length", i64(),
                                  {offsetsArgument("seqlens" + suffix), seqlen,
                                   divide(held, seqlen)}))
                   : literal("false", i1());
    }
    headers.insert("thread");
    Value isHeld = compare(emitc::CmpPredicate::lt, mine, total);
    Value lanes = emitc::CallOpaqueOp::create(
                      builder, loc, TypeRange(u32()), "lanes_where",
                      ValueRange(both(isHeld, name(unused, "unused"))))
                      .getResult(0);
    name(lanes, "lanes");
    ifThen(compare(emitc::CmpPredicate::ne, lanes, literal(0, u32())), [&] {
      auto rows = emitc::ForOp::create(builder, loc, literal(0, i32()),
                                       literal(32, i32()), literal(1, i32()),
                                       [](OpBuilder &, Location, Value) {});
      rows->setAttr(plan::kNameAttr, builder.getStringAttr("i"));
      OpBuilder::InsertionGuard inner(builder);
      builder.setInsertionPointToStart(rows.getBody());
      Value isUnused =
          pure("thread", "is_lane_of", i1(), {lanes, rows.getInductionVar()});
      ifThen(isUnused, [&] {
        Value row = name(this->add(begin, rows.getInductionVar()), "row");
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
        OpBuilder::InsertionGuard innermost(builder);
        builder.setInsertionPointToStart(columns.getBody());
        set(target, columns.getInductionVar(), this->cast(*content, element));
        emitc::YieldOp::create(builder, loc);
      });
      emitc::YieldOp::create(builder, loc);
    });
    emitc::YieldOp::create(builder, loc);
  });
  return success();
}

} // namespace weft
