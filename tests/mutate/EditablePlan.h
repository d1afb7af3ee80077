//===- EditablePlan.h - A plan whose ops can be moved and dropped -*- C++
//-*-===//
//
// In a plan every op on a buffer takes the buffer's latest value, so that no op
// can be moved without renaming. An editable plan is freed of that: every
// operand names the buffer itself, sizes stand first, and ops may be moved,
// dropped and changed at will. `close` threads the values again and infers
// every type from the ops, so that what is wrong with the outcome is an
// obligation that does not hold, never a type that does not fit.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_MUTATE_EDITABLEPLAN_H
#define WEFT_TESTS_MUTATE_EDITABLEPLAN_H

#include "dialects/plan/Plan.h"
#include "dialects/tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"

namespace weft::mutate {

class EditablePlan {
public:
  /// Takes a module at the tile stage with one plan.func, without a guard.
  explicit EditablePlan(mlir::OwningOpRef<mlir::ModuleOp> module);

  /// Threads values and infers types; the plan is no longer editable.
  mlir::OwningOpRef<mlir::ModuleOp> close();

  mlir::ModuleOp getModule() { return *module; }
  plan::FuncOp getFunc() { return func; }
  mlir::Block &body() { return func.getBody().front(); }
  plan::ReturnOp getReturn();
  /// The ops of one kind, in order.
  template <typename OpT> llvm::SmallVector<OpT> all() {
    return llvm::to_vector(body().getOps<OpT>());
  }
  plan::KernelOp kernelOf(plan::LaunchOp launch);
  tile::FuncOp bodyOf(plan::LaunchOp launch);
  plan::ReleaseOp releaseOf(plan::ReserveOp reserve);
  /// Whether `op` has the buffer as an operand.
  static bool uses(mlir::Operation *op, mlir::Value buffer);

  /// "launch @dkdv", "memset delta".
  static std::string describe(mlir::Operation *op);

  //===--- Launches ---------------------------------------------------------//

  /// An operand of a launch with what its contract says. Operands are counted
  /// through in, acc and out.
  struct LaunchOperand {
    plan::OperandAttr contract;
    mlir::Value buffer;
  };
  llvm::SmallVector<LaunchOperand> operandsOf(plan::LaunchOp launch);
  /// Replaces what the contract says of operand `index`, or the buffer. Where
  /// the access changes, the operand moves to its group, in the body too; the
  /// body's stores become adds, and adds stores, where the elements are f32.
  void setContract(plan::LaunchOp &launch, unsigned index,
                   plan::OperandAttr contract);
  void setBuffer(plan::LaunchOp launch, unsigned index, mlir::Value buffer);
  /// Adds an operand that is changed in place, the last of its group, to the
  /// launch, the contract and the body, which takes it for `type`.
  void addInPlace(plan::LaunchOp &launch, mlir::Value buffer,
                  plan::OperandAttr contract, tile::BufferType type);
  /// Drops operand `index` of the launch, the contract and the body, with what
  /// the body writes to it.
  void dropOperand(plan::LaunchOp &launch, unsigned index);

  /// A builder before the first op that is no size.
  mlir::OpBuilder sizeBuilder();

private:
  void open();
  /// Writes contract and operands, `order` naming the old indices.
  void rebuild(plan::LaunchOp &launch, llvm::ArrayRef<unsigned> order,
               llvm::ArrayRef<plan::OperandAttr> contracts);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  plan::FuncOp func;
};

/// `contract` with something else in it.
plan::OperandAttr withDomains(plan::OperandAttr contract,
                              llvm::ArrayRef<plan::Domain> domains);
plan::OperandAttr withValue(plan::OperandAttr contract, double value);
plan::OperandAttr withAccess(plan::OperandAttr contract, plan::Access access);

} // namespace weft::mutate

#endif // WEFT_TESTS_MUTATE_EDITABLEPLAN_H
