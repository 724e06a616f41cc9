// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimension orders and permutations, and what a permute_cast does to
// dimensions (docs/concepts.md, "permute_cast").

#ifndef NPU_PLACEMENT_DISTRIBUTIONS_ORDER_H
#define NPU_PLACEMENT_DISTRIBUTIONS_ORDER_H

#include "npu/Placement/Boxes/Box.h"
#include "npu/Placement/Result.h"

#include <string>
#include <string_view>

namespace npu {

/// `order[m]` is the logical dimension at memory position m (slowest first).
/// NHWC is [0, 2, 3, 1]. An empty permutation means identity of any rank.
using Permutation = FixedVector<int64_t, kMaxRank>;

bool isPermutation(std::span<const int64_t> values);
bool isIdentity(const Permutation &permutation);
Permutation identityPermutation(std::size_t rank);
Permutation inverse(const Permutation &permutation);
/// result[i] = first[second[i]]
Permutation compose(const Permutation &first, const Permutation &second);
/// result[i] = values[permutation[i]]
Extents permute(const Extents &values, const Permutation &permutation);

/// "NHWC" -> [0, 2, 3, 1], "GNHWC" -> [0, 1, 3, 4, 2]; nothing for other words.
std::optional<Permutation> parseOrderName(std::string_view name);
/// The name of an order of rank 4, or of rank 5 that begins with dimension 0.
std::optional<std::string> orderName(const Permutation &order);

/// What a permute_cast does to logical dimensions: output dimension o is input
/// dimension `result[o]`. The formula follows from toMem(v, O)[m] = v[O[m]] and
/// perm(w, P)[i] = w[P[i]]: out[outOrder[i]] = in[inOrder[P[i]]]. Orders may be
/// empty (identity). Precondition: all are of one rank. Example: in NCHW, P
/// identity, out NHWC: [0, 3, 1, 2] (1x28x336x128 becomes 1x128x28x336).
Permutation castDimensions(const Permutation &inOrder,
                           const Permutation &memPerm,
                           const Permutation &outOrder);

/// True when the dimensions of extent other than 1 keep their relative order,
/// so that re-reading memory of `memShape` under `memPerm` changes no byte.
bool isTrivialMemPerm(const Extents &memShape, const Permutation &memPerm);

/// result[o] = box[inDim[o]]
Box permute(const Box &box, const Permutation &inDim);

} // namespace npu

#endif // NPU_PLACEMENT_DISTRIBUTIONS_ORDER_H
