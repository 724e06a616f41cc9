// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogDistribution.h"

#include "LogFields.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

class Understanding {
public:
  Understanding(const LoggedAttribute &attribute, LogMessages &messages)
      : attribute(attribute), messages(messages) {
    result.side = attribute.side;
    result.at = attribute.at;
  }

  std::optional<LoggedDistribution> run() {
    if (readMode() && readRanks() && readTiles() && readBoxes() &&
        readWindows() && readRest())
      return std::move(result);
    return std::nullopt;
  }

private:
  bool error(std::size_t at, std::string text) {
    messages.push_back({LogMessage::Severity::Error, at, std::move(text)});
    return false;
  }
  void remark(std::size_t at, std::string text) {
    messages.push_back({LogMessage::Severity::Remark, at, std::move(text)});
  }
  bool splits() const { return traitsOf(result.rule.mode).splits; }
  std::string side() const { return fmt::format("'{}'", attribute.side); }

  bool readMode() {
    const LoggedField *mode = attribute.find("mode");
    if (!mode)
      return error(attribute.at,
                   fmt::format("expected a 'mode' in {}, got none", side()));
    std::string_view words = mode->words;
    std::size_t bar = words.find('|');
    std::optional<Mode> parsed =
        bar == std::string_view::npos
            ? parseMode(words)
            : parseMode(words.substr(0, bar), words.substr(bar + 1));
    if (!parsed)
      return error(mode->at,
                   fmt::format("unknown mode '{}' of {}, expected {}",
                               words.substr(0, 64), side(), listModes(" or ")));
    result.rule.mode = *parsed;
    return true;
  }

  /// Reads the rank, which all lists of dimensions must have.
  bool readRanks() {
    std::string_view from;
    for (const FieldDefinition &definition : fieldDefinitions()) {
      const LoggedField *field = attribute.find(definition.name);
      if (!field || !definition.perDimension)
        continue;
      for (const LoggedRow &row : field->rows) {
        if (from.empty()) {
          result.rank = row.numbers.size();
          from = definition.name;
        } else if (row.numbers.size() != result.rank) {
          return error(row.at,
                       fmt::format("expected {} numbers in '{}' of {} as in "
                                   "'{}', got {}",
                                   result.rank, definition.name, side(), from,
                                   row.numbers.size()));
        }
      }
    }
    return true;
  }

  /// Reads the number of tiles from `num_clusters`, `num_tiles`, or boxes.
  bool readTiles() {
    if (const LoggedField *field = attribute.find("num_clusters")) {
      clusters = field->rows.front().numbers[0];
      if (clusters < 1 || clusters > kMaxTiles)
        return error(field->at,
                     fmt::format("expected 'num_clusters' of {} in 1..{}, "
                                 "got {}",
                                 side(), kMaxTiles, clusters));
    }
    const LoggedField *tiles = attribute.find("num_tiles");
    if (!tiles) {
      if (!splits())
        result.rule.tileCount = clusters;
      return true;
    }
    int64_t product = 1;
    for (int64_t count : tiles->rows.front().numbers) {
      if (count < 1 || count > kMaxTiles)
        return error(tiles->at, fmt::format("expected tile counts in 1..{} in "
                                            "'num_tiles' of {}, got {}",
                                            kMaxTiles, side(), spell(tiles)));
      // Each factor is small, so that an excess is found before the product can
      // overflow.
      product = std::min(product * count, kMaxTiles + 1);
    }
    if (product > kMaxTiles)
      return error(tiles->at,
                   fmt::format("expected at most {} tiles in 'num_tiles' of "
                               "{}, got {}",
                               kMaxTiles, side(), spell(tiles)));
    if (!splits()) {
      // Every tile has the whole tensor; the grid only gives the number of
      // tiles.
      result.rule.tileCount = clusters ? clusters : product;
      return true;
    }
    if (clusters && clusters != product)
      return error(tiles->at, fmt::format("expected 'num_tiles' of {} to make "
                                          "'num_clusters' = {} tiles, got {}",
                                          side(), clusters, spell(tiles)));
    clusters = product;
    result.rule.tiles = tiles->rows.front().numbers;
    return true;
  }

  bool readBoxes() {
    if (!readBoxes("compute_shapes", "compute_offsets", result.compute) ||
        !readBoxes("memory_shapes", "memory_offsets", result.memory))
      return false;
    if (!result.compute.empty() && !result.memory.empty() &&
        result.compute.size() != result.memory.size())
      return error(result.at,
                   fmt::format("expected as many memory boxes as compute "
                               "boxes in {}, got {} and {}",
                               side(), result.memory.size(),
                               result.compute.size()));
    for (const std::vector<Box> *boxes : {&result.compute, &result.memory})
      if (!boxes->empty() &&
          std::all_of(boxes->begin(), boxes->end(),
                      [](const Box &box) { return box.isEmpty(); }))
        return error(result.at, fmt::format("expected a box of {} that is not "
                                            "empty, got none",
                                            side()));
    if (!splits() && result.hasBoxes())
      result.rule.tileCount = static_cast<int64_t>(
          std::max(result.compute.size(), result.memory.size()));
    if (result.hasRule() || !result.compute.empty())
      return true;
    return error(attribute.at,
                 fmt::format("expected '{}' or compute boxes in {}, got "
                             "neither",
                             splits() ? "num_tiles" : "num_clusters", side()));
  }

  bool readBoxes(std::string_view shapesName, std::string_view offsetsName,
                 std::vector<Box> &boxes) {
    const LoggedField *shapes = attribute.find(shapesName);
    const LoggedField *offsets = attribute.find(offsetsName);
    if (!shapes && !offsets)
      return true;
    if (!shapes || !offsets)
      return error((shapes ? shapes : offsets)->at,
                   fmt::format("expected '{}' beside '{}' in {}, got none",
                               shapes ? offsetsName : shapesName,
                               shapes ? shapesName : offsetsName, side()));
    for (const LoggedField *field : {shapes, offsets})
      if (clusters && field->rows.size() != static_cast<size_t>(clusters))
        return error(field->at, fmt::format("expected {} boxes in '{}' of {}, "
                                            "one per tile, got {}",
                                            clusters, field->name, side(),
                                            field->rows.size()));
    if (shapes->rows.size() != offsets->rows.size())
      return error(offsets->at,
                   fmt::format("expected as many boxes in '{}' as in '{}' of "
                               "{}, got {} and {}",
                               offsetsName, shapesName, side(),
                               offsets->rows.size(), shapes->rows.size()));
    if (result.at == attribute.at)
      result.at = shapes->at;
    for (std::size_t tile = 0; tile < shapes->rows.size(); ++tile)
      if (!readBox(shapes->rows[tile], offsets->rows[tile], *shapes, *offsets,
                   boxes.emplace_back()))
        return false;
    return true;
  }

  bool readBox(const LoggedRow &sizes, const LoggedRow &offsets,
               const LoggedField &shapesField, const LoggedField &offsetsField,
               Box &box) {
    for (std::size_t dim = 0; dim < result.rank; ++dim) {
      int64_t size = sizes.numbers[dim], begin = offsets.numbers[dim], end = 0;
      for (auto [number, row, field] :
           {std::tuple(size, &sizes, &shapesField),
            std::tuple(begin, &offsets, &offsetsField)})
        if (number < 0)
          return error(row->at, fmt::format("expected no negative number in "
                                            "'{}' of {}, got {}",
                                            field->name, side(),
                                            toString(row->numbers)));
      if (__builtin_add_overflow(begin, size, &end))
        return error(sizes.at,
                     fmt::format("expected a box of {} that ends below 2^63, "
                                 "got offset {} and size {}",
                                 side(), begin, size));
      box.push_back({begin, end});
    }
    return true;
  }

  /// Reads the windows: `kernel` and `strides` are [Y, X] on the two last
  /// dimensions.
  bool readWindows() {
    result.computesWhatItHolds =
        attribute.find("equal_memory_and_compute_view") != nullptr;
    const LoggedField *kernel = attribute.find("kernel");
    const LoggedField *strides = attribute.find("strides");
    const LoggedField *pads = attribute.find("pads");
    for (const LoggedField *field : {kernel, strides})
      if (field && field->rows.front().numbers.size() != 2)
        return error(field->at,
                     fmt::format("expected [Y, X] as '{}' of {}, got {}",
                                 field->name, side(), spell(field)));
    const LoggedField *any = kernel ? kernel : strides ? strides : pads;
    if (!any)
      return true;
    if (!kernel || !traitsOf(result.rule.mode).hasHalo) {
      remark(any->at,
             fmt::format("'{}' of {} means nothing {}: passed over", any->name,
                         side(),
                         kernel ? "outside OVERLAPPED" : "without 'kernel'"));
      return true;
    }
    if (result.rule.tiles.empty())
      return true;
    if (result.rank < 4)
      return error(kernel->at, fmt::format("expected a tensor of rank 4 or "
                                           "more beside 'kernel' of {}, got "
                                           "rank {}",
                                           side(), result.rank));
    for (std::size_t axis : {0, 1}) {
      std::size_t dim = result.rank - 2 + axis;
      if (result.rule.tiles[dim] == 1)
        continue;
      Window window;
      window.dim = static_cast<int64_t>(dim);
      window.kernel = kernel->rows.front().numbers[axis];
      if (strides)
        window.stride = strides->rows.front().numbers[axis];
      if (pads) {
        // The numbers are left, right, top and bottom.
        const Extents &numbers = pads->rows.front().numbers;
        window.padLo = numbers[axis == 0 ? 2 : 0];
        window.padHi = numbers[axis == 0 ? 3 : 1];
      }
      result.rule.windows.push_back(window);
    }
    return true;
  }

  bool readRest() {
    result.rule.split = attribute.find("uniform_distributed_segments")
                            ? Split::Balanced
                            : Split::Ceil;
    const LoggedField *alignment = attribute.find("alignment");
    if (alignment && splits())
      result.rule.align = alignment->rows.front().numbers;
    const LoggedField *memoryTiles = attribute.find("memory_num_tiles");
    if (memoryTiles && result.memory.empty() &&
        memoryTiles->rows.front().numbers != result.rule.tiles)
      remark(memoryTiles->at,
             fmt::format("'memory_num_tiles' of {} means nothing without "
                         "memory boxes: passed over",
                         side()));
    if (!result.hasRule())
      return true;
    normalize(result.rule);
    if (Result<> problem = checkDistribution(result.rule); !problem)
      return error(attribute.at,
                   fmt::format("{}: {}", side(), problem.error().message));
    return true;
  }

  const LoggedAttribute &attribute;
  LogMessages &messages;
  LoggedDistribution result;
  int64_t clusters = 0;
};

} // namespace

std::optional<Extents> LoggedDistribution::shapeOfBoxes() const {
  if (!hasBoxes())
    return std::nullopt;
  // Use the largest end in each dimension instead of the hull of boxes: an
  // empty box has offsets in the other dimensions too, and the tensor begins at
  // 0.
  Extents shape(rank, 0);
  for (const Box &box : compute.empty() ? memory : compute)
    for (std::size_t dim = 0; dim < rank; ++dim)
      if (!box.isEmpty())
        shape[dim] = std::max(shape[dim], box[dim].end);
  return shape;
}

std::optional<LoggedDistribution> understand(const LoggedAttribute &attribute,
                                             LogMessages &messages) {
  return Understanding(attribute, messages).run();
}

Result<Distribution> distributionAt(const LoggedDistribution &logged,
                                    const Extents &shape) {
  Distribution result = logged.rule;
  if (logged.hasBoxes()) {
    result.windows.clear();
    result.compute = logged.compute;
    result.memory = logged.memory;
    if (logged.computesWhatItHolds && result.compute.empty())
      std::swap(result.compute, result.memory);
  }
  if (Result<> problem = checkDistribution(result); !problem)
    return problem.error();
  Result<Placement> placement = place(result, shape);
  if (!placement)
    return placement.error();
  if (logged.computesWhatItHolds && !logged.hasBoxes()) {
    result.windows.clear();
    for (const TileBoxes &boxes : placement->tiles)
      result.compute.push_back(boxes.memory);
  }
  return result;
}

Result<Distribution> shortestAt(const LoggedDistribution &logged,
                                const Extents &shape) {
  Result<Distribution> full = distributionAt(logged, shape);
  if (!full)
    return full;
  if (logged.hasRule()) {
    Result<Placement> written = place(*full, shape);
    Result<Placement> ruled = place(logged.rule, shape);
    if (written && ruled && sameMemory(*written, *ruled) &&
        sameCompute(*written, *ruled))
      return canonical(logged.rule, shape);
  }
  return canonical(*full, shape);
}

} // namespace npu
