// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an error is about, as data. A diagnostic is text for the user; a caller
// that does something else after one kind of error than after another reads
// the kind here, and never the text. The kind is metadata of the diagnostic
// and is not printed.
//
//   return marked(op->emitError() << "expected ...",
//   RefusalKind::NotChunked);

#ifndef NPU_SUPPORT_REFUSALKIND_H
#define NPU_SUPPORT_REFUSALKIND_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace npu {

enum class RefusalKind : int64_t {
  /// An operation takes more than a scratchpad in every way that it can run.
  /// Numbers: the bytes that it takes at least.
  OperationTooLarge,
  /// No assignment was found that fits the scratchpads. Numbers: the bytes of
  /// the smallest program that was found, or 0; 1 where an assignment that was
  /// not tried may fit, else 0. Name: the function.
  NoAssignmentFound,
  /// The layout of a value takes more than a scratchpad.
  ValueTooLarge,
  /// The buffers of a program take more than a scratchpad.
  BuffersTooLarge,
  /// A program takes more of DDR than its device has.
  DdrTooSmall,
  /// An operation cannot be padded to the largest prompt and stay exact.
  NotPadded,
  /// Operands with different padding meet in one loop.
  PaddingConflicts,
  /// Fewer masks are needed than the one that is to be left out.
  NoSuchMask,
  /// Two dimensions of different names are taken for one prompt.
  SeveralPrompts,
  /// An operation cannot be run in chunks of the prompt.
  NotChunked,
  /// A value has a dynamic shape where shapes have to be static.
  DynamicShape,
  /// An operation of TOSA cannot be lowered.
  TosaNotLowered,
  /// An operation reads entries that were never written.
  ReadsUnwritten
};

/// The kind of a diagnostic, and what belongs to it.
struct RefusalMark {
  RefusalKind kind;
  llvm::SmallVector<int64_t, 2> numbers;
  /// Null where the kind has none.
  mlir::StringAttr name;
};

/// Gives a diagnostic its kind, once.
void mark(mlir::InFlightDiagnostic &diagnostic, RefusalKind kind,
          llvm::ArrayRef<int64_t> numbers = {}, mlir::StringAttr name = {});

/// The same, for a diagnostic that is returned.
mlir::InFlightDiagnostic marked(mlir::InFlightDiagnostic &&diagnostic,
                                RefusalKind kind);

/// What `mark` has written; nothing where a diagnostic has no kind.
std::optional<RefusalMark> markOf(mlir::Diagnostic &diagnostic);

} // namespace npu

#endif // NPU_SUPPORT_REFUSALKIND_H
