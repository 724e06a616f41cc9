// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every workload of the vendor's figures that is one operation, written as that
// operation on one tile: it costs what the formula says of the workload, so
// that the formula's errors are those of costs in IR.

#include "../Target/CostRows.h"
#include "CostsFixture.h"

#include <fmt/format.h>

#include <map>

using namespace mlir;

namespace npu {
namespace {

class WorkloadCostsTest : public CostsFixture {
protected:
  /// What the formula says of `row`; nothing where it is not one operation.
  std::optional<int64_t> expected(const Row &row) const {
    const CostFigures &costs = target.costs;
    if (row.text("kind") == "dma_hw")
      return moveCycles(costs, row);
    if (row.text("kind") == "dpu")
      return engineCycles(costs, row);
    // A product of two tensors is work of a matrix engine.
    if (!kernelOf(row) || row.text("op") == "mul" ||
        row.text("op") == "swish" || row.text("op").starts_with("MVN"))
      return std::nullopt;
    return kernelCycles(costs, row);
  }

  int64_t costInIR(const Row &row) {
    if (row.text("kind") == "dma_hw")
      return copyInIR(row);
    if (row.text("kind") == "shave")
      return kernelInIR(row);
    std::string op = row.text("op");
    if (op == "ELTWISE")
      return elementwiseInIR(row);
    return op == "MAXPOOL" ? poolingInIR(row) : convolutionInIR(row);
  }

  static std::string tensor(const std::string &shape,
                            const std::string &element) {
    return "tensor<" + shape + "x" + element + ", #one>";
  }

  static std::string elementOf(const Row &row) { return row.text("dtype"); }

  /// The shape of a convolution's or a pooling's result.
  static std::string resultShape(const Row &row) {
    return fmt::format("1x{}x{}x{}", row.number("OH"), row.number("OW"),
                       row.number("OC"));
  }

  static int64_t strideOf(int64_t input, int64_t output) {
    return std::max<int64_t>((input + output / 2) / output, 1);
  }

  /// What a window reads along one dimension, the border that it is padded by
  /// included.
  static int64_t reach(const Row &row, const char *in, const char *out) {
    int64_t stride = strideOf(row.number(in), row.number(out));
    return (row.number(out) - 1) * stride + row.number("k");
  }

  static std::string imageShape(const Row &row) {
    return fmt::format("1x{}x{}x{}", reach(row, "H", "OH"),
                       reach(row, "W", "OW"), row.number("IC"));
  }

  static std::string strides(const Row &row) {
    return fmt::format("{{strides = dense<[{}, {}]> : tensor<2xi64>}}",
                       strideOf(row.number("H"), row.number("OH")),
                       strideOf(row.number("W"), row.number("OW")));
  }

  int64_t windowed(const std::string &name, const Row &row,
                   const std::string &kernel, const std::string &result) {
    std::string image = tensor(imageShape(row), elementOf(row));
    return costOf("%a: " + image + ", %b: " + kernel + ", %c: " + result,
                  "%r = linalg." + name + " " + strides(row) +
                      " ins(%a, %b : " + image + ", " + kernel +
                      ") outs(%c : " + result + ") -> " + result)
        .cycles;
  }

  int64_t convolutionInIR(const Row &row) {
    std::string sum = elementOf(row) == "i8" ? "i32" : "f16";
    std::string result = tensor(resultShape(row), sum);
    int64_t k = row.number("k");
    if (row.text("op") == "DW_CONVOLUTION")
      return windowed("depthwise_conv_2d_nhwc_hwc", row,
                      tensor(fmt::format("{}x{}x{}", k, k, row.number("IC")),
                             elementOf(row)),
                      result);
    return windowed("conv_2d_nhwc_hwcf", row,
                    tensor(fmt::format("{}x{}x{}x{}", k, k, row.number("IC"),
                                       row.number("OC")),
                           elementOf(row)),
                    result);
  }

  int64_t poolingInIR(const Row &row) {
    return windowed(
        "pooling_nhwc_max", row,
        tensor(fmt::format("{}x{}", row.number("k"), row.number("k")),
               elementOf(row)),
        tensor(resultShape(row), elementOf(row)));
  }

  int64_t elementwiseInIR(const Row &row) {
    std::string type = tensor(resultShape(row), elementOf(row));
    return costOf("%a: " + type + ", %b: " + type,
                  std::string("%r = arith.") +
                      (elementOf(row) == "i8" ? "addi" : "addf") +
                      " %a, %b : " + type)
        .cycles;
  }

  int64_t kernelInIR(const Row &row) {
    static const std::map<std::string, std::string> bodies = {
        {"abs", "%y = math.absf %x : f16"},
        {"exp", "%y = math.exp %x : f16"},
        {"log", "%y = math.log %x : f16"},
        {"relu", "%y = arith.maximumf %x, %one : f16"},
        {"sigmoid", "%n = arith.negf %x : f16\n%p = math.exp %n : f16\n"
                    "%s = arith.addf %p, %one : f16\n"
                    "%y = arith.divf %one, %s : f16"},
        {"sqrt", "%y = math.sqrt %x : f16"},
        {"tanh", "%y = math.tanh %x : f16"},
        {"clamp", "%l = arith.maximumf %x, %zero : f16\n"
                  "%y = arith.minimumf %l, %one : f16"},
        {"hsigmoid", hardSigmoid + "%y = arith.mulf %m, %one : f16"},
        {"hardsigmoid", "%k = arith.mulf %x, %one : f16\n"
                        "%s = arith.addf %k, %one : f16\n"
                        "%l = arith.maximumf %s, %zero : f16\n"
                        "%y = arith.minimumf %l, %one : f16"},
        {"hswish", hardSigmoid + "%k = arith.mulf %m, %one : f16\n"
                                 "%y = arith.mulf %k, %x : f16"},
        {"prelu", "%k = arith.mulf %x, %one : f16\n"
                  "%c = arith.cmpf ogt, %x, %zero : f16\n"
                  "%y = arith.select %c, %x, %k : f16"},
        {"cosh", exponentials + "%s = arith.addf %p, %q : f16\n"
                                "%y = arith.mulf %s, %one : f16"},
        {"sinh", exponentials + "%s = arith.subf %p, %q : f16\n"
                                "%y = arith.mulf %s, %one : f16"},
        {"elu", exponentialUnit + "%y = arith.select %c, %x, %k : f16"},
        {"selu", exponentialUnit + "%u = arith.select %c, %x, %k : f16\n"
                                   "%y = arith.mulf %u, %one : f16"},
        {"mish", "%p = math.exp %x : f16\n%s = arith.addf %p, %one : f16\n"
                 "%l = math.log %s : f16\n%t = math.tanh %l : f16\n"
                 "%y = arith.mulf %t, %x : f16"},
        {"gelu", "%k = arith.mulf %x, %x : f16\n"
                 "%l = arith.mulf %k, %x : f16\n"
                 "%m = arith.mulf %l, %one : f16\n"
                 "%s = arith.addf %m, %x : f16\n"
                 "%u = arith.mulf %s, %one : f16\n%t = math.tanh %u : f16\n"
                 "%v = arith.addf %t, %one : f16\n"
                 "%o = arith.mulf %v, %x : f16\n"
                 "%y = arith.mulf %o, %one : f16"}};
    std::string type = tensor(std::to_string(row.number("elements")), "f16");
    return costOf("%a: " + type,
                  "%zero = arith.constant 0.0 : f16\n"
                  "%one = arith.constant 1.0 : f16\n"
                  "%r = linalg.generic {indexing_maps = [affine_map<(i) -> "
                  "(i)>, affine_map<(i) -> (i)>], iterator_types = "
                  "[\"parallel\"]} ins(%a : " +
                      type + ") outs(%a : " + type +
                      ") {\n^bb0(%x: f16, %z: f16):\n" +
                      bodies.at(row.text("op")) +
                      "\nlinalg.yield %y : f16\n} -> " + type)
        .cycles;
  }

  /// What several bodies begin with.
  static inline const std::string hardSigmoid =
      "%s = arith.addf %x, %one : f16\n%l = arith.maximumf %s, %zero : f16\n"
      "%m = arith.minimumf %l, %one : f16\n";
  static inline const std::string exponentials =
      "%p = math.exp %x : f16\n%n = arith.negf %x : f16\n"
      "%q = math.exp %n : f16\n";
  static inline const std::string exponentialUnit =
      "%p = math.exp %x : f16\n%s = arith.subf %p, %one : f16\n"
      "%k = arith.mulf %s, %one : f16\n"
      "%c = arith.cmpf ogt, %x, %zero : f16\n";

  int64_t copyInIR(const Row &row) {
    int64_t bytes = row.number("bytes");
    std::string begin = fmt::format("tensor<{}xi8", bytes);
    std::string direction = row.text("dir");
    if (direction == "DDR2DDR")
      return costOf("%a: " + begin + ">", "%r = \"any.copy\"(%a) : (" + begin +
                                              ">) -> " + begin + ">")
          .cycles;
    context.loadDialect<NPUDialect>();
    auto onTile = [&](int tile) {
      return type(begin + fmt::format(", #npu.layout<OVERLAPPED, compute = "
                                      "[[0:{}], [{}:{}]]>>",
                                      tile == 0 ? bytes : 0,
                                      tile == 0 ? bytes : 0, bytes));
    };
    RankedTensorType ddr = type(begin + ">");
    bool loads = direction == "DDR2CMX", stores = direction == "CMX2DDR";
    return movementCost(loads ? ddr : onTile(0), stores ? ddr : onTile(1), {},
                        target)
        .cycles;
  }
};

/// The row with the border that is read instead of the vendor's own input.
std::string withBorder(const Row &row, int64_t height, int64_t width) {
  return fmt::format(
      R"({{"op": "{}", "dtype": "{}", "W": {}, "H": {}, "IC": {}, "OC": {}, )"
      R"("OW": {}, "OH": {}, "k": {}, "cycles": 0}})",
      row.text("op"), row.text("dtype"), width, height, row.number("IC"),
      row.number("OC"), row.number("OW"), row.number("OH"), row.number("k"));
}

TEST_F(WorkloadCostsTest, CostsInIRAreTheFormulas) {
  std::map<std::string, int> compared;
  for (const Row &row : readRows(NPU_COST_ROWS)) {
    target = *findBuiltinTarget(row.text("device"));
    std::optional<int64_t> cycles = expected(row);
    if (!cycles)
      continue;
    std::string op = row.text("op");
    if (op == "DW_CONVOLUTION" || op == "MAXPOOL")
      cycles = engineCycles(
          target.costs,
          Row(withBorder(row, reach(row, "H", "OH"), reach(row, "W", "OW"))));
    EXPECT_EQ(costInIR(row), *cycles)
        << row.text("device") << " " << row.text("kind") << " " << op << " "
        << resultShape(row);
    ++compared[row.text("kind")];
  }
  EXPECT_EQ(compared["dpu"], 304);
  EXPECT_EQ(compared["dma_hw"], 120);
  EXPECT_EQ(compared["shave"], 144);
}

} // namespace
} // namespace npu
