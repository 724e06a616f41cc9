// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FieldRule.h"
#include "../Log/LogFields.h"

#include <fmt/format.h>

#include <algorithm>

namespace npu {
namespace {

/// Larger numbers in alignments, kernels, strides and pads mean nothing, and
/// could overflow.
constexpr int64_t kMaxNumber = int64_t(1) << 31;

int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

class FieldRule {
public:
  FieldRule(const LoggedAttribute &fields, const Extents &shape)
      : fields(fields), shape(shape) {}

  Result<FieldPlacement> run() {
    for (Result<> (FieldRule::*read)() :
         {&FieldRule::readMode, &FieldRule::readLists, &FieldRule::readTiles,
          &FieldRule::placeAll})
      if (Result<> problem = (this->*read)(); !problem)
        return problem.error();
    return std::move(result);
  }

private:
  template <typename... Args>
  static Error error(fmt::format_string<Args...> text, Args &&...args) {
    return Error{fmt::format(text, std::forward<Args>(args)...)};
  }

  const Extents *list(std::string_view name) const {
    const LoggedField *field = fields.find(name);
    return field ? &field->rows.front().numbers : nullptr;
  }
  bool has(std::string_view word) const {
    return fields.find("mode")->words.find(word) != std::string::npos;
  }

  Result<> readMode() {
    const LoggedField *mode = fields.find("mode");
    if (!mode)
      return error("expected a 'mode', got none");
    segmented = has("SEGMENTED");
    overlapped = has("OVERLAPPED");
    whole = has("DUPLICATED") || has("MULTICASTED");
    if (!segmented && !overlapped && !whole)
      return error("expected a mode of SEGMENTED, OVERLAPPED, DUPLICATED or "
                   "MULTICASTED, got '{}'",
                   mode->words);
    return Success();
  }

  /// Checks the lengths and the numbers of all lists.
  Result<> readLists() {
    for (const LoggedField &field : fields.fields) {
      bool perDimension = findFieldDefinition(field.name)->perDimension;
      bool window = field.name == "kernel" || field.name == "strides";
      for (const LoggedRow &row : field.rows) {
        if (perDimension && row.numbers.size() != shape.size())
          return error("expected {} numbers in '{}', got {}", shape.size(),
                       field.name, toString(row.numbers));
        if (window && row.numbers.size() != 2)
          return error("expected [Y, X] as '{}', got {}", field.name,
                       toString(row.numbers));
        bool mayBeZero = field.name == "pads" ||
                         field.name.ends_with("offsets") ||
                         field.name.ends_with("shapes");
        for (int64_t number : row.numbers)
          if (number < (mayBeZero ? 0 : 1) || number > kMaxNumber)
            return error("expected numbers in {}..{} in '{}', got {}",
                         mayBeZero ? 0 : 1, kMaxNumber, field.name, number);
      }
    }
    return Success();
  }

  Result<> readTiles() {
    const Extents *clusters = list("num_clusters");
    const Extents *grid = list("num_tiles");
    int64_t product = 1;
    for (std::size_t dim = 0; grid && dim < grid->size(); ++dim) {
      product = std::min(product * std::min((*grid)[dim], kMaxTiles + 1),
                         kMaxTiles + 1);
      if ((*grid)[dim] > 1)
        axes.push_back(dim);
    }
    const LoggedField *boxes = fields.find("memory_shapes");
    tiles = clusters ? (*clusters)[0]
            : boxes  ? static_cast<int64_t>(boxes->rows.size())
                     : product;
    if (!clusters && !grid && !boxes)
      return error("expected 'num_clusters', 'num_tiles' or boxes, got none");
    if (tiles > kMaxTiles)
      return error("expected at most {} tiles, got {}", kMaxTiles, tiles);
    if ((segmented || overlapped) && !isExplicit() && product != tiles)
      return error("expected 'num_tiles' to make the {} tiles of "
                   "'num_clusters', got {}",
                   tiles, grid ? toString(*grid) : "none");
    return Success();
  }

  bool isExplicit() const {
    return fields.find("compute_shapes") || fields.find("memory_shapes");
  }

  Result<> placeAll() {
    result.tiles.resize(tiles);
    if (isExplicit())
      return readBoxes();
    if (axes.size() > 1)
      return error("the field compiler splits along one dimension, and "
                   "'num_tiles' is {}",
                   toString(*list("num_tiles")));
    std::vector<Box> compute, memory;
    bool oneView = overlapped && fields.find("equal_memory_and_compute_view");
    if (oneView && !segmented) {
      // What is computed is what is held, and no split of its own.
    } else if (segmented || overlapped) {
      if (axes.empty())
        compute.assign(1, Box::whole(shape));
      else if (Result<> problem = segments(shape, list("alignment"), compute);
               !problem)
        return problem;
    } else {
      compute.assign(tiles, wholeAligned());
    }
    if (whole)
      memory.assign(tiles, wholeAligned());
    else if (overlapped && axes.empty())
      compute = memory = {Box::whole(shape)};
    else if (!overlapped)
      memory = compute;
    else if (Result<> problem = windowed(memory); !problem)
      return problem;
    if (oneView)
      compute = memory;
    for (int64_t tile = 0; tile < tiles; ++tile)
      result.tiles[tile] = {compute[tile], memory[tile]};
    noteRounding();
    return Success();
  }

  /// The whole tensor, every aligned extent rounded up.
  Box wholeAligned() const {
    Box box = Box::whole(shape);
    if (const Extents *alignment = list("alignment"))
      for (std::size_t dim = 0; dim < box.rank(); ++dim)
        box[dim].end = roundUp(box[dim].end, (*alignment)[dim]);
    return box;
  }

  /// The compute boxes of a tensor `of` that is split along the one axis.
  Result<> segments(const Extents &of, const Extents *alignment,
                    std::vector<Box> &boxes) {
    std::size_t axis = axes[0];
    bool uniform = fields.find("uniform_distributed_segments");
    int64_t multiple = alignment ? (*alignment)[axis] : 1;
    int64_t extent = of[axis];
    std::vector<int64_t> sizes;
    if (uniform) {
      int64_t least = extent / tiles / multiple * multiple;
      int64_t rest = extent - least * tiles;
      if (least <= 0)
        return tooFew(extent, multiple);
      // Until 2024 this was an error there.
      bool leftOver = rest % multiple != 0;
      int64_t each = roundUp((extent + tiles - 1) / tiles, multiple);
      if (leftOver && each * (tiles - 1) >= extent)
        return tooFew(extent, multiple);
      sizes.assign(tiles, leftOver ? each : least);
      if (leftOver) {
        sizes.back() = extent - each * (tiles - 1);
        rest = 0;
        result.notes.push_back(fmt::format(
            "splits {} over {} tiles in multiples of {} only since 2025",
            extent, tiles, multiple));
      }
      std::fill_n(sizes.begin(), std::min(rest / multiple, tiles),
                  least + multiple);
    } else {
      int64_t each = roundUp((extent + tiles - 1) / tiles, multiple);
      int64_t last = extent - each * (tiles - 1);
      if (last <= 0)
        return tooFew(extent, multiple);
      sizes.assign(tiles, each);
      sizes.back() = last;
    }
    int64_t begin = 0;
    for (int64_t tile = 0; tile < tiles; ++tile) {
      Box box = Box::whole(of);
      // The last one of unequal segments keeps the other extents as they are.
      if (alignment && (uniform || tile + 1 < tiles))
        for (std::size_t dim = 0; dim < box.rank(); ++dim)
          if (dim != axis)
            box[dim].end =
                uniform ? box[dim].end / (*alignment)[dim] * (*alignment)[dim]
                        : roundUp(box[dim].end, (*alignment)[dim]);
      box[axis] = {begin, begin + sizes[tile]};
      begin += sizes[tile];
      boxes.push_back(box);
    }
    return Success();
  }

  Error tooFew(int64_t extent, int64_t multiple) const {
    return error("the field compiler cannot split {} over {} tiles{}: no tile "
                 "may be empty",
                 extent, tiles,
                 multiple > 1 ? fmt::format(" in multiples of {}", multiple)
                              : "");
  }

  /// What the outputs of the window read, each tile an equal part of them.
  Result<> windowed(std::vector<Box> &memory) {
    const Extents *kernel = list("kernel"), *strides = list("strides");
    const Extents *pads = list("pads");
    if (!kernel || !strides || !pads)
      return error("expected 'kernel', 'pads' and 'strides', or boxes, beside "
                   "OVERLAPPED, got neither");
    std::size_t axis = axes[0], rank = shape.size();
    if (rank < 2 || axis + 2 < rank)
      return error("expected OVERLAPPED to split one of the two last "
                   "dimensions, got 'num_tiles' {}",
                   toString(*list("num_tiles")));
    // Pads are left, right, top, bottom; kernel and strides are Y, X.
    bool isX = axis + 1 == rank;
    int64_t size = (*kernel)[isX], stride = (*strides)[isX];
    int64_t before = (*pads)[isX ? 0 : 2], after = (*pads)[isX ? 1 : 3];
    int64_t extent = shape[axis];
    int64_t padded = extent + before + after - size;
    if (padded < 0)
      return error("a window of {} has no output in {} entries padded by {} "
                   "and {}",
                   size, extent, before, after);
    Extents outputs = shape;
    outputs[axis] = padded / stride + 1;
    std::vector<Box> parts;
    if (Result<> problem = segments(outputs, nullptr, parts); !problem)
      return problem;
    for (const Box &part : parts) {
      Box box = wholeAligned();
      int64_t begin = part[axis].begin * stride - before;
      int64_t end = (part[axis].end - 1) * stride + size - before;
      Range held{std::clamp<int64_t>(begin, 0, extent),
                 std::clamp<int64_t>(end, 0, extent)};
      if (const Extents *alignment = list("alignment"))
        held.end = held.begin + roundUp(held.extent(), (*alignment)[axis]);
      box[axis] = held;
      memory.push_back(box);
    }
    return Success();
  }

  Result<> readBoxes() {
    const LoggedField *lists[] = {
        fields.find("compute_shapes"), fields.find("compute_offsets"),
        fields.find("memory_shapes"), fields.find("memory_offsets")};
    for (int pair : {0, 2})
      if (!lists[pair] != !lists[pair + 1])
        return error("expected shapes and offsets of {} boxes, got only one of "
                     "both",
                     pair ? "memory" : "compute");
    for (const LoggedField *field : lists)
      if (field && static_cast<int64_t>(field->rows.size()) != tiles)
        return error("expected {} boxes in '{}', one for each tile, got {}",
                     tiles, field->name, field->rows.size());
    bool compute = lists[0], memory = lists[2];
    for (int64_t tile = 0; tile < tiles; ++tile) {
      auto box = [&](int first) {
        return Box::fromOffsetsAndSizes(lists[first + 1]->rows[tile].numbers,
                                        lists[first]->rows[tile].numbers);
      };
      result.tiles[tile] = {box(compute ? 0 : 2), box(memory ? 2 : 0)};
    }
    if (!compute || !memory)
      result.notes.push_back(
          fmt::format("takes no distribution with {} boxes alone; the others "
                      "are taken to be the same here",
                      compute ? "compute" : "memory"));
    noteOutside();
    return Success();
  }

  void noteOutside() {
    Box inside = Box::whole(shape);
    for (int64_t tile = 0; tile < tiles; ++tile)
      for (const Box *box :
           {&result.tiles[tile].compute, &result.tiles[tile].memory})
        if (!inside.contains(*box))
          return result.notes.push_back(
              fmt::format("refuses a box outside of the tensor, {} of tile {}",
                          toString(*box), tile));
  }

  void noteRounding() {
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t end = 0;
      for (const TileBoxes &tile : result.tiles)
        end = std::max(end, tile.memory[dim].end);
      if (end > shape[dim])
        result.notes.push_back(fmt::format(
            "rounds extent {} of dimension {} up to {}", shape[dim], dim, end));
      else if (end < shape[dim])
        result.notes.push_back(fmt::format(
            "rounds extent {} of dimension {} down to {}, so that no tile "
            "holds the rest",
            shape[dim], dim, end));
    }
  }

  const LoggedAttribute &fields;
  const Extents &shape;
  bool segmented = false, overlapped = false, whole = false;
  int64_t tiles = 1;
  /// The dimensions that `num_tiles` splits.
  std::vector<std::size_t> axes;
  FieldPlacement result;
};

} // namespace

Result<FieldPlacement> placeByField(const LoggedAttribute &fields,
                                    const Extents &shape) {
  return FieldRule(fields, shape).run();
}

Placement clipped(const FieldPlacement &boxes, const Extents &shape) {
  Placement placement{shape, boxes.tiles};
  Box whole = Box::whole(shape);
  for (TileBoxes &tile : placement.tiles) {
    tile.compute = intersect(tile.compute, whole);
    tile.memory = intersect(tile.memory, whole);
  }
  return placement;
}

} // namespace npu
