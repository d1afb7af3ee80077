//===- Arguments.cpp - What a launch passes to a kernel -------------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

unsigned KernelWriter::operandOf(Value buffer) const {
  return ::cast<BlockArgument>(buffer).getArgNumber();
}

std::string KernelWriter::nameOf(Value buffer) const {
  unsigned operand = operandOf(buffer);
  warp::FuncOp source = kernel;
  auto name = source.getArgAttrOfType<StringAttr>(operand, plan::kNameAttr);
  return name ? name.str() : "operand_" + std::to_string(operand);
}

Value KernelWriter::argument(Type type, StringRef kind, int64_t operand,
                             StringRef which, const std::string &name) {
  if (auto it = arguments.find(name); it != arguments.end())
    return it->second.value;
  static constexpr StringRef kinds[] = {"offsets", "size", "scalar"};
  static constexpr StringRef order[] = {"batch",
                                        "row",
                                        "head",
                                        "seqlen_q",
                                        "seqlen_kv",
                                        "rows_q",
                                        "rows_kv",
                                        "heads_q",
                                        "heads_kv",
                                        "cu_seqlens_q",
                                        "cu_seqlens_q_padded",
                                        "seqlens_q",
                                        "cu_seqlens_kv",
                                        "cu_seqlens_kv_padded",
                                        "seqlens_kv",
                                        "scale",
                                        "softcap",
                                        "window_left",
                                        "window_right"};
  auto position = [](ArrayRef<StringRef> list, StringRef text) -> int {
    return llvm::find(list, text) - list.begin();
  };
  SmallVector<NamedAttribute> facts{
      builder.getNamedAttr("kind", builder.getStringAttr(kind))};
  if (operand >= 0)
    facts.push_back(
        builder.getNamedAttr("operand", builder.getI64IntegerAttr(operand)));
  if (!which.empty())
    facts.push_back(
        builder.getNamedAttr("which", builder.getStringAttr(which)));
  Argument made;
  // Tensors and their strides first, operand by operand.
  made.rank = operand >= 0 ? -1 : position(kinds, kind);
  made.operand = operand;
  made.which = kind.starts_with("tensor") ? -1 : position(order, which);
  made.value = func.getBody().front().addArgument(type, kernel.getLoc());
  made.attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(kArgAttr, builder.getDictionaryAttr(facts)),
       builder.getNamedAttr(plan::kNameAttr, builder.getStringAttr(name))});
  arguments.emplace(name, made);
  return made.value;
}

Value KernelWriter::tensorArgument(Value buffer) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  bool written = llvm::any_of(buffer.getUsers(), [](Operation *user) {
    return isa<warp::StoreOp, warp::AddOp, warp::AddStagedOp, warp::FillOp,
               warp::TicketOp, tile::TurnOp>(user);
  });
  return argument(pointerTo(storageType(type.getElementType()), !written),
                  "tensor", operandOf(buffer), "", nameOf(buffer));
}
Value KernelWriter::strideArgument(Value buffer, StringRef which) {
  return argument(i64(), "stride", operandOf(buffer), which,
                  nameOf(buffer) + "_" + which.str() + "_stride");
}
Value KernelWriter::offsetsArgument(StringRef which) {
  return argument(pointerTo(i32(), true), "offsets", -1, which, which.str());
}
Value KernelWriter::sizeArgument(StringRef which) {
  return argument(i64(), "size", -1, which, which.str());
}

/// Puts the arguments in an order that does not depend on the body.
void KernelWriter::sortArguments() {
  SmallVector<Argument *> sorted;
  for (auto &[name, argument] : arguments)
    if (!argument.value.use_empty())
      sorted.push_back(&argument);
  llvm::stable_sort(sorted, [](const Argument *a, const Argument *b) {
    return std::tie(a->rank, a->operand, a->which) <
           std::tie(b->rank, b->operand, b->which);
  });
  Block &body = func.getBody().front();
  unsigned old = body.getNumArguments();
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (Argument *argument : sorted) {
    types.push_back(argument->value.getType());
    attributes.push_back(argument->attributes);
    argument->value.replaceAllUsesWith(
        body.addArgument(types.back(), kernel.getLoc()));
  }
  body.eraseArguments(0, old);
  func.setFunctionType(builder.getFunctionType(types, {}));
  func.setArgAttrsAttr(builder.getArrayAttr(attributes));
}

} // namespace weft
