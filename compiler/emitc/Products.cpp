//===- Products.cpp - Matrix products by ldmatrix and mma.sync ------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

/// A warp multiplies its rows of a, blocks of 16 x 16, with all of b: for every
/// block of k and of 16 columns of b one ldmatrix, whose fragments serve every
/// block of rows.
LogicalResult KernelWriter::writeMma(warp::MmaOp op) {
  auto domain = ::cast<RankedTensorType>(op.getResult().getType());
  auto b = ::cast<warp::SharedType>(op.getB().getType());
  auto shared = dyn_cast<warp::SharedType>(op.getA().getType());
  bool transposed = op.getTransposed();
  int64_t m = domain.getDimSize(0), n = domain.getDimSize(1);
  int64_t k = transposed ? b.getColumns() : b.getRows();
  int64_t mBlocks = m / (16 * warps), nBlocks = n / 16, kBlocks = k / 16;
  int64_t bStride = b.getRowBytes();
  StringRef multiplyAdd = b.getElementType().isBF16() ? "mma_bf16" : "mma_f16";

  Value target = arrayOf(op.getResult());
  Value a = shared ? scalar(op.getA()) : arrayOf(op.getA());
  return step(
      transposed ? "product with the transposed tile" : "product with the tile",
      [&]() -> LogicalResult {
        if (isComputedInPlace(op.getAcc())) {
          if (failed(copyTile(target, op.getAcc())))
            return failure();
        } else if (Value acc = arrayOf(op.getAcc()); acc != target) {
          copyArray(target, acc);
        }

        Value aAddress;
        if (shared) {
          int64_t aStride = shared.getRowBytes();
          Value offset =
              pure("fragments", "block_offset", u32(), lane(), aStride);
          aAddress = anchored(
              this->add(
                  this->add(a, multiply(warpRow(m), literal(aStride, u32()))),
                  offset),
              "a_address");
        }
        Value bAddress =
            anchored(this->add(scalar(op.getB()),
                               pure("fragments",
                                    transposed ? "block_offset_transposed"
                                               : "block_offset",
                                    u32(), lane(), bStride)),
                     "b_address");
        auto times = [&](Value index, int64_t factor, Type type) {
          return multiply(index, literal(factor, type));
        };
        unrolled(kBlocks, 1, "k", [&](Value kb) {
          Value aWords = a;
          if (shared) {
            int64_t aStride = shared.getRowBytes();
            aWords = declareArray(u32(), 4 * mBlocks, "a");
            unrolled(mBlocks, 1, "m", [&](Value mb) {
              Value address =
                  this->add(this->add(aAddress, times(mb, 16 * aStride, u32())),
                            times(kb, 32, u32()));
              call("matrix", "load_matrix",
                   {addressOf(aWords, times(mb, 4, i32())), address});
            });
          }
          unrolled(nBlocks, 1, "n", [&](Value nb) {
            Value bWords = declareArray(u32(), 4, "b");
            Value rows = transposed ? nb : kb, columns = transposed ? kb : nb;
            Value address =
                this->add(this->add(bAddress, times(rows, 16 * bStride, u32())),
                          times(columns, 32, u32()));
            call("matrix",
                 transposed ? "load_matrix" : "load_matrix_transposed",
                 {addressOf(bWords, literal(0, i32())), address});
            unrolled(mBlocks, 1, "m", [&](Value mb) {
              for (int64_t half : {0, 1}) {
                Value block = this->add(times(mb, nBlocks, i32()), nb);
                Value place =
                    this->add(times(block, 8, i32()), literal(4 * half, i32()));
                Value word =
                    shared ? times(mb, 4, i32())
                           : times(this->add(times(mb, kBlocks, i32()), kb), 4,
                                   i32());
                call("matrix", multiplyAdd,
                     {addressOf(target, place), addressOf(aWords, word),
                      addressOf(bWords, literal(2 * half, i32()))});
              }
            });
          });
        });
        return success();
      });
}

} // namespace weft
