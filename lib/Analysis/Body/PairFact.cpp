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

/// One value is all that a class has.
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

PairFact PairFact::apply(Type type, ArrayRef<PairFact> operands, Table table,
                         PassesOn passesOn) {
  PairFact fact(type);
  SmallVector<unsigned, 3> lefts(operands.size()), rights(operands.size());
  auto addCombination = [&] {
    bool same = true;
    for (auto [operand, l, r] : llvm::zip(operands, lefts, rights))
      same &= l == r && (operand.sameNumber || operand.isUnique(l));
    unsigned left = table(lefts);
    if (!same && passesOn)
      if (auto number = passesOn(lefts, rights)) {
        const PairFact &operand = operands[*number];
        same = lefts[*number] == rights[*number] &&
               (operand.sameNumber || operand.isUnique(lefts[*number]));
      }
    unsigned right = same ? left : table(rights);
    for (unsigned l = 0; l < numFloatClasses; ++l) {
      if (!(left >> l & 1))
        continue;
      for (unsigned r = 0; r < numFloatClasses; ++r) {
        if (!(right >> r & 1) || (same && l != r))
          continue;
        fact.add(l, r);
        if (!same && l == r && !fact.isUnique(l))
          fact.sameNumber = false;
      }
    }
  };
  auto addFrom = [&](auto &&self, unsigned number) -> void {
    if (number == operands.size())
      return addCombination();
    for (unsigned l = 0; l < numFloatClasses; ++l)
      for (unsigned r = 0; r < numFloatClasses; ++r)
        if (operands[number].mayBe(l, r)) {
          lefts[number] = l;
          rights[number] = r;
          self(self, number + 1);
        }
  };
  addFrom(addFrom, 0);
  return fact;
}

} // namespace npu
