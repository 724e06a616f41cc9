// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the memory order of the cast's result, which a log does not have, from
// the boxes: in the right order both sides describe the same bytes.

#ifndef NPU_LIB_TRANSLATION_LOG_OUTPUTORDER_H
#define NPU_LIB_TRANSLATION_LOG_OUTPUTORDER_H

#include "LogDistribution.h"

namespace npu {

/// The facts of a logged cast from which the output order is found.
struct CastSides {
  const LoggedDistribution &in;
  const LoggedDistribution &out;
  /// Null where the log has no usable one.
  const LoggedDistribution *expected = nullptr;
  Permutation inOrder;
  Permutation memPerm;
  /// The shapes, as far as they are known. Precondition: one of them is.
  std::optional<Extents> inShape;
  std::optional<Extents> outShape;
};

struct OutputOrder {
  Permutation order;
  Extents inShape;
  Extents outShape;
  /// Whether the image of `in` has the boxes of the log's `expected`.
  bool givesExpected = false;
  /// Whether the image of `in` has the boxes of `out`, so that nothing has to
  /// move.
  bool makesBoxesAgree = false;
};

/// The order under which the image of `in` has the boxes that the log expects,
/// else one under which it has those of `out`, else one that the shapes allow.
/// Of several orders it is the first of NHWC (GNHWC), the identity, and the
/// others in increasing order. Dimensions of extent 1 may be anywhere. Nothing
/// when the extents of both sides differ.
std::optional<OutputOrder> findOutputOrder(const CastSides &sides);

/// Examines a given order.
std::optional<OutputOrder> tryOutputOrder(const CastSides &sides,
                                          const Permutation &order);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_LOG_OUTPUTORDER_H
