// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that compute each element from elements of their operands.

#include "../../Onnx/Build/ElementType.h"
#include "LayerTable.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

namespace npu {
namespace {

using Proto = onnx::TensorProto;

bool isFloatElement(int64_t element) {
  return element == Proto::FLOAT || element == Proto::FLOAT16 ||
         element == Proto::BFLOAT16 || element == Proto::DOUBLE;
}

bool isUnsignedElement(int64_t element) {
  std::optional<OnnxElement> known = onnxElement(element);
  return known && *known != OnnxElement::Bool && isUnsigned(*known);
}

/// The operator of ONNX that computes the same of operands alone.
llvm::StringRef operatorOf(llvm::StringRef type) {
  static const llvm::StringMap<llvm::StringRef> others = {
      {"Ceiling", "Ceil"},
      {"Negative", "Neg"},
      {"ReLU", "Relu"},
      {"LogicalNot", "Not"},
      {"SoftSign", "Softsign"},
      {"SoftPlus", "Softplus"},
      {"HSwish", "HardSwish"},
      {"IsNaN", "IsNaN"},
      {"Subtract", "Sub"},
      {"Multiply", "Mul"},
      {"Maximum", "Max"},
      {"Minimum", "Min"},
      {"Power", "Pow"},
      {"LessEqual", "LessOrEqual"},
      {"GreaterEqual", "GreaterOrEqual"},
      {"LogicalAnd", "And"},
      {"LogicalOr", "Or"},
      {"LogicalXor", "Xor"},
  };
  auto found = others.find(type);
  return found == others.end() ? type : found->second;
}

void translateUnary(LayerTranslation &layer) {
  layer.set(0, layer.add(operatorOf(layer.layer.type), {layer.operand(0)}));
}

void translateBinary(LayerTranslation &layer) {
  layer.checkBroadcast();
  layer.set(0, layer.add(operatorOf(layer.layer.type),
                         {layer.operand(0), layer.operand(1)}));
}

void translateNotEqual(LayerTranslation &layer) {
  layer.checkBroadcast();
  layer.set(0, layer.add("Not", {layer.add("Equal", {layer.operand(0),
                                                     layer.operand(1)})}));
}

/// Integers are divided as Python does, rounded down, unless the layer says
/// otherwise.
void translateDivide(LayerTranslation &layer) {
  layer.checkBroadcast();
  bool roundsDown = layer.flag("m_pythondiv", true);
  int64_t element = layer.type(0).element;
  bool isSigned = !isFloatElement(element) && !isUnsignedElement(element);
  std::vector<NodeValue> operands{layer.operand(0), layer.operand(1)};
  layer.set(0, isSigned && roundsDown ? layer.addOwn("FloorDiv", operands)
                                      : layer.add("Div", operands));
}

/// What is left of a division rounded towards zero, as fmod of C.
void translateMod(LayerTranslation &layer) {
  layer.checkBroadcast();
  layer.set(0, layer.add("Mod", {layer.operand(0), layer.operand(1)},
                         NodeAttributes().set("fmod", int64_t(1))));
}

/// What is left of a division rounded down.
void translateFloorMod(LayerTranslation &layer) {
  layer.checkBroadcast();
  NodeValue a = layer.operand(0), b = layer.operand(1);
  if (!isFloatElement(layer.type(0).element))
    return layer.set(0, layer.add("Mod", {a, b}));
  NodeValue times = layer.add("Floor", {layer.add("Div", {a, b})});
  layer.set(0, layer.add("Sub", {a, layer.add("Mul", {times, b})}));
}

void translateSquaredDifference(LayerTranslation &layer) {
  layer.checkBroadcast();
  NodeValue difference = layer.add("Sub", {layer.operand(0), layer.operand(1)});
  layer.set(0, layer.add("Mul", {difference, difference}));
}

void translateShift(LayerTranslation &layer) {
  layer.checkBroadcast();
  bool isLeft = layer.layer.type == "BitwiseLeftShift";
  if (!isUnsignedElement(layer.type(0).element))
    return (void)(layer.error() << "expected elements without a sign");
  layer.set(0, layer.add("BitShift", {layer.operand(0), layer.operand(1)},
                         NodeAttributes().set(
                             "direction",
                             llvm::StringRef(isLeft ? "LEFT" : "RIGHT"))));
}

void translateSelect(LayerTranslation &layer) {
  layer.checkBroadcast();
  layer.set(0, layer.add("Where", {layer.operand(0), layer.operand(1),
                                   layer.operand(2)}));
}

void translateConvert(LayerTranslation &layer) {
  layer.set(0, layer.cast(layer.operand(0), layer.element("destination_type")));
}

void translateConvertLike(LayerTranslation &layer) {
  layer.set(0, layer.cast(layer.operand(0), layer.type(1).element));
}

void translateClamp(LayerTranslation &layer) {
  double low = layer.real("min"), high = layer.real("max");
  if (!(low <= high))
    return (void)(layer.error()
                  << "expected min <= max, got " << low << " and " << high);
  if (!isFloatElement(layer.type(0).element)) {
    low = std::max(std::ceil(low), -0x1p62);
    high = std::min(std::floor(high), 0x1p62);
    int64_t bits = bitsOfElement(layer.type(0).element);
    bool isUnsigned = isUnsignedElement(layer.type(0).element);
    low = std::max(low, isUnsigned ? 0 : -std::ldexp(1, int(bits) - 1));
    high = std::min(high, std::ldexp(1, int(bits) - (isUnsigned ? 0 : 1)) - 1);
  }
  layer.set(0, layer.add("Clip", {layer.operand(0), layer.like(0, low),
                                  layer.like(0, high)}));
}

void translateElu(LayerTranslation &layer) {
  layer.set(0, layer.add("Elu", {layer.operand(0)},
                         NodeAttributes().set("alpha", layer.real("alpha"))));
}

/// lambda * (x > 0 ? x : alpha * (exp(x) - 1))
void translateSelu(LayerTranslation &layer) {
  NodeValue x = layer.operand(0), alpha = layer.operand(1),
            lambda = layer.operand(2);
  NodeValue grown = layer.add("Sub", {layer.add("Exp", {x}), layer.like(0, 1)});
  NodeValue isPositive = layer.add("Greater", {x, layer.like(0, 0)});
  NodeValue each =
      layer.add("Where", {isPositive, x, layer.add("Mul", {alpha, grown})});
  layer.set(0, layer.add("Mul", {lambda, each}));
}

/// min(max(alpha * x + beta, 0), 1)
void translateHardSigmoid(LayerTranslation &layer) {
  NodeValue line =
      layer.add("Add", {layer.add("Mul", {layer.operand(0), layer.operand(1)}),
                        layer.operand(2)});
  layer.set(0, layer.add("Clip", {line, layer.like(0, 0), layer.like(0, 1)}));
}

/// min(max(x + 3, 0), 6) / 6
void translateHSigmoid(LayerTranslation &layer) {
  NodeValue moved = layer.add("Add", {layer.operand(0), layer.like(0, 3)});
  NodeValue cut =
      layer.add("Clip", {moved, layer.like(0, 0), layer.like(0, 6)});
  layer.set(0, layer.add("Div", {cut, layer.like(0, 6)}));
}

/// A slope of one dimension belongs to the channels where it has as many
/// entries.
void translatePRelu(LayerTranslation &layer) {
  NodeValue slope = layer.operand(1);
  int64_t rank = layer.rank(0);
  if (layer.rank(1) == 1 && rank > 2 &&
      layer.extent(1, 0) == layer.extent(0, 1)) {
    Integers shape(rank - 1, 1);
    shape[0] = -1;
    slope = layer.reshape(slope, shape);
  }
  layer.set(0, layer.add("PRelu", {layer.operand(0), slope}));
}

void translateSwish(LayerTranslation &layer) {
  NodeValue x = layer.operand(0), inner = x;
  if (layer.has(1))
    inner = layer.add("Mul", {x, layer.operand(1)});
  layer.set(0, layer.add("Mul", {x, layer.add("Sigmoid", {inner})}));
}

void translateGelu(LayerTranslation &layer) {
  bool isTanh =
      layer.version >= 7 &&
      layer.word("approximation_mode", {"erf", "tanh"}, "erf") == "tanh";
  layer.set(0, layer.add("Gelu", {layer.operand(0)},
                         NodeAttributes().set(
                             "approximate",
                             llvm::StringRef(isTanh ? "tanh" : "none"))));
}

void translateRound(LayerTranslation &layer) {
  NodeValue x = layer.operand(0);
  if (layer.word("mode", {"half_to_even", "half_away_from_zero"},
                 "half_to_even") == "half_to_even")
    return layer.set(0, layer.add("Round", {x}));
  // The magnitude rounded down, and one more where half or more is left.
  NodeValue magnitude = layer.add("Abs", {x});
  NodeValue floor = layer.add("Floor", {magnitude});
  NodeValue isUp =
      layer.add("GreaterOrEqual",
                {layer.add("Sub", {magnitude, floor}), layer.like(0, 0.5)});
  NodeValue up = layer.add("Where", {isUp, layer.like(0, 1), layer.like(0, 0)});
  NodeValue rounded = layer.add("Add", {floor, up});
  layer.set(0, layer.add("Mul", {layer.add("Sign", {x}), rounded}));
}

void translateIsInf(LayerTranslation &layer) {
  layer.set(0,
            layer.add("IsInf", {layer.operand(0)},
                      NodeAttributes()
                          .set("detect_negative",
                               int64_t(layer.flag("detect_negative", true)))
                          .set("detect_positive",
                               int64_t(layer.flag("detect_positive", true)))));
}

void translateIsFinite(LayerTranslation &layer) {
  NodeValue x = layer.operand(0);
  layer.set(0, layer.add("Not", {layer.add("Or", {layer.add("IsNaN", {x}),
                                                  layer.add("IsInf", {x})})}));
}

/// One of `levels` numbers between the bounds of the output, by where a number
/// lies between those of the input:
///
///     x <= min(il, ih): ol
///     x > max(il, ih):  oh
///     otherwise:        round((x - il) / (ih - il) * (levels - 1)) /
///                       (levels - 1) * (oh - ol) + ol
void translateFakeQuantize(LayerTranslation &layer) {
  layer.checkBroadcast();
  int64_t levels = layer.integer("levels");
  if (levels < 2)
    return (void)(layer.error()
                  << "expected at least 2 levels, got " << levels);
  NodeValue x = layer.operand(0), inLow = layer.operand(1),
            inHigh = layer.operand(2), outLow = layer.operand(3),
            outHigh = layer.operand(4);
  NodeValue steps = layer.like(0, static_cast<double>(levels - 1));
  NodeValue inRange = layer.add("Sub", {inHigh, inLow});
  NodeValue outRange = layer.add("Sub", {outHigh, outLow});
  NodeValue part = layer.add("Div", {layer.add("Sub", {x, inLow}), inRange});
  NodeValue level = layer.add("Round", {layer.add("Mul", {part, steps})});
  NodeValue inside = layer.add(
      "Add",
      {layer.add("Mul", {layer.add("Div", {level, steps}), outRange}), outLow});
  NodeValue isLow =
      layer.add("LessOrEqual", {x, layer.add("Min", {inLow, inHigh})});
  NodeValue isHigh =
      layer.add("Greater", {x, layer.add("Max", {inLow, inHigh})});
  NodeValue above = layer.add("Where", {isHigh, outHigh, inside});
  layer.set(0, layer.add("Where", {isLow, outLow, above}));
}

} // namespace

void addElementwiseLayers(LayerTable &table) {
  for (const char *type :
       {"Abs",  "Acos", "Asin",  "Atan", "Ceiling",  "Cos",  "Cosh",
        "Erf",  "Exp",  "Floor", "Log",  "Negative", "ReLU", "Sigmoid",
        "Sign", "Sin",  "Sinh",  "Sqrt", "Tan",      "Tanh", "LogicalNot"})
    table.add(type, {1}, 1, 1, translateUnary);
  for (const char *type :
       {"Acosh", "Asinh", "Atanh", "HSwish", "Mish", "SoftPlus"})
    table.add(type, {4}, 1, 1, translateUnary);
  table.add("SoftSign", {9}, 1, 1, translateUnary);
  table.add("IsNaN", {10}, 1, 1, translateUnary);
  table.add("IsInf", {10}, 1, 1, translateIsInf);
  table.add("IsFinite", {10}, 1, 1, translateIsFinite);
  table.add("BitwiseNot", {13}, 1, 1, translateUnary);
  const char *pdpd = "auto_broadcast pdpd";
  for (const char *type :
       {"Add", "Subtract", "Multiply", "Maximum", "Minimum", "Power", "Equal",
        "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd",
        "LogicalOr", "LogicalXor"})
    table.add(type, {1}, 2, 2, translateBinary, pdpd);
  for (const char *type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"})
    table.add(type, {13}, 2, 2, translateBinary, pdpd);
  for (const char *type : {"BitwiseLeftShift", "BitwiseRightShift"})
    table.add(type, {15}, 2, 2, translateShift,
              "elements with a sign; auto_broadcast pdpd");
  table.add("NotEqual", {1}, 2, 2, translateNotEqual, pdpd);
  table.add("Divide", {1}, 2, 2, translateDivide, pdpd);
  table.add("Mod", {1}, 2, 2, translateMod, pdpd);
  table.add("FloorMod", {1}, 2, 2, translateFloorMod, pdpd);
  table.add("SquaredDifference", {1}, 2, 2, translateSquaredDifference, pdpd);
  table.add("Select", {1}, 3, 3, translateSelect, pdpd);
  table.add("Convert", {1}, 1, 1, translateConvert,
            "element types u1, nf4, f8e4m3, f8e5m2 and string");
  table.add("ConvertLike", {1}, 2, 2, translateConvertLike);
  table.add("Clamp", {1}, 1, 1, translateClamp);
  table.add("Elu", {1}, 1, 1, translateElu);
  table.add("Selu", {1}, 3, 3, translateSelu);
  table.add("HardSigmoid", {1}, 3, 3, translateHardSigmoid);
  table.add("HSigmoid", {5}, 1, 1, translateHSigmoid);
  table.add("PRelu", {1}, 2, 2, translatePRelu);
  table.add("Swish", {4}, 1, 2, translateSwish);
  table.add("Gelu", {0, 2, 7}, 1, 1, translateGelu);
  table.add("Round", {5}, 1, 1, translateRound);
  table.add("FakeQuantize", {1}, 5, 5, translateFakeQuantize, pdpd);
}

} // namespace npu
