// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Bodies/RegionMaker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;

namespace npu {
bool follow(const Dims &dims) {
  return llvm::any_of(dims, [](const Extent &each) {
    return each.grows() && !each.isPrompt();
  });
}

unsigned RegionMaker::add(ElementType type, const RegionNest &region,
                          BodyOf body) {
  auto loops = std::ssize(region.loops);
  std::vector<int64_t> written = region.written(), known = written;
  Nest nest;
  nest.loops = region.loops;
  nest.reduces.resize(loops);
  for (int64_t loop : region.reduces)
    nest.reduces[loop] = true;
  for (auto [input, read] : llvm::zip(region.inputs, region.reads)) {
    SmallVector<AffineExpr> indices;
    for (int64_t loop : read)
      indices.push_back(loop < 0 ? b.getAffineConstantExpr(0)
                                 : b.getAffineDimExpr(loop));
    nest.read(input, AffineMap::get(loops, 0, indices, b.getContext()));
    known.insert(known.end(), read.begin(), read.end());
  }
  std::vector<int64_t> rest = others(loops, known);
  return step(tensor(type, only(region.loops, written)), [&](const Fact &made) {
    // A tensor without entries to read has the extents that no operand gives.
    if (!rest.empty())
      nest.read(empty(tensor(ElementType::F32, only(region.loops, rest))),
                mapTo(loops, rest));
    nest.maps.push_back(mapTo(loops, written));
    nest.inits = {region.beginsAs ? region.beginsAs->value
                                  : filled(made, region.begin)};
    Value value = buildOne(*this, nest, [&](Region &inside) {
      if (!rest.empty())
        inside.in.pop_back();
      return body(inside);
    });
    // A reduction over no entries keeps the initial output at some lengths.
    Operation *op = value.getDefiningOp();
    if (region.reduces.empty() &&
        op->getRegion(0).getArguments().back().use_empty()) {
      OpBuilder before(op);
      op->setOperand(op->getNumOperands() - 1, emptyAt(before, made));
    }
    return value;
  });
}

unsigned RegionMaker::tableOf(ElementType type, const Dims &dims,
                              const std::vector<double> &entries) {
  return step(tensor(type, dims),
              [&](const Fact &made) { return constant(made, entries); });
}

unsigned RegionMaker::table(ElementType type) {
  int64_t rows = between(2, 3), columns = oneIn(3) ? 2 : 1;
  Dims dims = {fixed(rows)};
  if (columns > 1)
    dims.push_back(fixed(columns));
  std::vector<double> entries;
  for (int64_t i = 0; i < rows * columns; ++i)
    entries.push_back(oneIn(3) ? theme.neutral
                               : specialNumber(*this, type, tame));
  return tableOf(type, dims, entries);
}

bool RegionMaker::isTable(unsigned value) const {
  return (*this)[value].value.getDefiningOp<arith::ConstantOp>() != nullptr;
}

bool RegionMaker::read(RegionNest &nest, unsigned source) {
  const Fact &from = (*this)[source];
  std::vector<int64_t> read;
  bool together = oneIn(5);
  for (const Extent &extent : from.dims) {
    std::vector<int64_t> fitting, unused;
    for (std::size_t loop = 0; loop < nest.loops.size(); ++loop)
      if (nest.loops[loop] == extent) {
        fitting.push_back(static_cast<int64_t>(loop));
        if (!llvm::is_contained(read, fitting.back()))
          unused.push_back(fitting.back());
      }
    if (!extent.grows() && (fitting.empty() || oneIn(20)))
      read.push_back(-1);
    else if (fitting.empty())
      return false;
    else if (together || unused.empty())
      read.push_back(fitting[below(std::ssize(fitting))]);
    else
      read.push_back(oneIn(4) ? unused[below(std::ssize(unused))]
                              : unused.front());
  }
  nest.read(from, read);
  return true;
}

void RegionMaker::readSome(RegionNest &nest) {
  int64_t wanted = between(1, 3);
  for (int tries = 0; tries < 12 && std::ssize(nest.inputs) < wanted; ++tries) {
    int64_t count = size();
    auto source = static_cast<unsigned>(
        oneIn(2) ? below(count)
                 : count - 1 - below(std::min<int64_t>(3, count)));
    if (!isTable(source))
      read(nest, source);
  }
}

Scope RegionMaker::scope() {
  Scope scope;
  scope.favourite = theme.neutral;
  scope.favouriteType = themeType;
  scope.tame = tame;
  // A tensor that may have no entries cannot be read.
  for (const Fact &value : values)
    if (!follow(value.dims) && !value.dims.empty())
      scope.tables.push_back(value);
  return scope;
}

/// Loops that are declared as reductions write each entry once, so that nothing
/// changes, except in what padding may contain.
unsigned RegionMaker::map(ElementType type, const Dims &dims, bool reduces) {
  RegionNest nest{dims};
  readSome(nest);
  nest.output = others(std::ssize(dims), {});
  if (dims.size() == 2 && oneIn(8))
    std::swap((*nest.output)[0], (*nest.output)[1]);
  Combiner combiner;
  bool combines = false;
  if (reduces) {
    int64_t always = below(std::ssize(dims));
    for (int64_t loop = 0; loop < std::ssize(dims); ++loop)
      if (loop == always || oneIn(2))
        nest.reduces.push_back(loop);
    combiner = combinerFor(type);
    nest.begin = beginFor(type, combiner.neutral);
    combines = oneIn(2);
  }
  return add(type, nest, [&](Region &region) {
    RandomExprs exprs(*this, region, scope());
    Value entry = exprs.any(type, static_cast<int>(between(1, 3)));
    return combines ? region.op(combiner.name, {region.out[0], entry}) : entry;
  });
}

unsigned RegionMaker::masked(unsigned source) {
  const Fact from = (*this)[source];
  RegionNest nest{from.dims};
  nest.read(from, others(std::ssize(from.dims), {}));
  return add(from.type, nest, [&](Region &region) {
    RandomExprs exprs(*this, region, scope());
    Value entry = oneIn(3) ? exprs.any(from.type, 2) : region.in[0];
    Value instead = from.type == themeType && !oneIn(3)
                        ? region.number(from.type, theme.neutral)
                        : exprs.special(from.type);
    Value condition = oneIn(4) ? exprs.truth(2) : exprs.mask();
    return exprs.chooseAnyWay(condition, entry, instead);
  });
}

std::optional<Fact> RegionMaker::anyLike(ElementType type,
                                         const Dims &dims) const {
  for (const Fact &value : values)
    if (value.dims == dims && value.type == type)
      return value;
  return std::nullopt;
}

unsigned RegionMaker::reduced(unsigned source) {
  const Fact from = (*this)[source];
  const Dims &dims = from.dims;
  ElementType type = from.type;
  RegionNest nest;
  std::vector<int64_t> read;
  bool diagonal = dims.size() == 2 && dims[0] == dims[1] && oneIn(2);
  int64_t always = dims.empty() ? 0 : below(std::ssize(dims));
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (diagonal && dim > 0) {
      read.push_back(0);
      continue;
    }
    read.push_back(std::ssize(nest.loops));
    nest.loops.push_back(dims[dim]);
    if (read.back() == always || oneIn(2) || diagonal)
      nest.reduces.push_back(read.back());
  }
  nest.read(from, read);
  if (oneIn(3))
    readSome(nest);
  Combiner combiner = combinerFor(type);
  nest.begin = beginFor(type, combiner.neutral);
  // Let the output begin as any value of its type, instead of a fill.
  if (oneIn(8))
    nest.beginsAs = anyLike(type, only(nest.loops, nest.written()));
  Scope inside = scope();
  inside.readsAccumulator = oneIn(8);
  return add(type, nest, [&](Region &region) {
    RandomExprs exprs(*this, region, inside);
    if (inside.readsAccumulator)
      return exprs.any(type, 3);
    Value term = region.in[0];
    if (oneIn(4))
      term = exprs.any(type, 2);
    else if (oneIn(5)) {
      Value condition = exprs.mask();
      term = region.choose(condition, term,
                           oneIn(2) ? region.number(type, combiner.neutral)
                                    : exprs.special(type));
    }
    return oneIn(4) ? region.op(combiner.name, {term, region.out[0]})
                    : region.op(combiner.name, {region.out[0], term});
  });
}

unsigned RegionMaker::softmaxInParts(unsigned source) {
  const Fact from = (*this)[source];
  ElementType type = from.type;
  auto rank = std::ssize(from.dims);
  int64_t along = below(rank);
  std::vector<int64_t> whole = others(rank, {}),
                       rows = others(rank, std::span(&along, 1));
  auto elementwise = [&](std::vector<std::pair<unsigned, bool>> inputs,
                         BodyOf body) {
    RegionNest nest{from.dims};
    for (auto [input, isWhole] : inputs)
      nest.read((*this)[input], isWhole ? whole : rows);
    return add(type, nest, body);
  };
  auto reduce = [&](unsigned of, const char *combiner, double begin) {
    RegionNest nest{from.dims, {along}};
    nest.read((*this)[of], whole);
    nest.begin = begin;
    return add(type, nest, [&](Region &region) {
      return region.op(combiner, {region.out[0], region.in[0]});
    });
  };
  // The same numbers give the same mask again.
  RandomNumbers forSeen = *this;
  for (int64_t skipped = below(100); skipped > 0; --skipped)
    forSeen.below(2);
  auto seen = [&](Region &region) {
    RandomNumbers again = forSeen;
    return RandomExprs(again, region, scope()).mask();
  };
  unsigned scores = elementwise({{source, true}}, [&](Region &region) {
    Value entry = region.in[0];
    if (!oneIn(2))
      entry = region.op(oneIn(2) ? "math.log" : "math.sqrt", entry);
    return oneIn(6) ? entry
                    : region.choose(seen(region), entry,
                                    region.number(type, -kInfinity));
  });
  unsigned largest =
      reduce(scores, oneIn(3) ? "arith.maxnumf" : "arith.maximumf", -kInfinity);
  // The exponential of an entry minus the largest of its row, mostly after the
  // same mask or another one.
  unsigned powers =
      elementwise({{scores, true}, {largest, false}}, [&](Region &region) {
        RandomExprs exprs(*this, region, scope());
        Value power =
            region.op("math.exp", region.subtract(region.in[0], region.in[1]));
        if (oneIn(3))
          return power;
        Value condition = oneIn(2) ? exprs.mask() : seen(region);
        return exprs.chooseAnyWay(condition, power,
                                  oneIn(3) ? exprs.special(type)
                                           : region.number(type, 0));
      });
  unsigned sum = reduce(powers, "arith.addf", oneIn(5) ? -0.0 : 0.0);
  if (!oneIn(3))
    return sum;
  return elementwise({{powers, true}, {sum, false}}, [&](Region &region) {
    return region.op("arith.divf", {region.in[0], region.in[1]});
  });
}

/// A division of constants whose quotient is mostly the neutral element of the
/// function's reductions; at times, a mask is in front of an operand.
Value RegionMaker::constantDivision(Scalars &at, RandomExprs &exprs,
                                    ElementType type) {
  ElementType integers = isFloat(type) ? ElementType::I32 : type;
  constexpr int64_t kDividends[] = {0, 1, 2, 3, 4, 8, -1, -7};
  constexpr const char *kDivisions[] = {"arith.divsi",      "arith.remsi",
                                        "arith.divui",      "arith.remui",
                                        "arith.floordivsi", "arith.divsi"};
  int64_t a = 0, b = 1;
  llvm::StringRef name;
  for (int tries = 0; tries < 20; ++tries) {
    a = oneOf(kDividends);
    b = between(1, 8);
    name = oneOf(kDivisions);
    auto result = static_cast<double>(name.contains("div") ? a / b : a % b);
    if (a >= 0 && result == theme.neutral)
      break;
  }
  Value operands[] = {at.number(integers, static_cast<double>(a)),
                      at.number(integers, static_cast<double>(b))};
  if (!isFloat(type) && oneIn(3)) {
    Value &operand = operands[below(2)];
    Value condition = exprs.mask();
    operand = at.choose(condition, exprs.any(type, 0), operand);
  }
  Value divided = at.divide(name, operands[0], operands[1]);
  return isFloat(type) ? at.cast("arith.sitofp", type, divided) : divided;
}

unsigned RegionMaker::constantByDetour(ElementType type, const Dims &dims) {
  RegionNest nest{dims};
  readSome(nest);
  std::optional<Fact> from;
  if (type == ElementType::Bool || type == ElementType::F16 || oneIn(3))
    from = (*this)[table(type)];
  return add(type, nest, [&](Region &region) {
    RandomExprs exprs(*this, region, scope());
    Value detour;
    if (from) {
      SmallVector<Value> indices;
      for (std::size_t dim = 0; dim < from->dims.size(); ++dim)
        indices.push_back(region.index(below(2)));
      detour = oneIn(4) ? region.extractGuarded(*from, indices)
                        : region.extractClamped(*from, indices);
    } else {
      detour = constantDivision(region, exprs, type);
    }
    if (!oneIn(4))
      return detour;
    Value condition = exprs.mask();
    return region.choose(condition, exprs.any(type, 1), detour);
  });
}

/// Adds a tensor with one dimension of extent 1, and mostly a second one.
unsigned RegionMaker::manyUnits(ElementType type) {
  Dims dims = {kPrompt, fixed(between(1, 2)), fixed(1)};
  if (oneIn(3))
    dims.push_back(fixed(1));
  shuffle(dims);
  return argument(type, dims);
}

/// A slice of one entry of a dimension of `source`, without that dimension, or
/// an insertion of such a slice: at 0 in a dimension of the prompt, whose last
/// entry has another number at every length.
unsigned RegionMaker::sliced(unsigned source, bool isPut) {
  if ((*this)[source].dims.size() < 2 || oneIn(2))
    source = manyUnits((*this)[source].type);
  const Fact from = (*this)[source];
  std::size_t dropped = 0;
  do
    dropped = below(std::ssize(from.dims));
  while (follow({from.dims[dropped]}));
  const Extent at = from.dims[dropped];
  SmallVector<OpFoldResult> offsets(from.dims.size(), b.getIndexAttr(0)), sizes,
      strides(from.dims.size(), b.getIndexAttr(1));
  offsets[dropped] = b.getIndexAttr(at.grows() ? 0 : below(at.number));
  for (std::size_t dim = 0; dim < from.dims.size(); ++dim)
    sizes.push_back(dim == dropped ? OpFoldResult(b.getIndexAttr(1))
                                   : size(from.dims[dim]));
  Dims part = from.dims;
  part.erase(part.begin() + static_cast<std::ptrdiff_t>(dropped));
  if (!isPut || follow(part))
    return step(tensor(from.type, part), [&](const Fact &made) {
      return tensor::ExtractSliceOp::create(b, b.getUnknownLoc(),
                                            tensorType(made), from.value,
                                            offsets, sizes, strides);
    });
  std::optional<Fact> given = anyLike(from.type, part);
  if (!given || oneIn(2))
    given = (*this)[argument(from.type, part)];
  return step(from, [&](const Fact &) {
    return tensor::InsertSliceOp::create(b, b.getUnknownLoc(), given->value,
                                         from.value, offsets, sizes, strides);
  });
}

unsigned RegionMaker::sumOfGuarded() {
  constexpr ElementType kTypes[] = {ElementType::I8, ElementType::I32,
                                    ElementType::I64};
  ElementType type = oneOf(kTypes);
  auto along = [&](unsigned source, bool reduces, BodyOf body) {
    RegionNest nest{{kPrompt}};
    if (reduces)
      nest.reduces = {0};
    nest.read((*this)[source], {0});
    return add(type, nest, body);
  };
  // The number is read in padding alone: every real position is below the
  // prompt's length.
  bool divides = oneIn(2);
  auto after = static_cast<double>(divides ? between(5, 9) : 1);
  unsigned masked =
      along(argument(type, {kPrompt}), false, [&](Region &region) {
        Value position = region.loop(0), number = region.number(type, after);
        bool isReal = oneIn(2);
        Value where =
            region.compare(isReal ? "slt" : "uge", position, length());
        return isReal ? region.choose(where, region.in[0], number)
                      : region.choose(where, number, region.in[0]);
      });
  std::optional<Fact> from;
  double number = static_cast<double>(between(1, 9));
  if (!divides)
    from = (*this)[tableOf(type, {fixed(2)}, {number, 0})];
  unsigned guarded = along(masked, false, [&](Region &region) {
    if (divides)
      return region.divide(oneIn(2) ? "arith.divsi" : "arith.divui",
                           region.number(type, std::min(number, 4.)),
                           region.in[0]);
    Value at = region.cast("arith.index_cast", kIndex, region.in[0]);
    return oneIn(3) ? region.extractGuarded(*from, at)
                    : region.extractClamped(*from, {at});
  });
  return along(guarded, true, [&](Region &region) {
    return region.add(region.out[0], region.in[0]);
  });
}

bool RegionMaker::concat(unsigned from) {
  const Fact first = (*this)[from];
  auto found = llvm::find(first.dims, kPrompt);
  if (found == first.dims.end() || first.type == ElementType::Bool)
    return false;
  int64_t dim = found - first.dims.begin(), more = between(1, 3);
  Dims dims = first.dims;
  dims[dim] = fixed(more);
  // The other part is an argument, which cannot have extents that follow from
  // the prompt.
  if (follow(dims))
    return false;
  std::vector<Value> parts = {first.value,
                              (*this)[argument(first.type, dims)].value};
  shuffle(parts);
  dims[dim] = *sum(kPrompt, fixed(more));
  step(tensor(first.type, dims), [&](const Fact &made) {
    return tensor::ConcatOp::create(b, b.getUnknownLoc(), tensorType(made), dim,
                                    parts);
  });
  return true;
}

} // namespace npu
