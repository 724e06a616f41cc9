// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a function operation by operation on both sides.

#ifndef NPU_LIB_AUDIT_ENGINE_H
#define NPU_LIB_AUDIT_ENGINE_H

#include "Finding.h"
#include "npu/Audit/Audit.h"

namespace npu {

/// Told of each operation, by its number from 1 on.
using Progress =
    std::function<void(int64_t number, int64_t of, llvm::StringRef what)>;
/// Told of every value when it is known, before it may be dropped.
using Observer = std::function<void(mlir::Value value, const Known &known)>;

class Engine {
public:
  Engine(mlir::func::FuncOp function, std::optional<unsigned> optLevel)
      : units(function), function(function), compiler(optLevel) {}

  /// Takes the device's operations from a changed copy of the function.
  void setDevice(mlir::func::FuncOp copy) { images.emplace(units, copy); }
  void setProgress(Progress told) { progress = std::move(told); }
  void setObserver(Observer told) { observer = std::move(told); }

  /// Runs all operations. Errors are diagnostics or lines on stderr.
  mlir::LogicalResult run(std::vector<HostTensor> inputs);

  const std::vector<Finding> &findings() const { return found; }
  /// How many functions were compiled, and the most bytes of values at a time.
  int64_t compiled() const { return compiler.size(); }
  int64_t mostBytes() const { return most; }
  const Units &getUnits() const { return units; }
  /// The operands that an operation had on the device, and its slice there, of
  /// the worst operation so far.
  struct Kept {
    Slice slice, deviceSlice;
    std::vector<Known> operands, deviceOperands;
    /// The worst element of its only result; empty where it has several.
    std::vector<int64_t> worst;
  };
  const std::optional<Kept> &worst() const { return kept; }

private:
  mlir::LogicalResult compileUnits();
  void tell(size_t number, llvm::StringRef what, const Unit &unit) const;
  mlir::LogicalResult runUnit(const Unit &unit, int64_t number);
  mlir::FailureOr<std::vector<Known>> operandsOf(const Slice &slice,
                                                 bool areImages);
  mlir::LogicalResult measureResults(Finding &finding, const Unit &unit,
                                     CompiledUnit &compiled, const Slice &slice,
                                     llvm::ArrayRef<Known> operands,
                                     std::vector<HostTensor> results);
  void keepWhatItGives(const Unit &unit, std::vector<SharedTensor> results,
                       std::vector<Tracked> *accumulated);
  void findLastUses();
  void drop(int64_t number);
  int64_t liveBytes() const;

  Units units;
  mlir::func::FuncOp function;
  std::optional<Images> images;
  Compiler compiler;
  /// For each unit what it is run as.
  std::vector<CompiledUnit *> compiledUnits;
  Progress progress;
  Observer observer;
  llvm::DenseMap<mlir::Value, Known> known;
  /// For each unit, the values that nobody needs after it.
  std::vector<llvm::SmallVector<mlir::Value>> lastUses;
  std::vector<Finding> found;
  std::optional<Kept> kept;
  FindingClass keptKind = FindingClass::Exact;
  int64_t most = 0;
};

} // namespace npu

#endif // NPU_LIB_AUDIT_ENGINE_H
