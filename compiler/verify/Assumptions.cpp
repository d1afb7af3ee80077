//===- Assumptions.cpp - What the proofs take for granted -----------------===//

#include "compiler/verify/Assumptions.h"

using namespace weft;

static constexpr Assumption kAssumptions[] = {
    {"memory", "pointers, strides and sizes describe memory that exists",
     "the caller"},
    {"overlap", "no result shares an element with another tensor of the call",
     "checked at each call"},
    {"heads", "there are head_ratio query heads per key head",
     "checked at each call"},
    {"lengths",
     "used lengths are at least 0 and keep each sequence within the rows held",
     "clamped where they are read"},
    {"sequences",
     "rows of two sequences are different rows; those of none are gap or tail",
     "offsets in order; of others every row is written as gap"},
    {"integers", "64-bit arithmetic on rows, heads and tiles does not wrap",
     "lengths and numbers of heads have 32 bits"},
    {"points", "each point of a kernel's grid runs exactly once",
     "the schedule's loop over points, tested on small grids"},
    {"progress",
     "a CTA that has begun runs until it is done, whoever else waits, and sees "
     "what CTAs wrote before they passed a turn on",
     "the GPU; asked for only where points take turns"},
    {"clips",
     "a clipped access leaves rows past the sequence and columns past the "
     "buffer's alone",
     "tested against guarded memory"},
    {"surplus",
     "rows that a bulk copy reads past a sequence's end do not reach a result",
     "masked or cleared, tested with NaN in padding"},
    {"text",
     "the device primitives of templates/, the printer of CUDA text and NVRTC "
     "mean what the warp level says",
     "tested against the fp64 formula"},
};

llvm::ArrayRef<Assumption> weft::proofAssumptions() { return kAssumptions; }
