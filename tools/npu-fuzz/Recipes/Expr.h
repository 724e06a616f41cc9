// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a linalg operation computes, as plain data: loops, indexing maps, and a
// scalar expression over them.

#ifndef NPU_FUZZ_RECIPES_EXPR_H
#define NPU_FUZZ_RECIPES_EXPR_H

#include "npu-fuzz/Recipes/AffineIndex.h"
#include "npu/Execution/Host/HostTensor.h"

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
    Accumulator, // the output's argument
    Simple,      // name, on operands of the result's type
    Divide,      // name, likewise; the divisor is kept from 0 and -1
    Compare,     // name: the predicate
    Select,
    If, // scf.if: the branches stand in it
    Cast,
    /// tensor.extract from the step's operand `number`; indices are kept inside
    /// the tensor, by clamping, or by scf.if where the name is "guarded".
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
Expr accumulator(ElementType type);
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

/// The loops of a linalg operation and what they compute. The first operands of
/// the step are its inputs; behind them come the initial output, where the step
/// has it as an operand, and the tensors of which the body extracts entries.
struct LoopNest {
  std::vector<Loop> loops;
  /// The index of each dimension of each input.
  std::vector<std::vector<AffineIndex>> inputs;
  /// The loops that are the output's dimensions, mostly all that are parallel.
  std::vector<int64_t> output;
  /// What the output begins with everywhere, unless that is an operand, which
  /// `body` then reads as its accumulator.
  Expr begin;
  bool beginsAsOperand = false;
  Expr body;

  /// The number of operands that are no tensors to extract from.
  std::size_t shaped() const { return inputs.size() + beginsAsOperand; }
  bool reduces() const {
    for (const Loop &loop : loops)
      if (loop.reduces)
        return true;
    return false;
  }
};

} // namespace npu

#endif // NPU_FUZZ_RECIPES_EXPR_H
