// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of npu-compile, in their order. The name of a phase stands for
// what it leaves: a file `of phase legal` is what the phase `legal` has
// written.

#ifndef NPU_CONVERSION_PHASES_H
#define NPU_CONVERSION_PHASES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace npu {

enum class CompilePhase {
  /// No phase has run: the model as an exporter or a user has written it.
  Start,
  /// linalg, tensor, arith, math, scf and func on tensors; no TOSA.
  Input,
  /// Prompt dimensions are static.
  Padded,
  /// Every tensor has a layout or is in DDR.
  Assigned,
  /// What does not fit runs in steps.
  Streamed,
  /// Every tile holds what it reads.
  Legal,
  /// A program for each tile, with every transfer.
  Tiles,
  /// Buffers at fixed places of scratchpads, in which they fit.
  Scratchpad,
  /// As Scratchpad, and every buffer is freed after its last use, in tasks
  /// where
  /// tiles run at the same time. No user stops here, and no file is of it.
  Freed,
  /// The LLVM dialect.
  Llvm,
};

/// Every phase that users can name, in order.
llvm::ArrayRef<CompilePhase> compilePhases();

/// The name by which users write a phase: "legal".
llvm::StringRef nameOfPhase(CompilePhase phase);

/// The phase of that name; nothing where there is none.
std::optional<CompilePhase> findPhase(llvm::StringRef name);

/// "input, padded, ..., llvm": the names from `first` on.
std::string phaseNames(CompilePhase first = CompilePhase::Input);

/// Whether an operand, a result, or an argument or a result of a function is of
/// such a type.
bool anyType(mlir::Operation *op, llvm::function_ref<bool(mlir::Type)> holds);

/// Whether the operation is one that no module of an earlier phase than `phase`
/// has: of Legal, one on tensors with layouts or that needs them; of Tiles, a
/// transfer or a tile's part; of Scratchpad, a function on buffers. No
/// operation shows another phase.
bool shows(mlir::Operation *op, CompilePhase phase);

/// The last phase that an operation of the module shows; Start for whole
/// tensors without layouts.
CompilePhase phaseOf(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_CONVERSION_PHASES_H
