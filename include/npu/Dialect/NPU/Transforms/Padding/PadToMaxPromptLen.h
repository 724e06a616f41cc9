// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding itself, for passes that have it as one of their steps.

#ifndef NPU_DIALECT_NPU_TRANSFORMS_PADDING_PADTOMAXPROMPTLEN_H
#define NPU_DIALECT_NPU_TRANSFORMS_PADDING_PADTOMAXPROMPTLEN_H

#include "npu/Analysis/Padding/PaddingAnalysis.h"

namespace npu {

struct PadOptions {
  int64_t maxLength = 0;
  PaddingSide side = PaddingSide::Right;
  /// Callers give and take padded tensors, and give the length.
  bool staticSignature = false;
  /// Padding is NaN, or 0xAB in every byte.
  bool poison = false;
  /// This mask of each function is left out, so that tests can see that it is
  /// needed: a number in the order in which they are inserted; -1: none.
  int64_t withoutMask = -1;
};

/// On the argument that is the prompt length (static-signature).
inline constexpr llvm::StringLiteral promptLengthAttrName =
    NPUDialect::PromptLengthAttrHelper::getNameStr();

/// Pads the prompt dimensions of every function in `root` that has some. Fails
/// with a diagnostic where there is none, where marks conflict, or where an
/// operation cannot be padded and stay exact.
llvm::LogicalResult padToMaxPromptLen(mlir::Operation *root,
                                      const PadOptions &options);

/// The same to the smallest of several lengths that fits: for run-time lengths,
/// `main` dispatches to private functions `main_128`, `main_512`, ...
llvm::LogicalResult padToBuckets(mlir::Operation *root,
                                 llvm::ArrayRef<int64_t> lengths,
                                 const PadOptions &options);

using PromptFunctions =
    llvm::SmallVector<std::pair<mlir::func::FuncOp, Prompt>>;

/// The functions that have a prompt; a diagnostic where there is none.
mlir::FailureOr<PromptFunctions> findPrompts(mlir::Operation *root,
                                             const PadOptions &options);

/// The run-time length: the extent of the first prompt dimension. Precondition:
/// the function has one.
mlir::Value promptLength(mlir::OpBuilder &builder, mlir::func::FuncOp function,
                         const Prompt &prompt);

/// A run-time length outside of 1 to `most` fails an assertion of `function`.
void assertPromptLength(mlir::OpBuilder &builder, mlir::func::FuncOp function,
                        mlir::Value length, int64_t most);

mlir::FailureOr<PaddingSide> parsePaddingSide(mlir::Location loc,
                                              llvm::StringRef side);
/// 1 to 2,147,483,647; `option` is who gives it.
llvm::LogicalResult
checkMaxPromptLen(mlir::Location loc, int64_t length,
                  llvm::StringRef option = "max-prompt-len");

} // namespace npu

#endif // NPU_DIALECT_NPU_TRANSFORMS_PADDING_PADTOMAXPROMPTLEN_H
