// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activation functions of single numbers, each one operation, so that a device
// sees it whole.

#include "Activations.h"

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

using Comparison::Greater;
using Comparison::Less;

/// One operation with `body` of operand 0's elements.
template <typename Body>
LogicalResult buildMap(NodeImport &node, Body body) {
  return node.setMapped(
      [&](ScalarBuilder &s, ValueRange v) { return body(s, v[0]); });
}

Value zeroOf(ScalarBuilder &s, Value x) { return s.constant(x.getType(), 0); }
Value oneOf(ScalarBuilder &s, Value x) { return s.constant(x.getType(), 1); }

//===----------------------------------------------------------------------===//
// Functions that recurrent operators have as well
//===----------------------------------------------------------------------===//

/// alpha * (exp(x) - 1) below zero.
Value exponentialBelow(ScalarBuilder &s, Value x, double alpha) {
  Value grown = s.sub(s.create<math::ExpOp>(x), oneOf(s, x));
  return s.mul(s.constant(x.getType(), alpha), grown);
}

Value relu(ScalarBuilder &s, Value x, double, double) {
  return s.max(x, zeroOf(s, x));
}

Value sigmoid(ScalarBuilder &s, Value x, double, double) {
  return scalarSigmoid(s, x);
}

Value hyperbolicTangent(ScalarBuilder &s, Value x, double, double) {
  return s.create<math::TanhOp>(x);
}

Value affine(ScalarBuilder &s, Value x, double alpha, double beta) {
  return s.add(s.mul(s.constant(x.getType(), alpha), x),
               s.constant(x.getType(), beta));
}

Value leakyRelu(ScalarBuilder &s, Value x, double alpha, double) {
  Value scaled = s.mul(x, s.constant(x.getType(), alpha));
  return s.select(s.compare(Less, x, zeroOf(s, x)), scaled, x);
}

Value thresholdedRelu(ScalarBuilder &s, Value x, double alpha, double) {
  return s.select(s.compare(Less, x, s.constant(x.getType(), alpha)),
                  zeroOf(s, x), x);
}

Value scaledTangent(ScalarBuilder &s, Value x, double alpha, double beta) {
  Value scaled = s.mul(s.constant(x.getType(), beta), x);
  return s.mul(s.constant(x.getType(), alpha), s.create<math::TanhOp>(scaled));
}

Value elu(ScalarBuilder &s, Value x, double alpha, double) {
  return s.select(s.compare(Less, x, zeroOf(s, x)),
                  exponentialBelow(s, x, alpha), x);
}

Value softsign(ScalarBuilder &s, Value x, double, double) {
  return s.div(x, s.add(oneOf(s, x), s.abs(x)));
}

/// log(1 + exp(x)) without overflow: max(x, 0) + log(1 + exp(-|x|)).
Value softplus(ScalarBuilder &s, Value x, double, double) {
  Value small = s.create<math::ExpOp>(s.neg(s.abs(x)));
  Value rest = s.create<math::Log1pOp>(small);
  return s.add(s.max(x, zeroOf(s, x)), rest);
}

const ActivationFunction kFunctions[] = {
    {"Relu", relu},
    {"Tanh", hyperbolicTangent},
    {"Sigmoid", sigmoid},
    {"Affine", affine, 1, 0, /*takesAlpha=*/true, /*takesBeta=*/true},
    {"LeakyRelu", leakyRelu, 0.01, 0, /*takesAlpha=*/true},
    {"ThresholdedRelu", thresholdedRelu, 1, 0, /*takesAlpha=*/true},
    {"ScaledTanh", scaledTangent, 1, 1, /*takesAlpha=*/true,
     /*takesBeta=*/true},
    {"HardSigmoid", scalarHardSigmoid, 0.2, 0.5, /*takesAlpha=*/true,
     /*takesBeta=*/true},
    {"Elu", elu, 1, 0, /*takesAlpha=*/true},
    {"Softsign", softsign},
    {"Softplus", softplus},
};

/// The operator that has the function's name.
LogicalResult buildNamed(NodeImport &node) {
  const ActivationFunction &known = *findActivation(node.node.op_type());
  double alpha = node.real("alpha", known.alpha),
         beta = node.real("beta", known.beta);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    return known.function(s, x, alpha, beta);
  });
}

//===----------------------------------------------------------------------===//
// Other functions
//===----------------------------------------------------------------------===//

/// x * sigmoid(alpha * x)
LogicalResult buildSelfGated(NodeImport &node, double defaultAlpha) {
  double alpha = node.real("alpha", defaultAlpha);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value scaled = alpha == 1 ? x : s.mul(s.constant(x.getType(), alpha), x);
    return s.mul(x, scalarSigmoid(s, scaled));
  });
}

LogicalResult buildSwish(NodeImport &node) { return buildSelfGated(node, 1.0); }

LogicalResult buildQuickGelu(NodeImport &node) {
  return buildSelfGated(node, 1.702);
}

LogicalResult buildHardSwish(NodeImport &node) {
  return buildMap(node, [](ScalarBuilder &s, Value x) {
    return s.mul(x, scalarHardSigmoid(s, x, 1.0 / 6, 0.5));
  });
}

LogicalResult buildThresholdedRelu(NodeImport &node) {
  double alpha = node.real("alpha", 1.0);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value bound = s.constant(x.getType(), alpha);
    return s.select(s.compare(Greater, x, bound), x, zeroOf(s, x));
  });
}

LogicalResult buildSelu(NodeImport &node) {
  double alpha = node.real("alpha", 1.67326319217681884765625);
  double gamma = node.real("gamma", 1.05070102214813232421875);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value inner = s.select(s.compare(Greater, x, zeroOf(s, x)), x,
                           exponentialBelow(s, x, alpha));
    return s.mul(s.constant(x.getType(), gamma), inner);
  });
}

LogicalResult buildCelu(NodeImport &node) {
  double alpha = node.real("alpha", 1.0);
  if (alpha == 0)
    return node.error() << "expected alpha other than 0";
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value zero = zeroOf(s, x);
    Value scaled = s.div(x, s.constant(x.getType(), alpha));
    Value below = s.min(zero, exponentialBelow(s, scaled, alpha));
    return s.add(s.max(zero, x), below);
  });
}

LogicalResult buildMish(NodeImport &node) {
  return buildMap(node, [](ScalarBuilder &s, Value x) {
    return s.mul(x, s.create<math::TanhOp>(softplus(s, x, 0, 0)));
  });
}

LogicalResult buildGelu(NodeImport &node) {
  std::string kind = node.text("approximate", "none");
  if (kind != "none" && kind != "tanh")
    return node.error() << "expected none or tanh as approximate, got '" << kind
                        << "'";
  bool isTanh = kind == "tanh";
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    return scalarGelu(s, x, isTanh);
  });
}

/// The GELU of operand 0, to which operand 1 is added first where it is there.
LogicalResult buildBiasGelu(NodeImport &node, bool isTanh) {
  const OnnxTensor &x = node.operand(0);
  if (!isFloat(x.element))
    return node.error() << "expected floats, got " << NodeImport::describe(x);
  SmallVector<Value> operands{x.value};
  if (node.has(1))
    operands.push_back(node.operand(1).value);
  return node.setResult(0, node.build.map(operands, x.elementType(),
                                          [&](ScalarBuilder &s, ValueRange v) {
                                            Value sum = v.size() == 1
                                                            ? v[0]
                                                            : s.add(v[0], v[1]);
                                            return scalarGelu(s, sum, isTanh);
                                          }));
}

LogicalResult buildExactGelu(NodeImport &node) {
  return buildBiasGelu(node, /*isTanh=*/false);
}

LogicalResult buildFastGelu(NodeImport &node) {
  return buildBiasGelu(node, /*isTanh=*/true);
}

LogicalResult buildShrink(NodeImport &node) {
  double bias = node.real("bias", 0.0), lambd = node.real("lambd", 0.5);
  OnnxElement element = node.operand(0).element;
  bool isFloatElement = isFloat(element);
  // Integers are compared and moved as floats.
  OnnxElement computed = isFloatElement ? element : OnnxElement::Double;
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    ScalarBuilder wide(s.builder, s.loc, computed);
    Value number = s.cast(x, computed);
    Type type = number.getType();
    Value moved = s.constant(type, bias);
    Value result = s.select(
        s.compare(Less, number, s.constant(type, -lambd)), s.add(number, moved),
        s.select(s.compare(Greater, number, s.constant(type, lambd)),
                 s.sub(number, moved), s.constant(type, 0)));
    return wide.cast(result, element);
  });
}

LogicalResult buildPRelu(NodeImport &node) {
  // Before version 7 a vector of slopes was one for each channel.
  const OnnxTensor &x = node.operand(0), &slope = node.operand(1);
  Value slopes = slope.value;
  if (x.rank() > 2 && slope.rank() == 1 && slope.shape()[0] == x.shape()[1] &&
      !broadcastShape(x.shape(), slope.shape())) {
    SmallVector<int64_t> shape(x.rank() - 1, 1);
    shape[0] = slope.shape()[0];
    slopes = node.build.reshape(slopes, shape);
  }
  return node.setResult(
      0, node.build.map({x.value, slopes}, x.elementType(),
                        [](ScalarBuilder &s, ValueRange v) {
                          Value scaled = s.mul(v[0], v[1]);
                          Value below = s.compare(Less, v[0], zeroOf(s, v[0]));
                          return s.select(below, scaled, v[0]);
                        }));
}

/// Bounds are attributes before version 11 and operands since.
LogicalResult buildClip(NodeImport &node) {
  Value result = node.operand(0).value;
  Type type = node.operand(0).elementType();
  auto clip = [&](unsigned operand, StringRef name, bool isLow) {
    Value bound;
    if (node.has(operand))
      bound = node.operand(operand).value;
    else if (node.hasAttribute(name))
      bound = node.build.splat(type, node.real(name, 0));
    if (!bound || !result)
      return;
    result = node.build.map(
        {result, bound}, type, [&](ScalarBuilder &s, ValueRange v) {
          return isLow ? s.max(v[0], v[1]) : s.min(v[0], v[1]);
        });
  };
  clip(1, "min", /*isLow=*/true);
  clip(2, "max", /*isLow=*/false);
  return node.setResult(0, result);
}

} // namespace

const ActivationFunction *findActivation(StringRef name) {
  const ActivationFunction *found =
      llvm::find_if(kFunctions, [&](const ActivationFunction &each) {
        return name.equals_insensitive(each.name);
      });
  return found == std::end(kFunctions) ? nullptr : found;
}

Value scalarSigmoid(ScalarBuilder &s, Value x) {
  // 1 / (1 + exp(-x)): the exponential overflows to infinity, whose reciprocal
  // is the 0 that it should be.
  Value one = oneOf(s, x);
  return s.div(one, s.add(one, s.create<math::ExpOp>(s.neg(x))));
}

Value scalarHardSigmoid(ScalarBuilder &s, Value x, double alpha, double beta) {
  Value line = s.add(s.mul(x, s.constant(x.getType(), alpha)),
                     s.constant(x.getType(), beta));
  return s.max(zeroOf(s, x), s.min(oneOf(s, x), line));
}

Value scalarGelu(ScalarBuilder &s, Value x, bool isTanh) {
  Type type = x.getType();
  Value inner;
  if (isTanh) {
    // sqrt(2 / pi) * (x + 0.044715 * x^3)
    Value cube = s.mul(s.mul(x, x), x);
    Value sum = s.add(x, s.mul(s.constant(type, 0.044715), cube));
    inner = s.create<math::TanhOp>(
        s.mul(s.constant(type, 0.79788456080286535588), sum));
  } else {
    inner = s.create<math::ErfOp>(
        s.mul(x, s.constant(type, 0.70710678118654752440)));
  }
  Value half = s.mul(s.constant(type, 0.5), x);
  return s.mul(half, s.add(inner, oneOf(s, x)));
}

void addActivations(OperatorTable &table) {
  table.add("Relu", 1, buildNamed);
  table.add("Sigmoid", 1, buildNamed);
  table.add("Swish", 1, buildSwish);
  table.add("HardSigmoid", 1, buildNamed);
  table.add("HardSwish", 1, buildHardSwish);
  table.add("LeakyRelu", 1, buildNamed);
  table.add("ThresholdedRelu", 1, buildThresholdedRelu);
  table.add("Elu", 1, buildNamed);
  table.add("Selu", 1, buildSelu);
  table.add("Celu", 1, buildCelu);
  table.add("Softplus", 1, buildNamed);
  table.add("Softsign", 1, buildNamed);
  table.add("Mish", 1, buildMish);
  table.add("Gelu", 1, buildGelu);
  table.add("Shrink", 1, buildShrink);
  table.add("PRelu", 2, buildPRelu);
  table.add("Clip", 1, buildClip);
  table.addMicrosoft("Gelu", 1, buildExactGelu);
  table.addMicrosoft("BiasGelu", 2, buildExactGelu);
  table.addMicrosoft("FastGelu", 1, buildFastGelu);
  table.addMicrosoft("QuickGelu", 1, buildQuickGelu);
}

} // namespace npu
