// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/AffineIndex.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace npu {
namespace {

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t mod(int64_t a, int64_t b) { return a - floorDiv(a, b) * b; }

/// The text of an added offset: " + 3", " - 2" or "".
std::string plus(int64_t offset) {
  if (offset == 0)
    return "";
  return fmt::format(" {} {}", offset < 0 ? '-' : '+', std::abs(offset));
}

} // namespace

int64_t AffineIndex::at(std::span<const int64_t> point) const {
  int64_t i = point[loop], j = point[other];
  switch (form) {
  case Plain:
    return i;
  case Constant:
    return offset;
  case Offset:
    return i + offset;
  case Reversed:
    return offset - i;
  case Strided:
    return i * factor + offset;
  case FloorDiv:
    return floorDiv(i + offset, factor);
  case CeilDiv:
    return -floorDiv(-(i + offset), factor);
  case Mod:
    return mod(i + offset, factor);
  case RoundedDown:
    return floorDiv(i, factor) * factor + offset;
  case ReversedMod:
    return mod(offset - i, factor);
  case Combined:
    return i * factor + j + offset;
  case CombinedDiv:
    return floorDiv(i * factor + j, 2);
  default:
    return i + mod(j, factor);
  }
}

std::string AffineIndex::text() const {
  std::string i = fmt::format("d{}", loop), j = fmt::format("d{}", other);
  switch (form) {
  case Plain:
    return i;
  case Constant:
    return std::to_string(offset);
  case Offset:
    return i + plus(offset);
  case Reversed:
    return fmt::format("{} - {}", offset, i);
  case Strided:
    return fmt::format("{} * {}{}", i, factor, plus(offset));
  case FloorDiv:
    return fmt::format("({}{}) floordiv {}", i, plus(offset), factor);
  case CeilDiv:
    return fmt::format("({}{}) ceildiv {}", i, plus(offset), factor);
  case Mod:
    return fmt::format("({}{}) mod {}", i, plus(offset), factor);
  case RoundedDown:
    return fmt::format("({} floordiv {}) * {}{}", i, factor, factor,
                       plus(offset));
  case ReversedMod:
    return fmt::format("({} - {}) mod {}", offset, i, factor);
  case Combined:
    return fmt::format("{} * {} + {}{}", i, factor, j, plus(offset));
  case CombinedDiv:
    return fmt::format("({} * {} + {}) floordiv 2", i, factor, j);
  default:
    return fmt::format("{} + {} mod {}", i, j, factor);
  }
}

AffineIndex indexFrom(std::span<const int64_t> numbers) {
  return {static_cast<AffineIndex::Form>(numbers[0]), numbers[1], numbers[2],
          numbers[3], numbers[4]};
}

void append(std::vector<int64_t> &numbers, const AffineIndex &index) {
  numbers.insert(numbers.end(), {index.form, index.loop, index.other,
                                 index.factor, index.offset});
}

Range valuesOf(const AffineIndex &index, std::span<const int64_t> loopExtents) {
  std::vector<int64_t> point(loopExtents.size());
  Range values{0, 0};
  bool first = true;
  int64_t others = index.usesOther() ? loopExtents[index.other] : 1;
  for (int64_t i = 0; i < loopExtents[index.loop]; ++i)
    for (int64_t j = 0; j < others; ++j) {
      if (index.usesOther())
        point[index.other] = j;
      point[index.loop] = i;
      int64_t value = index.at(point);
      values.begin = first ? value : std::min(values.begin, value);
      values.end = first ? value + 1 : std::max(values.end, value + 1);
      first = false;
    }
  return values;
}

AffineIndex randomIndex(RandomNumbers &random,
                        std::span<const int64_t> loopExtents) {
  auto loops = static_cast<int64_t>(loopExtents.size());
  AffineIndex index;
  index.form =
      static_cast<AffineIndex::Form>(random.below(AffineIndex::FormCount));
  index.loop = random.below(loops);
  index.other = random.below(loops);
  if (index.usesOther() && index.other == index.loop)
    index.form = AffineIndex::Plain;
  index.factor = random.between(2, 4);
  index.offset = random.below(3);
  int64_t last = loopExtents[index.loop] - 1;
  switch (index.form) {
  case AffineIndex::Offset:
    ++index.offset;
    break;
  case AffineIndex::Reversed:
    index.offset = last + (random.oneIn(4) ? index.offset : 0);
    break;
  case AffineIndex::FloorDiv:
    // Use factors that are no powers of two, like those of grouped heads.
    if (random.oneIn(3))
      index.factor = random.between(3, 9);
    break;
  case AffineIndex::Combined:
    if (!random.oneIn(3)) {
      index.factor = loopExtents[index.other];
      index.offset = 0;
    }
    break;
  default:
    break;
  }
  return index;
}

std::optional<AffineIndex> randomIndexWithin(RandomNumbers &random,
                                             std::span<const int64_t> loops,
                                             int64_t extent) {
  for (int tries = 0; tries < 8; ++tries) {
    AffineIndex index = randomIndex(random, loops);
    Range values = valuesOf(index, loops);
    if (values.begin >= 0 && values.end <= extent &&
        (index.form != AffineIndex::Plain || values.end == extent))
      return index;
  }
  return std::nullopt;
}

std::string mapOf(std::size_t loops, std::span<const AffineIndex> indices) {
  std::vector<std::string> from, to;
  for (std::size_t loop = 0; loop < loops; ++loop)
    from.push_back(fmt::format("d{}", loop));
  for (const AffineIndex &index : indices)
    to.push_back(index.text());
  return fmt::format("affine_map<({}) -> ({})>", fmt::join(from, ", "),
                     fmt::join(to, ", "));
}

} // namespace npu
