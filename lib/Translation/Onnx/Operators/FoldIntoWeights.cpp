// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled weights and biases.

#include "FoldIntoWeights.h"

#include "../Graph/GraphImport.h"

#include <cstring>

using namespace mlir;

namespace npu {
namespace {

/// Weights of more elements than this are not copied.
constexpr int64_t kMostScaledElements = int64_t(1) << 26;

template <typename Number>
void readNumbers(ArrayRef<char> bytes, std::vector<double> &numbers) {
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size();
       at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, &bytes[at], sizeof(Number));
    numbers.push_back(number);
  }
}

/// The channel of the result that each weight belongs to: weights are
/// M x C/group x ..., or C x M/group x ... of a transposed convolution.
int64_t channelOf(ArrayRef<int64_t> position, ArrayRef<int64_t> shape,
                  bool isTransposed, int64_t groups) {
  if (!isTransposed)
    return position[0];
  return position[0] / (shape[0] / groups) * shape[1] + position[1];
}

/// One number for each of `channels`; nothing where there are others.
std::optional<SmallVector<double>> forChannels(ArrayRef<double> numbers,
                                               int64_t channels) {
  if (static_cast<int64_t>(numbers.size()) == channels)
    return SmallVector<double>(numbers);
  if (numbers.size() == 1)
    return SmallVector<double>(channels, numbers[0]);
  return std::nullopt;
}

/// Whether all of a shape's extents are 1 but that of the channels, which are
/// dimension 1 of `rank`.
bool isOfChannels(ArrayRef<int64_t> shape, int64_t rank) {
  int64_t after = rank - static_cast<int64_t>(shape.size());
  if (after < 0)
    return false;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent != 1 && after + static_cast<int64_t>(dim) != 1)
      return false;
  return true;
}

} // namespace

std::optional<std::vector<double>> constantNumbers(const OnnxTensor &tensor) {
  ElementsAttr elements = TensorBuilder::constantOf(tensor.value);
  bool isKnown = tensor.element == OnnxElement::Float ||
                 tensor.element == OnnxElement::Double;
  if (!elements || !isKnown || elements.getNumElements() > kMostScaledElements)
    return std::nullopt;
  std::optional<TensorData> data = fromElements(elements, tensor.element);
  if (!data)
    return std::nullopt;
  std::vector<double> numbers;
  if (tensor.element == OnnxElement::Float)
    readNumbers<float>(data->bytes, numbers);
  else
    readNumbers<double>(data->bytes, numbers);
  return numbers;
}

void recordFoldable(NodeImport &node, NodeImport &convolution,
                    const ConvolutionOperands &operands) {
  auto isConstant = [](const OnnxTensor &tensor) {
    return TensorBuilder::constantOf(tensor.value) != nullptr;
  };
  if (!node.graph.importSession().fold || !isConstant(operands.weights) ||
      (operands.bias && !isConstant(*operands.bias)) || !node.wants(0))
    return;
  BuiltNode built{
      &convolution.node, convolution.loc, {operands.image, operands.weights}};
  if (operands.bias)
    built.operands.push_back(*operands.bias);
  node.graph.setBuilt(node.node.output(0), std::move(built));
}

bool canFoldIntoWeights(NodeImport &node, unsigned operand) {
  const std::string &name = node.node.input(static_cast<int>(operand));
  return node.graph.importSession().fold && node.graph.builtNode(name) &&
         node.graph.onlyUse(name) == &node.node;
}

FailureOr<bool> foldIntoWeights(NodeImport &node, unsigned operand,
                                ArrayRef<double> factors,
                                ArrayRef<double> shifts) {
  if (!canFoldIntoWeights(node, operand))
    return false;
  BuiltNode built =
      *node.graph.builtNode(node.node.input(static_cast<int>(operand)));
  bool isTransposed = built.node->op_type() == "ConvTranspose";
  const OnnxTensor &weights = built.operands[1];
  std::optional<std::vector<double>> numbers = constantNumbers(weights);
  int64_t channels = node.operand(operand).shape()[1];
  auto factor = forChannels(factors, channels);
  auto shift = forChannels(shifts, channels);
  if (!numbers || !factor || !shift)
    return false;
  std::vector<double> bias(channels, 0);
  if (built.operands.size() > 2) {
    auto given = constantNumbers(built.operands[2]);
    if (!given)
      return false;
    bias = *given;
  }

  NodeImport convolution(node.graph, *built.node,
                         node.build.builder.getFusedLoc({built.loc, node.loc}),
                         node.build.builder);
  int64_t groups = convolution.integer("group", 1);
  auto next = numbers->begin();
  forEachPosition(weights.shape(), [&](ArrayRef<int64_t> position) {
    *next++ *=
        (*factor)[channelOf(position, weights.shape(), isTransposed, groups)];
  });
  for (int64_t channel = 0; channel < channels; ++channel)
    bias[channel] = bias[channel] * (*factor)[channel] + (*shift)[channel];
  ConvolutionOperands operands{
      built.operands[0],
      {convolution.build.numbers(*numbers, weights.shape(), weights.element),
       weights.element},
      OnnxTensor{convolution.build.numbers(bias, {channels}, weights.element),
                 weights.element}};
  FailureOr<Value> result =
      isTransposed ? buildTransposedConvolution(convolution, operands)
                   : buildConvolution(convolution, operands);
  if (failed(result))
    return failure();
  node.remark() << "folded into " << node.graph.describe(*built.node)
                << ": bits may change";
  recordFoldable(node, convolution, operands);
  if (failed(node.setResult(0, *result)))
    return failure();
  return true;
}

FailureOr<bool> foldArithmetic(NodeImport &node) {
  if (node.operandCount() != 2 || !node.has(1))
    return false;
  StringRef kind = node.node.op_type();
  bool isCommutative = kind == "Add" || kind == "Mul";
  unsigned made = isCommutative && !canFoldIntoWeights(node, 0) ? 1 : 0;
  if (!canFoldIntoWeights(node, made))
    return false;
  const OnnxTensor &other = node.operand(1 - made);
  if (!isOfChannels(other.shape(), node.operand(made).rank()))
    return false;
  std::optional<std::vector<double>> numbers = constantNumbers(other);
  if (!numbers)
    return false;
  bool isProduct = kind == "Mul" || kind == "Div";
  for (double &number : *numbers) {
    if (kind == "Div")
      number = 1 / number;
    else if (kind == "Sub")
      number = -number;
    if (!std::isfinite(number))
      return false;
  }
  return isProduct ? foldIntoWeights(node, made, *numbers, {0.0})
                   : foldIntoWeights(node, made, {1.0}, *numbers);
}

} // namespace npu
