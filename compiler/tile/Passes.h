//===- Passes.h - Passes that write and change tile bodies ------*- C++ -*-===//

#ifndef WEFT_COMPILER_TILE_PASSES_H
#define WEFT_COMPILER_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/tile/Passes.h.inc"

/// Registers the passes with the command line of `weft-opt`.
void registerTilePasses();

/// Attributes of a `tile.func` that keep what later steps need of its problem:
/// alignment of rows in bytes (i64) and row layouts (`#attn.side`).
inline constexpr llvm::StringLiteral kAlignAttr = "weft.align";
inline constexpr llvm::StringLiteral kQuerySideAttr = "weft.q";
inline constexpr llvm::StringLiteral kKeySideAttr = "weft.kv";

} // namespace weft

#endif // WEFT_COMPILER_TILE_PASSES_H
