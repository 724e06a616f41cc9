// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit on how deeply IR is nested in text: upstream's parser, printer and
// walks call themselves for every level, and a deep text would overflow their
// stack. Whoever parses a text that a user has written checks it first.

#ifndef NPU_SUPPORT_NESTING_H
#define NPU_SUPPORT_NESTING_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>

namespace npu {

/// The deepest nesting that is parsed. Models nest some ten levels deep.
constexpr unsigned maxNesting = 500;

/// The place, an offset into `text`, where textual IR is nested more deeply
/// than `deepest`; nothing where it is not, or where it is bytecode. What
/// counts as a level:
///  * a bracket (), [], {}, <> that is open,
///  * an operator of an affine expression, up to the next comma or bracket,
///  * the levels of an alias, where it is used.
/// Strings and comments are left out. Time is linear in the text. Example:
/// `findTooDeep("((()))", 2)` is 2.
std::optional<size_t> findTooDeep(llvm::StringRef text,
                                  unsigned deepest = maxNesting);

/// Fails with a diagnostic at file, line and column where `file` is nested more
/// deeply than maxNesting.
mlir::LogicalResult checkNesting(llvm::MemoryBufferRef file,
                                 mlir::MLIRContext *context);

/// Fails with a diagnostic at the first operation that stands in more than
/// maxNesting others: bytecode, of which the text says nothing, is checked when
/// it has been read.
mlir::LogicalResult checkNesting(mlir::Operation *root);

} // namespace npu

#endif // NPU_SUPPORT_NESTING_H
