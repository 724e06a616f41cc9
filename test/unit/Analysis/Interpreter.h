// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function of tensors one scalar at a time, in plain C++ and without
// LLVM: the slow and obvious meaning that facts about regions are compared
// with. Knows f32, integers and index; linalg operations with regions, slices
// with strides of 1, scf.if, and the scalar operations that regions are made of
// here.

#ifndef NPU_TEST_UNIT_ANALYSIS_INTERPRETER_H
#define NPU_TEST_UNIT_ANALYSIS_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <random>
#include <stdexcept>
#include <unordered_map>

namespace npu {

/// A number of any type: floats in `f`, all others in `i` (sign-extended).
struct Scalar {
  float f = 0;
  int64_t i = 0;
};

struct HostArray {
  std::vector<int64_t> shape;
  std::vector<Scalar> entries;

  int64_t numEntries() const;
  Scalar &at(llvm::ArrayRef<int64_t> position);
};

struct HostValue {
  Scalar scalar;
  HostArray array;
};

/// A division by zero or that overflows, or a position outside of a tensor.
struct Trap : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Interpreter {
public:
  /// `garbage` says what tensors contain that nothing has been written to.
  explicit Interpreter(std::function<Scalar(mlir::Type)> garbage)
      : garbage(std::move(garbage)) {}

  std::vector<HostValue> run(mlir::func::FuncOp function,
                             llvm::ArrayRef<HostValue> arguments);

  /// The results of the linalg operations of the last run that are no fills, in
  /// their order.
  const std::vector<std::vector<HostArray>> &structuredResults() const {
    return made;
  }

private:
  HostValue &of(mlir::Value value);
  int64_t integer(mlir::OpFoldResult value);
  std::vector<int64_t> integers(llvm::ArrayRef<mlir::OpFoldResult> values);
  void run(mlir::Operation &op);
  void runStructured(mlir::linalg::LinalgOp op);
  void runBlock(mlir::Block &block);
  void slice(mlir::Operation &op);

  std::function<Scalar(mlir::Type)> garbage;
  HostValue &place(mlir::Value value) {
    return values[value.getAsOpaquePointer()];
  }
  /// By value; places stay where they are when others are added.
  std::unordered_map<const void *, HostValue> values;
  std::vector<std::vector<HostArray>> made;
  /// Where the loops of the operation stand whose region is run.
  std::vector<int64_t> position;
};

/// The same bits, or both NaN.
bool sameBits(const Scalar &a, const Scalar &b, mlir::Type type);

/// Goes through all positions of a shape.
void forEachPosition(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<void(const std::vector<int64_t> &)> visit);

} // namespace npu

#endif // NPU_TEST_UNIT_ANALYSIS_INTERPRETER_H
