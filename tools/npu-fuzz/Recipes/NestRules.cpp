// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Recipes/NestRules.h"

#include "npu-fuzz/Recipes/ElementwiseRows.h"

#include <algorithm>
#include <set>

namespace npu {
namespace {

using Map = std::vector<AffineIndex>;

/// The extents of the loops; nothing where a loop has two extents, or none.
std::optional<std::vector<int64_t>> loopExtents(const LoopNest &nest,
                                                const Operands &operands) {
  std::vector<int64_t> extents(nest.loops.size(), -1);
  for (auto [input, map] : llvm::enumerate(nest.inputs)) {
    if (map.size() != operands[input]->shape.size())
      return std::nullopt;
    for (auto [index, extent] : llvm::zip(map, operands[input]->shape)) {
      if (index.form != AffineIndex::Plain)
        continue;
      if (extents[index.loop] >= 0 && extents[index.loop] != extent)
        return std::nullopt;
      extents[index.loop] = extent;
    }
  }
  // Loops that no input has need a plain dimension of the output.
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent < 0) {
      extent = nest.loops[loop].extent.number;
      if (llvm::none_of(nest.outputs[0], [&, loop = loop](auto &index) {
            return index.form == AffineIndex::Plain &&
                   index.loop == static_cast<int64_t>(loop);
          }))
        return std::nullopt;
    }
  return extents;
}

/// The range of an index; nothing where it is below zero, or there is none.
std::optional<Range> rangeOf(const AffineIndex &index,
                             std::span<const int64_t> loops) {
  if (index.form == AffineIndex::Plain)
    return Range{0, loops[index.loop]};
  if (llvm::is_contained(loops, 0))
    return std::nullopt;
  Range values = valuesOf(index, loops);
  return values.begin < 0 ? std::nullopt : std::optional(values);
}

bool fits(const Map &map, std::span<const int64_t> loops,
          const Extents &shape) {
  if (map.size() != shape.size())
    return false;
  for (auto [index, extent] : llvm::zip(map, shape)) {
    std::optional<Range> values = rangeOf(index, loops);
    if (!values || values->end > extent ||
        (index.form == AffineIndex::Plain && values->end != extent))
      return false;
  }
  return true;
}

/// Whether every element of the output is written by one point of the loops
/// that are not reduced.
bool writesOnce(const LoopNest &nest, const Map &map,
                std::span<const int64_t> extents) {
  // Points that differ in a plain loop have different indices: only the others
  // have to be counted.
  auto isPlain = [&](int64_t loop) {
    return llvm::any_of(map, [&](auto &index) {
      return index.form == AffineIndex::Plain && index.loop == loop;
    });
  };
  std::vector<int64_t> counted;
  int64_t points = 1;
  for (int64_t loop = 0; loop < std::ssize(extents); ++loop)
    if (!isReduction(nest, loop) && !isPlain(loop)) {
      counted.push_back(loop);
      points *= extents[loop];
    }
  if (points > 4096)
    return false;
  std::set<std::vector<int64_t>> seen;
  std::vector<int64_t> point(extents.size());
  for (int64_t number = 0; number < points; ++number) {
    int64_t rest = number;
    for (int64_t loop : counted) {
      point[loop] = rest % extents[loop];
      rest /= extents[loop];
    }
    std::vector<int64_t> element;
    for (const AffineIndex &index : map)
      element.push_back(index.at(point));
    if (!seen.insert(element).second)
      return false;
  }
  return true;
}

/// Whether the accumulator is added to, and not only compared.
bool addsUp(const Expr &body) {
  bool found = false;
  body.walk([&](const Expr &each) {
    found |= each.form == Expr::Simple && !isExtremum(each.name) &&
             each.uses(Expr::Accumulator);
  });
  return found;
}

double termsOf(const LoopNest &nest, std::span<const int64_t> extents) {
  double terms = 1;
  for (int64_t loop = 0; loop < std::ssize(extents); ++loop)
    if (isReduction(nest, loop))
      terms *= static_cast<double>(extents[loop]);
  return terms;
}

/// Whether no tile has a part alone of what is reduced: every loop that reduces
/// is a whole dimension of an input, and none of these is split.
bool reducesWhole(const LoopNest &nest, const Operands &operands) {
  std::set<int64_t> known;
  for (auto [input, map] : llvm::enumerate(nest.inputs)) {
    std::vector<int64_t> dims;
    for (auto [dim, index] : llvm::enumerate(map))
      for (int64_t loop = 0; loop < std::ssize(nest.loops); ++loop)
        if (isReduction(nest, loop) && index.uses(loop)) {
          if (index.form != AffineIndex::Plain)
            return false;
          known.insert(loop);
          dims.push_back(static_cast<int64_t>(dim));
        }
    if (!isUnsplit(*operands[input], dims))
      return false;
  }
  for (int64_t loop = 0; loop < std::ssize(nest.loops); ++loop)
    if (isReduction(nest, loop) && !known.contains(loop))
      return false;
  return true;
}

/// Bounds of the magnitudes of what a body computes.
class Bounds {
public:
  Bounds(const LoopNest &nest, const Operands &operands,
         std::span<const int64_t> extents, bool exact)
      : nest(nest), operands(operands), extents(extents), exact(exact) {}

  /// Nothing where a number may become too large or is not exact, or where an
  /// operand has another type than the expression takes it for.
  std::optional<double> of(const Expr &expr, double accumulated) const {
    std::optional<double> most = unchecked(expr, accumulated);
    if (!most || (expr.type != kIndex && !mayReach(expr.type, *most, exact)))
      return std::nullopt;
    return most;
  }

private:
  std::optional<double> unchecked(const Expr &expr, double accumulated) const {
    std::vector<double> most;
    for (const Expr &operand : expr.operands) {
      std::optional<double> bound = of(operand, accumulated);
      if (!bound)
        return std::nullopt;
      most.push_back(*bound);
    }
    switch (expr.form) {
    case Expr::Constant:
      return std::fabs(expr.value);
    case Expr::Loop:
      return static_cast<double>(extents[expr.number]);
    case Expr::Input:
    case Expr::Extract: {
      const ValueFacts &from = *operands[expr.number];
      bool isInput = expr.number < std::ssize(nest.inputs);
      return from.type == expr.type && isInput == (expr.form == Expr::Input) &&
                     (isInput ? !from.scalar
                              : from.scalar == expr.operands.empty())
                 ? std::optional(from.most)
                 : std::nullopt;
    }
    case Expr::Accumulator:
      return accumulated;
    case Expr::Compare:
      return 1;
    case Expr::Select:
      return std::max(most[1], most[2]);
    case Expr::Divide:
    case Expr::Cast:
      return most[0];
    case Expr::Simple:
      break;
    default:
      return std::nullopt;
    }
    if (isExtremum(expr.name))
      return std::max(most[0], most[1]);
    const ElementwiseRow *row = rowNamed(expr.name);
    if (!row || (exact && !row->isExact))
      return std::nullopt;
    return row->most(most[0], most.back());
  }

  const LoopNest &nest;
  const Operands &operands;
  std::span<const int64_t> extents;
  bool exact;
};

} // namespace

bool isReduction(const LoopNest &nest, int64_t loop) {
  return llvm::none_of(nest.outputs, [&](const Map &map) {
    return llvm::any_of(
        map, [&](const AffineIndex &index) { return index.uses(loop); });
  });
}

bool combinesInAnyOrder(const LoopNest &nest, std::span<const int64_t> extents,
                        bool exact) {
  for (const Expr &body : nest.bodies)
    if (addsUp(body) && !exact &&
        !maySumInParts(body.type, termsOf(nest, extents)))
      return false;
  return true;
}

std::optional<ValueFacts> inferChecked(const Step &step,
                                       const Operands &operands, bool exact) {
  const LoopNest &nest = *step.nest;
  if (operands.size() <
      nest.inputs.size() + (nest.beginsAsOperand ? nest.outputs.size() : 0))
    return std::nullopt;
  std::optional<std::vector<int64_t>> extents = loopExtents(nest, operands);
  if (!extents)
    return std::nullopt;
  for (auto [input, map] : llvm::enumerate(nest.inputs))
    if (operands[input]->scalar || !fits(map, *extents, operands[input]->shape))
      return std::nullopt;
  // A region needs the whole of a tensor that it captures.
  std::size_t shaped =
      nest.inputs.size() + (nest.beginsAsOperand ? nest.outputs.size() : 0);
  for (const ValueFacts *captured : llvm::drop_begin(operands, shaped))
    if (!captured->scalar && (captured->layout != Layout() ||
                              Box::whole(captured->shape).volume() == 0))
      return std::nullopt;
  for (const ValueFacts *each : operands)
    if (nest.form == LoopNest::OnTensors && !each->scalar &&
        each->layout != operands[0]->layout)
      return std::nullopt;
  double terms = termsOf(nest, *extents);
  if (!combinesInAnyOrder(nest, *extents, exact) &&
      !reducesWhole(nest, operands))
    return std::nullopt;
  Bounds bounds(nest, operands, *extents, exact);
  std::vector<ValueFacts> results;
  for (auto [i, map] : llvm::enumerate(nest.outputs)) {
    const Expr &body = nest.bodies[i];
    const ValueFacts *init =
        nest.beginsAsOperand ? operands[nest.inputs.size() + i] : nullptr;
    double begin = init                  ? init->most
                   : nest.begins.empty() ? 0
                                         : std::fabs(nest.begins[i].value);
    // Of what reduces entries, every point but the last is overwritten.
    if (terms > 1 && !nest.usesAccumulator())
      return std::nullopt;
    auto most = bounds.of(body, addsUp(body) ? 0 : begin);
    if (!most || map.size() > kMaxRank || !writesOnce(nest, map, *extents))
      return std::nullopt;
    *most = addsUp(body) ? begin + terms * *most : std::max(begin, *most);
    if (!mayReach(body.type, *most, exact))
      return std::nullopt;
    Extents shape;
    for (const AffineIndex &index : map) {
      std::optional<Range> values = rangeOf(index, *extents);
      if (!values)
        return std::nullopt;
      shape.push_back(values->end +
                      (index.form == AffineIndex::Plain ? 0 : nest.slack));
    }
    results.push_back(factsWith(step, shape, body.type, *most));
    if (i == 1)
      results[1].layout = step.secondLayout;
    if (nest.form == LoopNest::OnTensors)
      results[0].layout = operands[0]->layout;
    if (!init)
      continue;
    if (init->scalar || init->type != body.type ||
        !fits(map, *extents, init->shape))
      return std::nullopt;
    results[i].shape = init->shape;
    results[i].layout = init->layout;
  }
  if (results.size() == 2)
    results[0].second = std::make_shared<const ValueFacts>(results[1]);
  return results[0];
}

Step elementwise(std::vector<unsigned> operands, std::size_t rank, Expr body) {
  Step step{&nestKind, std::move(operands)};
  LoopNest &nest = step.nest.emplace();
  nest.isChecked = true;
  nest.loops.resize(rank);
  nest.inputs.assign(step.operands.size(), plainIndices(rank));
  nest.outputs = {plainIndices(rank)};
  nest.begins.clear();
  nest.bodies = {std::move(body)};
  return step;
}

} // namespace npu
