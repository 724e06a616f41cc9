// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AffineEntries.h"

#include "../Build/Positions.h"
#include "GraphImport.h"

using namespace mlir;

namespace npu {
namespace {

/// So many nodes are looked through, one after the other.
constexpr int kMostNodes = 32;

using Entries = std::optional<AffineEntries>;

Entries ofOperand(NodeImport &node, unsigned operand, int left);

/// A constant whose integers are affine.
Entries ofConstant(NodeImport &node, const OnnxTensor &tensor) {
  auto integers = constantPositions(tensor);
  if (!integers || integers->empty())
    return std::nullopt;
  AffineEntries entries{node.build.numbersHere().constant(integers->front()),
                        SmallVector<int64_t>(tensor.rank(), 0)};
  int64_t stride = 1;
  for (int64_t dim = tensor.rank() - 1; dim >= 0; --dim) {
    if (tensor.shape()[dim] > 1)
      entries.steps[dim] = (*integers)[stride] - integers->front();
    stride *= tensor.shape()[dim];
  }
  const int64_t *next = integers->begin();
  bool isAffine = true;
  forEachPosition(tensor.shape(), [&](ArrayRef<int64_t> at) {
    int64_t number = integers->front();
    for (auto [step, place] : llvm::zip_equal(entries.steps, at))
      number += step * place;
    isAffine &= *next++ == number;
  });
  return isAffine ? Entries(entries) : std::nullopt;
}

/// Integers that are known one by one, where there is only one of them.
Entries ofKnown(NodeImport &node, unsigned operand) {
  auto known = node.knownIntegers(operand);
  if (!known || known->size() != 1 || !known->front())
    return std::nullopt;
  return AffineEntries{known->front(),
                       SmallVector<int64_t>(node.operand(operand).rank(), 0)};
}

Entries ofRange(NodeImport &node) {
  auto first = node.knownIntegers(0), step = node.knownIntegers(2);
  std::optional<int64_t> each = step && step->size() == 1 && step->front()
                                    ? getConstantIntValue(step->front())
                                    : std::nullopt;
  if (!first || first->size() != 1 || !first->front() || !each)
    return std::nullopt;
  return AffineEntries{first->front(), {*each}};
}

/// The same entries in a shape that has more or fewer dimensions of one entry.
Entries reshaped(Numbers numbers, const AffineEntries &entries,
                 ArrayRef<Number> before, ArrayRef<Number> after) {
  SmallVector<std::size_t> from = dimensionsOfSeveral(before),
                           to = dimensionsOfSeveral(after);
  if (from.size() != to.size())
    return std::nullopt;
  AffineEntries result{entries.base, SmallVector<int64_t>(after.size(), 0)};
  for (auto [source, target] : llvm::zip_equal(from, to)) {
    if (!numbers.areEqual(before[source], after[target]))
      return std::nullopt;
    result.steps[target] = entries.steps[source];
  }
  return result;
}

/// The entries repeated along dimensions in which they are one.
Entries expanded(Numbers numbers, const AffineEntries &entries,
                 ArrayRef<Number> before, ArrayRef<Number> after) {
  std::size_t added = after.size() - before.size();
  AffineEntries result{entries.base, SmallVector<int64_t>(after.size(), 0)};
  for (std::size_t dim : dimensionsOfSeveral(before)) {
    if (!numbers.areEqual(before[dim], after[added + dim]))
      return std::nullopt;
    result.steps[added + dim] = entries.steps[dim];
  }
  return result;
}

/// A slice of a list from a position on, entry by entry.
Entries sliced(NodeImport &node, AffineEntries entries) {
  auto starts = node.knownIntegers(1), steps = node.knownIntegers(4);
  bool isForward = !node.has(4) || (steps && steps->size() == 1 &&
                                    isConstantIntValue(steps->front(), 1));
  bool isList = node.operand(0).rank() == 1 && starts && starts->size() == 1;
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  if (!isForward || !isList || !numbers.ensureAtLeast(starts->front(), 0))
    return std::nullopt;
  Number skipped =
      numbers.mul(starts->front(), numbers.constant(entries.steps.front()));
  entries.base = numbers.add(entries.base, skipped);
  return entries.base ? Entries(entries) : std::nullopt;
}

/// What a node makes of its operands; `to` is its result.
Entries ofNode(NodeImport &node, const OnnxTensor &to, int left) {
  StringRef type = node.node.op_type();
  if (type == "Range")
    return ofRange(node);
  bool keepsEntries = llvm::is_contained(
      {"Identity", "Cast", "Reshape", "Unsqueeze", "Squeeze", "Flatten"}, type);
  bool isKnown = keepsEntries || type == "Expand" || type == "Slice";
  Entries entries = isKnown ? ofOperand(node, 0, left) : std::nullopt;
  if (!entries)
    return std::nullopt;
  if (type == "Slice")
    return sliced(node, *entries);
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes before = node.build.sizes(node.operand(0).value),
                       after = node.build.sizes(to.value);
  return keepsEntries ? reshaped(numbers, *entries, before, after)
                      : expanded(numbers, *entries, before, after);
}

Entries ofOperand(NodeImport &node, unsigned operand, int left) {
  if (!node.has(operand) || left == 0)
    return std::nullopt;
  const OnnxTensor &tensor = node.operand(operand);
  // Positions may wrap around in shorter integers, and are 0 or 1 in booleans.
  if (tensor.element != OnnxElement::Int64 &&
      tensor.element != OnnxElement::Int32)
    return std::nullopt;
  if (Entries entries = ofConstant(node, tensor))
    return entries;
  if (Entries entries = ofKnown(node, operand))
    return entries;
  auto [graph, maker] =
      node.graph.producer(node.node.input(static_cast<int>(operand)));
  if (!maker)
    return std::nullopt;
  NodeImport made(*graph, *maker, node.loc, node.build.builder);
  return ofNode(made, tensor, left - 1);
}

/// Entries of a tensor whose last dimension has one entry, without that.
Entries withoutLast(Entries entries) {
  if (entries)
    entries->steps.pop_back();
  return entries;
}

} // namespace

SmallVector<std::size_t> dimensionsOfSeveral(ArrayRef<Number> extents) {
  SmallVector<std::size_t> dims;
  for (auto [dim, extent] : llvm::enumerate(extents))
    if (!isConstantIntValue(extent, 1))
      dims.push_back(dim);
  return dims;
}

std::optional<SmallVector<AffineEntries>> affineTuples(NodeImport &node,
                                                       unsigned operand) {
  const OnnxTensor &tensor = node.operand(operand);
  if (tensor.rank() == 0)
    return std::nullopt;
  SmallVector<AffineEntries> tuples;
  auto append = [&](NodeImport &of, unsigned number) {
    if (of.operand(number).shape().back() != 1)
      return false;
    Entries entries = withoutLast(ofOperand(of, number, kMostNodes));
    if (entries)
      tuples.push_back(*entries);
    return entries.has_value();
  };
  auto [graph, maker] =
      node.graph.producer(node.node.input(static_cast<int>(operand)));
  if (!maker || maker->op_type() != "Concat")
    return append(node, operand) ? std::optional(tuples) : std::nullopt;
  NodeImport made(*graph, *maker, node.loc, node.build.builder);
  int64_t axis = made.integer("axis", 0);
  if (axis != -1 && axis != tensor.rank() - 1)
    return std::nullopt;
  for (unsigned number = 0; number < made.operandCount(); ++number)
    if (!append(made, number))
      return std::nullopt;
  return tuples;
}

} // namespace npu
