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
Entries reshaped(NodeImport &node, Entries entries, const OnnxTensor &to) {
  if (!entries)
    return std::nullopt;
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes before = node.build.sizes(node.operand(0).value),
                       after = node.build.sizes(to.value);
  SmallVector<int64_t> steps;
  std::size_t next = 0;
  auto skipOnes = [&] {
    while (next < before.size() && isConstantIntValue(before[next], 1))
      ++next;
  };
  for (Number extent : after) {
    if (isConstantIntValue(extent, 1)) {
      steps.push_back(0);
      continue;
    }
    skipOnes();
    if (next == before.size() || !numbers.areEqual(extent, before[next]))
      return std::nullopt;
    steps.push_back(entries->steps[next++]);
  }
  skipOnes();
  if (next != before.size())
    return std::nullopt;
  return AffineEntries{entries->base, steps};
}

/// The entries repeated along dimensions in which they are one.
Entries expanded(NodeImport &node, Entries entries, const OnnxTensor &to) {
  if (!entries)
    return std::nullopt;
  Numbers numbers = node.build.numbersHere();
  TensorBuilder::Sizes before = node.build.sizes(node.operand(0).value),
                       after = node.build.sizes(to.value);
  SmallVector<int64_t> steps(after.size(), 0);
  std::size_t added = after.size() - before.size();
  for (std::size_t dim = 0; dim < before.size(); ++dim) {
    if (isConstantIntValue(before[dim], 1))
      continue;
    if (!numbers.areEqual(before[dim], after[added + dim]))
      return std::nullopt;
    steps[added + dim] = entries->steps[dim];
  }
  return AffineEntries{entries->base, steps};
}

/// A slice of a list from a position on, entry by entry.
Entries sliced(NodeImport &node, Entries entries) {
  auto starts = node.knownIntegers(1), steps = node.knownIntegers(4);
  bool isForward = !node.has(4) || (steps && steps->size() == 1 &&
                                    isConstantIntValue(steps->front(), 1));
  bool isList = node.operand(0).rank() == 1 && starts && starts->size() == 1;
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  if (!entries || !isForward || !isList ||
      !numbers.ensureAtLeast(starts->front(), 0))
    return std::nullopt;
  Number skipped =
      numbers.mul(starts->front(), numbers.constant(entries->steps.front()));
  entries->base = numbers.add(entries->base, skipped);
  return entries->base ? entries : std::nullopt;
}

/// What a node makes of its operands; `to` is its result.
Entries ofNode(NodeImport &node, const OnnxTensor &to, int left) {
  StringRef type = node.node.op_type();
  if (type == "Range")
    return ofRange(node);
  if (type == "Identity" || type == "Cast")
    return ofOperand(node, 0, left);
  if (type == "Reshape" || type == "Unsqueeze" || type == "Squeeze" ||
      type == "Flatten")
    return reshaped(node, ofOperand(node, 0, left), to);
  if (type == "Expand")
    return expanded(node, ofOperand(node, 0, left), to);
  if (type == "Slice")
    return sliced(node, ofOperand(node, 0, left));
  return std::nullopt;
}

Entries ofOperand(NodeImport &node, unsigned operand, int left) {
  if (!node.has(operand) || left == 0 || isFloat(node.operand(operand).element))
    return std::nullopt;
  const OnnxTensor &tensor = node.operand(operand);
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
