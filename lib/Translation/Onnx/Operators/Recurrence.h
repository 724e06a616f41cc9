// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What RNN, GRU and LSTM have in common. The product of the whole sequence with
// W is one product of matrices for each gate, in front of the recurrence. Gates
// have products of their own, so that nothing has to be cut out of a
// distributed one. Short sequences are written out, because operations in a
// loop stay in memory that all tiles share; longer ones are a loop.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_RECURRENCE_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_RECURRENCE_H

#include "../Graph/NodeImport.h"
#include "RecurrentActivations.h"

namespace npu {

/// What one direction of a recurrence computes with.
struct RecurrentDirection {
  /// For each gate: sequence x batch x hidden, with biases.
  llvm::SmallVector<mlir::Value> inputs;
  /// For each gate: hidden x hidden.
  llvm::SmallVector<mlir::Value> weights;
  /// The bias that a GRU adds before it resets; null elsewhere.
  mlir::Value innerBias;
  /// Of an LSTM: gates i, o and f; empty where there are none.
  llvm::SmallVector<mlir::Value> peepholes;
  llvm::ArrayRef<RecurrentActivation> activations;
  bool isReverse = false;
};

/// Operands and attributes that all three operators have.
class Recurrence {
public:
  Recurrence(NodeImport &node, int64_t gates, int64_t states)
      : node(node), build(node.build), gates(gates), states(states) {}
  virtual ~Recurrence() = default;

  mlir::LogicalResult run(llvm::ArrayRef<llvm::StringRef> defaultActivations);

protected:
  /// The next state of what step `t`'s gates have as inputs.
  virtual llvm::SmallVector<mlir::Value>
  step(const RecurrentDirection &direction, llvm::ArrayRef<mlir::Value> inputs,
       llvm::ArrayRef<mlir::Value> state) = 0;
  /// Whether the bias of the last gate's recurrence stays by itself.
  virtual bool keepsInnerBias() const { return false; }

  /// An activation of the sum of operands.
  mlir::Value activated(const RecurrentActivation &activation,
                        mlir::ValueRange terms);
  mlir::Value product(mlir::Value a, mlir::Value b);

  NodeImport &node;
  TensorBuilder &build;
  int64_t gates, states;
  int64_t steps = 0, batch = 0, features = 0, hidden = 0, directions = 1;
  mlir::Type type;

private:
  mlir::LogicalResult readOperands();
  mlir::LogicalResult check(unsigned operand, llvm::ArrayRef<int64_t> shape);
  mlir::Value part(unsigned operand, int64_t direction, int64_t offset,
                   int64_t size);
  RecurrentDirection makeDirection(int64_t number);
  llvm::SmallVector<mlir::Value> initialState(int64_t number);
  mlir::Value inputAt(mlir::Value inputs, mlir::OpFoldResult number);
  llvm::SmallVector<mlir::Value> stepAt(const RecurrentDirection &direction,
                                        mlir::OpFoldResult number,
                                        llvm::ArrayRef<mlir::Value> state,
                                        mlir::Value &result);
  llvm::SmallVector<mlir::Value> writeOut(const RecurrentDirection &direction,
                                          llvm::SmallVector<mlir::Value> state);
  llvm::SmallVector<mlir::Value> asLoop(const RecurrentDirection &direction,
                                        llvm::SmallVector<mlir::Value> state);

  bool isBatchFirst = false;
  /// X as steps x batch x features.
  mlir::Value sequence;
  /// Lengths of sequences, batch x 1; null where all have all steps.
  mlir::Value lengths;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_RECURRENCE_H
