// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The activation functions of recurrent operators, by name.

#include "RecurrentActivations.h"

#include "Activations.h"

using namespace mlir;

namespace npu {
namespace {

Value zeroOf(ScalarBuilder &s, Value x) { return s.constant(x.getType(), 0); }
Value oneOf(ScalarBuilder &s, Value x) { return s.constant(x.getType(), 1); }
Value numberOf(ScalarBuilder &s, Value x, double number) {
  return s.constant(x.getType(), number);
}

Value relu(ScalarBuilder &s, Value x, double, double) {
  return s.max(x, zeroOf(s, x));
}
Value hyperbolicTangent(ScalarBuilder &s, Value x, double, double) {
  return s.create<math::TanhOp>(x);
}
Value sigmoid(ScalarBuilder &s, Value x, double, double) {
  return scalarSigmoid(s, x);
}
Value affine(ScalarBuilder &s, Value x, double alpha, double beta) {
  return s.add(s.mul(numberOf(s, x, alpha), x), numberOf(s, x, beta));
}
Value leakyRelu(ScalarBuilder &s, Value x, double alpha, double) {
  return s.select(s.compare(Comparison::Less, x, zeroOf(s, x)),
                  s.mul(numberOf(s, x, alpha), x), x);
}
Value thresholdedRelu(ScalarBuilder &s, Value x, double alpha, double) {
  return s.select(s.compare(Comparison::Less, x, numberOf(s, x, alpha)),
                  zeroOf(s, x), x);
}
Value scaledTangent(ScalarBuilder &s, Value x, double alpha, double beta) {
  return s.mul(numberOf(s, x, alpha),
               s.create<math::TanhOp>(s.mul(numberOf(s, x, beta), x)));
}
Value hardSigmoid(ScalarBuilder &s, Value x, double alpha, double beta) {
  return scalarHardSigmoid(s, x, alpha, beta);
}
Value elu(ScalarBuilder &s, Value x, double alpha, double) {
  Value below = s.mul(numberOf(s, x, alpha),
                      s.sub(s.create<math::ExpOp>(x), oneOf(s, x)));
  return s.select(s.compare(Comparison::Less, x, zeroOf(s, x)), below, x);
}
Value softsign(ScalarBuilder &s, Value x, double, double) {
  return s.div(x, s.add(oneOf(s, x), s.abs(x)));
}
Value softplus(ScalarBuilder &s, Value x, double, double) {
  Value small = s.create<math::ExpOp>(s.neg(s.abs(x)));
  return s.add(s.max(x, zeroOf(s, x)), s.create<math::Log1pOp>(small));
}

/// A function, how many of the lists' numbers it takes, and what they are where
/// the lists are too short.
struct Known {
  StringRef name;
  RecurrentActivation activation;
  bool takesAlpha = false, takesBeta = false;
};

const Known kKnown[] = {
    {"relu", {relu}},
    {"tanh", {hyperbolicTangent}},
    {"sigmoid", {sigmoid}},
    {"affine", {affine, 1, 0}, true, true},
    {"leakyrelu", {leakyRelu, 0.01}, true, false},
    {"thresholdedrelu", {thresholdedRelu, 1}, true, false},
    {"scaledtanh", {scaledTangent, 1, 1}, true, true},
    {"hardsigmoid", {hardSigmoid, 0.2, 0.5}, true, true},
    {"elu", {elu, 1}, true, false},
    {"softsign", {softsign}},
    {"softplus", {softplus}},
};

} // namespace

FailureOr<SmallVector<RecurrentActivation>>
recurrentActivations(NodeImport &node, ArrayRef<StringRef> defaults,
                     int64_t directions) {
  std::vector<std::string> names = node.texts("activations");
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.insert(names.end(), defaults.begin(), defaults.end());
  std::size_t wanted = defaults.size() * directions;
  if (names.size() != wanted)
    return node.error() << "expected " << wanted << " activations, got "
                        << names.size();
  SmallVector<double> alphas =
      node.reals("activation_alpha").value_or(SmallVector<double>());
  SmallVector<double> betas =
      node.reals("activation_beta").value_or(SmallVector<double>());
  // Only functions that have such a number take one of a list.
  std::size_t nextAlpha = 0, nextBeta = 0;
  SmallVector<RecurrentActivation> activations;
  for (StringRef name : names) {
    const Known *known = llvm::find_if(kKnown, [&](const Known &each) {
      return name.equals_insensitive(each.name);
    });
    if (known == std::end(kKnown))
      return node.error() << "no activation function has the name '" << name
                          << "'";
    RecurrentActivation activation = known->activation;
    if (known->takesAlpha && nextAlpha < alphas.size())
      activation.alpha = alphas[nextAlpha++];
    if (known->takesBeta && nextBeta < betas.size())
      activation.beta = betas[nextBeta++];
    activations.push_back(activation);
  }
  return activations;
}

} // namespace npu
