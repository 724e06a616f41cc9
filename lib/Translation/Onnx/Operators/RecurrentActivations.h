// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The activation functions that recurrent operators name in a list.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_RECURRENTACTIVATIONS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_RECURRENTACTIVATIONS_H

#include "../Graph/NodeImport.h"

namespace npu {

/// A function of one number, with its constants.
struct RecurrentActivation {
  mlir::Value (*function)(ScalarBuilder &s, mlir::Value x, double alpha,
                          double beta) = nullptr;
  double alpha = 0, beta = 0;

  mlir::Value operator()(ScalarBuilder &s, mlir::Value x) const {
    return function(s, x, alpha, beta);
  }
};

/// The node's activations of all directions, one after the other; `defaults`
/// of one direction are taken where it names none.
mlir::FailureOr<llvm::SmallVector<RecurrentActivation>>
recurrentActivations(NodeImport &node, llvm::ArrayRef<llvm::StringRef> defaults,
                     int64_t directions);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_RECURRENTACTIVATIONS_H
