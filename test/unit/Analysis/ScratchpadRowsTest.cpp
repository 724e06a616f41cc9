// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capacity rows: what an operation's candidates count for the operands that are
// over after it.

#include "CostsFixture.h"
#include "npu/Analysis/Candidates/FunctionProblem.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace npu {
namespace {

class ScratchpadRowsTest : public CostsFixture {
protected:
  ScratchpadRowsTest() {
    context
        .loadDialect<NPUDialect, arith::ArithDialect, tensor::TensorDialect>();
  }

  /// The bytes that operation `at` takes at most on one tile, in any candidate
  /// and with all layouts that its rows count.
  int64_t mostAt(const std::string &arguments, const std::string &body,
                 int at) {
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") -> " +
                                             row + " {\n" + body +
                                             "\nreturn %r : " + row + "\n}",
                                         &context);
    auto function = cast<FunctionOpInterface>(
        (*module->getOps<func::FuncOp>().begin()).getOperation());
    ProblemOptions options;
    options.kernels = kernels;
    FunctionProblem problem = problemOf(function, target, options);
    limitScratchpads(problem, /*tiles=*/1, /*capacity=*/0, ViewBytes::Counted);
    int64_t most = 0;
    for (const CapacityRow &limit : problem.problem.memory) {
      if (limit.at != at)
        continue;
      int64_t layouts = limit.fixed, candidates = 0;
      for (const LayoutBytes &term : limit.layouts)
        layouts += term.bytes;
      for (const CandidateBytes &term : limit.candidates)
        candidates = std::max(candidates, term.bytes);
      most = std::max(most, layouts + candidates);
    }
    return most;
  }

  /// 1024 bytes.
  const std::string row = "tensor<256xf32>";
  std::shared_ptr<const KernelTable> kernels;
};

// An elementwise operation writes over an operand that it reads last, but not
// over one that is read later, nor over two.
TEST_F(ScratchpadRowsTest, WrittenOver) {
  std::string one = "%x: " + row, two = one + ", %y: " + row;
  std::string made = ") outs(%e : " + row + ") -> " + row + "\n";
  std::string empty = "%e = tensor.empty() : " + row + "\n";
  std::string exp = "linalg.exp ins(%x : " + row + made;
  std::string pair = " : " + row + ", " + row + made;
  EXPECT_EQ(mostAt(one, empty + "%r = " + exp, 0), 1024);
  EXPECT_EQ(mostAt(two, empty + "%r = linalg.add ins(%x, %y" + pair, 0), 2048);
  EXPECT_EQ(mostAt(one, empty + "%r = linalg.mul ins(%x, %x" + pair, 0), 1024);
  std::string later =
      empty + "%p = " + exp + "%r = linalg.add ins(%p, %x" + pair;
  EXPECT_EQ(mostAt(one, later, 0), 2048);
  EXPECT_EQ(mostAt(one, later, 1), 2048);
}

// A reversed row is written elsewhere than it is read.
TEST_F(ScratchpadRowsTest, ReadElsewhere) {
  std::string square = "tensor<16x16xf32>";
  auto made = [&](const std::string &map) {
    return "%v = tensor.expand_shape %x [[0, 1]] output_shape [16, 16] : " +
           row + " into " + square + "\n%e = tensor.empty() : " + square +
           "\n%t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (" +
           map +
           ")>, affine_map<(i, j) -> (i, j)>], iterator_types = "
           "[\"parallel\", \"parallel\"]} ins(%v : " +
           square + ") outs(%e : " + square +
           ") {\n^bb0(%a: f32, %o: f32):\n%n = arith.negf %a : f32\n"
           "linalg.yield %n : f32\n} -> " +
           square + "\n%r = tensor.collapse_shape %t [[0, 1]] : " + square +
           " into " + row;
  };
  EXPECT_EQ(mostAt("%x: " + row, made("j, i"), 1) -
                mostAt("%x: " + row, made("i, j"), 1),
            1024);
}

} // namespace
} // namespace npu
