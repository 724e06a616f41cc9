// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a scalar is in two executions that are compared, the left and the right
// one. Both questions that are asked of the region of an operation are of this
// kind:
//
//             | left                        | right
//   padding   | a position in the padding   | any real position of the same row
//   causality | the run of the whole prompt | the run of one of its chunks
//
// A fact is a set of pairs of classes (FloatClasses.h), and one more bit for
// numbers of a class that has many. "0, or a NaN if all real entries of the row
// are NaN" is {(+0, any), (NaN, NaN)}. docs/design/0013 has the argument for
// why what is made of sound facts is sound.

#ifndef NPU_ANALYSIS_BODY_PAIRFACT_H
#define NPU_ANALYSIS_BODY_PAIRFACT_H

#include "npu/Analysis/Body/FloatClasses.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace npu {

/// Integers of one bit have the classes 0 and 1; other types have one class,
/// 0.
unsigned numClasses(mlir::Type type);

class PairFact {
public:
  /// Of no type, and nothing: a place for a fact.
  PairFact() = default;
  /// Anything on either side.
  static PairFact anything(mlir::Type type);
  /// Anything, but with the same bits on both sides. (All NaNs are one.)
  static PairFact same(mlir::Type type);
  /// Of a float that is of one of these classes; of all other types, anything.
  static PairFact same(mlir::Type type, FloatClasses classes);
  static PairFact constant(mlir::TypedAttr value);
  /// As `left` has it on the left and `right` on the right.
  static PairFact sides(const PairFact &left, const PairFact &right);
  /// Nothing has been seen yet: what `join` leaves as the other.
  static PairFact nothing(mlir::Type type);

  mlir::Type getType() const { return type; }
  /// The value where it is known to the bit; null where it is not.
  mlir::TypedAttr leftConstant() const { return left; }
  mlir::TypedAttr rightConstant() const { return right; }

  /// The same bits on both sides.
  bool isSame() const;
  /// The same bits but for the sign of zeros.
  bool isSameUpToSignOfZero() const;

  bool mayBe(unsigned leftClass, unsigned rightClass) const {
    return pairs >> (leftClass * numFloatClasses + rightClass) & 1;
  }
  bool mayBe(FloatClass leftClass, FloatClass rightClass) const {
    return mayBe(unsigned(leftClass), unsigned(rightClass));
  }
  /// Classes by bits, for all types.
  unsigned leftBits() const;
  unsigned rightBits() const;
  /// Of a float.
  FloatClasses leftClasses() const { return FloatClasses::ofBits(leftBits()); }
  FloatClasses rightClasses() const {
    return FloatClasses::ofBits(rightBits());
  }
  /// In both executions.
  FloatClasses classes() const { return leftClasses() | rightClasses(); }
  bool isNothing() const { return pairs == 0; }

  /// Either of two.
  PairFact join(const PairFact &other) const;

  friend bool operator==(const PairFact &, const PairFact &) = default;

  /// Gives, for the class of every operand, the classes that a result may have.
  using Table =
      llvm::function_ref<unsigned(llvm::ArrayRef<unsigned> operandClasses)>;
  /// Says of a result that it is as large as one operand, whatever the others
  /// are: its number on the left and the right, or nothing.
  using PassesOn = llvm::function_ref<std::optional<unsigned>(
      llvm::ArrayRef<unsigned> leftClasses,
      llvm::ArrayRef<unsigned> rightClasses)>;

  /// What an operation without side effects gives whose results follow from
  /// its operands alone. At most three operands.
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
