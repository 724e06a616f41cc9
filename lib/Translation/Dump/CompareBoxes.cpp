// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompareBoxes.h"
#include "../Log/LogFields.h"
#include "MemoryRuns.h"

#include "npu/Placement/Plans/RedistributionPlan.h"
#include "npu/Support/Naming.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

int64_t volume(const DumpType &type) {
  return *checkedProduct(type.shape.span());
}

const std::string &mode(const DumpType &type) {
  return type.fields.find("mode")->words;
}

/// Whether two types have one label at equal memory: a rule and the boxes that
/// it gives are one label.
bool sameLabel(const LoggedAttribute &a, const Placement &boxes,
               const DumpType &b) {
  return sameValue(a.find("mode"), b.fields.find("mode")) &&
         boxes.tiles.size() == b.placement.tiles.size() &&
         sameCompute(boxes, b.placement);
}

/// Appends explicit boxes to the fields of a distribution.
void appendBoxes(LoggedAttribute &fields, const Placement &placement) {
  LoggedField rows[] = {{"compute_shapes", 0, {}, ""},
                        {"compute_offsets", 0, {}, ""},
                        {"memory_shapes", 0, {}, ""},
                        {"memory_offsets", 0, {}, ""}};
  for (const auto &[compute, memory] : placement.tiles) {
    rows[0].rows.push_back({0, compute.sizes()});
    rows[1].rows.push_back({0, compute.offsets()});
    rows[2].rows.push_back({0, memory.sizes()});
    rows[3].rows.push_back({0, memory.offsets()});
  }
  for (LoggedField &field : rows)
    fields.fields.push_back(std::move(field));
}

/// The fields of a cast's result, whose dimensions are `dims` of the operand
/// and whose boxes are `placement`; nothing where the field compiler has no
/// fields for it. Windows stand for the two last dimensions, so that a cast
/// replaces them by their boxes; and OVERLAPPED is not for channels.
std::optional<LoggedAttribute> fieldsAfter(const DumpType &from,
                                           const Permutation &dims,
                                           const Placement &placement) {
  LoggedAttribute fields = imageOf(from.fields, dims);
  if (isIdentity(dims))
    return fields;
  if (fields.find("kernel")) {
    std::erase_if(fields.fields, [](const LoggedField &field) {
      return field.name != "mode" && field.name != "num_tiles" &&
             field.name != "num_clusters";
    });
    appendBoxes(fields, placement);
  }
  const LoggedField *tiles = fields.find("num_tiles");
  bool channels = tiles && tiles->rows[0].numbers.size() == 4 &&
                  tiles->rows[0].numbers[1] > 1;
  if (!channels || mode(from) != "OVERLAPPED")
    return fields;
  for (const auto &[compute, memory] : placement.tiles)
    if (!(compute == memory))
      return std::nullopt;
  for (LoggedField &field : fields.fields)
    if (field.name == "mode")
      field.words = "SEGMENTED";
  return fields;
}

/// "mode SEGMENTED, num_tiles [1, 4, 1, 1]" and so on, where `expected` and
/// `got` differ.
std::string differences(const LoggedAttribute &expected,
                        const LoggedAttribute &got) {
  std::string text;
  for (const FieldDefinition &definition : fieldDefinitions()) {
    const LoggedField *a = expected.find(definition.name);
    const LoggedField *b = got.find(definition.name);
    if (!sameValue(a, b))
      text += fmt::format("{}{} is {} and would have to be {}",
                          text.empty() ? "" : "; ", definition.name, spell(b),
                          spell(a));
  }
  return text;
}

std::string lack(const Placement &held, const Placement &wanted,
                 std::string_view verb) {
  std::size_t tile = firstNotContained(held, wanted).value_or(0);
  return fmt::format("{} holds {}, and {} {}", nameOfTile(tile),
                     nameOfHeld(held.memoryOf(tile)), verb,
                     nameOfHeld(wanted.memoryOf(tile)));
}

/// The verdict of `held` against `wanted`, which are of one shape.
EdgeFinding compareMemory(const DumpType &type, Placement held,
                          Placement wanted, std::string_view verb) {
  EdgeFinding finding;
  if (sameMemory(held, wanted)) {
    finding.verdict = EdgeVerdict::Same;
    finding.reason = "every tile holds the same boxes";
    return finding;
  }
  if (memoryContains(held, wanted)) {
    std::size_t tile = *firstMemoryDifference(held, wanted);
    finding.verdict = EdgeVerdict::Narrow;
    finding.reason = fmt::format(
        "every tile holds what is wanted, and more: {} holds {}, and {} {}",
        nameOfTile(tile), nameOfHeld(held.memoryOf(tile)), verb,
        nameOfHeld(wanted.memoryOf(tile)));
    return finding;
  }
  finding.verdict = EdgeVerdict::Moves;
  finding.bytes = finding.bound = bytesOf(type, elementsMissing(held, wanted));
  finding.reason = lack(held, wanted, verb);
  finding.held = std::move(held);
  finding.wanted = std::move(wanted);
  return finding;
}

} // namespace

/// More bytes than any device has; figures of absurd shapes end here, so that
/// their sums are numbers.
static constexpr uint64_t kMostBytes = uint64_t(1) << 50;

int64_t bytesOf(const DumpType &type, int64_t elements) {
  uint64_t bits = llvm::SaturatingMultiply(uint64_t(elements),
                                           uint64_t(type.bits.value_or(8)));
  return static_cast<int64_t>(std::min(kMostBytes, bits / 8 + (bits % 8 != 0)));
}

EdgeFinding unknownEdge(std::string why, MissingFact missing) {
  EdgeFinding finding;
  finding.missing = missing;
  finding.reason = std::move(why);
  return finding;
}

EdgeFinding compareCast(const DumpType &from, const DumpType &to,
                        const Permutation *memPerm, bool relabels) {
  std::size_t rank = from.shape.size();
  if (to.shape.size() != rank)
    return unknownEdge("the two sides have different ranks",
                       MissingFact::Correspondence);
  if (from.bits != to.bits)
    return unknownEdge("the two sides have entries of different sizes",
                       MissingFact::Correspondence);
  if (memPerm && memPerm->size() != rank && !memPerm->empty())
    return unknownEdge("mem_perm has another rank than the tensor",
                       MissingFact::Correspondence);
  Permutation dims = memPerm ? castDimensions(from.order, *memPerm, to.order)
                             : identityPermutation(rank);
  if (dims.empty())
    dims = identityPermutation(rank);
  if (permute(from.shape, dims) != to.shape)
    return unknownEdge(
        fmt::format("the cast of {} gives {}, and the result is {}",
                    toString(from.shape), toString(permute(from.shape, dims)),
                    toString(to.shape)),
        MissingFact::Correspondence);
  Extents inMemory =
      from.order.empty() ? from.shape : permute(from.shape, from.order);
  if (memPerm && !memPerm->empty() && !isTrivialMemPerm(inMemory, *memPerm))
    return unknownEdge("mem_perm changes the order of entries in memory, which "
                       "no cast does",
                       MissingFact::Correspondence);
  if (!memPerm && from.order != to.order)
    return unknownEdge("the two sides have different memory orders",
                       MissingFact::Correspondence);
  Placement image = permute(from.placement, dims);
  EdgeFinding finding =
      compareMemory(to, image, to.placement, "the result declares");
  LoggedAttribute inferred = imageOf(from.fields, dims);
  finding.expected = fieldsAfter(from, dims, image);
  std::string fields =
      differences(finding.expected.value_or(inferred), to.fields);
  if (finding.verdict == EdgeVerdict::Same) {
    if (!sameLabel(finding.expected.value_or(inferred), image, to)) {
      finding.verdict = EdgeVerdict::Label;
      finding.reason =
          fmt::format("every tile holds the same boxes on both sides, and only "
                      "the label differs: {}",
                      fields);
    } else if (!fields.empty()) {
      finding.spelledTwice = true;
      finding.reason +=
          fmt::format(", which are spelled in two ways ({}); a compiler that "
                      "compares fields refuses this",
                      fields);
    }
  }
  // The field compiler relabels where every tile keeps all that it holds.
  bool isRelabel = relabels && finding.verdict == EdgeVerdict::Label &&
                   fieldRelabels(mode(from), mode(to));
  finding.bad = finding.verdict != EdgeVerdict::Same && !isRelabel;
  return finding;
}

EdgeFinding compareReshape(const DumpType &from, const DumpType &to) {
  if (from.shape == to.shape && from.order == to.order)
    return compareCast(from, to, nullptr, /*relabels=*/false);
  if (volume(from) != volume(to) || from.bits != to.bits)
    return unknownEdge("the two sides have different numbers of entries, or "
                       "entries of different sizes",
                       MissingFact::Correspondence);
  std::size_t tiles =
      std::max(from.placement.tiles.size(), to.placement.tiles.size());
  bool same = true;
  int64_t missing = 0;
  std::optional<std::size_t> first;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    auto held = runsOf(from.placement.memoryOf(tile), from.shape, from.order);
    auto wanted = runsOf(to.placement.memoryOf(tile), to.shape, to.order);
    if (!held || !wanted)
      return unknownEdge("the boxes lie in too many pieces of memory to "
                         "compare them under two shapes",
                         MissingFact::Pieces);
    same = same && *held == *wanted;
    int64_t lacking = countMissing(*wanted, *held);
    if (lacking && !first)
      first = tile;
    missing += lacking;
  }
  EdgeFinding finding;
  if (missing == 0) {
    bool sameMode = sameValue(from.fields.find("mode"), to.fields.find("mode"));
    finding.verdict = !same      ? EdgeVerdict::Narrow
                      : sameMode ? EdgeVerdict::Same
                                 : EdgeVerdict::Label;
    finding.reason =
        same ? "every tile holds the same memory under both shapes"
             : "every tile holds the memory that the result declares, and more";
    if (finding.verdict == EdgeVerdict::Label)
      finding.reason += fmt::format(", and only the label differs: mode is {}, "
                                    "and was {}",
                                    mode(to), mode(from));
    finding.bad = finding.verdict != EdgeVerdict::Same;
    return finding;
  }
  finding.verdict = EdgeVerdict::Moves;
  finding.bad = true;
  finding.bytes = finding.bound = bytesOf(to, missing);
  finding.reason = fmt::format(
      "{} holds {} of {}, and the result declares {} of {}, which is other "
      "memory",
      nameOfTile(*first), nameOfHeld(from.placement.memoryOf(*first)),
      toString(from.shape), nameOfHeld(to.placement.memoryOf(*first)),
      toString(to.shape));
  return finding;
}

/// What each tile receives of a copy that gives it `received` elements.
static void addReceived(EdgeFinding &finding, const DumpType &type,
                        int64_t received) {
  int64_t bytes = bytesOf(type, received);
  finding.received += bytes;
  finding.maxTileReceived = std::max(finding.maxTileReceived, bytes);
}

/// A load: every tile receives what it holds. Tiles that hold parts have
/// transfers of their own, so that DDR reads twice what two of them hold; one
/// transfer gives all of them the same.
static void countLoad(EdgeFinding &finding, const DumpType &to) {
  for (std::size_t tile = 0; tile < to.placement.tiles.size(); ++tile)
    addReceived(finding, to, to.placement.memoryOf(tile).volume());
  const std::string &words = mode(to);
  bool isBroadcast = words.find("DUPLICATED") != std::string::npos ||
                     words.find("MULTICASTED") != std::string::npos;
  finding.bound = bytesOf(to, volume(to));
  finding.bytes = isBroadcast ? finding.bound : finding.received;
}

EdgeFinding compareCopy(const DumpType &from, const DumpType &to,
                        const Permutation *memPerm) {
  if (memPerm) {
    std::size_t rank = from.shape.size();
    if (to.shape.size() != rank ||
        (!memPerm->empty() && memPerm->size() != rank))
      return unknownEdge("mem_perm has another rank than one of the sides",
                         MissingFact::Correspondence);
    Permutation dims = castDimensions(from.order, *memPerm, to.order);
    if (dims.empty())
      dims = identityPermutation(rank);
    DumpType permuted = from;
    permuted.shape = permute(from.shape, dims);
    if (permuted.shape != to.shape)
      return unknownEdge(
          fmt::format("the permutation of {} gives {}, and the result is {}",
                      toString(from.shape), toString(permuted.shape),
                      toString(to.shape)),
          MissingFact::Correspondence);
    if (from.isDistributed()) {
      permuted.placement = permute(from.placement, dims);
      permuted.fields = imageOf(from.fields, dims);
    }
    EdgeFinding finding = compareCopy(permuted, to);
    finding.reason += "; it permutes the data on their way";
    return finding;
  }
  EdgeFinding finding;
  if (from.shape != to.shape)
    return unknownEdge("the two sides have different shapes",
                       MissingFact::Correspondence);
  if (from.onTiles && to.onTiles) {
    finding = compareMemory(to, from.placement, to.placement, "gets");
    for (std::size_t tile = 0; tile < to.placement.tiles.size(); ++tile) {
      Box wanted = to.placement.memoryOf(tile);
      addReceived(
          finding, to,
          wanted.volume() -
              intersect(wanted, from.placement.memoryOf(tile)).volume());
    }
    if (finding.verdict == EdgeVerdict::Same &&
        !sameLabel(from.fields, from.placement, to)) {
      finding.verdict = EdgeVerdict::Label;
      finding.reason += fmt::format(", and only the label differs: {}",
                                    differences(from.fields, to.fields));
    }
    if (finding.verdict != EdgeVerdict::Moves && from.order == to.order)
      finding.reason += "; the copy could be left out";
    return finding;
  }
  if (!from.onTiles && !to.onTiles)
    return unknownEdge("neither side is on tiles", MissingFact::Distribution);
  finding.verdict = EdgeVerdict::Moves;
  finding.bytes = finding.bound = bytesOf(to, volume(to));
  const DumpType &plain = from.onTiles ? to : from;
  std::string memory = plain.memory.empty() ? "DDR" : plain.memory;
  if (from.onTiles) {
    finding.reason = fmt::format("tiles store to {}", memory);
    return finding;
  }
  countLoad(finding, to);
  finding.reason = fmt::format(
      "tiles load from {}, which reads {}; they receive {} in all, at most {} "
      "each",
      memory, nameOfBytes(finding.bytes), nameOfBytes(finding.received),
      nameOfBytes(finding.maxTileReceived));
  return finding;
}

EdgeFinding compareWholeRead(const DumpType &from) {
  EdgeFinding finding;
  finding.verdict = EdgeVerdict::Same;
  finding.reason = fmt::format(
      "the operand has no distribution: whatever a tile reads of it is in {}",
      from.memory.empty() ? "DDR" : from.memory);
  return finding;
}

/// The fields of a type whose tiles hold what they compute and what they read:
/// OVERLAPPED with explicit boxes, or DUPLICATED where each needs everything.
static LoggedAttribute fieldsHolding(const DumpType &type,
                                     const Placement &wanted) {
  Placement held{type.shape, {}};
  bool whole = true;
  for (std::size_t tile = 0; tile < wanted.tiles.size(); ++tile) {
    Box compute = type.placement.computeOf(tile);
    Box memory = wanted.memoryOf(tile).isEmpty()
                     ? compute
                     : hull(compute, wanted.memoryOf(tile));
    whole = whole && memory == Box::whole(type.shape);
    held.tiles.push_back({compute, memory});
  }
  LoggedAttribute fields;
  fields.side = type.fields.side;
  fields.fields.push_back({"mode", 0, {}, whole ? "DUPLICATED" : "OVERLAPPED"});
  for (const LoggedField &field : type.fields.fields)
    if (field.name == "num_clusters" || (!whole && field.name == "num_tiles"))
      fields.fields.push_back(field);
  if (!whole)
    appendBoxes(fields, held);
  return fields;
}

EdgeFinding compareRead(const DumpType &from, Placement wanted,
                        std::string_view words) {
  EdgeFinding finding =
      compareMemory(from, from.placement, std::move(wanted), "reads");
  if (finding.verdict != EdgeVerdict::Moves) {
    finding.verdict = EdgeVerdict::Same;
    finding.reason = fmt::format("every tile holds what it reads {}", words);
    return finding;
  }
  finding.reason += fmt::format(" {}", words);
  finding.bad = true;
  finding.reads = true;
  finding.expected = fieldsHolding(from, *finding.wanted);
  return finding;
}

/// The boxes in the coordinates of the tensor whose part at `offsets` they are.
static Placement shifted(const Placement &placement, const Extents &offsets,
                         int sign, const Extents &shape) {
  Placement result{shape, placement.tiles};
  Box whole = Box::whole(shape);
  for (TileBoxes &tile : result.tiles)
    for (Box *box : {&tile.compute, &tile.memory}) {
      for (std::size_t dim = 0; dim < shape.size(); ++dim)
        (*box)[dim] = {(*box)[dim].begin + sign * offsets[dim],
                       (*box)[dim].end + sign * offsets[dim]};
      *box = intersect(*box, whole);
    }
  return result;
}

static bool isInside(const DumpType &part, const DumpType &whole,
                     const Extents &offsets) {
  if (part.shape.size() != whole.shape.size() ||
      offsets.size() != whole.shape.size())
    return false;
  for (std::size_t dim = 0; dim < offsets.size(); ++dim)
    if (offsets[dim] < 0 || offsets[dim] > whole.shape[dim] - part.shape[dim])
      return false;
  return true;
}

EdgeFinding compareSlice(const DumpType &from, const DumpType &to,
                         const Extents &offsets) {
  if (!isInside(to, from, offsets))
    return unknownEdge("the slice is not inside its operand",
                       MissingFact::Correspondence);
  EdgeFinding finding =
      compareMemory(to, shifted(from.placement, offsets, -1, to.shape),
                    to.placement, "the slice declares");
  finding.bad = finding.verdict == EdgeVerdict::Moves;
  return finding;
}

EdgeFinding comparePart(const DumpType &from, const DumpType &to,
                        const Extents &offsets) {
  if (!isInside(from, to, offsets))
    return unknownEdge("the operand is not inside the result",
                       MissingFact::Correspondence);
  EdgeFinding finding = compareMemory(
      from, from.placement, shifted(to.placement, offsets, -1, from.shape),
      "the result declares");
  finding.bad = finding.verdict == EdgeVerdict::Moves;
  return finding;
}

} // namespace npu
