// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that are known in part.

#include "ShapeValues.h"

#include "GraphImport.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace npu {
namespace {

constexpr int64_t kUnknown = ShapedType::kDynamic;

/// Shapes have no more extents than this, and neither have lists of them.
constexpr std::size_t kMostNumbers = 64;

std::optional<PartlyKnown> concatRule(const NodeImport &node) {
  PartlyKnown all;
  for (unsigned number = 0; number < node.operandCount(); ++number) {
    auto part = partlyKnownOperand(node, number);
    if (!part)
      return std::nullopt;
    all.append(*part);
  }
  return all;
}

std::optional<PartlyKnown> shapeRule(const NodeImport &node) {
  ArrayRef<int64_t> shape = node.operand(0).shape();
  auto rank = static_cast<int64_t>(shape.size());
  auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamped(node.integer("start", 0));
  int64_t end = clamped(node.integer("end", rank));
  return PartlyKnown(shape.slice(start, std::max<int64_t>(0, end - start)));
}

std::optional<PartlyKnown> gatherRule(const NodeImport &node) {
  auto numbers = partlyKnownOperand(node, 0);
  auto indices = partlyKnownOperand(node, 1);
  if (!numbers || !indices || node.operand(0).rank() != 1)
    return std::nullopt;
  PartlyKnown found;
  auto count = static_cast<int64_t>(numbers->size());
  for (int64_t index : *indices) {
    if (index == kUnknown || index < -count || index >= count)
      return std::nullopt;
    found.push_back((*numbers)[index < 0 ? index + count : index]);
  }
  return found;
}

/// One start and one end, and steps of 1.
std::optional<PartlyKnown> sliceRule(const NodeImport &node) {
  auto numbers = partlyKnownOperand(node, 0);
  if (!numbers || node.operand(0).rank() != 1 || node.operandCount() < 3)
    return std::nullopt;
  auto starts = partlyKnownOperand(node, 1), ends = partlyKnownOperand(node, 2);
  if (!starts || !ends || starts->size() != 1 || ends->size() != 1 ||
      starts->front() == kUnknown || ends->front() == kUnknown)
    return std::nullopt;
  if (node.has(4)) {
    auto steps = partlyKnownOperand(node, 4);
    if (!steps || *steps != PartlyKnown{1})
      return std::nullopt;
  }
  auto count = static_cast<int64_t>(numbers->size());
  auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
  };
  int64_t start = clamped(starts->front()), end = clamped(ends->front());
  return PartlyKnown(
      ArrayRef(*numbers).slice(start, std::max<int64_t>(0, end - start)));
}

/// The arithmetic on two lists, one of which may have one number for all.
std::optional<PartlyKnown> arithmeticRule(
    const NodeImport &node,
    llvm::function_ref<std::optional<int64_t>(int64_t, int64_t)> compute) {
  auto left = partlyKnownOperand(node, 0), right = partlyKnownOperand(node, 1);
  if (!left || !right || left->empty() || right->empty())
    return std::nullopt;
  std::size_t count = std::max(left->size(), right->size());
  PartlyKnown results;
  for (std::size_t at = 0; at < count; ++at) {
    int64_t a = (*left)[left->size() == 1 ? 0 : at % left->size()];
    int64_t b = (*right)[right->size() == 1 ? 0 : at % right->size()];
    std::optional<int64_t> result;
    if (a != kUnknown && b != kUnknown)
      result = compute(a, b);
    results.push_back(result.value_or(kUnknown));
  }
  return results;
}

std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::nullopt : std::optional(sum);
}

std::optional<int64_t> checkedSub(int64_t a, int64_t b) {
  int64_t rest;
  return llvm::SubOverflow(a, b, rest) ? std::nullopt : std::optional(rest);
}

std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::nullopt
                                          : std::optional(product);
}

std::optional<int64_t> checkedDiv(int64_t a, int64_t b) {
  if (b <= 0)
    return std::nullopt;
  return a / b;
}

} // namespace

std::optional<PartlyKnown> partlyKnownOperand(const NodeImport &node,
                                              unsigned number) {
  if (!node.has(number))
    return std::nullopt;
  const OnnxTensor &operand = node.operand(number);
  std::optional<PartlyKnown> numbers;
  if (auto constants =
          TensorBuilder::integersOf(operand.value, operand.element))
    numbers = *constants;
  else
    numbers = node.graph.partlyKnown(operand.value);
  if (numbers && (numbers->size() > kMostNumbers ||
                  llvm::any_of(*numbers, [](int64_t number) {
                    return number < -kMostElements && number != kUnknown;
                  })))
    return std::nullopt;
  return numbers;
}

std::optional<PartlyKnown> partlyKnownResult(const NodeImport &node) {
  using Rule = std::optional<PartlyKnown> (*)(const NodeImport &);
  Rule same = [](const NodeImport &each) {
    return partlyKnownOperand(each, 0);
  };
  Rule add = [](const NodeImport &each) {
    return arithmeticRule(each, checkedAdd);
  };
  Rule sub = [](const NodeImport &each) {
    return arithmeticRule(each, checkedSub);
  };
  Rule mul = [](const NodeImport &each) {
    return arithmeticRule(each, checkedMul);
  };
  Rule div = [](const NodeImport &each) {
    return arithmeticRule(each, checkedDiv);
  };
  auto rule = llvm::StringSwitch<Rule>(node.node.op_type())
                  .Case("Shape", shapeRule)
                  .Case("Concat", concatRule)
                  .Case("Gather", gatherRule)
                  .Case("Slice", sliceRule)
                  .Cases({"Squeeze", "Unsqueeze", "Reshape"}, same)
                  .Cases({"Cast", "Identity"}, same)
                  .Case("Add", add)
                  .Case("Sub", sub)
                  .Case("Mul", mul)
                  .Case("Div", div)
                  .Default(nullptr);
  if (!rule || !node.has(0))
    return std::nullopt;
  return rule(node);
}

} // namespace npu
