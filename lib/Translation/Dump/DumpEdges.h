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

/// The call of a software kernel.
inline constexpr std::string_view kKernelCall = "VPUIP.SW.Kernel";

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
  /// Copies under another order of dimensions.
  PermutedCopy,
  /// Makes a buffer with no values in it.
  Buffer,
  /// Puts the parts of a sparse tensor together, or takes them apart.
  Group,
  Ungroup,
  /// Ends a region.
  Yield,
  /// Each entry of the result is computed from entries at the same place.
  Elementwise,
  Other,
};
DumpWord wordOf(std::string_view op);
/// The same of an operation, whose name may be that of a software kernel's
/// call: then the kernel's own name counts.
DumpWord wordOf(const DumpOperation &op);

/// The name of an operation, with that of the kernel that it calls:
/// "VPUIP.SW.Kernel @builtin_SoftMax".
std::string nameOf(std::string_view op, std::string_view callee);

/// What is missing where an edge cannot be told.
enum class MissingFact {
  /// Which part of its operands the operation reads.
  Access,
  /// Numbers that stand in attributes: kernels, orders, offsets.
  Attributes,
  /// What a storage element table points to.
  TableContents,
  /// Which entry of one side is which one of the other.
  Correspondence,
  /// A distribution on the operand.
  Distribution,
  /// A comparison of more pieces of memory than are compared.
  Pieces,
};

/// What it takes to know it, in words.
std::string_view toKnow(MissingFact missing);

/// Where each operand of a concatenation begins in the result; empty where its
/// attributes do not say it.
std::vector<Extents> concatOffsets(const DumpOperation &op,
                                   const std::vector<DumpValue> &values);

/// The part of its operand that a slice is.
struct DumpSlice {
  Extents offsets, sizes;
  /// Of a view that each tile has of its own buffer: the shapes that the tiles
  /// take. Its offsets and sizes are sums over tiles, and no box of the whole.
  std::vector<Extents> perTile;
};
/// Nothing where the numbers are not constants, or strides are not 1.
std::optional<DumpSlice> sliceOf(const DumpOperation &op);

/// What a relation of two types under one operation comes to.
struct EdgeFinding {
  EdgeVerdict verdict = EdgeVerdict::Unknown;
  /// Of an unknown edge.
  MissingFact missing = MissingFact::Access;
  /// The bytes that move as the dump has it, and the fewest that suffice. Of a
  /// load: what DDR reads.
  int64_t bytes = 0;
  int64_t bound = 0;
  /// What all tiles receive, and the tile that receives most: what several
  /// tiles get counts for each of them.
  int64_t received = 0;
  int64_t maxTileReceived = 0;
  /// Whether the field compiler refuses this edge, or tiles compute with what
  /// they do not hold. Copies move data because they are asked to, and are
  /// never bad.
  bool bad = false;
  /// Whether the edge is bad for the only reason that the engines of the device
  /// read nothing from the scratchpads of other tiles.
  bool badWithoutNeighbours = false;
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
  /// What it calls, as in DumpOperation.
  std::string_view callee;
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
  void endFunction() { known.clear(); }

private:
  /// Appends the edges to one result.
  void findOf(EdgeQuestion &question, std::size_t result,
              const std::vector<DumpValue> &values,
              std::vector<DumpEdge> &edges);
  std::shared_ptr<const EdgeFinding> examine(const EdgeQuestion &question);
  /// Judges the slices of a buffer again, of which tiles turn out to have parts
  /// of their own.
  void judgeAgain(std::size_t buffer, const std::vector<DumpValue> &values,
                  const DumpTypes &types, std::vector<DumpEdge> &edges);

  /// What is known of a value besides its type.
  struct Known {
    /// The offsets in its buffer of what a subview gives.
    std::optional<Extents> offsets;
    /// Whether it is a view that each tile has of its own buffer.
    bool isPerTile = false;
    /// The attribute of the storage element table that it is, or that it was
    /// taken from.
    std::string elements;
    /// The edges of views of it, by their numbers, and whether one of these has
    /// the tiles' own shapes.
    std::vector<std::size_t> views;
    bool isCutPerTile = false;
  };
  const Known &knownOf(std::size_t value) const;
  Known &note(std::size_t value);
  void noteResults(const DumpOperation &op,
                   const std::vector<DumpValue> &values);

  llvm::StringMap<std::shared_ptr<const EdgeFinding>> findings;
  std::vector<Known> known;
};

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPEDGES_H
