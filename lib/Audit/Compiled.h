// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation, compiled for both sides: the device's arithmetic, and f64 with
// bounds. Equal operations are compiled once.

#ifndef NPU_LIB_AUDIT_COMPILED_H
#define NPU_LIB_AUDIT_COMPILED_H

#include "Known.h"
#include "npu/Execution/Jit/CompiledFunction.h"

#include "llvm/ADT/StringMap.h"

namespace npu {

/// What both sides are run as.
struct CompiledUnit {
  std::unique_ptr<CompiledFunction> device;
  /// Absent where there is no reference; `whyNot` says why.
  std::unique_ptr<CompiledFunction> tracked;
  std::string whyNot;
  /// The names of operations of which no rounding errors are known.
  std::vector<std::string> unknown;
  /// How hard LLVM optimizes both sides.
  unsigned level = 0;
};

/// What the f64 reference gives for one result of a unit.
struct Tracked {
  /// In f64; of integers, without wrap-around.
  HostTensor value;
  HostTensor error;
  /// Of floats, the sum of the magnitudes of what was added up.
  std::optional<HostTensor> mass;
  /// Of integers, the results themselves.
  std::optional<HostTensor> whole;
};

/// All compiled operations of an audit.
class Compiler {
public:
  explicit Compiler(std::optional<unsigned> optLevel) : optLevel(optLevel) {}

  /// Adds an operation whose function on the reference's side is `cut`, and on
  /// the device's `changed`, or the same where that is null; equal ones are one
  /// unit. `exact` says which arguments have no error. `work`: how often its
  /// bodies run, about.
  mlir::FailureOr<CompiledUnit *> add(mlir::ModuleOp cut,
                                      mlir::ModuleOp changed,
                                      llvm::ArrayRef<int64_t> exact,
                                      int64_t work);

  /// Makes machine code of all that have been added, in one go.
  mlir::LogicalResult compile();

  int64_t size() const { return static_cast<int64_t>(units.size()); }

private:
  mlir::LogicalResult lowerDevice(CompiledUnit &unit, mlir::ModuleOp module);
  mlir::LogicalResult lowerTracked(CompiledUnit &unit, mlir::ModuleOp module,
                                   llvm::ArrayRef<int64_t> exact);

  std::optional<unsigned> optLevel;
  llvm::StringMap<std::unique_ptr<CompiledUnit>> units;
  /// Those that have no machine code yet, in the order in which they came.
  std::vector<CompiledUnit *> lowered;
};

/// Runs the reference on operands, which are in the order of the unit's
/// arguments.
mlir::FailureOr<std::vector<Tracked>>
runTracked(CompiledUnit &unit, llvm::ArrayRef<Known> operands,
           llvm::ArrayRef<TensorSpec> results);

} // namespace npu

#endif // NPU_LIB_AUDIT_COMPILED_H
