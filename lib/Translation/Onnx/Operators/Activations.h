// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions of one number, which recurrent operators and folds use
// as well.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_ACTIVATIONS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_ACTIVATIONS_H

#include "../Build/ScalarBuilder.h"

namespace npu {

/// A function with constants that a node may give, how many of them it takes,
/// and what they are where a node gives none.
struct ActivationFunction {
  llvm::StringRef name;
  mlir::Value (*function)(ScalarBuilder &s, mlir::Value x, double alpha,
                          double beta);
  double alpha = 0, beta = 0;
  bool takesAlpha = false, takesBeta = false;
};

/// The function that recurrent operators call so, in any case of letters; null
/// where there is none.
const ActivationFunction *findActivation(llvm::StringRef name);

/// 1 / (1 + exp(-x))
mlir::Value scalarSigmoid(ScalarBuilder &s, mlir::Value x);
/// max(0, min(1, alpha * x + beta))
mlir::Value scalarHardSigmoid(ScalarBuilder &s, mlir::Value x, double alpha,
                              double beta);
/// x / 2 * (1 + erf(x / sqrt(2))), or its approximation by tanh.
mlir::Value scalarGelu(ScalarBuilder &s, mlir::Value x, bool isTanh);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_ACTIVATIONS_H
