// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that follow from shapes.

#include "ShapeValues.h"

#include "GraphImport.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// Shapes have no more extents than this, and neither have lists of them.
constexpr std::size_t kMostNumbers = 64;

using Known = std::optional<KnownIntegers>;

std::optional<int64_t> constantOf(Number number) {
  return number ? getConstantIntValue(number) : std::nullopt;
}

Known concatRule(NodeImport &node) {
  KnownIntegers all;
  for (unsigned number = 0; number < node.operandCount(); ++number) {
    Known part = node.knownIntegers(number);
    if (!part)
      return std::nullopt;
    all.append(*part);
  }
  return all;
}

Known shapeRule(NodeImport &node) {
  KnownIntegers shape = node.build.sizes(node.operand(0).value);
  auto rank = static_cast<int64_t>(shape.size());
  auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = clamped(node.integer("start", 0));
  int64_t end = clamped(node.integer("end", rank));
  return KnownIntegers(
      ArrayRef(shape).slice(start, std::max<int64_t>(0, end - start)));
}

Known sizeRule(NodeImport &node) {
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  Number product = numbers.constant(1);
  for (Number extent : node.build.sizes(node.operand(0).value))
    product = numbers.mul(product, extent);
  return KnownIntegers{product};
}

Known gatherRule(NodeImport &node) {
  Known numbers = node.knownIntegers(0), indices = node.knownIntegers(1);
  if (!numbers || !indices || node.operand(0).rank() != 1)
    return std::nullopt;
  KnownIntegers found;
  auto count = static_cast<int64_t>(numbers->size());
  for (Number number : *indices) {
    std::optional<int64_t> index = constantOf(number);
    if (!index || *index < -count || *index >= count)
      return std::nullopt;
    found.push_back((*numbers)[*index < 0 ? *index + count : *index]);
  }
  return found;
}

/// One start, one end and one step.
Known sliceRule(NodeImport &node) {
  Known numbers = node.knownIntegers(0);
  if (!numbers || node.operand(0).rank() != 1)
    return std::nullopt;
  auto one = [&](unsigned operand, StringRef attribute,
                 std::optional<int64_t> otherwise) -> std::optional<int64_t> {
    if (auto given = node.integers(attribute); given && given->size() == 1)
      return given->front();
    if (!node.has(operand))
      return otherwise;
    Known known = node.knownIntegers(operand);
    return known && known->size() == 1 ? constantOf(known->front())
                                       : std::nullopt;
  };
  auto start = one(1, "starts", std::nullopt);
  auto end = one(2, "ends", std::nullopt);
  auto step = one(4, "steps", 1);
  if (!start || !end || !step || *step == 0)
    return std::nullopt;
  auto count = static_cast<int64_t>(numbers->size());
  int64_t highest = *step > 0 ? count : count - 1;
  auto clamped = [&](int64_t at, int64_t lowest) {
    return std::clamp(at < 0 ? at + count : at, lowest, highest);
  };
  KnownIntegers part;
  int64_t from = clamped(*start, std::min<int64_t>(0, highest));
  int64_t to = clamped(*end, *step > 0 ? 0 : -1);
  int64_t by = std::clamp<int64_t>(*step, -count - 1, count + 1);
  for (int64_t at = from; by > 0 ? at < to : at > to; at += by)
    part.push_back((*numbers)[at]);
  return part;
}

/// The arithmetic on two lists, one of which may have one number for all.
Known pairwise(const Known &left, const Known &right,
               llvm::function_ref<Number(Number, Number)> compute) {
  if (!left || !right || left->empty() || right->empty() ||
      (left->size() != right->size() && left->size() != 1 &&
       right->size() != 1))
    return std::nullopt;
  KnownIntegers results;
  for (std::size_t at = 0; at < std::max(left->size(), right->size()); ++at) {
    Number a = (*left)[left->size() == 1 ? 0 : at];
    Number b = (*right)[right->size() == 1 ? 0 : at];
    results.push_back(a && b ? compute(a, b) : Number());
  }
  return results;
}

/// The arithmetic on all operands from the first one on; Max and Min have any
/// number of them.
Known pairwise(NodeImport &node,
               llvm::function_ref<Number(Number, Number)> compute) {
  Known result = node.knownIntegers(0);
  for (unsigned operand = 1; operand < node.operandCount(); ++operand)
    result = pairwise(result, node.knownIntegers(operand), compute);
  return result;
}

template <Number (Numbers::*compute)(Number, Number)>
Known arithmeticRule(NodeImport &node) {
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  return pairwise(node,
                  [&](Number a, Number b) { return (numbers.*compute)(a, b); });
}

/// The remainder of a division that rounds down; with `fmod`, of one that
/// rounds towards zero.
Known remainderRule(NodeImport &node) {
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  bool hasSignOfDividend = node.integer("fmod", 0) != 0;
  return pairwise(node, [&](Number a, Number b) -> Number {
    if (!hasSignOfDividend)
      return numbers.mod(a, b);
    return numbers.sub(a, numbers.mul(numbers.truncDiv(a, b), b));
  });
}

/// What `compute` makes of each number that is known.
Known entrywise(NodeImport &node, Known known,
                llvm::function_ref<Number(Numbers &, Number)> compute) {
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  if (known)
    for (Number &each : *known)
      if (each)
        each = compute(numbers, each);
  return known;
}

Known negationRule(NodeImport &node) {
  return entrywise(node, node.knownIntegers(0),
                   [](Numbers &numbers, Number each) {
                     return numbers.sub(numbers.constant(0), each);
                   });
}

Known magnitudeRule(NodeImport &node) {
  return entrywise(
      node, node.knownIntegers(0), [](Numbers &numbers, Number each) {
        return numbers.max(each, numbers.sub(numbers.constant(0), each));
      });
}

Known notRule(NodeImport &node) {
  return entrywise(node, node.knownIntegers(0),
                   [](Numbers &numbers, Number each) {
                     return numbers.sub(numbers.constant(1), each);
                   });
}

/// Whether two numbers compare so where their difference has that sign.
constexpr bool holds(Comparison kind, int sign) {
  switch (kind) {
  case Comparison::Equal:
    return sign == 0;
  case Comparison::NotEqual:
    return sign != 0;
  case Comparison::Less:
    return sign < 0;
  case Comparison::LessEqual:
    return sign <= 0;
  case Comparison::Greater:
    return sign > 0;
  case Comparison::GreaterEqual:
    return sign >= 0;
  }
  return false;
}

/// The outcome of a comparison of two numbers with that difference, where it is
/// the same at every length.
Number outcomeOf(Comparison kind, Numbers &numbers, Number difference) {
  auto [least, most] = boundsOf(difference, Lengths::OfRuns);
  bool canBeLess = !least || *least < 0, canBeMore = !most || *most > 0;
  bool canBeEqual = (!least || *least <= 0) && (!most || *most >= 0);
  auto isAlways = [&](bool outcome) {
    return (!canBeLess || holds(kind, -1) == outcome) &&
           (!canBeEqual || holds(kind, 0) == outcome) &&
           (!canBeMore || holds(kind, 1) == outcome);
  };
  if (isAlways(true) || isAlways(false))
    return numbers.constant(isAlways(true));
  return {};
}

template <Comparison kind>
Known comparisonRule(NodeImport &node) {
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  return pairwise(node, [&](Number a, Number b) -> Number {
    Number difference = numbers.sub(a, b);
    return difference ? outcomeOf(kind, numbers, difference) : Number();
  });
}

Known whereRule(NodeImport &node) {
  Known holds = node.knownIntegers(0), left = node.knownIntegers(1),
        right = node.knownIntegers(2);
  if (!holds || !left || !right)
    return std::nullopt;
  std::size_t count = std::max({holds->size(), left->size(), right->size()});
  KnownIntegers results;
  for (std::size_t at = 0; at < count; ++at) {
    auto entry = [&](const KnownIntegers &list) {
      return list.size() == 1   ? list.front()
             : at < list.size() ? list[at]
                                : Number();
    };
    std::optional<int64_t> isLeft = constantOf(entry(*holds));
    results.push_back(!isLeft   ? Number()
                      : *isLeft ? entry(*left)
                                : entry(*right));
  }
  return results;
}

/// A short list of one number.
Known filledRule(NodeImport &node) {
  bool isExpand = node.node.op_type() == "Expand";
  Known shape = node.knownIntegers(isExpand ? 1 : 0);
  if (!shape || shape->size() > 1)
    return std::nullopt;
  std::optional<int64_t> count =
      shape->empty() ? 1 : constantOf(shape->front());
  if (!count || *count < 0 || *count > static_cast<int64_t>(kMostNumbers))
    return std::nullopt;
  if (!isExpand)
    return std::nullopt;
  Known one = node.knownIntegers(0);
  if (!one || one->size() != 1)
    return one && static_cast<int64_t>(one->size()) == *count ? one
                                                              : std::nullopt;
  return KnownIntegers(*count, one->front());
}

/// All numbers of a list in one: their product, sum, largest or smallest.
template <Number (Numbers::*compute)(Number, Number)>
Known reductionRule(NodeImport &node) {
  Known known = node.knownIntegers(0);
  if (!known || known->empty() || node.operand(0).rank() != 1)
    return std::nullopt;
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  Number all = known->front();
  for (Number each : ArrayRef(*known).drop_front())
    all = all && each ? (numbers.*compute)(all, each) : Number();
  return KnownIntegers{all};
}

Known same(NodeImport &node) { return node.knownIntegers(0); }

/// Prompts have at most so many entries.
constexpr int64_t kMostEntries = 1 << 20;

/// Whether a number is at most so many times as large as the prompts that it
/// follows from are long, and as many more as one prompt has at the most.
bool isWithin(Numbers &numbers, Number number, int64_t times) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return std::abs(*constant) <= times * kMostEntries;
  Number prompts = numbers.constant(0);
  auto apply = cast<Value>(number).getDefiningOp<affine::AffineApplyOp>();
  SmallVector<Value> operands{cast<Value>(number)};
  if (apply)
    operands.assign(apply.getMapOperands().begin(),
                    apply.getMapOperands().end());
  for (Value operand : operands)
    prompts = numbers.add(prompts, operand);
  Number most = numbers.add(numbers.mul(prompts, numbers.constant(times)),
                            numbers.constant(kMostEntries));
  auto isBelow = [&](Number smaller) {
    Number more = smaller ? numbers.sub(most, smaller) : Number();
    std::optional<int64_t> least =
        more ? boundsOf(more, Lengths::OfRuns).least : std::nullopt;
    return least && *least >= 0;
  };
  return isBelow(number) && isBelow(numbers.sub(numbers.constant(0), number));
}

/// Whether every float near a fraction of the number rounds up and down as the
/// fraction does: f32 has 24 bits.
bool isExactInF32(Numbers &numbers, Number number) {
  return isWithin(numbers, number, 4);
}

using Fractions = std::optional<KnownFractions>;

/// The largest divisor of a fraction.
constexpr int64_t kMostDivisor = 4096;

/// A float that is the only element of a constant.
std::optional<double> realConstant(NodeImport &node, unsigned operand) {
  ElementsAttr elements =
      node.has(operand) ? TensorBuilder::constantOf(node.operand(operand).value)
                        : ElementsAttr();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(elements);
  if (!dense || dense.getNumElements() != 1 ||
      !isa<FloatType>(dense.getElementType()))
    return std::nullopt;
  return (*dense.getValues<APFloat>().begin()).convertToDouble();
}

/// A float that is a whole number of few bits.
std::optional<int64_t> wholeConstant(NodeImport &node, unsigned operand) {
  constexpr double kMostWhole = 1 << 20;
  std::optional<double> number = realConstant(node, operand);
  if (!number || !(std::abs(*number) <= kMostWhole) ||
      *number != std::floor(*number))
    return std::nullopt;
  return static_cast<int64_t>(*number);
}

/// Whole numbers times a constant such as 2.0, 1.5 or 0.25, which floats have
/// exactly: multiplied, then divided by a power of two.
Fractions scaled(NodeImport &node, Fractions known) {
  std::optional<double> factor = realConstant(node, 1);
  if (!known || known->divisor != 1 || !factor)
    return std::nullopt;
  while (known->divisor < kMostDivisor && *factor != std::floor(*factor)) {
    *factor *= 2;
    known->divisor *= 2;
  }
  if (!(std::abs(*factor) <= kMostDivisor) || *factor != std::floor(*factor))
    return std::nullopt;
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  for (Number &each : known->dividends) {
    each = numbers.mul(each, numbers.constant(static_cast<int64_t>(*factor)));
    if (!each || !isExactInF32(numbers, each))
      return std::nullopt;
  }
  return known;
}

/// The fractions as integers: rounded by `divide`.
Known rounded(NodeImport &node, const Fractions &fractions,
              Number (Numbers::*divide)(Number, Number)) {
  if (!fractions)
    return std::nullopt;
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  KnownIntegers results;
  for (Number each : fractions->dividends)
    results.push_back(
        each ? (numbers.*divide)(each, numbers.constant(fractions->divisor))
             : Number());
  return results;
}

/// Whether each number is another one than 0.
Known truthRule(NodeImport &node) {
  return entrywise(node, node.knownWholeNumbers(0),
                   [](Numbers &numbers, Number each) {
                     return outcomeOf(Comparison::NotEqual, numbers, each);
                   });
}

Known castRule(NodeImport &node) {
  if (onnxElement(node.integer("to", 0)) == OnnxElement::Bool)
    return truthRule(node);
  return isFloat(node.operand(0).element)
             ? rounded(node, node.graph.knownFractions(node.operand(0).value),
                       &Numbers::truncDiv)
             : same(node);
}

} // namespace

std::optional<KnownIntegers> NodeImport::knownIntegers(unsigned number) {
  if (!has(number))
    return std::nullopt;
  const OnnxTensor &tensor = operand(number);
  if (isFloat(tensor.element))
    return std::nullopt;
  if (auto constants =
          TensorBuilder::integersOf(tensor.value, tensor.element)) {
    if (constants->size() > kMostNumbers)
      return std::nullopt;
    // 2^63 and more of no sign are negative here.
    bool isLarge =
        tensor.element == OnnxElement::UInt64 &&
        llvm::any_of(*constants, [](int64_t each) { return each < 0; });
    if (isLarge)
      return std::nullopt;
    return llvm::map_to_vector(*constants, [&](int64_t each) -> Number {
      return build.builder.getIndexAttr(each);
    });
  }
  return graph.knownIntegers(tensor.value);
}

std::optional<KnownIntegers> NodeImport::knownWholeNumbers(unsigned number) {
  if (!has(number) || !isFloat(operand(number).element))
    return knownIntegers(number);
  if (std::optional<int64_t> constant = wholeConstant(*this, number))
    return KnownIntegers{build.builder.getIndexAttr(*constant)};
  Fractions known = graph.knownFractions(operand(number).value);
  return known && known->divisor == 1 ? Known(known->dividends) : std::nullopt;
}

bool mayWrapAround(NodeImport &node, Number number, OnnxElement element) {
  if (element == OnnxElement::Int64)
    return false;
  auto [least, most] = boundsOf(number, Lengths::OfRuns);
  bool hasSign = !isUnsigned(element);
  if (!hasSign && (!least || *least < 0))
    return true;
  if (element == OnnxElement::UInt64)
    return false;
  unsigned bits = element == OnnxElement::Bool ? 1 : bitsOf(element);
  int64_t lowest = hasSign ? llvm::minIntN(bits) : 0;
  int64_t highest = hasSign ? llvm::maxIntN(bits)
                            : static_cast<int64_t>(llvm::maxUIntN(bits));
  if (least && most && *least >= lowest && *most <= highest)
    return false;
  Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
  return bits < 32 || !isWithin(numbers, number, 1 << 9);
}

std::optional<KnownIntegers> knownResult(NodeImport &node) {
  using Rule = Known (*)(NodeImport &);
  auto rule =
      llvm::StringSwitch<Rule>(node.node.op_type())
          .Case("Shape", shapeRule)
          .Case("Size", sizeRule)
          .Case("Concat", concatRule)
          .Case("Gather", gatherRule)
          .Case("Slice", sliceRule)
          .Cases({"Squeeze", "Unsqueeze", "Reshape"}, same)
          .Case("Identity", same)
          .Case("Cast", castRule)
          .Case("Add", arithmeticRule<&Numbers::add>)
          .Case("Sub", arithmeticRule<&Numbers::sub>)
          .Case("Mul", arithmeticRule<&Numbers::mul>)
          .Case("Max", arithmeticRule<&Numbers::max>)
          .Case("Min", arithmeticRule<&Numbers::min>)
          .Case("Div", arithmeticRule<&Numbers::truncDiv>)
          .Case("FloorDiv", arithmeticRule<&Numbers::floorDiv>)
          .Case("Mod", remainderRule)
          .Case("Neg", negationRule)
          .Case("Abs", magnitudeRule)
          .Case("Equal", comparisonRule<Comparison::Equal>)
          .Case("Less", comparisonRule<Comparison::Less>)
          .Case("LessOrEqual", comparisonRule<Comparison::LessEqual>)
          .Case("Greater", comparisonRule<Comparison::Greater>)
          .Case("GreaterOrEqual", comparisonRule<Comparison::GreaterEqual>)
          .Case("Not", notRule)
          .Case("And", arithmeticRule<&Numbers::mul>)
          .Case("Or", arithmeticRule<&Numbers::max>)
          .Case("Where", whereRule)
          .Case("Expand", filledRule)
          .Case("ReduceProd", reductionRule<&Numbers::mul>)
          .Case("ReduceSum", reductionRule<&Numbers::add>)
          .Case("ReduceMax", reductionRule<&Numbers::max>)
          .Case("ReduceMin", reductionRule<&Numbers::min>)
          .Default(nullptr);
  if (!rule || !node.has(0))
    return std::nullopt;
  return rule(node);
}

std::optional<KnownFractions> knownFractions(NodeImport &node) {
  StringRef type = node.node.op_type();
  if (!node.has(0))
    return std::nullopt;
  const OnnxTensor &operand = node.operand(0);
  Fractions known = node.graph.knownFractions(operand.value);
  if (type == "Cast" && !isFloat(operand.element)) {
    Known integers = node.knownIntegers(0);
    Numbers numbers = node.build.numbersHere(Lengths::OfRuns);
    if (!integers || llvm::any_of(*integers, [&](Number each) {
          return each && !isExactInF32(numbers, each);
        }))
      return std::nullopt;
    return KnownFractions{*integers};
  }
  if (!known)
    return std::nullopt;
  if (type == "Ceil")
    return KnownFractions{*rounded(node, known, &Numbers::ceilDiv)};
  if (type == "Floor")
    return KnownFractions{*rounded(node, known, &Numbers::floorDiv)};
  if (type == "Mul")
    return scaled(node, known);
  if (type == "Div") {
    std::optional<int64_t> by = wholeConstant(node, 1);
    // One division rounds once.
    if (!by || *by < 1 || *by > kMostDivisor || known->divisor != 1)
      return std::nullopt;
    known->divisor = *by;
    return known;
  }
  bool keeps = llvm::is_contained(
      {"Cast", "Identity", "Squeeze", "Unsqueeze", "Reshape"}, type);
  return keeps ? known : std::nullopt;
}

} // namespace npu
