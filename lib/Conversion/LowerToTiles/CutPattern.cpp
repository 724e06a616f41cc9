// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pattern for every operation whose model says how a tile makes its part.

#include "Patterns.h"
#include "npu/Analysis/Choices/ComputeChoices.h"
#include "npu/Interfaces/ModelOf.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/TileProgram/TilePart.h"

using namespace mlir;

namespace npu {
namespace {

struct CutPattern : ConversionPattern {
  CutPattern(const TileTypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    auto model = modelOf<PartwiseOpInterface>(op);
    std::optional<OpAccess> access = OpAccess::get(op);
    if (!access)
      return rewriter.notifyMatchFailure(op, "not understood");
    TilePart part(rewriter, op, *access, operands);
    for (auto [tile, iteration] :
         llvm::enumerate(iterationsForMemory(*access, op))) {
      part.beginTile(tile, iteration);
      if (failed(model.cutForTile(part)))
        return rewriter.notifyMatchFailure(op, "no part of it can be made");
    }
    rewriter.replaceOpWithMultiple(op, part.takeResults());
    return success();
  }
};

} // namespace

void populateCutPattern(const TileTypeConverter &converter,
                        RewritePatternSet &patterns) {
  patterns.add<CutPattern>(converter, patterns.getContext());
}

} // namespace npu
