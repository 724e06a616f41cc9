// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of a dump: tensors and buffers, plain ones and distributed ones,
// with the boxes that the field compiler gives them.

#ifndef NPU_LIB_TRANSLATION_DUMP_DUMPTYPE_H
#define NPU_LIB_TRANSLATION_DUMP_DUMPTYPE_H

#include "DumpLists.h"
#include "FieldRule.h"

#include "llvm/ADT/StringMap.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace npu {

struct DumpType;
using DumpTypePtr = std::shared_ptr<const DumpType>;

struct DumpType {
  enum class Kind {
    /// A distributed tensor or buffer.
    Distributed,
    /// A tensor or buffer without a distribution.
    Plain,
    /// No tensor, or one that cannot be read.
    Other,
  };
  Kind kind = Kind::Other;
  /// The words before '<': "!VPU.DistributedTensor", "memref", ...
  std::string head;
  Extents shape;
  /// The element type as it is written, and its bits where they are known.
  std::string element;
  std::optional<int64_t> bits;
  /// Empty: the identity.
  Permutation order;
  /// What stands between the element type and the distribution, as it is
  /// written: "#NHWC, @CMX_NN".
  std::string middle;
  /// "CMX_NN", "DDR", or "".
  std::string memory;

  // The following are of distributed types only.
  /// Whether the tensor lies in scratchpads: a distributed one may lie in DDR.
  bool onTiles = false;
  LoggedAttribute fields;
  FieldPlacement boxes;
  /// The same boxes without what lies after the tensor.
  Placement placement;
  /// This project's shortest spelling of the placement, and why there is none.
  std::optional<Distribution> distribution;
  std::string whyNoLayout;

  /// Why a distributed type, or a part of it, cannot be read; else empty.
  std::string problem;
  /// How many distributed types the text holds, and how many are read.
  unsigned written = 0, read = 0;

  /// Of a sparse or bounded type: what it is made of, in the order in which it
  /// is grouped, the data first. All that is said above is of the data.
  std::vector<DumpTypePtr> parts;
  /// The part that is called `storage_element_table`, or the `sparsity_map`
  /// where there is none: what the windows of operations go over. Null for a
  /// type whose data they go over.
  DumpTypePtr table;
  /// The attribute that says what the table points to, as it is written:
  /// "#VPU.SEInterpolate<...>"; empty without one.
  std::string elements;

  bool isDistributed() const { return kind == Kind::Distributed; }
  bool isShaped() const { return kind != Kind::Other; }
};

/// Reads types, each spelling once, and knows the aliases of the file.
class DumpTypes {
public:
  /// Defines `!name` or `#name`, instead of an earlier definition. The value is
  /// a part of the dump, which stays.
  void define(std::string_view name, std::string_view value);
  /// The type that a text spells: "!VPU.DistributedTensor<...>", "!Alias",
  /// "tensor<...>", or another one.
  DumpTypePtr read(std::string_view text);
  /// The definition of an alias, or the text itself.
  std::string_view resolve(std::string_view text) const;
  /// The order that an affine map or an alias of one spells, of that rank;
  /// empty for the identity.
  Result<Permutation> parseOrder(std::string_view text, std::size_t rank) const;

private:
  DumpType parse(std::string_view text, int depth) const;
  static void countUnknown(std::string_view inside, DumpType &type);
  void parseSparse(std::string_view inside, int depth, DumpType &type) const;
  void parseShaped(std::string_view inside, DumpType &type) const;
  void parseMiddle(std::string_view part, DumpType &type) const;
  void place(std::string_view fields, DumpType &type) const;

  llvm::StringMap<std::string_view> aliases;
  llvm::StringMap<DumpTypePtr> types;
};

/// The distributed type with other fields, as the field compiler spells it.
std::string spellType(const DumpType &type, const LoggedAttribute &fields);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_DUMP_DUMPTYPE_H
