//===- Passes.cpp - Registration ------------------------------------------===//

#include "compiler/tile/Passes.h"

#include "dialects/tile/Tile.h"

namespace weft {
namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/tile/Passes.h.inc"
} // namespace

void registerTilePasses() { registerWeftTilePasses(); }

} // namespace weft
