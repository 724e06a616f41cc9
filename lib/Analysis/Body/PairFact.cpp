// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Body/PairFact.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace npu {

unsigned numClasses(Type type) {
  if (isa<FloatType>(type))
    return numFloatClasses;
  return type.isInteger(1) ? 2 : 1;
}

bool PairFact::isUnique(unsigned each) const {
  if (isa<FloatType>(type))
    return each != unsigned(FloatClass::Negative) &&
           each != unsigned(FloatClass::Positive);
  return type.isInteger(1);
}

PairFact PairFact::nothing(Type type) { return PairFact(type); }

PairFact PairFact::anything(Type type) {
  PairFact fact(type);
  for (unsigned l = 0; l < numClasses(type); ++l)
    for (unsigned r = 0; r < numClasses(type); ++r)
      fact.add(l, r);
  fact.sameNumber = false;
  return fact;
}

PairFact PairFact::same(Type type) {
  PairFact fact(type);
  for (unsigned each = 0; each < numClasses(type); ++each)
    fact.add(each, each);
  return fact;
}

PairFact PairFact::same(Type type, FloatClasses classes) {
  if (!isa<FloatType>(type))
    return same(type);
  PairFact fact(type);
  for (unsigned each = 0; each < numFloatClasses; ++each)
    if (classes.has(FloatClass(each)))
      fact.add(each, each);
  return fact;
}

PairFact PairFact::constant(TypedAttr value) {
  PairFact fact(value.getType());
  unsigned number = 0;
  if (auto floating = dyn_cast<FloatAttr>(value))
    number = unsigned(classOf(floating.getValue()));
  else if (fact.type.isInteger(1))
    number = cast<IntegerAttr>(value).getValue().getBoolValue();
  fact.add(number, number);
  fact.left = fact.right = value;
  return fact;
}

PairFact PairFact::sides(const PairFact &left, const PairFact &right) {
  PairFact fact(left.type);
  fact.left = left.left;
  fact.right = right.right;
  for (unsigned l = 0; l < numClasses(fact.type); ++l)
    for (unsigned r = 0; r < numClasses(fact.type); ++r)
      if ((left.leftBits() >> l & 1) && (right.rightBits() >> r & 1))
        fact.add(l, r);
  fact.sameNumber = fact.left && fact.left == fact.right;
  return fact;
}

unsigned PairFact::leftBits() const {
  unsigned bits = 0;
  for (unsigned l = 0; l < numFloatClasses; ++l)
    if (pairs >> (l * numFloatClasses) & 0x7F)
      bits |= 1u << l;
  return bits;
}

unsigned PairFact::rightBits() const {
  unsigned bits = 0;
  for (unsigned l = 0; l < numFloatClasses; ++l)
    bits |= pairs >> (l * numFloatClasses) & 0x7F;
  return bits;
}

bool PairFact::isSame() const {
  for (unsigned l = 0; l < numFloatClasses; ++l)
    for (unsigned r = 0; r < numFloatClasses; ++r)
      if (mayBe(l, r) && (l != r || !(sameNumber || isUnique(l))))
        return false;
  return true;
}

bool PairFact::isSameUpToSignOfZero() const {
  for (unsigned l = 0; l < numFloatClasses; ++l)
    for (unsigned r = 0; r < numFloatClasses; ++r) {
      bool sameZero = isa<FloatType>(type) && zeros.has(FloatClass(l)) &&
                      zeros.has(FloatClass(r));
      if (mayBe(l, r) && !sameZero && (l != r || !(sameNumber || isUnique(l))))
        return false;
    }
  return true;
}

PairFact PairFact::join(const PairFact &other) const {
  if (isNothing())
    return other;
  if (other.isNothing())
    return *this;
  PairFact fact(type);
  fact.pairs = pairs | other.pairs;
  fact.sameNumber = sameNumber && other.sameNumber;
  fact.left = left == other.left ? left : TypedAttr();
  fact.right = right == other.right ? right : TypedAttr();
  return fact;
}

namespace {

/// The most operands of an operation that `PairFact::apply` knows.
constexpr unsigned maxOperands = 3;

/// The classes of all operands as one number: a digit to the base of
/// `numFloatClasses` for each operand, the first operand's last.
unsigned combinationOf(ArrayRef<unsigned> classes) {
  unsigned combination = 0;
  for (unsigned each : llvm::reverse(classes))
    combination = combination * numFloatClasses + each;
  return combination;
}

/// A table of result classes that asks for each combination of operand classes
/// once: pairs of combinations are their square.
class AskedOnce {
public:
  explicit AskedOnce(PairFact::Table table) : table(table) {}

  unsigned operator()(ArrayRef<unsigned> classes) {
    std::optional<unsigned> &result = results[combinationOf(classes)];
    if (!result)
      result = table(classes);
    return *result;
  }

private:
  static constexpr unsigned numCombinations =
      numFloatClasses * numFloatClasses * numFloatClasses;
  static_assert(maxOperands == 3);

  PairFact::Table table;
  std::array<std::optional<unsigned>, numCombinations> results;
};

} // namespace

unsigned PairFact::uniqueBits() const {
  unsigned bits = 0;
  for (unsigned each = 0; each < numClasses(type); ++each)
    bits |= unsigned(isUnique(each)) << each;
  return bits;
}

void PairFact::addAll(unsigned left, unsigned right, bool same) {
  for (unsigned l = 0; l < numFloatClasses; ++l)
    if (left >> l & 1)
      pairs |= uint64_t(same ? right & 1u << l : right)
               << (l * numFloatClasses);
}

PairFact PairFact::apply(Type type, ArrayRef<PairFact> operands, Table table,
                         PassesOn passesOn) {
  assert(operands.size() <= maxOperands && "more operands than combinations");
  struct Pair {
    unsigned left, right;
    /// The operand has the same bits on both sides.
    bool same;
  };
  SmallVector<SmallVector<Pair, 8>, maxOperands> choices(operands.size());
  for (auto [operand, pairs] : llvm::zip(operands, choices)) {
    unsigned same = operand.sameNumber ? ~0u : operand.uniqueBits();
    for (unsigned l = 0; l < numFloatClasses; ++l)
      for (unsigned r = 0; r < numFloatClasses; ++r)
        if (operand.mayBe(l, r))
          pairs.push_back({l, r, l == r && (same >> l & 1)});
  }

  PairFact fact(type);
  const unsigned unique = fact.uniqueBits();
  const uint64_t all = anything(type).pairs;
  AskedOnce resultOf(table);
  SmallVector<unsigned, maxOperands> lefts(operands.size()),
      rights(operands.size());
  SmallVector<bool, maxOperands> sames(operands.size());
  auto addCombination = [&] {
    bool same = llvm::all_of(sames, [](bool each) { return each; });
    if (!same && passesOn)
      if (std::optional<unsigned> number = passesOn(lefts, rights))
        same = sames[*number];
    unsigned left = resultOf(lefts);
    unsigned right = same ? left : resultOf(rights);
    fact.addAll(left, right, same);
    if (!same && (left & right & ~unique))
      fact.sameNumber = false;
  };
  auto addFrom = [&](auto &&self, unsigned number) -> void {
    if (number == operands.size())
      return addCombination();
    for (const Pair &pair : choices[number]) {
      // Anything already: no combination adds to that.
      if (fact.pairs == all && !fact.sameNumber)
        return;
      lefts[number] = pair.left;
      rights[number] = pair.right;
      sames[number] = pair.same;
      self(self, number + 1);
    }
  };
  addFrom(addFrom, 0);
  return fact;
}

} // namespace npu
