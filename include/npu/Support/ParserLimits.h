// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What upstream's parser does not survive, found in the text before it is
// parsed: nesting, at each level of which parser, printer and walks call
// themselves, and a permutation whose verification reads what is not there.
// Whoever parses a text that a user has written checks it first.

#ifndef NPU_SUPPORT_PARSERLIMITS_H
#define NPU_SUPPORT_PARSERLIMITS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

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

/// What a text has that upstream's parser does not survive.
struct ParserFault {
  /// An offset into the text.
  size_t at = 0;
  /// "expected at most 500 levels of brackets and operators, got more".
  std::string message;
};

/// The first fault of a text, too deep nesting or `linalg.transpose` with an
/// empty permutation; nothing of bytecode.
std::optional<ParserFault> findParserFault(llvm::StringRef text);

/// Fails with a diagnostic at file, line and column where `file` has a fault.
mlir::LogicalResult checkText(llvm::MemoryBufferRef file,
                              mlir::MLIRContext *context);

/// Fails with a diagnostic at the first operation that stands in more than
/// maxNesting others: bytecode, of which the text says nothing, is checked when
/// it has been read.
mlir::LogicalResult checkNesting(mlir::Operation *root);

} // namespace npu

#endif // NPU_SUPPORT_PARSERLIMITS_H
