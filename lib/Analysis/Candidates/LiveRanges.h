// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live range of each layout of each value in the scratchpads, and the bytes
// that it takes there.

#ifndef NPU_LIB_ANALYSIS_CANDIDATES_LIVERANGES_H
#define NPU_LIB_ANALYSIS_CANDIDATES_LIVERANGES_H

#include "npu/Analysis/Candidates/FunctionProblem.h"
#include "npu/Target/Count.h"

#include "llvm/ADT/IntEqClasses.h"

#include <map>

namespace npu {

/// A layout, and the operations during which it may be live.
struct LiveRange {
  ValueLayout layout;
  int first = 0;
  int last = 0;
  /// The bytes on each tile.
  const std::vector<int64_t> *bytes = nullptr;
  int64_t most = 0;
};

/// These bytes, from one multiple of the buffers' alignment to another.
int64_t aligned(int64_t bytes);

/// The bytes of the buffer in which a tile holds its part of a tensor of this
/// type, which is distributed; 0 where the tile has none.
int64_t bytesOnTile(mlir::RankedTensorType type, int64_t tile);

/// Computes all live ranges; owns the bytes that they point to.
class LiveRanges {
public:
  LiveRanges(FunctionProblem &function, int64_t tiles);

  /// The live ranges of all layouts on tiles; without views, those that are
  /// read in place are left out.
  std::vector<LiveRange> collect(bool withViews);

  /// The bytes that the results of an operation, and what is between them and
  /// its operands, take on each tile, by candidate.
  std::vector<std::vector<int64_t>> bytesMade(size_t number);

  /// The bytes that the results of an operation, and what is between them and
  /// its operands, take at most, on any tile and in any candidate.
  int64_t mostMade(size_t number);

  /// The bytes on each tile of what is between the operands and the results, in
  /// the candidate that takes most.
  std::vector<int64_t> mostBetween(size_t number);

  /// The least bytes that an operation takes on each tile, by candidate,
  /// whatever else is in use: its operands, as far as each surely has a buffer
  /// of its own at that time, and beside them its results where it reads
  /// operands after it has begun to write. Example: an addition takes both
  /// operands, and tensor.insert_slice the larger one, because on a tile whose
  /// whole part is inserted nothing is left of the other one.
  std::vector<std::vector<int64_t>> leastOwn(size_t number);

  /// The bytes that each tile may hold while the operation runs for tensors of
  /// which only the shape is read, such as the window of a pooling: they get
  /// buffers as well, and inside of loops all of them at the same time.
  int64_t shapesAt(size_t number) const;

  /// The outermost loop around the operation; null where there is none.
  mlir::Operation *outermostLoopAround(size_t number) const;

  /// Whether a layout that is live until `number` is so only for candidates of
  /// that operation that read it, and for copies that are made for others: no
  /// view of it is read, and no loop keeps it.
  bool isKeptByReader(const LiveRange &range, size_t number) const;

  /// Whether the value is a view of a tensor in DDR: its layouts count whether
  /// it is made there and loaded, or on tiles.
  bool isViewOfDdr(size_t value) const {
    return isView(value) && comesFromDdr(value);
  }

  /// Whether the layout takes no bytes of its own: a candidate on tiles makes
  /// it as a view, and no other would load it. A view of a tensor in DDR may be
  /// made in DDR and loaded, so that its layouts count.
  bool isReadInPlace(size_t value, size_t layout) const;

private:
  /// The bytes of a type on each tile, and on the fullest: as a buffer, and up
  /// to the next multiple of the alignment.
  struct Held {
    std::vector<int64_t> sizes;
    std::vector<int64_t> bytes;
    int64_t most = 0;
  };

  struct Uses {
    int first = -1;
    int last = -1;
  };

  /// What the operation alone adds to shapesAt().
  int64_t shapesOf(size_t number) const;

  /// Whether the value is a view of another one wherever it is made.
  bool isView(size_t value) const;

  /// Whether the value is there from the beginning, or a view of such a one.
  bool comesFromDdr(size_t value) const;

  /// The value that the value is a view of, through all views; itself where it
  /// is none.
  size_t viewedBy(size_t value) const;

  bool makesView(size_t number) const { return makesViews[number]; }

  bool makesViewOnly(size_t number) const;

  /// The first and the last operation at which the value's own block stands
  /// while `number` runs: loops run as a whole.
  mlir::Operation *standsAt(size_t value, size_t number) const;

  /// The outermost loop around a block; null where there is none.
  mlir::Operation *outermostLoopOf(mlir::Block *block) const;

  /// Finds the values that may be one buffer on some tile.
  void joinSameBuffers();

  /// Goes backwards, so that how long a view is needed is known before what it
  /// is a view of.
  void findUses();

  void addUse(size_t number, ValueLayout layout);

  bool isMade(size_t value, size_t layout) const;

  /// A copy on tiles is made before the first operation that may need it, and
  /// what it is made of liveRanges until then.
  LiveRange liveRangeOf(size_t value, size_t layout);

  std::vector<LiveRange> liveRangesOf(size_t value);

  /// The bytes on each tile that bytesMade() has, in a candidate.
  std::vector<int64_t> bytesMade(size_t number,
                                 const OperationCandidate &candidate);

  /// The bytes on each tile of what is between operands and results, in the
  /// step that takes most.
  std::vector<int64_t> bytesBetween(const OperationCandidate &candidate);

  static void keepLarger(std::vector<int64_t> &most,
                         llvm::ArrayRef<int64_t> others);

  /// The bytes of all these tensors on each tile.
  std::vector<int64_t> bytesOf(llvm::ArrayRef<mlir::RankedTensorType> types);

  /// The bytes of all these tensors, each on its fullest tile.
  Count mostOf(llvm::ArrayRef<mlir::RankedTensorType> types);

  const Held &heldOf(mlir::RankedTensorType type);

  FunctionProblem &function;
  int64_t tiles;
  std::vector<bool> makesViews;
  /// Values of one class may be one buffer, or parts of one.
  llvm::IntEqClasses sameBuffer;
  std::vector<int64_t> shapes;
  llvm::DenseMap<mlir::Operation *, int64_t> shapesInLoop;
  std::vector<std::vector<Uses>> uses;
  llvm::DenseMap<mlir::Operation *, int> firstInside, lastInside;
  std::map<const void *, Held> held;
};

} // namespace npu

#endif // NPU_LIB_ANALYSIS_CANDIDATES_LIVERANGES_H
