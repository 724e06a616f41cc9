// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-run --audit: every operation of a function in the device's arithmetic and
// in an f64 reference, and a class for each that says why the two differ.
//
//   npu::RunOptions run;
//   npu::AuditOptions audit;
//   run.inputs = npu::InputKind::Normal;
//   failed = mlir::failed(npu::audit(std::move(module), nullptr, run, audit,
//   llvm::outs()));

#ifndef NPU_AUDIT_AUDIT_H
#define NPU_AUDIT_AUDIT_H

#include "npu/Execution/Compare/RunAndCompare.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>

namespace npu {

struct AuditOptions {
  /// Whether the report is JSON.
  bool json = false;
  /// Where the report goes; "-": the stream that `audit` is given.
  std::string outputFile = "-";
  /// Where the smallest function that shows the worst operation is written to;
  /// empty: nowhere.
  std::string reproducer;
  /// Changes the device's side of the function, as a fault that a test injects
  /// does; the reference stays as it is. The operations of the function have
  /// `audit_unit` attributes: one that takes another's place may keep its, and
  /// one without counts to the operation that uses it first.
  std::function<llvm::LogicalResult(mlir::func::FuncOp device)> changeDevice;
};

/// Audits `module`; unless it is null, `original` is the same function before
/// it was fused, compiled or given element types. Fails where something could
/// not be done (a diagnostic or a line on stderr says what), and where an
/// operation is STRUCTURAL or OVERFLOW.
llvm::LogicalResult audit(mlir::OwningOpRef<mlir::ModuleOp> module,
                          mlir::OwningOpRef<mlir::ModuleOp> original,
                          const RunOptions &run, const AuditOptions &options,
                          llvm::raw_ostream &out);

/// The files that a reproducer at `path` may be written to: the function, what
/// it is held against, and its operands.
std::vector<std::string> filesOfReproducer(const std::string &path);

} // namespace npu

#endif // NPU_AUDIT_AUDIT_H
