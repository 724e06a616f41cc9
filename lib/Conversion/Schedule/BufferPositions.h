// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the buffers of a program with planned scratchpads lie, in each round of
// its loops.

#ifndef NPU_LIB_CONVERSION_SCHEDULE_BUFFERPOSITIONS_H
#define NPU_LIB_CONVERSION_SCHEDULE_BUFFERPOSITIONS_H

#include "../PlanScratchpad/ScratchpadBuffers.h"
#include "MemoryRanges.h"

namespace npu {

/// Where a buffer lies: in a scratchpad from `base` on, or in DDR, as a part of
/// what `root` stands for.
struct BufferPosition {
  std::optional<int64_t> tile;
  mlir::Value root;
  int64_t base = 0;
  StridedPart part;
};

/// The bytes of a buffer; 0 where an extent is dynamic.
int64_t bytesOfBuffer(mlir::MemRefType type);

struct AccessedBuffer {
  mlir::Value buffer;
  bool writes = false;
  /// What is read or written: all of the buffer, or as much of it as entries
  /// are read whose positions are data.
  int64_t bytes = 0;
};

/// The buffers that an operation itself touches, without its regions.
void forEachAccess(mlir::Operation *op,
                   llvm::function_ref<void(const AccessedBuffer &)> found);

/// The places of a function's buffers. Which buffers share memory is known when
/// this is made; where they lie, in the round that setIndex() has told.
class BufferPositions {
public:
  explicit BufferPositions(mlir::func::FuncOp function);

  /// What the variable of a loop is in the round that is looked at.
  void setIndex(mlir::Value variable, int64_t value) {
    indices[variable] = value;
  }
  void forgetIndex(mlir::Value variable) { indices.erase(variable); }
  /// An index, as far as it follows from the rounds of loops.
  std::optional<int64_t> valueOf(mlir::OpFoldResult index) const;

  /// The buffer of which nothing is known that it is a view of.
  mlir::Value rootOf(mlir::Value buffer) const;

  /// Where a buffer is; of one that is one of several, all places. A part whose
  /// place is not known is all of the buffer that it is a part of. An error at
  /// `user` where a tile's buffer has no place.
  mlir::LogicalResult
  forEachPlace(mlir::Value buffer, mlir::Operation *user,
               llvm::function_ref<void(const BufferPosition &)> found) const;

  /// Whether a tensor in DDR is both written and read, so that it matters in
  /// what order.
  bool isShared(mlir::Value root) const { return shared.contains(root); }

  static int64_t bytesOfRoot(mlir::Value root);

private:
  void placeArguments();
  void findSharedDdr();
  void mergeHandedOn();
  mlir::Value sourceOf(mlir::Value buffer) const;

  /// How a buffer's place follows from indices, which is asked in every round.
  struct Path {
    struct Term {
      mlir::Value index;
      /// What each unit of the index adds.
      int64_t bytes, elements;
    };
    /// Where it is with all of these indices at 0, and where if one is unknown.
    BufferPosition atZero, whole;
    llvm::SmallVector<Term, 2> terms;
  };
  mlir::FailureOr<Path> pathOf(mlir::Value buffer, mlir::Operation *user) const;
  mlir::FailureOr<BufferPosition> placeOf(mlir::Value buffer,
                                          mlir::Operation *user) const;

  /// Strides of a type; nothing where there are none. Asking the type for them
  /// takes long, and rounds of loops ask again and again.
  const std::optional<llvm::SmallVector<int64_t>> &
  stridesOf(mlir::MemRefType type) const;

  mlir::func::FuncOp function;
  ArenaSizes arenaBytes;
  llvm::DenseSet<mlir::Value> arenas;
  llvm::DenseMap<mlir::Value, int64_t> ofArguments;
  /// What loops hand on is what they begin with.
  llvm::DenseMap<mlir::Value, mlir::Value> aliases;
  llvm::DenseSet<mlir::Value> shared;
  /// For buffers that control flow hands on, the one that stands for all.
  llvm::DenseMap<mlir::Value, mlir::Value> leaders;
  llvm::DenseMap<mlir::Value, int64_t> indices;
  mutable llvm::DenseMap<mlir::Type, std::optional<llvm::SmallVector<int64_t>>>
      strides;
  mutable llvm::DenseMap<mlir::Value, Path> paths;
};

} // namespace npu

#endif // NPU_LIB_CONVERSION_SCHEDULE_BUFFERPOSITIONS_H
