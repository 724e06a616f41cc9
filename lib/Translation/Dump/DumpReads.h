// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation of the matrix engine reads of its operands.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPREADS_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPREADS_H

#include "DumpEdges.h"
#include "StorageElements.h"

namespace npu {

/// An operation of the matrix engine: a convolution, a pooling, an elementwise
/// operation, in the way that it reads its operands.
struct EngineOp {
  enum class Kind { Convolution, PerChannel, Elementwise };
  Kind kind;
  /// [Y, X], and left, right, top, bottom.
  Extents kernel{1, 1}, strides{1, 1}, pads{0, 0, 0, 0};
};

/// The engine's operation that `op` is; an error where its attributes do not
/// say what it reads; nothing for another operation.
std::optional<Result<EngineOp>> engineOp(const DumpOperation &op);

/// What operand `number` of `op` is to it. `Table` is what the windows go over
/// beside the activation: its sparsity map and its storage element table.
enum class OperandRole { Activation, Table, Weights, Other };
OperandRole roleOf(const EngineOp &engine, const DumpOperand &operand,
                   std::size_t number);

/// What the tiles of `result` read of an operand of that shape to compute their
/// parts. `table` is the shape of the storage element table through which the
/// operand is read, and `elements` what that points to; both null where the
/// windows go over the operand itself.
Placement readBy(const EngineOp &engine, OperandRole role,
                 const Placement &result, const Extents &shape,
                 const Extents *table = nullptr,
                 const StorageElements *elements = nullptr);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPREADS_H
