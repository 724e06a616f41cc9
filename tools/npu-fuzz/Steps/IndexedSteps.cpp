// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that are generics whose operands and results are indexed by any
// quasi-affine functions of their loops, with bodies that use positions. An
// index is legal where brute force says that it stays inside of the tensor. Not
// made, because it means nothing: an output's element that two iterations write
// in parallel.

#include "npu-fuzz/Functions/RandomIndex.h"
#include "npu-fuzz/Steps/Steps.h"

#include <algorithm>
#include <set>

using namespace mlir;

namespace npu {
namespace {

using Indices = std::vector<AffineExpr>;

AffineMap mapOf(const Indices &indices, std::size_t loops,
                MLIRContext *context) {
  return AffineMap::get(loops, 0, indices, context);
}

bool isPlain(AffineExpr index, int64_t loop) {
  return index == getAffineDimExpr(loop, index.getContext());
}

/// A map of the output: every loop once, in any order, and at times other
/// forms.
Indices randomOutput(OperationMaker &maker, std::span<const int64_t> loops) {
  MLIRContext *context = maker.b.getContext();
  Indices map;
  for (int64_t loop : maker.permutation(loops.size()))
    map.push_back(getAffineDimExpr(loop, context));
  switch (maker.below(6)) {
  case 0: // any of its loops, as it comes
    map[maker.below(std::ssize(map))] = randomIndex(maker, loops, context);
    break;
  case 1: // two as one
    if (map.size() > 1) {
      int64_t inner = cast<AffineDimExpr>(map[1]).getPosition();
      map[0] = map[0] * loops[inner] + map[1];
      map.erase(map.begin() + 1);
    }
    break;
  case 2: { // a diagonal, or a constant
    AffineExpr more = maker.oneIn(2)
                          ? map[0]
                          : getAffineConstantExpr(maker.below(2), context);
    map.insert(map.begin() + maker.below(std::ssize(map) + 1), more);
    break;
  }
  case 3: // one is summed over
    map.erase(map.begin());
    break;
  default:
    break;
  }
  return map;
}

/// A map of an input over the loops; the input has the shape that it reaches.
Indices randomInput(OperationMaker &maker, std::span<const int64_t> loops,
                    Dims &dims) {
  Indices map;
  for (int64_t rank = maker.between(1, 3); rank > 0; --rank) {
    AffineExpr index = randomIndex(maker, loops, maker.b.getContext());
    Range values = valuesOf(index, loops);
    if (values.begin < 0)
      continue;
    map.push_back(index);
    bool isDim = isa<AffineDimExpr>(index);
    dims.push_back(fixed(values.end + (!isDim && maker.oneIn(4))));
  }
  return map;
}

/// A map of the first input, whose dimensions are mostly plain loops.
Indices mapOfFirst(OperationMaker &maker, std::span<const int64_t> loops,
                   const Extents &shape) {
  MLIRContext *context = maker.b.getContext();
  Indices map;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    AffineExpr index = getAffineDimExpr(dim, context);
    if (loops[dim] != extent || maker.oneIn(3))
      index = randomIndexWithin(maker, loops, extent, context)
                  .value_or(getAffineConstantExpr(extent / 2, context));
    map.push_back(index);
  }
  return map;
}

/// Whether every element of the output is written by one point of the loops
/// that are not reduced.
bool writesOnce(AffineMap map, std::span<const int64_t> loops) {
  std::vector<int64_t> counted;
  int64_t points = 1;
  for (int64_t loop = 0; loop < std::ssize(loops); ++loop)
    if (!isReduction(map, loop) &&
        llvm::none_of(map.getResults(),
                      [&](AffineExpr each) { return isPlain(each, loop); })) {
      counted.push_back(loop);
      points *= loops[loop];
    }
  constexpr int64_t kMostPoints = 4096;
  if (points > kMostPoints)
    return false;
  std::set<std::vector<int64_t>> seen;
  std::vector<int64_t> point(loops.size());
  for (int64_t number = 0; number < points; ++number) {
    int64_t rest = number;
    for (int64_t loop : counted) {
      point[loop] = rest % loops[loop];
      rest /= loops[loop];
    }
    std::vector<int64_t> place;
    for (AffineExpr index : map.getResults())
      place.push_back(valueAt(index, point));
    if (!seen.insert(place).second)
      return false;
  }
  return true;
}

/// What the body does with the entries that it reads.
enum Form : int64_t {
  Copy,
  Add,
  Most,
  AddIndex,
  SelectByIndex,
  Accumulate,
  AccumulateMost,
  FormCount,
};

/// The body, which uses two loops as numbers, and mostly reads the last input.
Value bodyOf(Region &region, ElementType type, int64_t form, int64_t first,
             int64_t second, int64_t slack) {
  Value a = region.in[0], b = region.in.back();
  switch (form) {
  case Copy:
    return a;
  case Add:
    return region.add(a, b);
  case Most:
    return region.largest(a, b);
  case AddIndex:
    return region.add(b, region.positionAs(type, region.loop(first)));
  case SelectByIndex: {
    Value limit = region.index(slack + 1);
    if (first != second)
      limit = region.add(region.loop(second), limit);
    Value which = region.compare("slt", region.loop(first), limit);
    return region.choose(which, a,
                         region.in.size() == 2 ? b : region.number(type, 0));
  }
  case Accumulate:
    return region.add(region.out[0], b);
  default:
    return region.largest(region.out[0], b);
  }
}

/// Whether every loop that reduces is a whole dimension of an input, none of
/// which is split.
bool reducesWhole(ArrayRef<Fact> inputs, ArrayRef<AffineMap> maps,
                  AffineMap output) {
  std::set<unsigned> known;
  for (auto [input, map] : llvm::zip(inputs, maps)) {
    std::vector<int64_t> dims;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
      for (auto [dim, index] : llvm::enumerate(map.getResults()))
        if (isReduction(output, loop) && index.isFunctionOfDim(loop)) {
          if (!isPlain(index, loop))
            return false;
          known.insert(loop);
          dims.push_back(static_cast<int64_t>(dim));
        }
    if (!isUnsplit(input, dims))
      return false;
  }
  for (unsigned loop = 0; loop < output.getNumDims(); ++loop)
    if (isReduction(output, loop) && !known.contains(loop))
      return false;
  return true;
}

/// Whether some input has the loop as it is as a dimension.
bool isKnown(const Nest &nest, int64_t loop) {
  return llvm::any_of(nest.maps, [&](AffineMap map) {
    return llvm::any_of(map.getResults(),
                        [&](AffineExpr each) { return isPlain(each, loop); });
  });
}

void indexed(OperationMaker &maker) {
  MLIRContext *context = maker.b.getContext();
  auto value = maker.pick([](const Fact &value) {
    return !value.shape.empty() && value.shape.size() <= 4 &&
           value.volume() > 0;
  });
  if (!value)
    return;
  const Fact first = maker[*value];
  // There is a loop for each dimension of the first input, most of which are
  // plain dimensions, and at times one more.
  std::vector<int64_t> loops(first.shape.begin(), first.shape.end());
  for (int64_t &extent : loops)
    if (maker.oneIn(3))
      extent = std::max<int64_t>(
          1, maker.oneIn(2) ? extent * maker.between(2, 4) : extent / 2);
  if (maker.oneIn(3) && loops.size() < 4)
    loops.push_back(maker.between(1, 5));
  std::vector<Fact> inputs = {first};
  Indices read = mapOfFirst(maker, loops, first.shape);
  Nest nest;
  nest.read(first.value, mapOf(read, loops.size(), context));
  if (maker.oneIn(2)) {
    Dims dims;
    Indices other = randomInput(maker, loops, dims);
    constexpr int64_t kMostEntries = 4000;
    if (Box::whole(extentsAt(dims, 1)).volume() > kMostEntries)
      return;
    inputs.push_back(maker[maker.valueOf(dims, first.type)]);
    nest.read(inputs[1].value, mapOf(other, loops.size(), context));
  }
  Indices written = randomOutput(maker, loops);
  AffineMap output = mapOf(written, loops.size(), context);
  // Loops that no input has get their extent from a plain dimension of the
  // output.
  for (int64_t loop = 0; loop < std::ssize(loops); ++loop)
    if (!isKnown(nest, loop) && llvm::none_of(written, [&](AffineExpr each) {
          return isPlain(each, loop);
        }))
      return;
  double terms = 1;
  bool reduces = false;
  for (int64_t loop = 0; loop < std::ssize(loops); ++loop)
    if (isReduction(output, loop)) {
      reduces = true;
      terms *= static_cast<double>(loops[loop]);
    }
  // Products of special values overflow in a part where the whole is NaN.
  bool addsInAnyOrder =
      maker.exact() || reducesWhole(inputs, nest.maps, output) ||
      (!maker.hasSpecialInputs() && maySumInParts(first.type, terms));
  // Loops that reduce need a body that puts entries together in any order.
  int64_t form = maker.below(FormCount);
  if (reduces && form < Accumulate)
    form = Accumulate;
  if (form == Accumulate && !addsInAnyOrder)
    form = AccumulateMost;
  int64_t a = maker.below(std::ssize(loops)),
          b = maker.below(std::ssize(loops));
  int64_t slack = maker.oneIn(3) ? maker.below(3) : 0;
  Dims dims;
  for (AffineExpr index : written) {
    Range values = valuesOf(index, loops);
    if (values.begin < 0)
      return;
    dims.push_back(fixed(values.end + (isa<AffineDimExpr>(index) ? 0 : slack)));
  }
  Fact result = maker.tensor(first.type, dims);
  if (!writesOnce(output, loops))
    return;
  nest.maps.push_back(output);
  // Entries that are not written keep the values of the initial output, which
  // must be defined.
  double begin = isFloat(first.type) ? -7 : 1;
  auto buildOn = [&](Value init) {
    nest.inits = {init};
    return buildOne(maker, nest, [&](Region &region) {
      return bodyOf(region, first.type, form, a, b, slack);
    });
  };
  constexpr int64_t kMostOnTop = 2000;
  Made made;
  if (maker.oneIn(3) && result.volume() <= kMostOnTop) {
    const Fact init = maker[maker.valueOf(dims, first.type)];
    made = maker.make(init, [&](const Fact &) { return buildOn(init.value); });
  } else {
    made = maker.makeLaidOut(result, first, [&](const Fact &result) {
      return buildOn(maker.filled(result, begin));
    });
  }
  if (made && form >= Accumulate)
    maker.returnIfSplit(*made);
}

} // namespace

std::span<const StepRow> indexedSteps() {
  static constexpr StepRow kRows[] = {{indexed, {.more = 4}}};
  return kRows;
}

} // namespace npu
