// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CutError.h"

#include "LogDistribution.h"
#include "LogFields.h"
#include "LoggedCast.h"
#include "npu/Placement/Distributions/Placement.h"
#include "npu/Support/TerminalCommands.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace npu {
namespace {

/// The most tiles that are listed of a side.
constexpr std::size_t kTilesListed = 8;

/// The fields of a side that the log has to their ends. `isCut` is whether the
/// log ends inside of this side.
LoggedAttribute wholeFields(LoggedAttribute side, bool isCut,
                            std::string_view text) {
  std::vector<LoggedField> &fields = side.fields;
  // "4" may be the beginning of "42", and "SEGMENTED" that of two words.
  std::size_t last = text.find_last_not_of(" \t\r\n");
  if (isCut && !fields.empty() && last != std::string_view::npos &&
      llvm::isAlnum(text[last]) && fields.back().at < last &&
      findFieldDefinition(fields.back().name)->kind != FieldKind::Rows &&
      text.find(',', fields.back().at) == std::string_view::npos)
    fields.pop_back();
  // Sizes say nothing without offsets.
  for (auto [sizes, offsets] : {std::pair("compute_shapes", "compute_offsets"),
                                std::pair("memory_shapes", "memory_offsets")})
    if (!side.find(sizes) != !side.find(offsets))
      llvm::erase_if(fields, [&](const LoggedField &field) {
        return field.name == sizes || field.name == offsets;
      });
  return side;
}

/// The boxes of a side, where the log has them to their ends.
std::optional<Placement> placementOf(const LoggedAttribute &side, bool isCut) {
  LogMessages ignored;
  std::optional<LoggedDistribution> understood = understand(side, ignored);
  if (!understood || !understood->hasBoxes())
    return std::nullopt;
  // What a tile holds beside what it computes stands in fields that come last.
  if (isCut && understood->memory.empty() &&
      traitsOf(understood->rule.mode).hasHalo)
    return std::nullopt;
  Extents shape = *understood->shapeOfBoxes();
  Result<Distribution> distribution = distributionAt(*understood, shape);
  if (!distribution)
    return std::nullopt;
  Result<Placement> placement = place(*distribution, shape);
  return placement ? std::optional(*placement) : std::nullopt;
}

std::string spellTiles(const Placement &placement) {
  std::string words;
  for (auto [number, tile] : llvm::enumerate(placement.tiles)) {
    if (number == kTilesListed)
      return words +
             fmt::format(" and {} more tiles", placement.tiles.size() - number);
    words += fmt::format("{}tile {} {}", number ? ", " : "", number,
                         toString(tile.memory));
  }
  return words;
}

/// Which of the fields of a side the log has, for one that gives no boxes.
std::string spellKnown(const LoggedAttribute &side) {
  std::string words;
  for (const LoggedField &field : side.fields)
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", field.name,
                         spell(&field));
  return words;
}

} // namespace

std::string spellNames(const LoggedLocation &location) {
  std::string names = fmt::format("{}", fmt::join(location.names, ", "));
  for (const auto &[name, value] : location.properties)
    if (name == "type")
      names += fmt::format(" ({})", value);
  llvm::erase_if(names, commandsTerminal);
  return names;
}

std::vector<std::string> knownOfCut(const LoggedError &error,
                                    std::string_view text,
                                    const NpuLogOptions &options) {
  std::vector<std::string> notes;
  bool insideIn = error.out.side.empty();
  bool hasOut = !insideIn && !error.out.fields.empty();
  notes.push_back(
      fmt::format("missing are {}; 'expected' follows from 'in' and the cast",
                  insideIn && error.in.fields.empty() ? "'in' and 'out'"
                  : insideIn ? "the rest of 'in', and 'out'"
                  : hasOut   ? "the rest of 'out'"
                             : "'out'"));
  if (std::string names = spellNames(error.location); !names.empty())
    notes.push_back(fmt::format("the operation is {}", names));
  LoggedAttribute in = wholeFields(error.in, insideIn, text);
  LoggedAttribute out = wholeFields(error.out, !insideIn, text);
  for (auto [side, isCut] : {std::pair(&in, insideIn), std::pair(&out, true)}) {
    std::optional<Placement> held = placementOf(*side, isCut);
    if (!held) {
      if (!side->fields.empty())
        notes.push_back(
            fmt::format("of '{}' is known: {}", side->side, spellKnown(*side)));
      continue;
    }
    const LoggedField *mode = side->find("mode");
    notes.push_back(fmt::format("'{}' is {}, {}, and held by {}", side->side,
                                spellShape(held->shape),
                                mode ? mode->words : "", spellTiles(*held)));
    std::size_t rank = held->shape.size();
    if (side != &in || !changesOrder(error))
      continue;
    // The usual cast, where nobody says another one.
    std::optional<Permutation> outOrder = options.outOrder ? options.outOrder
                                          : rank == 4 ? parseOrderName("NHWC")
                                                      : std::nullopt;
    Permutation inOrder = options.inOrder.value_or(identityPermutation(rank));
    Permutation memPerm = options.memPerm.value_or(identityPermutation(rank));
    if (!outOrder || outOrder->size() != rank || inOrder.size() != rank ||
        memPerm.size() != rank)
      continue;
    Placement image =
        permute(*held, castDimensions(inOrder, memPerm, *outOrder));
    notes.push_back(fmt::format("from {} to {}, an 'out' of {} with {} has the "
                                "same bytes, whatever its "
                                "label: 0 bytes to move",
                                spellOrder(inOrder), spellOrder(*outOrder),
                                spellShape(image.shape), spellTiles(image)));
  }
  const LoggedField *inMode = in.find("mode"), *outMode = out.find("mode");
  if (inMode && outMode && !sameValue(inMode, outMode))
    notes.push_back(fmt::format("the field compiler stops at 'mode' in any "
                                "case: expected {}, out {}",
                                inMode->words, outMode->words));
  return notes;
}

} // namespace npu
