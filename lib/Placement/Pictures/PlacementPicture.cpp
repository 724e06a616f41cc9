// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Pictures/PlacementPicture.h"

#include "npu/Placement/Pictures/Lines.h"

#include <algorithm>
#include <set>

namespace npu {
namespace {

/// A dimension of a picture, cut into parts in each of which nothing changes.
struct Axis {
  std::size_t dim = 0;
  /// Where parts begin and end.
  std::vector<int64_t> borders;
  /// The characters that each part takes.
  std::vector<std::size_t> widths;

  std::size_t parts() const { return borders.size() - 1; }
  Range part(std::size_t index) const {
    return {borders[index], borders[index + 1]};
  }
  std::size_t width() const {
    std::size_t sum = 0;
    for (std::size_t each : widths)
      sum += each;
    return sum;
  }
};

/// Gives each part one of `room` characters, and shares out the others by
/// size. Small extents get the same number of characters for every entry.
void scale(Axis &axis, std::size_t room) {
  constexpr int64_t most = 4;
  int64_t extent = axis.borders.back() - axis.borders.front();
  int64_t perEntry = std::min<int64_t>(
      static_cast<int64_t>(room) / std::max<int64_t>(extent, 1), most);
  double spare = static_cast<double>(room - axis.parts());
  axis.widths.clear();
  std::size_t before = 0;
  for (std::size_t part = 0; part < axis.parts(); ++part) {
    if (perEntry > 0) {
      axis.widths.push_back(axis.part(part).extent() * perEntry);
      continue;
    }
    auto until = static_cast<std::size_t>(
        spare *
        (static_cast<double>(axis.borders[part + 1] - axis.borders.front()) /
         static_cast<double>(extent)));
    axis.widths.push_back(1 + until - before);
    before = until;
  }
}

class Painter {
public:
  Painter(const Placement &placement, std::span<const PaddedRange> padding,
          std::size_t mostTiles, std::size_t indent)
      : placement(placement), padding(padding), mostTiles(mostTiles),
        indent(indent) {}

  std::string paint(const Permutation &order) {
    chooseDimensions(order);
    std::size_t tiles = placement.tiles.size();
    std::size_t drawn = mostTiles == 0 ? tiles : std::min(tiles, mostTiles);
    for (std::size_t first = 0; first < drawn;) {
      // As many tiles as have room for a column between any two borders.
      std::size_t last = drawn;
      while (!chooseParts(first, last) && last - first > 1)
        last = first + (last - first + 1) / 2;
      paintGroup(first, last);
      first = last;
    }
    if (drawn < tiles)
      text += leftOut(tiles - drawn, "tile", "tiles", indent);
    return std::move(text);
  }

private:
  std::size_t room() const { return terminalColumns - indent; }

  bool isCut(std::size_t dim) const {
    Range whole{0, placement.shape[dim]};
    for (const TileBoxes &boxes : placement.tiles)
      if (boxes.memory.isEmpty() || boxes.compute.isEmpty() ||
          boxes.memory[dim] != whole || boxes.compute[dim] != whole)
        if (whole.extent() > 1)
          return true;
    return std::any_of(
        padding.begin(), padding.end(),
        [&](const PaddedRange &each) { return each.dim == dim; });
  }

  /// The dimensions that are drawn, slowest in memory first.
  void chooseDimensions(const Permutation &order) {
    std::vector<std::size_t> cut;
    std::size_t rank = placement.shape.size();
    std::size_t largest = 0;
    for (std::size_t place = 0; place < rank; ++place) {
      std::size_t dim = order.size() == 0 ? place : order[place];
      if (isCut(dim))
        cut.push_back(dim);
      if (placement.shape[dim] > placement.shape[largest])
        largest = dim;
    }
    if (cut.empty() && rank > 0)
      cut.push_back(largest);
    std::vector<std::size_t> others;
    while (cut.size() > 3) {
      auto smallest = std::min_element(
          cut.begin(), cut.end(), [&](std::size_t a, std::size_t b) {
            return placement.shape[a] < placement.shape[b];
          });
      others.push_back(*smallest);
      cut.erase(smallest);
    }
    for (std::size_t dim : cut)
      axes.push_back({dim, {}, {}});
    sayDimensions();
    std::sort(others.begin(), others.end());
    for (std::size_t dim : others)
      line("dimension " + std::to_string(dim) + " of " +
           entries(placement.shape[dim]) + " is cut as well, and not drawn");
  }

  static std::string entries(int64_t count) {
    return std::to_string(count) + (count == 1 ? " entry" : " entries");
  }

  void sayDimensions() {
    static constexpr std::string_view directions[] = {
        "from picture to picture", "downwards", "from left to right"};
    if (axes.empty())
      line("a single entry");
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      std::size_t dim = axes[axis].dim;
      line("dimension " + std::to_string(dim) + " of " +
           entries(placement.shape[dim]) + ", " +
           std::string(directions[3 - axes.size() + axis]));
    }
  }

  void line(const std::string &what) {
    text += wrapped(std::string(indent, ' ') + what, indent + 2);
  }

  /// Cuts every axis at the borders of these tiles' boxes, of padding, and of
  /// what other tiles compute of these. False where an axis then has more
  /// parts than there is room for; it is cut at fewer places for one tile.
  bool chooseParts(std::size_t first, std::size_t last) {
    sharers.assign(last - first, {});
    for (std::size_t tile = first; tile < last; ++tile)
      for (std::size_t other = 0; other < placement.tiles.size(); ++other)
        if (other != tile && overlap(placement.tiles[tile].compute,
                                     placement.tiles[other].compute))
          sharers[tile - first].push_back(other);
    bool hasRoom = true;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      std::size_t most = roomOf(axis, last - first);
      hasRoom &= cut(axes[axis], first, last, /*withSharers=*/true) <= most;
      if (axes[axis].parts() > most && last - first == 1)
        cut(axes[axis], first, last, /*withSharers=*/false);
    }
    return hasRoom;
  }

  /// The most parts of an axis: columns, rows or pictures.
  std::size_t roomOf(std::size_t axis, std::size_t tiles) const {
    if (axis + 1 == axes.size())
      return axes.size() == 1 ? columnsOfBar() : columnsOfPicture(1);
    return 16;
  }

  std::size_t columnsOfBar() const {
    // The number of the last border begins below the last bar.
    std::size_t digits =
        axes.empty() ? 1 : std::to_string(placement.shape[axes[0].dim]).size();
    return room() - nameOf(placement.tiles.size()).size() - 2 - digits;
  }
  /// Between two pictures are two blanks, and around each is a frame.
  std::size_t columnsOfPicture(std::size_t perLine) const {
    return (room() - 2 * (perLine - 1)) / perLine - 2;
  }

  std::size_t cut(Axis &axis, std::size_t first, std::size_t last,
                  bool withSharers) {
    axis.borders.clear();
    std::set<int64_t> borders{0, placement.shape[axis.dim]};
    auto add = [&](const Box &box) {
      if (box.isEmpty())
        return;
      borders.insert(box[axis.dim].begin);
      borders.insert(box[axis.dim].end);
    };
    for (std::size_t tile = first; tile < last; ++tile) {
      add(placement.tiles[tile].compute);
      add(placement.tiles[tile].memory);
      if (withSharers)
        for (std::size_t other : sharers[tile - first])
          add(intersect(placement.tiles[tile].compute,
                        placement.tiles[other].compute));
    }
    for (const PaddedRange &each : padding)
      if (each.dim == axis.dim) {
        borders.insert(each.range.begin);
        borders.insert(each.range.end);
      }
    Range drawn = rangeOf(first, last, axis.dim);
    for (int64_t border : borders)
      if (border >= drawn.begin && border <= drawn.end)
        axis.borders.push_back(border);
    if (axis.borders.size() == 1)
      axis.borders.push_back(axis.borders.front());
    return axis.parts();
  }

  /// All of the dimension, or what these tiles hold of it where others are left
  /// out.
  Range rangeOf(std::size_t first, std::size_t last, std::size_t dim) const {
    Range whole{0, placement.shape[dim]}, held;
    if (last - first == placement.tiles.size())
      return whole;
    for (std::size_t tile = first; tile < last; ++tile)
      held = hull(held, rangeOf(placement.tiles[tile].memory, dim));
    return held.isEmpty() ? whole : held;
  }

  void paintGroup(std::size_t first, std::size_t last) {
    if (axes.size() < 2)
      return paintBars(first, last);
    Axis &across = axes.back();
    // Four pictures beside each other, or fewer where these need more columns.
    std::size_t perLine = std::min<std::size_t>(last - first, 4);
    while (perLine > 1 && columnsOfPicture(perLine) < across.parts())
      --perLine;
    scale(across, std::min(columnsOfPicture(perLine),
                           std::max<std::size_t>(across.parts(), 32)));
    Axis &down = axes[axes.size() - 2];
    scale(down, std::max<std::size_t>(down.parts(), 8));
    // As many characters for an entry in rows would be higher than wide.
    for (std::size_t &rows : down.widths)
      rows = std::min<std::size_t>(rows, 4);
    sayBorders(down, "rows");
    sayBorders(across, "columns");
    if (axes.size() == 2)
      return paintPictures(first, last, {}, perLine);
    for (std::size_t part = 0; part < axes[0].parts(); ++part) {
      Range slice = axes[0].part(part);
      line("dimension " + std::to_string(axes[0].dim) + " at " +
           std::to_string(slice.begin) + ":" + std::to_string(slice.end));
      paintPictures(first, last, {slice}, perLine);
    }
  }

  void sayBorders(const Axis &axis, std::string_view what) {
    std::string borders = std::string(what) + " end at";
    for (std::size_t part = 0; part < axis.parts(); ++part)
      borders += " " + std::to_string(axis.borders[part + 1]);
    line(borders);
  }

  /// A line for each tile.
  void paintBars(std::size_t first, std::size_t last) {
    std::size_t width = nameOf(last - 1).size();
    if (!axes.empty()) {
      scale(axes[0], columnsOfBar());
      text += std::string(indent + width + 1, ' ') + ruler(axes[0]) + "\n";
    }
    for (std::size_t tile = first; tile < last; ++tile) {
      std::string name = nameOf(tile);
      name.resize(width, ' ');
      std::string bar = axes.empty() ? std::string(1, stateOf(tile, first, {}))
                                     : row(tile, first, {});
      text += std::string(indent, ' ') + name + " |" + bar + "|\n";
    }
  }

  /// The borders of parts, each where it is, as far as there is room for their
  /// numbers. The last one always is there.
  static std::string ruler(const Axis &axis) {
    std::string last = std::to_string(axis.borders.back());
    std::string line;
    std::size_t column = 0;
    for (std::size_t part = 0; part < axis.parts(); ++part) {
      std::string number = std::to_string(axis.borders[part]);
      if ((line.empty() || line.size() < column) &&
          column + number.size() < axis.width())
        line.append(column - line.size(), ' ').append(number);
      column += axis.widths[part];
    }
    std::size_t begin = std::max(column, line.empty() ? 0 : line.size() + 1);
    return line.append(begin - line.size(), ' ').append(last);
  }

  static std::string nameOf(std::size_t tile) {
    return "tile " + std::to_string(tile);
  }

  /// Rows and columns of each tile that holds something of `slice`.
  void paintPictures(std::size_t first, std::size_t last,
                     const std::vector<Range> &slice, std::size_t perLine) {
    std::vector<std::size_t> tiles;
    for (std::size_t tile = first; tile < last; ++tile)
      if (slice.empty() ||
          !intersect(rangeOf(placement.tiles[tile].memory, axes[0].dim),
                     slice[0])
               .isEmpty())
        tiles.push_back(tile);
    for (std::size_t begin = 0; begin < tiles.size(); begin += perLine)
      paintLine(std::span(tiles).subspan(
                    begin, std::min(perLine, tiles.size() - begin)),
                first, slice);
  }

  static Range rangeOf(const Box &box, std::size_t dim) {
    return box.isEmpty() ? Range{} : box[dim];
  }

  /// Pictures beside each other.
  void paintLine(std::span<const std::size_t> tiles, std::size_t first,
                 const std::vector<Range> &slice) {
    const Axis &across = axes.back();
    const Axis &down = axes[axes.size() - 2];
    std::size_t width =
        std::max(across.width() + 2, nameOf(placement.tiles.size()).size());
    auto beside = [&](auto picture) {
      std::string whole(indent, ' ');
      for (std::size_t tile : tiles) {
        std::string part = picture(tile);
        part.resize(width + 2, ' ');
        whole += part;
      }
      whole.erase(whole.find_last_not_of(' ') + 1);
      text += whole + "\n";
    };
    beside([](std::size_t tile) { return nameOf(tile); });
    std::vector<Range> ranges = slice;
    ranges.emplace_back();
    for (std::size_t part = 0; part < down.parts(); ++part) {
      ranges.back() = down.part(part);
      for (std::size_t times = 0; times < down.widths[part]; ++times)
        beside([&](std::size_t tile) {
          return "|" + row(tile, first, ranges) + "|";
        });
    }
  }

  /// The characters of the last axis, where `ranges` are those of the others.
  std::string row(std::size_t tile, std::size_t first,
                  std::vector<Range> ranges) const {
    const Axis &across = axes.back();
    std::string characters;
    ranges.emplace_back();
    for (std::size_t part = 0; part < across.parts(); ++part) {
      ranges.back() = across.part(part);
      characters.append(across.widths[part], stateOf(tile, first, ranges));
    }
    return characters;
  }

  /// What the tile does with a range of each axis.
  char stateOf(std::size_t tile, std::size_t first,
               const std::vector<Range> &ranges) const {
    Box cell = Box::whole(placement.shape);
    for (std::size_t axis = 0; axis < ranges.size(); ++axis)
      cell[axes[axis].dim] = ranges[axis];
    const TileBoxes &boxes = placement.tiles[tile];
    if (!overlap(boxes.memory, cell))
      return ' ';
    for (const PaddedRange &each : padding)
      if (intersect(each.range, cell[each.dim]) == cell[each.dim])
        return '.';
    Box computed = intersect(boxes.compute, cell);
    if (computed.isEmpty())
      return '+';
    for (std::size_t other : sharers[tile - first])
      if (overlap(placement.tiles[other].compute, computed))
        return '*';
    return '#';
  }

  const Placement &placement;
  std::span<const PaddedRange> padding;
  std::size_t mostTiles, indent;
  std::vector<Axis> axes;
  /// For each tile of the group, the tiles that compute a part of what it
  /// computes.
  std::vector<std::vector<std::size_t>> sharers;
  std::string text;
};

} // namespace

std::string pictureOf(const Placement &placement, const Permutation &order,
                      std::span<const PaddedRange> padding,
                      std::size_t mostTiles, std::size_t indent) {
  return Painter(placement, padding, mostTiles, indent).paint(order);
}

} // namespace npu
