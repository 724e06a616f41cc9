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
  return node.setResult(0, node.build.map(node.operand(0).value,
                                          node.operand(0).elementType(),
                                          [&](ScalarBuilder &s, ValueRange v) {
                                            return body(s, v[0]);
                                          }));
}

Value zeroOf(ScalarBuilder &s, Value x) { return s.constant(x.getType(), 0); }
Value oneOf(ScalarBuilder &s, Value x) { return s.constant(x.getType(), 1); }

LogicalResult buildRelu(NodeImport &node) {
  return buildMap(
      node, [](ScalarBuilder &s, Value x) { return s.max(x, zeroOf(s, x)); });
}

LogicalResult buildSigmoid(NodeImport &node) {
  return buildMap(node, scalarSigmoid);
}

LogicalResult buildSwish(NodeImport &node) {
  double alpha = node.real("alpha", 1.0);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value scaled = alpha == 1 ? x : s.mul(s.constant(x.getType(), alpha), x);
    return s.mul(x, scalarSigmoid(s, scaled));
  });
}

LogicalResult buildHardSigmoid(NodeImport &node) {
  double alpha = node.real("alpha", 0.2), beta = node.real("beta", 0.5);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    return scalarHardSigmoid(s, x, alpha, beta);
  });
}

LogicalResult buildHardSwish(NodeImport &node) {
  return buildMap(node, [](ScalarBuilder &s, Value x) {
    return s.mul(x, scalarHardSigmoid(s, x, 1.0 / 6, 0.5));
  });
}

LogicalResult buildLeakyRelu(NodeImport &node) {
  double alpha = node.real("alpha", 0.01);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value scaled = s.mul(x, s.constant(x.getType(), alpha));
    return s.select(s.compare(Less, x, zeroOf(s, x)), scaled, x);
  });
}

LogicalResult buildThresholdedRelu(NodeImport &node) {
  double alpha = node.real("alpha", 1.0);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    Value bound = s.constant(x.getType(), alpha);
    return s.select(s.compare(Greater, x, bound), x, zeroOf(s, x));
  });
}

/// alpha * (exp(x) - 1) below zero.
Value exponentialBelow(ScalarBuilder &s, Value x, double alpha) {
  Value grown = s.sub(s.create<math::ExpOp>(x), oneOf(s, x));
  return s.mul(s.constant(x.getType(), alpha), grown);
}

LogicalResult buildElu(NodeImport &node) {
  double alpha = node.real("alpha", 1.0);
  return buildMap(node, [&](ScalarBuilder &s, Value x) {
    return s.select(s.compare(Less, x, zeroOf(s, x)),
                    exponentialBelow(s, x, alpha), x);
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

LogicalResult buildSoftplus(NodeImport &node) {
  // log(1 + exp(x)) without overflow: max(x, 0) + log(1 + exp(-|x|)).
  return buildMap(node, [](ScalarBuilder &s, Value x) {
    Value small = s.create<math::ExpOp>(s.neg(s.abs(x)));
    Value rest = s.create<math::Log1pOp>(small);
    return s.add(s.max(x, zeroOf(s, x)), rest);
  });
}

LogicalResult buildSoftsign(NodeImport &node) {
  return buildMap(node, [](ScalarBuilder &s, Value x) {
    return s.div(x, s.add(oneOf(s, x), s.abs(x)));
  });
}

LogicalResult buildMish(NodeImport &node) {
  return buildMap(node, [](ScalarBuilder &s, Value x) {
    Value small = s.create<math::ExpOp>(s.neg(s.abs(x)));
    Value soft = s.add(s.max(x, zeroOf(s, x)), s.create<math::Log1pOp>(small));
    return s.mul(x, s.create<math::TanhOp>(soft));
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
  table.add("Relu", 1, buildRelu);
  table.add("Sigmoid", 1, buildSigmoid);
  table.add("Swish", 1, buildSwish);
  table.add("HardSigmoid", 1, buildHardSigmoid);
  table.add("HardSwish", 1, buildHardSwish);
  table.add("LeakyRelu", 1, buildLeakyRelu);
  table.add("ThresholdedRelu", 1, buildThresholdedRelu);
  table.add("Elu", 1, buildElu);
  table.add("Selu", 1, buildSelu);
  table.add("Celu", 1, buildCelu);
  table.add("Softplus", 1, buildSoftplus);
  table.add("Softsign", 1, buildSoftsign);
  table.add("Mish", 1, buildMish);
  table.add("Gelu", 1, buildGelu);
  table.add("Shrink", 1, buildShrink);
  table.add("PRelu", 2, buildPRelu);
  table.add("Clip", 1, buildClip);
}

} // namespace npu
