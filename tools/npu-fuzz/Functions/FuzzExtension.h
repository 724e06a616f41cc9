// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of steps and dialects of a third party, for a fuzzer of its own: see
// fuzzMain.

#ifndef NPU_FUZZ_FUNCTIONS_FUZZEXTENSION_H
#define NPU_FUZZ_FUNCTIONS_FUZZEXTENSION_H

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <span>

namespace mlir {
class DialectRegistry;
class Operation;
} // namespace mlir

namespace npu {

class OperationMaker;

/// Appends such a step to the function, with arguments or other steps that it
/// needs, or does nothing when no value fits.
using StepKind = void (*)(OperationMaker &maker);

struct FuzzExtension {
  /// Kinds of steps; half of all steps are of these kinds, where there are any.
  std::span<const StepKind> kinds = {};
  /// Registers the dialects of these steps, and their models.
  void (*registerMore)(mlir::DialectRegistry &registry) = nullptr;
  /// A bound of the magnitudes of what an operation of these dialects makes;
  /// nothing, or no function: the largest bound of its operands holds.
  std::optional<double> (*magnitudeOf)(
      mlir::Operation *op, llvm::ArrayRef<double> operands) = nullptr;
};

/// The extension of all functions and contexts of the process. To be set before
/// the first of them is made.
FuzzExtension &fuzzExtension();

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_FUZZEXTENSION_H
