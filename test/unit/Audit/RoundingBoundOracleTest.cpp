// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs of scalars in f16, bf16 and f32, on numbers of many sizes:
// what the device makes of them is never farther from f64 than the bound that
// npu-track-rounding-errors puts beside it. An oracle in f64 of this file
// checks the reference itself, and the bounds of sums and products are not far
// above what happens.

#include "Audit/Compiled.h"
#include "npu/Execution/Jit/CompiledFunction.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

using namespace npu;

namespace {

constexpr int64_t kElements = 512;
constexpr int kArguments = 3;

/// A step of a program, and what it is in f64.
struct Step {
  std::string text;
  std::function<double(double, double)> oracle;
};

const std::vector<Step> &steps() {
  static const std::vector<Step> all = {
      {"arith.addf {}, {}", [](double a, double b) { return a + b; }},
      {"arith.subf {}, {}", [](double a, double b) { return a - b; }},
      {"arith.mulf {}, {}", [](double a, double b) { return a * b; }},
      {"arith.divf {}, {}", [](double a, double b) { return a / b; }},
      {"arith.maximumf {}, {}",
       [](double a, double b) { return std::max(a, b); }},
      {"arith.minimumf {}, {}",
       [](double a, double b) { return std::min(a, b); }},
      {"math.exp {}", [](double a, double) { return std::exp(a); }},
      {"math.tanh {}", [](double a, double) { return std::tanh(a); }},
      {"math.erf {}", [](double a, double) { return std::erf(a); }},
      {"math.sqrt {}", [](double a, double) { return std::sqrt(a); }},
      {"math.rsqrt {}", [](double a, double) { return 1 / std::sqrt(a); }},
      {"math.log {}", [](double a, double) { return std::log(a); }},
      {"math.log1p {}", [](double a, double) { return std::log1p(a); }},
      {"math.expm1 {}", [](double a, double) { return std::expm1(a); }},
      {"math.sin {}", [](double a, double) { return std::sin(a); }},
      {"math.cos {}", [](double a, double) { return std::cos(a); }},
      {"math.absf {}", [](double a, double) { return std::fabs(a); }},
      {"math.floor {}", [](double a, double) { return std::floor(a); }},
      {"math.ceil {}", [](double a, double) { return std::ceil(a); }},
      {"math.roundeven {}", [](double a, double) { return std::nearbyint(a); }},
      {"arith.negf {}", [](double a, double) { return -a; }},
      {"math.powf {}, {}", [](double a, double b) { return std::pow(a, b); }},
      {"math.atan {}", [](double a, double) { return std::atan(a); }},
      {"math.log2 {}", [](double a, double) { return std::log2(a); }},
      {"math.exp2 {}", [](double a, double) { return std::exp2(a); }},
  };
  return all;
}

/// A straight program: each step reads two values before it.
struct Program {
  struct Use {
    size_t step, first, second;
  };
  std::vector<Use> uses;

  std::string text(const std::string &type) const {
    std::string body, arguments;
    auto name = [](size_t value) {
      return value < kArguments ? fmt::format("%a{}", value)
                                : fmt::format("%{}", value);
    };
    for (size_t i = 0; i < uses.size(); ++i)
      body += fmt::format("%{} = ", i + kArguments) +
              fmt::format(fmt::runtime(steps()[uses[i].step].text),
                          name(uses[i].first), name(uses[i].second)) +
              " : " + type + "\n";
    return fmt::format(
        R"(#m = affine_map<(i) -> (i)>
func.func @unit(%x: tensor<{0}x{1}>, %y: tensor<{0}x{1}>, %z: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{
  %e = tensor.empty() : tensor<{0}x{1}>
  %r = linalg.generic {{indexing_maps = [#m, #m, #m, #m], iterator_types = ["parallel"]}}
      ins(%x, %y, %z : tensor<{0}x{1}>, tensor<{0}x{1}>, tensor<{0}x{1}>)
      outs(%e : tensor<{0}x{1}>) {{
  ^bb0(%a0: {1}, %a1: {1}, %a2: {1}, %o: {1}):
{2}    linalg.yield {3} : {1}
  }} -> tensor<{0}x{1}>
  return %r : tensor<{0}x{1}>
}})",
        kElements, type, body, name(uses.size() + kArguments - 1));
  }

  double oracle(std::vector<double> values) const {
    for (const Use &use : uses)
      values.push_back(
          steps()[use.step].oracle(values[use.first], values[use.second]));
    return values.back();
  }
};

class RoundingBoundOracleTest : public testing::Test {
protected:
  RoundingBoundOracleTest() {
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    registerDialects(registry);
    registerExecutionInterfaces(registry);
    context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }

  std::shared_ptr<const HostTensor> numbers(ElementType type) {
    HostTensor tensor(TensorSpec{type, {kElements}});
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> scale(-14, 6);
    for (int64_t i = 0; i < kElements; ++i)
      setBitsAt(tensor, i,
                bitsOf(type, std::ldexp(normal(random), scale(random))));
    return std::make_shared<const HostTensor>(std::move(tensor));
  }

  /// Runs a program, and adds up how many elements are bounded, how far at
  /// most the error is of the bound, and the ratios of bound to error.
  void check(const Program &program, ElementType type, bool areExact) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        program.text(nameOf(type)), context.get());
    ASSERT_TRUE(module) << program.text(nameOf(type));
    Compiler compiler(0);
    std::vector<Known> operands;
    std::vector<const HostTensor *> device;
    llvm::SmallVector<int64_t> exact;
    for (int i = 0; i < kArguments; ++i) {
      Known known{numbers(type), nullptr, nullptr};
      if (areExact) {
        exact.push_back(i);
      } else {
        // A reference a little off the device's value, and how far it is.
        HostTensor reference = toReference(*known.device);
        HostTensor error = filled64(known.device->spec, 0);
        std::uniform_real_distribution<double> off(-0.01, 0.01);
        for (int64_t k = 0; k < kElements; ++k) {
          double value = doublesOf(reference)[k];
          double other = value * (1 + off(random));
          doublesOf(error)[k] =
              std::nextafter(std::fabs(other - value), INFINITY);
          doublesOf(reference)[k] = other;
        }
        known.reference =
            std::make_shared<const HostTensor>(std::move(reference));
        known.error = std::make_shared<const HostTensor>(std::move(error));
      }
      operands.push_back(known);
      device.push_back(known.device.get());
    }
    auto unit = compiler.add(*module, nullptr, exact, 1);
    ASSERT_TRUE(mlir::succeeded(unit));
    ASSERT_TRUE(mlir::succeeded(compiler.compile()));
    ASSERT_TRUE((*unit)->tracked) << (*unit)->whyNot;
    auto got = (*unit)->device->runOn(device);
    ASSERT_TRUE(mlir::succeeded(got));
    auto tracked = runTracked(**unit, operands, TensorSpec{type, {kElements}});
    ASSERT_TRUE(mlir::succeeded(tracked));
    const Tracked &result = tracked->front();
    for (int64_t i = 0; i < kElements; ++i) {
      double value = valueAt((*got)[0], i),
             expected = doublesOf(result.value)[i],
             bound = doublesOf(result.error)[i];
      std::vector<double> arguments;
      for (const Known &operand : operands)
        arguments.push_back(valueAt(
            operand.reference ? *operand.reference : *operand.device, i));
      double oracle = program.oracle(arguments);
      ++elements;
      if (std::isfinite(oracle) && std::isfinite(bound)) {
        ASSERT_NEAR(expected, oracle, bound + 1e-9 * std::fabs(oracle))
            << program.text(nameOf(type)) << i;
      }
      if (std::isnan(bound) || std::isinf(bound))
        continue;
      ++bounded;
      if (value == expected || (std::isnan(value) && std::isnan(expected)))
        continue;
      // The root of what may be negative is bounded as if it were not.
      if (std::isnan(value) &&
          program.text("").find("sqrt") != std::string::npos)
        continue;
      double error = std::fabs(value - expected);
      ASSERT_LE(error, bound)
          << program.text(nameOf(type)) << " at " << i << ": " << arguments[0]
          << " " << arguments[1] << " " << arguments[2] << " expected "
          << expected << " got " << value;
      worst = std::max(worst, error / bound);
    }
  }

  Program makeProgram(size_t length, size_t kinds) {
    Program program;
    for (size_t i = 0; i < length; ++i) {
      std::uniform_int_distribution<size_t> step(0, kinds - 1),
          value(0, i + kArguments - 1);
      // Every step is read by the next one.
      program.uses.push_back(
          {step(random), i == 0 ? 0 : i + kArguments - 1, value(random)});
    }
    return program;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  std::mt19937_64 random{20240229};
  int64_t elements = 0, bounded = 0;
  double worst = 0;
};

TEST_F(RoundingBoundOracleTest, NoErrorIsAboveItsBound) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32})
    for (int round = 0; round < 40; ++round)
      check(makeProgram(1 + static_cast<size_t>(round % 6), steps().size()),
            type, round % 2 == 0);
  // More than half of all elements have a bound, and one comes near to it.
  EXPECT_GT(bounded * 2, elements);
  EXPECT_GT(worst, 0.9);
}

TEST_F(RoundingBoundOracleTest, EveryStepByItself) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32})
    for (size_t step = 0; step < steps().size(); ++step)
      for (bool areExact : {true, false}) {
        worst = 0;
        check(Program{{{step, 0, 1}}}, type, areExact);
        RecordProperty(steps()[step].text.substr(0, 12) + nameOf(type),
                       fmt::format("{:.3g}", worst));
      }
  EXPECT_GT(bounded * 4, elements * 3);
}

} // namespace
