//===- Reduce.cpp - Sums the partial gradients of a head group ------------===//

#include "compiler/tile/bodies/Body.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weft::tile {

void buildReduce(Body &body) {
  OpBuilder &builder = body.builder;
  Scalars &s = body.scalars;
  bool isKey = body.has("d_key");
  StringRef from = isKey ? "d_key_partial" : "d_value_partial";
  int64_t dim = isKey ? body.problem.headDim : body.problem.headDimV;
  int64_t ratio = body.problem.headRatio;
  Value rows = body.rowsAt(plan::RowSpace::kv, body.first, body.rows);
  Value firstHead = s.mul(body.head, ratio);
  Value zero = body.filled({body.rows, Body::padded(dim)}, 0.0);

  auto group = scf::ForOp::create(builder, body.loc, s.constant(0),
                                  s.constant(ratio), s.constant(1), zero);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(group.getBody());
    Value partial =
        body.load(from, rows, s.add(firstHead, group.getInductionVar()));
    Value sum = arith::AddFOp::create(builder, body.loc,
                                      group.getRegionIterArg(0), partial);
    scf::YieldOp::create(builder, body.loc, sum);
  }
  body.store(group.getResult(0), isKey ? "d_key" : "d_value", rows, body.head);
}

} // namespace weft::tile
