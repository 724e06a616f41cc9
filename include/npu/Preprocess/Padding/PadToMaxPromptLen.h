// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding of prompt dimensions, for passes that have it as one of their steps.

#ifndef NPU_PREPROCESS_PADDING_PADTOMAXPROMPTLEN_H
#define NPU_PREPROCESS_PADDING_PADTOMAXPROMPTLEN_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"

namespace npu {

struct PadOptions {
  int64_t maxLength = 0;
  PaddingSide side = PaddingSide::Right;
  /// Arguments and results of the function are padded tensors, and the prompt
  /// length is one more argument.
  bool staticSignature = false;
  /// Padding is filled with NaN, or with 0xAB in every byte of an integer.
  bool poison = false;
  /// The number of a mask that is left out of each function, in the order in
  /// which masks are inserted, so that tests can see that the mask is needed;
  /// -1: none.
  int64_t withoutMask = -1;
};

/// An attribute of the argument that is the prompt length (`static-signature`).
inline constexpr llvm::StringLiteral promptLengthAttrName =
    NPUDialect::PromptLengthAttrHelper::getNameStr();

/// Pads the prompt dimensions of every function in `root` that has some. Fails
/// with a diagnostic where no function has any, where attributes conflict, or
/// where an operation cannot be padded and stay exact.
llvm::LogicalResult padToMaxPromptLen(mlir::Operation *root,
                                      const PadOptions &options);

/// Pads to the smallest of several lengths that fits the prompt. For run-time
/// lengths, `main` dispatches to private functions `main_128`, `main_512`, ...
llvm::LogicalResult padToBuckets(mlir::Operation *root,
                                 llvm::ArrayRef<int64_t> lengths,
                                 const PadOptions &options);

using PromptFunctions =
    llvm::SmallVector<std::pair<mlir::func::FuncOp, Prompt>>;

/// The functions of `root` that have a prompt; a diagnostic where there is
/// none.
mlir::FailureOr<PromptFunctions> findPrompts(mlir::Operation *root,
                                             const PadOptions &options);

/// The run-time length of each prompt: the extent of its first dimension.
/// Precondition: the function has one.
llvm::SmallVector<mlir::Value> promptLengths(mlir::OpBuilder &builder,
                                             mlir::func::FuncOp function,
                                             const Prompt &prompt);

/// A run-time length outside of `least` to `most` fails an assertion of
/// `function`.
void assertPromptLength(mlir::OpBuilder &builder, mlir::func::FuncOp function,
                        mlir::Value length, int64_t least, int64_t most);

/// Every prompt dimension whose extent is not that of its prompt's first one,
/// of `lengths`, fails an assertion of `function`: what is padded reads and
/// writes as many entries of each. Nothing is inserted for a static length.
void assertOneLength(mlir::OpBuilder &builder, mlir::func::FuncOp function,
                     const Prompt &prompt, mlir::ValueRange lengths);

mlir::FailureOr<PaddingSide> parsePaddingSide(mlir::Location loc,
                                              llvm::StringRef side);
/// Fails with a diagnostic unless `length`, the value of the option `option`,
/// is from 1 to 2,147,483,647.
llvm::LogicalResult
checkMaxPromptLen(mlir::Location loc, int64_t length,
                  llvm::StringRef option = "max-prompt-len");

} // namespace npu

#endif // NPU_PREPROCESS_PADDING_PADTOMAXPROMPTLEN_H
