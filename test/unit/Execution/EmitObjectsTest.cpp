// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over blocks of memory stay loops in object code: unrolled, the rows of
// this pad are 30 times as much code, and take LLVM's schedulers a second.

#include "npu/Execution/Jit/EmitObjects.h"

#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace npu;

namespace {

TEST(EmitObjectsTest, BlocksStayInLoops) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerExecutionInterfaces(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @f(%x: tensor<1x8x24x96xf32>) -> tensor<1x8x26x98xf32> {
      %zero = arith.constant 0.0 : f32
      %y = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
      ^bb0(%a: index, %b: index, %c: index, %d: index):
        tensor.yield %zero : f32
      } : tensor<1x8x24x96xf32> to tensor<1x8x26x98xf32>
      return %y : tensor<1x8x26x98xf32>
    })",
                                                        &context);
  auto function = CompiledFunction::bufferize(std::move(module), "f");
  ASSERT_TRUE(mlir::succeeded(function));
  ASSERT_TRUE(mlir::succeeded((*function)->lowerForMachine()));
  auto objects = emitObjects((*function)->program(), (*function)->symbol(), 2);
  ASSERT_TRUE(mlir::succeeded(objects));
  size_t bytes = 0;
  for (const auto &object : *objects)
    bytes += object->getBufferSize();
  EXPECT_LT(bytes, size_t(6000));
}

} // namespace
