// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Hover.h"

#include "Places.h"
#include "npu/Analysis/Choices/Movement.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Support/Naming.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// The rows that a table has; a device has few tiles, and a layout may have
/// thousands.
constexpr size_t mostRows = 16;

std::string code(StringRef text) {
  // Explicit boxes of many tiles are in the table.
  constexpr size_t most = 300;
  std::string shown = text.take_front(most).str();
  return "`" + shown + (text.size() > most ? "..." : "") + "`";
}

std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

std::string tableOf(RankedTensorType type, const Padding &padding) {
  const Placement *placement = getPlacement(type);
  if (!placement)
    return isDistributed(type)
               ? "The layout does not fit: " + whyNoPlacement(type) + ".\n"
               : "Not distributed: in DDR.\n";
  bool hasHalo = llvm::any_of(placement->tiles, [](const TileBoxes &boxes) {
    return boxes.compute != boxes.memory;
  });
  std::string text = hasHalo ? "| tile | computes | holds |\n|---|---|---|\n"
                             : "| tile | computes and holds |\n|---|---|\n";
  for (auto [tile, boxes] :
       llvm::enumerate(ArrayRef(placement->tiles).take_front(mostRows))) {
    text += fmt::format("| {} | {} |", tile, nameOfHeld(boxes.compute));
    if (hasHalo)
      text += " " + nameOfHeld(boxes.memory) + " |";
    text += "\n";
  }
  text += "\n";
  if (placement->tiles.size() > mostRows)
    text += fmt::format("... {} more tiles; all of them with "
                        "`--npu-print-distributions`\n\n",
                        placement->tiles.size() - mostRows);
  for (const auto &[dim, range] : padding)
    text += fmt::format("Padding: {}:{} of dimension {}\n\n", range.begin,
                        range.end, dim);
  if (auto bits = elementBits(type.getElementType())) {
    int64_t most = 0;
    for (const TileBoxes &boxes : placement->tiles)
      most = std::max(most, storedVolume(boxes.memory, getStorage(type)));
    text += "Fullest tile: " + nameOfBytes(toBytes(most, *bits)) + "\n";
  }
  return text;
}

/// "12 bytes move between tiles, at most 4 to one tile"
std::string movement(RankedTensorType from, RankedTensorType to,
                     const Padding &padding) {
  Result<RedistributionPlan> plan = planBetween(from, to, padding);
  if (!plan)
    return plan.error().message;
  int64_t bits = elementBits(to.getElementType()).value_or(64);
  std::string text;
  if (plan->ddr)
    text = nameOfBytes(toBytes(plan->ddr, bits)) + " move to or from DDR";
  else
    text = nameOfBytes(toBytes(plan->received.value, bits)) +
           " move between tiles, at most " +
           std::to_string(toBytes(plan->maxTileReceived.value, bits)) +
           " to one tile";
  if (int64_t relaid = elementsRelaid(from, to))
    text += fmt::format("; {} change their order inside tiles",
                        nameOfBytes(toBytes(relaid, bits)));
  return text;
}

std::string describe(PermuteCastOp cast) {
  MovementCache cache;
  RankedTensorType declared = cast.getResult().getType();
  RankedTensorType expected = cache.expectedType(cast);
  std::string text =
      "Expected by the input: " + code(nameOfLayout(expected)) + "\n\n";
  if (isDistributed(expected) && !getPlacement(expected))
    return text;
  if (isDistributed(declared) && !getPlacement(declared))
    return text;
  switch (cache.relation(expected, declared)) {
  case Relation::Identical:
    return text + "The two sides agree: 0 bytes move.\n";
  case Relation::SameMemory:
    return text + "The labels differ, and every tile holds the same box on "
                  "both sides: 0 bytes move.\n";
  case Relation::Contained:
    return text + "The sides do not agree: tiles hold more than the result "
                  "declares. A `npu.distribution_cast` after the cast repairs "
                  "it; 0 bytes move.\n";
  case Relation::DataMoves:
    return text +
           "The sides do not agree. A `npu.redistribute` after the cast "
           "repairs it: " +
           movement(expected, declared, paddingOf(cast.getResult())) + ".\n";
  }
  llvm_unreachable("a relation that is not written here");
}

std::string describe(Operation *op) {
  std::string text = "`" + op->getName().getStringRef().str() + "`\n\n";
  if (auto cast = dyn_cast<PermuteCastOp>(op))
    return text + describe(cast);
  if (isa<DistributionCastOp>(op))
    return text + "Every tile holds what is wanted already: 0 bytes move.\n";
  if (auto move = dyn_cast<RedistributeOp>(op))
    return text +
           movement(move.getInput().getType(), move.getResult().getType(),
                    paddingOf(move.getInput())) +
           ".\n";
  for (Type type : op->getResultTypes())
    text += "* " + code(spell(type)) + "\n";
  return text;
}

} // namespace

std::optional<HoverText> hoverAt(ParsedPart &part, size_t offset) {
  if (std::optional<NamedValue> named = valueAt(part, offset)) {
    std::string text =
        "`" + part.getText().slice(named->at.begin, named->at.end).str() +
        "` : " + code(spell(named->value.getType())) + "\n\n";
    if (auto type = dyn_cast<RankedTensorType>(named->value.getType()))
      text += tableOf(type, paddingOf(named->value));
    return HoverText{named->at, text};
  }
  if (std::optional<WrittenLayout> written = layoutAt(part, offset)) {
    std::string layout;
    llvm::raw_string_ostream os(layout);
    written->layout.print(os);
    std::string text = code(layout) + "\n\n";
    if (written->type)
      text += tableOf(written->type, {});
    return HoverText{written->at, text};
  }
  if (const OperationPlace *op = operationAt(part, offset, /*around=*/false))
    return HoverText{part.spanOf(op->loc), describe(op->op)};
  return std::nullopt;
}

} // namespace npu
