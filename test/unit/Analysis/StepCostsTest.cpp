// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What steps hold on tiles at the same time.

#include "npu/Analysis/Costs/StepCosts.h"
#include "CostsFixture.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

class StepCostsTest : public CostsFixture {
protected:
  StepCostsTest() {
    context
        .loadDialect<NPUDialect, arith::ArithDialect, tensor::TensorDialect>();
  }

  /// The extents of the slices that are on tiles at the same time, of a vector
  /// of 12 entries with one before and two after it, in steps of 5. One list
  /// for each time.
  std::vector<std::vector<int64_t>> heldOf(StringRef npuSteps) {
    module = parseSourceString<ModuleOp>(
        ("#all = #npu.layout<DUPLICATED, tiles = 2>\n"
         "func.func @f(%x: tensor<12xf32>) -> tensor<15xf32> {\n"
         "%z = arith.constant 0.0 : f32\n"
         "%p = tensor.pad %x low[1] high[2] {\n^bb0(%i: index):\n"
         "tensor.yield %z : f32\n} " +
         npuSteps +
         " : tensor<12xf32> to tensor<15xf32>\n"
         "%e = tensor.empty() : tensor<15xf32>\n"
         "%r = linalg.abs {npu.steps = {loops = array<i64: 0>, sizes = "
         "array<i64: 5>, slots = array<i64: 2>, layouts = [#all, #all]}} "
         "ins(%p : tensor<15xf32>) outs(%e : tensor<15xf32>) -> "
         "tensor<15xf32>\nreturn %r : tensor<15xf32>\n}")
            .str(),
        &context);
    linalg::LinalgOp op;
    module->walk([&](linalg::AbsOp found) { op = found; });
    std::optional<StepsCost> cost =
        costInSteps(StepGroup::marked(op), *readSteps(op), target);
    std::vector<std::vector<int64_t>> extents;
    for (const auto &slices : cost->held) {
      if (slices.empty())
        continue;
      extents.emplace_back();
      for (RankedTensorType type : slices)
        extents.back().push_back(type.getDimSize(0));
      llvm::sort(extents.back());
    }
    llvm::sort(extents);
    extents.erase(llvm::unique(extents), extents.end());
    return extents;
  }

  using Extents = std::vector<std::vector<int64_t>>;
};

// Three steps in a loop: two slots of what is loaded and of what is stored.
TEST_F(StepCostsTest, OfATensorFromDdr) {
  EXPECT_EQ(heldOf(""), (Extents{{5, 5, 5, 5}}));
}

// The first and the last one load less, and hold that beside their slice of the
// padded tensor; the one between is no loop.
TEST_F(StepCostsTest, OfAPaddedTensor) {
  EXPECT_EQ(heldOf("{npu.steps = {layouts = []}}"),
            (Extents{{3, 5}, {3, 5, 5}, {4, 5}, {4, 5, 5}, {5, 5}}));
}

} // namespace
} // namespace npu
