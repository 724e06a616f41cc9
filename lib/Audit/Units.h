// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a function, one by one, each with what it needs to be
// compiled as a function of its own.

#ifndef NPU_LIB_AUDIT_UNITS_H
#define NPU_LIB_AUDIT_UNITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// The attribute that gives each operation in a function's body its number.
inline constexpr const char *unitAttrName = "audit_unit";

/// An operation that is audited, and its results that somebody uses.
struct Unit {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<mlir::Value> results;
};

/// The operations that compute some values from others of the same block, in
/// program order, and those others.
struct Slice {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> outputs;
};

/// A function that is cut into units: constants and what follows from them
/// alone travel with the units that use them; constants with many values are
/// inputs of the units.
class Units {
public:
  explicit Units(mlir::func::FuncOp function);

  const std::vector<Unit> &all() const { return units; }
  mlir::func::FuncOp getFunction() const { return function; }
  /// Whether the value is an argument, a large constant or a unit's result.
  bool isBoundary(mlir::Value value) const { return boundary.contains(value); }
  Slice sliceOf(const Unit &unit) const;

private:
  mlir::func::FuncOp function;
  std::vector<Unit> units;
  llvm::DenseSet<mlir::Value> boundary;
};

/// What the values at units' boundaries are in a changed copy of the function
/// whose operations have the same numbers.
class Images {
public:
  Images(const Units &units, mlir::func::FuncOp copy);

  /// The device's operations for a unit; nothing where the copy lacks them.
  std::optional<Slice> sliceOf(const Unit &unit) const;
  /// The value of the function that an input of such a slice stands for.
  mlir::Value originalOf(mlir::Value image) const {
    return originals.lookup(image);
  }

private:
  mlir::Value imageOf(mlir::Value value);

  llvm::DenseMap<int64_t, mlir::Operation *> numbered;
  llvm::DenseMap<mlir::Value, mlir::Value> images, originals;
  mlir::func::FuncOp copy;
};

/// A module with the function @unit that is the slice. It has the attributes
/// of the module that the slice is of.
mlir::OwningOpRef<mlir::ModuleOp> cutOut(const Slice &slice);

/// Numbers the operations of a function's body.
void numberOperations(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_LIB_AUDIT_UNITS_H
