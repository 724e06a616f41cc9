// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a linalg operation computes, as plain data: loops, indexing maps, and a
// scalar expression over them.

#ifndef NPU_FUZZ_RECIPES_EXPR_H
#define NPU_FUZZ_RECIPES_EXPR_H

#include "npu-fuzz/Recipes/AffineIndex.h"
#include "npu/Host/HostTensor.h"

namespace npu {

/// The type of positions in expressions. No tensor of a recipe has unsigned
/// entries of 64 bits.
inline constexpr ElementType kIndex = ElementType::U64;

/// The type's name in MLIR, "index" for kIndex.
inline std::string scalarName(ElementType type) {
  return type == kIndex ? "index" : nameOf(type);
}

/// How many entries a dimension has where the prompt has `length`.
struct Extent {
  enum Kind : uint8_t {
    Fixed,     // number
    Prompt,    // length
    Falling,   // number - length; the number is at least the longest length
    Multiple,  // number * length
    Longer,    // length + number
    Quotient,  // length floordiv number
    Remainder, // length mod number
    AtLeast,   // max(length, number)
    AtMost,    // min(length, number)
    Linear     // factor * length + number
  };
  Kind kind = Fixed;
  int64_t number = 1;
  /// Whether affine.apply, affine.max or affine.min computes the extent,
  /// instead of arith.
  bool byAffine = false;
  int64_t factor = 1;

  int64_t at(int64_t length) const;
  /// Whether both extents are the same number at every length.
  bool operator==(const Extent &other) const {
    return kind == other.kind && (kind == Prompt || number == other.number) &&
           (kind != Linear || factor == other.factor);
  }
};

/// A prompt's length at which no extent above is negative, and no prompt
/// dimension is taken for one of extent 1.
inline constexpr int64_t kInferredLength = 2;

/// A scalar in a region, with what it is computed from.
struct Expr {
  enum Form : uint8_t {
    Constant,    // value
    Loop,        // number: linalg.index
    Length,      // of the prompt
    Offset,      // of the prompt in a cache
    Input,       // number: of the operation's inputs
    Accumulator, // number: of the operation's outputs
    Simple,      // name, on operands of the result's type
    Divide,      // name, likewise; the divisor is kept from 0 and -1
    Compare,     // name: the predicate
    Select,
    If, // scf.if: the branches stand in it
    Cast,
    /// tensor.extract from the step's operand `number`; indices are kept inside
    /// the tensor, by clamping, or by scf.if where the name is "guarded", or
    /// are there anyway where it is "inside". The operand itself if it is a
    /// scalar.
    Extract
  };
  Form form = Constant;
  ElementType type = ElementType::F32;
  std::string name = {};
  int64_t number = 0;
  double value = 0;
  std::vector<Expr> operands = {};

  bool operator==(const Expr &) const = default;

  /// Calls `visit` for this expression and then for all below it.
  template <typename Visit>
  void walk(Visit visit) {
    visit(*this);
    for (Expr &operand : operands)
      operand.walk(visit);
  }
  template <typename Visit>
  void walk(Visit visit) const {
    visit(*this);
    for (const Expr &operand : operands)
      operand.walk(visit);
  }
  bool uses(Form form) const;
};

/// A constant of that type.
Expr number(ElementType type, double value);
inline Expr indexNumber(int64_t value) {
  return number(kIndex, static_cast<double>(value));
}
/// The position of a loop.
Expr position(int64_t loop);
/// The entry of an input of the operation.
Expr input(ElementType type, int64_t number);
Expr accumulator(ElementType type, int64_t number = 0);
/// The operation `name`, whose result has the type of its first operand.
Expr simple(std::string name, std::vector<Expr> operands);
/// An integer division or remainder.
Expr division(std::string name, Expr dividend, Expr divisor);
/// An arith.select.
Expr choose(Expr condition, Expr yes, Expr no);
/// A comparison, of type i1.
Expr comparison(std::string predicate, Expr a, Expr b);
/// The conversion `name` to that type.
Expr cast(std::string name, ElementType type, Expr operand);
/// A position, converted to that type.
Expr positionAs(ElementType type, Expr position);

struct Loop {
  Extent extent;
  bool reduces = false;
};

/// A linalg operation: its loops, how its operands are indexed, and what it
/// computes. The first operands of the step are its inputs; after them come
/// the initial outputs, where the step has them as operands, and what the
/// bodies read otherwise: scalars, and tensors of which they extract entries.
struct LoopNest {
  /// OnTensors: the body is one operation, and is written on tensors of one
  /// layout.
  enum Form : uint8_t { Generic, Map, Reduce, OnTensors };
  Form form = Generic;
  /// Whether the step is legal only where indices fit, the bodies' bounds do
  /// and sums are safe. Others hold any numbers, as functions of regions do.
  bool isChecked = false;
  /// Of checked nests, extents are those of the inputs that have the loop as a
  /// dimension, if there are any, and loops reduce that no output is indexed
  /// by.
  std::vector<Loop> loops = {};
  /// The index of each dimension of each input and each output.
  std::vector<std::vector<AffineIndex>> inputs = {};
  std::vector<std::vector<AffineIndex>> outputs = {{}};
  /// The entries that an output has in a dimension beyond those that are
  /// reached, where it is not indexed by a loop as it is.
  int64_t slack = 0;
  /// What the outputs begin with everywhere, unless they are operands; empty:
  /// it does not matter.
  std::vector<Expr> begins = {{}};
  bool beginsAsOperand = false;
  /// What is computed for each output.
  std::vector<Expr> bodies = {{}};

  bool reduces() const;
  bool usesAccumulator() const;
};

/// The indices of dimensions that are these loops.
std::vector<AffineIndex> plainIndices(std::span<const int64_t> loops);
/// That many loops as they are.
std::vector<AffineIndex> plainIndices(std::size_t loops);
/// The dimensions that are not among `dims`.
std::vector<int64_t> others(int64_t rank, std::span<const int64_t> dims);

} // namespace npu

#endif // NPU_FUZZ_RECIPES_EXPR_H
