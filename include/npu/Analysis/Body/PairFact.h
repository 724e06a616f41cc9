// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a scalar in two executions that are compared, called the
// left and the right one. Padding and causality both ask about the region of an
// operation in this way:
//
//             | left                        | right
//   padding   | a position in the padding   | any real position of the same row
//   causality | the run of the whole prompt | the run of one of its chunks
//
// A fact is a set of pairs of classes (FloatClasses.h), and one more bit for
// numbers of a class that has many. "0, or a NaN if all real entries of the row
// are NaN" is {(+0, any), (NaN, NaN)}. docs/design/0013 has the proof that
// facts computed from sound facts are sound.

#ifndef NPU_ANALYSIS_BODY_PAIRFACT_H
#define NPU_ANALYSIS_BODY_PAIRFACT_H

#include "npu/Analysis/Body/FloatClasses.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace npu {

/// How many classes a type has: integers of one bit have the classes 0 and 1,
/// floats those of FloatClass, and all other types the single class 0.
unsigned numClasses(mlir::Type type);

class PairFact {
public:
  /// A fact of no type that says nothing: a place to assign a fact to.
  PairFact() = default;
  /// The scalar may be anything on either side.
  static PairFact anything(mlir::Type type);
  /// The scalar may be anything, but has the same bits on both sides. (All NaNs
  /// count as the same bits.)
  static PairFact same(mlir::Type type);
  /// The same bits on both sides, and of one of `classes` if `type` is a float;
  /// for all other types, the classes are ignored.
  static PairFact same(mlir::Type type, FloatClasses classes);
  static PairFact constant(mlir::TypedAttr value);
  /// The fact that combines the left side of `left` with the right side of
  /// `right`.
  static PairFact sides(const PairFact &left, const PairFact &right);
  /// No pair of classes is possible: the neutral element of `join`.
  static PairFact nothing(mlir::Type type);

  mlir::Type getType() const { return type; }
  /// The value on one side where it is known to the bit; null where it is not.
  mlir::TypedAttr leftConstant() const { return left; }
  mlir::TypedAttr rightConstant() const { return right; }

  /// Whether the scalar has the same bits on both sides.
  bool isSame() const;
  /// Whether both sides have the same bits but for the sign of zeros.
  bool isSameUpToSignOfZero() const;

  bool mayBe(unsigned leftClass, unsigned rightClass) const {
    return pairs >> (leftClass * numFloatClasses + rightClass) & 1;
  }
  bool mayBe(FloatClass leftClass, FloatClass rightClass) const {
    return mayBe(unsigned(leftClass), unsigned(rightClass));
  }
  /// The possible classes of one side as a set of bits, for all types.
  unsigned leftBits() const;
  unsigned rightBits() const;
  /// The possible classes of one side. Precondition: the type is a float.
  FloatClasses leftClasses() const { return FloatClasses::ofBits(leftBits()); }
  FloatClasses rightClasses() const {
    return FloatClasses::ofBits(rightBits());
  }
  /// The classes that are possible in either execution. Precondition: the type
  /// is a float.
  FloatClasses classes() const { return leftClasses() | rightClasses(); }
  bool isNothing() const { return pairs == 0; }

  /// The fact that holds of a scalar of which this fact or `other` holds.
  PairFact join(const PairFact &other) const;

  friend bool operator==(const PairFact &, const PairFact &) = default;

  /// Gives, for the class of every operand, the classes that a result may have.
  using Table =
      llvm::function_ref<unsigned(llvm::ArrayRef<unsigned> operandClasses)>;
  /// Says of a result that its number is that of one operand, whatever the
  /// other operands are: gives that operand's index, or nothing.
  using PassesOn = llvm::function_ref<std::optional<unsigned>(
      llvm::ArrayRef<unsigned> leftClasses,
      llvm::ArrayRef<unsigned> rightClasses)>;

  /// The fact of the result of an operation without side effects whose results
  /// follow from its operands alone. At most three operands.
  static PairFact apply(mlir::Type type, llvm::ArrayRef<PairFact> operands,
                        Table table, PassesOn passesOn = nullptr);

private:
  explicit PairFact(mlir::Type type) : type(type) {}
  void add(unsigned leftClass, unsigned rightClass) {
    pairs |= uint64_t(1) << (leftClass * numFloatClasses + rightClass);
  }
  /// Adds every pair of one of the classes `left` and one of the classes
  /// `right`, both as bits; where they are the `same` number, of equal classes.
  void addAll(unsigned left, unsigned right, bool same);
  /// Whether one value is all that a class has.
  bool isUnique(unsigned each) const;
  /// The classes that have one value, as bits.
  unsigned uniqueBits() const;

  mlir::Type type;
  mlir::TypedAttr left, right;
  uint64_t pairs = 0;
  bool sameNumber = true;
};

} // namespace npu

#endif // NPU_ANALYSIS_BODY_PAIRFACT_H
