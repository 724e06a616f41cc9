// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockMoves.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace npu {
namespace {

/// An extent divided by a number; null unless it is a multiple at every length.
Number dividedBy(Numbers &numbers, Number extent, int64_t by) {
  Number part = numbers.floorDiv(extent, numbers.constant(by));
  bool isMultiple =
      part && numbers.areEqual(numbers.mul(part, numbers.constant(by)), extent);
  return isMultiple ? part : Number();
}

} // namespace

Value withBlocksMoved(TensorBuilder &build, Value tensor, const BlockMove &move,
                      bool isBack) {
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes sizes = build.sizes(tensor);
  auto count = static_cast<int64_t>(move.blocks.size());
  int64_t all = 1;
  for (int64_t block : move.blocks)
    if (block < 1 || llvm::MulOverflow(all, block, all))
      return {};
  // The dimensions up to `dim` without blocks, then the number of blocks and
  // the size of one for each dimension after it.
  TensorBuilder::Sizes apart(sizes.begin(), sizes.begin() + move.dim + 1);
  if (isBack)
    apart.back() = dividedBy(numbers, apart.back(), all);
  TensorBuilder::Sizes together = apart;
  if (!isBack)
    together.back() = numbers.mul(apart.back(), numbers.constant(all));
  for (int64_t each = 0; each < count; ++each) {
    Number extent = sizes[move.dim + 1 + each],
           block = numbers.constant(move.blocks[each]);
    Number part =
        isBack ? extent : dividedBy(numbers, extent, move.blocks[each]);
    apart.append({part, block});
    together.push_back(isBack ? numbers.mul(extent, block) : part);
  }
  if (llvm::is_contained(apart, Number()) ||
      llvm::is_contained(together, Number()))
    return {};
  // Where the dimensions of `apart` go: blocks beside `dim`.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(move.dim));
  if (move.isAfter)
    order.push_back(move.dim);
  for (int64_t each = 0; each < count; ++each)
    order.push_back(move.dim + 2 + 2 * each);
  if (!move.isAfter)
    order.push_back(move.dim);
  for (int64_t each = 0; each < count; ++each)
    order.push_back(move.dim + 1 + 2 * each);
  if (isBack) {
    TensorBuilder::Sizes moved;
    SmallVector<int64_t> back(order.size());
    for (auto [to, from] : llvm::enumerate(order)) {
      moved.push_back(apart[from]);
      back[from] = static_cast<int64_t>(to);
    }
    apart = std::move(moved);
    order = std::move(back);
  }
  Value split = build.reshapeTo(tensor, apart);
  return split ? build.reshapeTo(build.transpose(split, order), together)
               : Value();
}

} // namespace npu
