// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges of a dump: every pair of an operand and a result of one operation
// where a distribution stands on one side or both, and whether the two agree.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPEDGES_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPEDGES_H

#include "DumpReader.h"

namespace npu {

enum class EdgeVerdict {
  /// Every tile has what the other side declares, under the same label.
  Same,
  /// Every tile holds the same boxes, and only the label differs.
  Label,
  /// Every tile holds what the other side declares, and more.
  Narrow,
  /// Tiles lack something.
  Moves,
  /// It is not known what the operation reads, or which boxes a side has.
  Unknown,
};

/// "same", "label", "narrow", "moves", "unknown"
std::string_view toString(EdgeVerdict verdict);

/// What an operation of a dump is, by its name.
enum class DumpWord {
  PermuteCast,
  /// Changes the label.
  Relabel,
  /// Keeps shape and boxes, such as another quantization.
  SameShape,
  Reshape,
  Slice,
  Concat,
  /// A concatenation of buffers that lie in their places already.
  ConcatView,
  Copy,
  /// Makes a buffer with no values in it.
  Buffer,
  /// Ends a region.
  Yield,
  /// Each entry of the result is computed from entries at the same place.
  Elementwise,
  Other,
};
DumpWord wordOf(std::string_view op);

/// Where each operand of a concatenation begins in the result; empty where its
/// attributes do not say it.
std::vector<Extents> concatOffsets(const DumpOperation &op,
                                   const std::vector<DumpValue> &values);

/// The part of its operand that a slice is.
struct DumpSlice {
  Extents offsets, sizes;
};
/// Nothing where the numbers are not constants, or strides are not 1.
std::optional<DumpSlice> sliceOf(const DumpOperation &op);

/// What a relation of two types under one operation comes to.
struct EdgeFinding {
  EdgeVerdict verdict = EdgeVerdict::Unknown;
  /// The bytes that move as the dump has it, and the fewest that suffice.
  int64_t bytes = 0;
  int64_t bound = 0;
  /// Whether the field compiler refuses this edge, or tiles compute with what
  /// they do not hold. Copies move data because they are asked to, and are
  /// never bad.
  bool bad = false;
  /// Whether both sides agree, and are spelled in two ways: a compiler that
  /// compares fields refuses that.
  bool spelledTwice = false;
  std::string reason;
  /// The fields of a type that would agree, where they are known: of the
  /// result, or of the operand where `reads`.
  std::optional<LoggedAttribute> expected;
  bool reads = false;
  /// What the tiles hold, in the coordinates of `wanted`, where data moves.
  std::optional<Placement> held, wanted;

  DumpTypePtr from, to;
};

struct DumpEdge {
  std::size_t at = 0;
  std::size_t end = 0;
  std::string_view op;
  /// Numbers of values.
  std::size_t from = 0, to = 0;
  std::shared_ptr<const EdgeFinding> finding;
};

struct EdgeQuestion;

/// Finds edges, and examines each kind of edge between two types once.
class EdgeFinder {
public:
  /// Appends the edges of `op`.
  void find(const DumpOperation &op, const std::vector<DumpValue> &values,
            const DumpTypes &types, std::vector<DumpEdge> &edges);
  /// Whether the engines of the device read from the scratchpads of other
  /// tiles.
  bool readsAcrossTiles = false;

  /// Forgets what is known about the values of a function.
  void endFunction() { offsets.clear(); }

private:
  /// Appends the edges to one result.
  void findOf(EdgeQuestion &question, std::size_t result,
              const std::vector<DumpValue> &values,
              std::vector<DumpEdge> &edges);
  std::shared_ptr<const EdgeFinding> examine(const EdgeQuestion &question);
  /// The offsets in its buffer of what a subview gives.
  std::optional<Extents> offsetsOf(std::size_t value) const;
  void noteOffsets(const DumpOperation &op);

  llvm::StringMap<std::shared_ptr<const EdgeFinding>> findings;
  std::vector<std::optional<Extents>> offsets;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPEDGES_H
