// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A log does not say in which order the cast's result lies in memory. The boxes
// tell: in the right order both sides describe the same bytes.

#ifndef NPU_LIB_TRANSLATION_LOG_OUTPUTORDER_H
#define NPU_LIB_TRANSLATION_LOG_OUTPUTORDER_H

#include "LogDistribution.h"

namespace npu {

/// What is known of a logged cast before its output order is.
struct CastSides {
  const LoggedDistribution &in;
  const LoggedDistribution &out;
  /// Null where the log has none that can be used.
  const LoggedDistribution *expected = nullptr;
  Permutation inOrder;
  Permutation memPerm;
  /// Precondition: one of the two is known.
  std::optional<Extents> inShape;
  std::optional<Extents> outShape;
};

struct OutputOrder {
  Permutation order;
  Extents inShape;
  Extents outShape;
  /// `in` seen through the cast holds what the log's `expected` holds.
  bool givesExpected = false;
  /// The same of `out`: nothing has to move.
  bool makesBoxesAgree = false;
};

/// The order under which `in` becomes what the log expects, else the one under
/// which both sides hold the same boxes, else one that the shapes allow; of
/// several the first of NHWC (GNHWC), the identity, and the rest in increasing
/// order. Dimensions of extent 1 take any place. Nothing when the extents of
/// one side are not those of the other.
std::optional<OutputOrder> findOutputOrder(const CastSides &sides);

/// The same for an order that is given.
std::optional<OutputOrder> tryOutputOrder(const CastSides &sides,
                                          const Permutation &order);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_OUTPUTORDER_H
