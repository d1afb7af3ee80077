//===- Interpreter.h - Control flow of kernels on scalars -------*- C++ -*-===//
//
// What the models of a kernel's machine share: loops, conditions and scalars
// are run, buffers stand for their names. A model adds the ops it is about.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_WARP_INTERPRETER_H
#define WEFT_TESTS_UNIT_WARP_INTERPRETER_H

#include "tests/unit/warp/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <map>

namespace weft::test {

class Interpreter {
public:
  virtual ~Interpreter() = default;

  Run result;

  /// Runs the body. Its i64 arguments are `scalars`, in order.
  void run(warp::FuncOp function, llvm::ArrayRef<int64_t> scalars);

protected:
  /// One op; those a model does not know are passed on to this one.
  virtual void step(mlir::Operation *op);
  /// Behind the last op: what must not be left.
  virtual void end() = 0;

  /// Notes the first fault.
  void fail(const llvm::Twine &message);
  int64_t integer(mlir::Value value) const;
  void set(mlir::Value value, int64_t number);
  /// "buffer[first row, head]".
  std::string describe(mlir::Value buffer, mlir::Value rows,
                       mlir::Value head) const;
  void block(mlir::Block &block);

  llvm::DenseMap<mlir::Value, mlir::Attribute> known;

private:
  void assign(mlir::ValueRange targets, llvm::ArrayRef<mlir::Attribute> values);
  llvm::SmallVector<mlir::Attribute> valuesOf(mlir::ValueRange values) const;
  void loop(mlir::scf::ForOp op);
  void branch(mlir::scf::IfOp op);
  void fold(mlir::Operation *op);
};

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_WARP_INTERPRETER_H
