// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is padding in a tensor whose prompt dimensions have been given a static
// extent. A padded dimension has its real entries in their order, with one hole
// somewhere:
//
//   right padding      R R R R R . . .     hole at 5 of 5 real ones
//   left padding       . . . R R R R R     hole at 0
//   cache, then prompt C C R R R . . .     as right; on the left: C C . . . R R
//   R
//
// Numbers that depend on the prompt length are affine expressions of it (symbol
// s0), constants where the length is known.

#ifndef NPU_INTERFACES_PADDINGSTATE_H
#define NPU_INTERFACES_PADDINGSTATE_H

#include "npu/Placement/Distributions/Padding.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

#include <optional>
#include <string>

namespace npu {

/// What every padded entry of a dimension is, where all other dimensions are
/// real.
struct PaddingContent {
  enum Kind {
    Anything,
    Constant,
    /// -inf, or a zero of any sign; or else a NaN in a row (all other
    /// dimensions fixed) of which every real entry is a NaN, so that whatever
    /// the row is reduced to is one, if it has real entries.
    NegativeInfinity,
    Zero
  } kind = Anything;
  /// Of kind Constant.
  mlir::TypedAttr constant;

  PaddingContent() = default;
  PaddingContent(mlir::TypedAttr constant)
      : kind(constant ? Constant : Anything), constant(constant) {}
  PaddingContent(Kind kind) : kind(kind) {}

  explicit operator bool() const { return kind != Anything; }
  friend bool operator==(const PaddingContent &,
                         const PaddingContent &) = default;
};

/// What padding contains beside the real entries of other rows: of "NaN where
/// the real entries are", nothing is left.
PaddingContent besideOtherRows(const PaddingContent &content);

/// "anything", "0xFF800000 : f32", "0, or NaN beside one".
std::string toString(const PaddingContent &content);

struct PaddedDim {
  /// How many entries are real.
  mlir::AffineExpr real;
  /// How many of them stand before the hole.
  mlir::AffineExpr hole;
  /// Entries with padding.
  int64_t extent = 0;
  PaddingContent content;

  bool endsInPadding() const { return hole == real; }
  bool beginsWithPadding() const;
  /// The same real and padded entries, whatever padding contains.
  bool sameEntries(const PaddedDim &other) const {
    return real == other.real && hole == other.hole && extent == other.extent;
  }
};

/// Per dimension of a tensor or loop of an operation; nothing where all is
/// real.
using PaddingState = llvm::SmallVector<std::optional<PaddedDim>, 4>;

bool isPadded(const PaddingState &state);

/// The same real and padded entries in every dimension.
bool sameEntries(const PaddingState &a, const PaddingState &b);

/// The entries that are padding of which nothing is known, so that no operation
/// relies on them; where the length is known.
Padding unknownPadding(const PaddingState &state);

/// "dim 2: L real of 512, padding behind is anything"; "no padding".
std::string toString(const PaddingState &state);

/// An expression of the prompt length in its simplest form. Two that are the
/// same number at every length mostly are the same expression then.
mlir::AffineExpr simplified(mlir::AffineExpr expr);

/// "L + 3": an expression of the prompt length.
std::string spell(mlir::AffineExpr expr);

} // namespace npu

#endif // NPU_INTERFACES_PADDINGSTATE_H
