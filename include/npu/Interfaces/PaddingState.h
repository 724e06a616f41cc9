// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which entries are padding in a tensor whose prompt dimensions have been given
// a static extent. A padded dimension has its real entries in their order, with
// one hole, the padding, before, after or between them:
//
//   right padding      R R R R R . . .     hole at 5 of 5 real ones
//   left padding       . . . R R R R R     hole at 0
//   cache, then prompt C C R R R . . .     right padding, after a full cache
//                      C C . . . R R R     left padding, after a full cache
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

/// What is known of the padded entries of a dimension that are real in all
/// other dimensions.
struct PaddingContent {
  enum Kind {
    Anything,
    Constant,
    /// Entries are -inf, or zeros of any sign. They may also be NaN in a row
    /// (all other dimensions fixed) of which every real entry is a NaN; if such
    /// a row has real entries, whatever it is reduced to is a NaN anyway.
    NegativeInfinity,
    Zero
  } kind = Anything;
  /// The entry, for content of kind Constant.
  mlir::TypedAttr constant;

  PaddingContent() = default;
  PaddingContent(mlir::TypedAttr constant)
      : kind(constant ? Constant : Anything), constant(constant) {}
  PaddingContent(Kind kind) : kind(kind) {}

  explicit operator bool() const { return kind != Anything; }
  friend bool operator==(const PaddingContent &,
                         const PaddingContent &) = default;
};

/// The content as seen beside the real entries of other rows: a NaN that the
/// real entries of its own row allow is then not allowed, so that such content
/// becomes Anything.
PaddingContent besideOtherRows(const PaddingContent &content);

/// "anything", "0xFF800000 : f32", "0, or NaN beside one".
std::string toString(const PaddingContent &content);

/// An expression of the prompt length in its simplest form. Expressions that
/// are equal at every length have, in most cases, the same simplest form.
mlir::AffineExpr simplified(mlir::AffineExpr expr);

/// Whether two expressions are equal at every length, as far as their
/// difference in its simplest form says. Example: s0 mod 3 and s0 - (s0
/// floordiv 3) * 3.
bool areEqual(mlir::AffineExpr a, mlir::AffineExpr b);

struct PaddedDim {
  /// A dimension in which all entries are real at every length: its extent is
  /// static with padding, whatever the type without it says.
  static PaddedDim withoutPadding(int64_t extent, mlir::MLIRContext *context);

  /// How many entries are real.
  mlir::AffineExpr real;
  /// How many of the real entries stand before the hole.
  mlir::AffineExpr hole;
  /// The number of entries, padding included.
  int64_t extent = 0;
  PaddingContent content;

  bool endsInPadding() const { return areEqual(hole, real); }
  bool beginsWithPadding() const;
  bool hasPadding() const;
  /// Whether the same entries are real in both, whatever the padding contains.
  bool sameEntries(const PaddedDim &other) const {
    return areEqual(real, other.real) && areEqual(hole, other.hole) &&
           extent == other.extent;
  }
};

/// The padding of each dimension of a tensor or each loop of an operation;
/// nothing for a dimension in which all entries are real and whose extent is
/// the type's.
using PaddingState = llvm::SmallVector<std::optional<PaddedDim>, 4>;

bool isPadded(const PaddingState &state);

/// Whether the same entries are real in both in every dimension.
bool sameEntries(const PaddingState &a, const PaddingState &b);

/// Lets dimensions whose extents are the same at every length, though the type
/// does not say so, have these extents with padding: beside padded ones, and
/// where all extents are the same at every length.
void keepConstantExtents(mlir::RankedTensorType type,
                         llvm::ArrayRef<mlir::AffineExpr> extents,
                         PaddingState &state);

/// The padding of unknown content, on which no operation relies; empty where
/// the prompt length is not known.
Padding unknownPadding(const PaddingState &state);

/// "dim 2: L real of 512, padding after is anything"; "no padding".
std::string toString(const PaddingState &state);

/// "L + 3": an expression of the prompt length.
std::string spell(mlir::AffineExpr expr);

} // namespace npu

#endif // NPU_INTERFACES_PADDINGSTATE_H
