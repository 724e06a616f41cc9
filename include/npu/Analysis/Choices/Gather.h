// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that tiles do not do part by part. They are done in DDR, on whole
// tensors: operands are stored first, and results loaded afterwards. Everybody
// asks here whether an operation is gathered, why, and how many bytes that
// costs.

#ifndef NPU_ANALYSIS_CHOICES_GATHER_H
#define NPU_ANALYSIS_CHOICES_GATHER_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

enum class GatherKind {
  /// Nobody says which part of its operands the operation reads.
  NotUnderstood,
  /// The operation's dialect promises a model of PartwiseOpInterface, and
  /// nobody has registered it.
  NotRegistered,
  /// It is known what the operation reads, but this form of it cannot be cut.
  NotCut,
  /// No box of iterations writes only what a tile holds of the results.
  WritesBeyond,
  /// A call: the called function takes and gives whole tensors.
  Call,
  /// A loop or a branch, whose tensors nobody has given layouts.
  Regions,
};

struct Gather {
  GatherKind kind;
  /// The end of the sentence "'x' is done on gathered data: ...".
  std::string reason;
  /// What goes from tiles to DDR before the operation, each operand once, and
  /// what goes back afterwards, in bits, because elements can be smaller than a
  /// byte.
  int64_t storedBits = 0;
  int64_t loadedBits = 0;

  int64_t bytes() const { return toBytes(storedBits + loadedBits, 1); }
};

/// The gather by which lowering does `op`; nothing where tiles do the operation
/// part by part, where it only hands tensors on, or where no tensor of it has a
/// layout. The answer is the same before and after legalization. Precondition:
/// layouts fit their tensors. Example: `tosa.add %x, %x` of 8x4xf32 on two
/// tiles stores 128 bytes and loads 128 bytes.
std::optional<Gather> gatherOf(mlir::Operation *op);

/// Why tiles do no part of `op`, none of whose tensors has a layout, where that
/// is so whatever layouts there were: it is a call, a loop, or not understood.
/// `storedBits` are those of its operands, each once, and `loadedBits` those of
/// its results, although nothing moves: they are in DDR already. Nothing for
/// operations that compute nothing (views, slices, what has no operands), and
/// for those on shapes (tensors of index) or on tensors of dynamic shape (the
/// real parts at the edges of padded functions).
std::optional<Gather> keptInDdr(mlir::Operation *op);

/// Whether `op` is a tensor.cast that changes the layout: upstream's patterns
/// write a redistribution so.
bool isMovingCast(mlir::Operation *op);

/// Whether lowering replaces `op` by its structured form because tiles cannot
/// do it part by part. Then `op` is not gathered, but operations of its
/// structured form may be.
bool isLoweredAsStructured(mlir::Operation *op);

/// Whether `operand`, a tensor with a layout, of an operation that is done on
/// gathered data is stored to DDR. It is not where it is unwritten or where its
/// entries are not read: another tensor of its shape will do.
bool isBroughtToDdr(mlir::OpOperand &operand, EmptyOrigins &origins);

/// What goes through DDR for an operation that is done on gathered data.
struct GatheredValues {
  /// Operands that are stored before it, each once.
  llvm::SmallVector<mlir::Value> stored;
  /// Results that are loaded afterwards, because somebody reads them.
  llvm::SmallVector<mlir::Value> loaded;
};

/// Precondition: `op` is gathered.
GatheredValues gatheredValues(mlir::Operation *op, EmptyOrigins &origins);

/// The bits that loading or storing a value moves; 0 where the value is in DDR.
int64_t bitsThroughDdr(mlir::Value value);

/// Whether `op` is a constant that lies in DDR and is loaded, because its
/// entries differ.
bool isLoadedConstant(mlir::Operation *op);

/// Asks gatherOf of many operations, while the IR does not change, and
/// remembers which kinds of structured operations are not gathered.
class GatherQuestion {
public:
  explicit GatherQuestion(EmptyOrigins &origins) : origins(origins) {}

  std::optional<Gather> of(mlir::Operation *op);

private:
  EmptyOrigins &origins;
  std::map<ComputeChoices::Key, bool> isGathered;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_GATHER_H
