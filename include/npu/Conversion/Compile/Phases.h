// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases of npu-compile, in their order. The name of a phase stands for
// what it leaves behind: a file `of phase legal` is what the phase `legal` has
// written.

#ifndef NPU_CONVERSION_COMPILE_PHASES_H
#define NPU_CONVERSION_COMPILE_PHASES_H

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
  /// The LLVM dialect.
  Llvm,
};

/// Every phase, in order.
llvm::ArrayRef<CompilePhase> compilePhases();

/// The name by which users write a phase: "legal".
llvm::StringRef nameOfPhase(CompilePhase phase);

/// The phase of that name; nothing where there is none.
std::optional<CompilePhase> findPhase(llvm::StringRef name);

/// "input, padded, ..., llvm": the names from `first` on.
std::string phaseNames(CompilePhase first = CompilePhase::Input);

} // namespace npu

#endif // NPU_CONVERSION_COMPILE_PHASES_H
