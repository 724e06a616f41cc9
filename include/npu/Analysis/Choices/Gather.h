// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that the tiles do not do part by part. They are done in DDR, on
// whole tensors: operands are stored first, and results loaded afterwards. This
// is the one place that says whether that is so for an operation, why, and what
// it costs.

#ifndef NPU_ANALYSIS_CHOICES_GATHER_H
#define NPU_ANALYSIS_CHOICES_GATHER_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

enum class GatherKind {
  /// Nobody says which part of its operands the operation reads.
  NotUnderstood,
  /// Its dialect promises that somebody does, and nobody has registered it.
  NotRegistered,
  /// That is known, but there is no way to do a part of this form of it.
  NotCut,
  /// No box of iterations writes only what a tile holds of the results.
  WritesBeyond,
  /// A call: what is called takes and gives whole tensors.
  Call,
};

struct Gather {
  GatherKind kind;
  /// The end of a sentence "'x' is done on gathered data: ...".
  std::string reason;
  /// What goes from tiles to DDR before the operation, each operand once, and
  /// back afterwards. In bits: elements can be smaller than a byte.
  int64_t storedBits = 0;
  int64_t loadedBits = 0;

  int64_t bytes() const { return toBytes(storedBits + loadedBits, 1); }
};

/// What lowering does with `op` on gathered data; nothing where tiles do it
/// part by part, where it only hands tensors on, or where no tensor of it has a
/// layout. The answer is the same before and after legalization. Precondition:
/// layouts fit their tensors. Example: `tosa.add %x, %x` of 8x4xf32 on two
/// tiles stores 128 bytes and loads 128 bytes.
std::optional<Gather> gatherOf(mlir::Operation *op);

/// Whether lowering replaces `op` by its structured form, because no tile makes
/// its part of it: then it is not gathered, but what it becomes may be.
bool isLoweredAsStructured(mlir::Operation *op);

/// Whether an operand, a tensor with a layout, of an operation that is done on
/// gathered data has to be brought to DDR. It has not where it is made of
/// nothing or where its values do not matter: another tensor of its shape will
/// do.
bool isBroughtToDdr(mlir::OpOperand &operand, EmptyOrigins &origins);

/// Bits that loading or storing a value takes; 0 where it is in DDR.
int64_t bitsThroughDdr(mlir::Value value);

/// A constant that lies in DDR and is loaded, because it is not one value
/// everywhere.
bool isLoadedConstant(mlir::Operation *op);

/// Asks gatherOf of many operations, while nothing changes, and remembers which
/// kinds of structured ones are not gathered.
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
