// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch normalization: a factor and a shift for each channel, which become a
// part of a convolution where one is in front of it.

#include "../Graph/OperatorTable.h"
#include "FoldIntoWeights.h"
#include "Moments.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// Tries to make the normalization a part of the convolution in front of it.
FailureOr<bool> foldBatchNormalization(NodeImport &node) {
  if (!canFoldIntoWeights(node, 0))
    return false;
  std::vector<double> numbers[4];
  for (unsigned operand = 1; operand < 5; ++operand) {
    auto found = constantNumbers(node.operand(operand));
    if (!found)
      return false;
    numbers[operand - 1] = *found;
  }
  double epsilon = node.real("epsilon", 1e-5);
  auto &[scale, shift, mean, variance] = numbers;
  SmallVector<double> factors, shifts;
  for (std::size_t channel = 0; channel < scale.size(); ++channel) {
    double factor = scale[channel] / std::sqrt(variance[channel] + epsilon);
    factors.push_back(factor);
    shifts.push_back(shift[channel] - mean[channel] * factor);
    if (!std::isfinite(factor) || !std::isfinite(shifts.back()))
      return false;
  }
  return foldIntoWeights(node, 0, factors, shifts);
}

/// The running means of mean and variance after this batch.
LogicalResult setRunning(NodeImport &node, const Moments &moments) {
  double momentum = node.real("momentum", 0.9);
  for (unsigned result = 1; result < 3; ++result) {
    const OnnxTensor &before = node.operand(result + 2);
    Value now = node.build.reshape(
        result == 1 ? moments.mean : moments.variance, before.shape());
    Type type = before.elementType();
    now = node.build.convert(now, node.operand(0).element, before.element);
    Value running = node.build.map(
        {before.value, now}, type, [&](ScalarBuilder &s, ValueRange v) {
          return s.add(s.mul(v[0], s.constant(type, momentum)),
                       s.mul(v[1], s.constant(type, 1 - momentum)));
        });
    if (failed(node.setResult(result, running, before.element)))
      return failure();
  }
  return success();
}

LogicalResult buildBatchNormalization(NodeImport &node) {
  if (failed(checkFloats(node, 2)))
    return failure();
  const OnnxTensor &x = node.operand(0);
  int64_t rank = x.rank(), channels = x.shape()[1];
  SmallVector<Value> parameters;
  for (unsigned operand = 1; operand < 5; ++operand) {
    FailureOr<Value> numbers = ofChannels(node, operand, rank, channels);
    if (failed(numbers))
      return failure();
    parameters.push_back(*numbers);
  }
  bool isTraining = node.integer("training_mode", 0) != 0;
  Value mean = parameters[2], variance = parameters[3];
  if (isTraining) {
    SmallVector<int64_t> dims = dimsFrom(2, rank);
    dims.insert(dims.begin(), 0);
    FailureOr<Moments> moments = momentsOf(node, x.value, dims);
    if (failed(moments) || failed(setRunning(node, *moments)))
      return failure();
    mean = moments->mean;
    variance = moments->variance;
  } else {
    if (node.resultCount() > 1 && node.wants(1))
      return node.error() << "expected one result without training_mode, got "
                          << node.resultCount();
    FailureOr<bool> folded = foldBatchNormalization(node);
    if (failed(folded))
      return failure();
    if (*folded)
      return success();
  }
  TensorBuilder &build = node.build;
  Value factor = product(
      build, inverseDeviation(build, variance, node.real("epsilon", 1e-5)),
      parameters[0]);
  Value shift = build.map({parameters[1], mean, factor}, x.elementType(),
                          [](ScalarBuilder &s, ValueRange v) {
                            return s.sub(v[0], s.mul(v[1], v[2]));
                          });
  return node.setResult(0, build.map({x.value, factor, shift}, x.elementType(),
                                     [](ScalarBuilder &s, ValueRange v) {
                                       return s.add(s.mul(v[0], v[1]), v[2]);
                                     }));
}

} // namespace

void addBatchNormalization(OperatorTable &table) {
  table.add("BatchNormalization", 5, buildBatchNormalization);
}

} // namespace npu
