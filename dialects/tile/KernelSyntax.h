//===- KernelSyntax.h - How kernels are written in IR -----------*- C++ -*-===//
//
// tile.func and warp.func read alike:
//   @name(arguments) grid <..> [..] schedule <..> [..] [attributes {..}] {..}
// where a dialect may have words of its own behind the grid and the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TILE_KERNELSYNTAX_H
#define WEFT_DIALECTS_TILE_KERNELSYNTAX_H

#include "dialects/tile/Tile.h"

#include "mlir/Interfaces/FunctionImplementation.h"

namespace weft::tile {

template <typename KernelFunc>
mlir::ParseResult
parseKernel(mlir::OpAsmParser &parser, mlir::OperationState &result,
            llvm::function_ref<mlir::ParseResult()> behindGrid,
            llvm::function_ref<mlir::ParseResult()> behindSchedule) {
  mlir::StringAttr name;
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  GridAttr grid;
  plan::ScheduleAttr schedule;
  if (parser.parseSymbolName(name, KernelFunc::getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, mlir::AsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseKeyword("grid") ||
      parser.parseCustomAttributeWithFallback(
          grid, mlir::Type(), KernelFunc::getGridAttrName(result.name),
          result.attributes) ||
      behindGrid() || parser.parseKeyword("schedule") ||
      parser.parseCustomAttributeWithFallback(
          schedule, mlir::Type(), KernelFunc::getScheduleAttrName(result.name),
          result.attributes) ||
      behindSchedule() ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return mlir::failure();
  mlir::Builder &builder = parser.getBuilder();
  llvm::SmallVector<mlir::Type> types;
  for (const mlir::OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  result.addAttribute(KernelFunc::getFunctionTypeAttrName(result.name),
                      mlir::TypeAttr::get(builder.getFunctionType(types, {})));
  mlir::call_interface_impl::addArgAndResultAttrs(
      builder, result, arguments, {},
      KernelFunc::getArgAttrsAttrName(result.name),
      KernelFunc::getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

/// `own` names the attributes that the dialect's words stand for.
template <typename KernelFunc>
void printKernel(KernelFunc func, mlir::OpAsmPrinter &printer,
                 llvm::function_ref<void()> behindGrid,
                 llvm::function_ref<void()> behindSchedule,
                 llvm::ArrayRef<llvm::StringRef> own) {
  printer << ' ';
  printer.printSymbolName(func.getSymName());
  printer << '(';
  mlir::ArrayAttr attributes = func.getArgAttrsAttr();
  for (mlir::BlockArgument argument : func.getArguments()) {
    if (argument.getArgNumber())
      printer << ", ";
    mlir::DictionaryAttr named;
    if (attributes)
      named =
          llvm::cast<mlir::DictionaryAttr>(attributes[argument.getArgNumber()]);
    printer.printRegionArgument(argument,
                                named ? named.getValue()
                                      : llvm::ArrayRef<mlir::NamedAttribute>());
  }
  printer << ") grid ";
  printer.printStrippedAttrOrType(func.getGrid());
  behindGrid();
  printer << " schedule ";
  printer.printStrippedAttrOrType(func.getSchedule());
  behindSchedule();
  llvm::SmallVector<llvm::StringRef> written(own);
  written.append({func.getSymNameAttrName(), func.getFunctionTypeAttrName(),
                  func.getGridAttrName(), func.getScheduleAttrName(),
                  func.getArgAttrsAttrName(), func.getResAttrsAttrName()});
  printer.printOptionalAttrDictWithKeyword(func->getAttrs(), written);
  printer << ' ';
  printer.printRegion(func.getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace weft::tile

#endif // WEFT_DIALECTS_TILE_KERNELSYNTAX_H
