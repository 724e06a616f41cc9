// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host fallback: operations that tiles do not run part by part run on whole
// tensors in DDR, on the host. Operands are stored first, and results loaded
// afterwards. The functions here say whether an operation falls back to the
// host, why, and how many bytes that costs.

#ifndef NPU_ANALYSIS_CHOICES_HOSTFALLBACK_H
#define NPU_ANALYSIS_CHOICES_HOSTFALLBACK_H

#include "npu/Analysis/Access/EmptyOrigins.h"
#include "npu/Analysis/Choices/ComputeChoices.h"

namespace npu {

enum class HostFallbackKind {
  /// The device has no kernel for the operation.
  NoKernel,
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

struct HostFallback {
  HostFallbackKind kind;
  /// The end of the sentence "'x' falls back to the host: ...".
  std::string reason;
  /// What goes from tiles to DDR before the operation, each operand once, and
  /// what goes back afterwards, in bits, because elements can be smaller than a
  /// byte.
  int64_t storedBits = 0;
  int64_t loadedBits = 0;

  int64_t bytes() const { return toBytes(storedBits + loadedBits, 1); }
};

/// The host fallback of `op` that lowering makes; nothing where tiles run the
/// operation part by part, where it only hands tensors on, or where no tensor
/// of it has a layout. The answer is the same before and after legalization.
/// Precondition: layouts fit their tensors. Example: `tosa.add %x, %x` of
/// 8x4xf32 on two tiles stores 128 bytes and loads 128 bytes.
std::optional<HostFallback> hostFallbackOf(mlir::Operation *op);

/// The host fallback of an operation none of whose tensors has a layout, where
/// it would fall back whatever layouts there were: a call, a loop, or an
/// operation that is not understood. `storedBits` are those of its operands,
/// each once, and `loadedBits` those of its results, although nothing moves:
/// they are in DDR already. Nothing for operations that compute nothing (views,
/// slices, what has no operands), and for those on shapes (tensors of index) or
/// on tensors of dynamic shape (the real parts at the edges of padded
/// functions).
std::optional<HostFallback> hostFallbackInDdr(mlir::Operation *op);

/// Why no kernel of any device runs `op`, whatever layouts its tensors have: a
/// call, a loop, an operation that is not understood or that is marked for the
/// host. Nothing where tiles may run it, and for operations that compute
/// nothing. Example: "it is not known which part of its operands it reads".
std::optional<std::string> whyNoModel(mlir::Operation *op);

/// Whether `op` is a tensor.cast that changes the layout: upstream's patterns
/// write a redistribution so.
bool isMovingCast(mlir::Operation *op);

/// Whether lowering replaces `op` by its structured form because tiles cannot
/// do it part by part. Then operations of the structured form may fall back to
/// the host, and `op` itself does not.
bool isLoweredAsStructured(mlir::Operation *op);

/// Whether `operand`, a tensor with a layout, of an operation that falls back
/// to the host is stored to DDR. It is not where it is unwritten or where its
/// entries are not read: another tensor of its shape will do.
bool isBroughtToDdr(mlir::OpOperand &operand, EmptyOrigins &origins);

/// What moves through DDR for an operation that falls back to the host.
struct HostFallbackValues {
  /// Operands that are stored before it, each once.
  llvm::SmallVector<mlir::Value> stored;
  /// Results that are loaded afterwards, because somebody reads them.
  llvm::SmallVector<mlir::Value> loaded;
};

/// Precondition: `op` falls back to the host.
HostFallbackValues hostFallbackValues(mlir::Operation *op,
                                      EmptyOrigins &origins);

/// The bits that loading or storing a value moves; 0 where the value is in DDR.
int64_t bitsThroughDdr(mlir::Value value);

/// Whether `op` is a constant that lies in DDR and is loaded, because its
/// entries differ.
bool isLoadedConstant(mlir::Operation *op);

/// Asks hostFallbackOf of many operations, while the IR does not change, and
/// remembers which kinds of structured operations do not fall back.
class HostFallbackQuery {
public:
  explicit HostFallbackQuery(EmptyOrigins &origins) : origins(origins) {}

  std::optional<HostFallback> of(mlir::Operation *op);

private:
  EmptyOrigins &origins;
  std::map<ComputeChoices::Key, bool> fallsBack;
};

} // namespace npu

#endif // NPU_ANALYSIS_CHOICES_HOSTFALLBACK_H
