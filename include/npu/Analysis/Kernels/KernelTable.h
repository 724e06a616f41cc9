// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations the tiles of a device have a kernel for, and what is against
// the others. Every report, phase and verifier asks KernelTable::find, so that
// nothing is claimed and refused later. A table is #npu.kernels, the entry
// `npu.kernels` of a target description; npu3720 and npu4000 have one of their
// own (lib/Analysis/Kernels/Tables). docs/devices.md explains them.

#ifndef NPU_ANALYSIS_KERNELS_KERNELTABLE_H
#define NPU_ANALYSIS_KERNELS_KERNELTABLE_H

#include "npu/Analysis/Costs/EngineOrders.h"
#include "npu/Analysis/StorageRules.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// Why a row does not take an operation.
struct KernelRefusal {
  /// The number of the row, from 1.
  size_t row = 0;
  /// The item of the row, as "indices".
  llvm::StringRef item;
  /// What the operation has: "index type i64".
  std::string found;
  /// What the row has instead: "the row takes i32, i16".
  std::string instead;

  std::string reason() const { return found + "; " + instead; }
};

/// What a table says of an operation.
struct KernelAnswer {
  /// Whether tiles have a kernel for it.
  bool isTaken = false;
  /// The number of the row that takes it, from 1; 0 where there is no table.
  size_t row = 0;
  /// What the rows before that have against it, of those for such operations.
  std::vector<KernelRefusal> refusals;
  /// "contraction", or empty: what rows may call it instead of its name.
  llvm::StringRef structure;

  /// Precondition: it is not taken. Example: "index type i64; the row takes
  /// i32, i16", or "no row for 'npu.gather'".
  std::string reason(mlir::Operation *op) const;
};

/// The storage kinds in which a device has kernels for an operation.
struct KindsTaken {
  /// All of its tensors of rank 4 may be of this kind.
  bool linear = false, tiled2d = false;
  /// Each of them may be of either, whatever the others are.
  bool mixed = false;
};

class KernelTable {
public:
  /// The table of the device that `target` names, or that `module` describes;
  /// one without rows, which takes everything, where the device has none. An
  /// error where there is no such device.
  static mlir::FailureOr<KernelTable> of(mlir::ModuleOp module,
                                         llvm::StringRef target);

  /// The table of the device that a file describes, a module with a target
  /// description that has `npu.kernels`. An error at its place in the file, or
  /// at `loc` where the file cannot be read. It is `whoAsks` who reads it, as
  /// in "npu-select-kernels: cannot read ...".
  static mlir::FailureOr<KernelsAttr>
  read(mlir::Location loc, llvm::StringRef whoAsks, llvm::StringRef file);

  KernelTable() = default;
  explicit KernelTable(KernelsAttr kernels, std::string device,
                       StorageRules storage = {})
      : kernels(kernels), device(std::move(device)),
        storage(std::move(storage)) {}

  /// What the table says of an operation that needs a kernel.
  KernelAnswer find(mlir::Operation *op) const;

  /// The memory orders in which the row that takes `op` wants its tensors, all
  /// dimensions of each; none for tensors of other ranks, and nothing where it
  /// takes any. Before layouts are chosen, an operation of linalg may get any
  /// orders; afterwards it has those that its types say.
  std::optional<EngineOrders> ordersOf(mlir::Operation *op) const;

  /// The storage kinds in which the rows that take `op` want its tensors of
  /// rank 4: linear alone for what needs no kernel, and both where the device
  /// has no table. Precondition: it has no layouts yet.
  KindsTaken kindsOf(mlir::Operation *op) const;

  /// The storage kinds of the device.
  const StorageRules &storageRules() const { return storage; }

  llvm::ArrayRef<mlir::DictionaryAttr> rows() const {
    return kernels ? kernels.getRows() : llvm::ArrayRef<mlir::DictionaryAttr>();
  }
  bool isEmpty() const { return !kernels; }
  /// The name of the device, for messages.
  llvm::StringRef nameOfDevice() const { return device; }

private:
  KernelsAttr kernels;
  std::string device;
  StorageRules storage;
};

/// Whether `op` computes on tensors and passes know which part of its operands
/// it reads, so that a device runs it by a kernel. Constants, unwritten
/// tensors, slices, reshapes and changes of layouts need none. An operation
/// that passes do not know has no kernel, whatever a table says.
bool needsKernel(mlir::Operation *op);

/// Whether the host does `op` because the device has no kernel for it
/// (`npu.host`, which npu-select-kernels writes).
bool isKeptOnHost(mlir::Operation *op);

/// The number of the operand of npu.gather or npu.scatter whose entries are
/// positions in another one.
std::optional<unsigned> positionsOperand(mlir::Operation *op);

/// The operands whose entries are positions: that one, or those from which a
/// structured operation computes where it reads entries of whole tensors.
llvm::SmallVector<mlir::OpOperand *> positionsOperands(mlir::Operation *op);

/// An error at the first operation that is to run on tiles and has no kernel
/// there. Example: "'npu.scatter' has no kernel on npu4000: index type i64; the
/// row takes i32, i16".
llvm::LogicalResult verifyKernels(mlir::Operation *root,
                                  const KernelTable &table);

} // namespace npu

#endif // NPU_ANALYSIS_KERNELS_KERNELTABLE_H
