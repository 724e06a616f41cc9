// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Interfaces/ReadsOperand.h"
#include "npu/Interfaces/LinearForm.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace npu {

/// The loop that alone indexes a dimension, forwards or backwards, entry by
/// entry; nothing where there is no such loop.
static std::optional<unsigned> loopAlong(AffineExpr index) {
  std::optional<LinearForm> form = asLinearForm(index);
  if (!form || form->factors.size() != 1)
    return std::nullopt;
  auto [loop, factor] = *form->factors.begin();
  return factor == 1 || factor == -1 ? std::optional(loop) : std::nullopt;
}

/// Whether every entry of an output is written: each dimension has a loop of
/// its own, or one entry at a constant index, and no other loop may have no
/// iterations.
static bool writesWhole(AffineMap written, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> loops) {
  llvm::SmallBitVector along(loops.size());
  for (auto [index, extent] : llvm::zip_equal(written.getResults(), shape)) {
    if (isa<AffineConstantExpr>(index) && extent == 1)
      continue;
    std::optional<unsigned> loop = loopAlong(index);
    if (!loop || along.test(*loop))
      return false;
    // As no index may be outside, as many iterations as entries reach all.
    if (!isa<AffineDimExpr>(index) &&
        (ShapedType::isDynamic(extent) || loops[*loop] != extent))
      return false;
    along.set(*loop);
  }
  return llvm::all_of(llvm::enumerate(loops), [&](auto loop) {
    return along.test(loop.index()) ||
           (loop.value() != 0 && !ShapedType::isDynamic(loop.value()));
  });
}

bool readsOperand(linalg::LinalgOp op, OpOperand &operand, AffineMap map,
                  ArrayRef<int64_t> loops) {
  return op.payloadUsesValueFromOperand(&operand) ||
         (op.isDpsInit(&operand) &&
          !writesWhole(map, op.getShape(&operand), loops));
}

bool readsOperand(linalg::LinalgOp op, OpOperand &operand) {
  return op.payloadUsesValueFromOperand(&operand) ||
         (op.isDpsInit(&operand) &&
          !writesWhole(op.getMatchingIndexingMap(&operand),
                       op.getShape(&operand), op.getStaticLoopRanges()));
}

} // namespace npu
