// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random prefill functions of which it is proved that they can be run in
// chunks, against running them whole and in chunks of every length. 3,000
// functions; NPU_ORACLE_CASES=100000 for the long run.

#include "Interpreter.h"
#include "RandomBody.h"
#include "npu/Analysis/Causality/Causality.h"
#include "npu/ExternalModels/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

using namespace mlir;

namespace npu {
namespace {

constexpr int64_t capacity = 6, columns = 2;

/// Attention, more or less: scores of rows and positions, weights made of them,
/// and a sum over positions. Whether any of it is causal is left to chance.
class RandomPrefill {
public:
  explicit RandomPrefill(std::mt19937 &rng) : rng(rng) {}

  std::string write() {
    text = R"(
func.func @f(%x: tensor<?x2xf32>, %cache: tensor<6x2xf32> {npu.cache_dim = 0}, %w: tensor<2xf32>, %at: index {npu.cache_offset}) -> (tensor<?x2xf32>, tensor<6x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %table = arith.constant dense<[5.0, -0.0, 0.5, 0.0]> : tensor<4xf32>
  %es = tensor.empty(%n) : tensor<?x6xf32>
  %ey = tensor.empty(%n) : tensor<?x2xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
)";
    std::string rows = below(3) ? "%x" : madeRows();
    text += fmt::format("  %full = tensor.insert_slice {} into %cache[%at, 0] "
                        "[%n, 2] [1, 1] : tensor<?x2xf32> into "
                        "tensor<6x2xf32>\n",
                        rows);
    std::string weights = scores();
    for (unsigned i = 0, e = 1 + below(2); i < e; ++i)
      weights = reweighed(weights);
    if (below(3) == 0)
      weights = softmax(weights);
    sum(weights);
    text += "  return %y, %full : tensor<?x2xf32>, tensor<6x2xf32>\n}\n";
    return text;
  }

private:
  unsigned below(unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(rng);
  }

  std::string filled(const char *number, const char *type, const char *empty) {
    unsigned id = count++;
    text += fmt::format("  %k{0} = arith.constant {1} : f32\n"
                        "  %f{0} = linalg.fill ins(%k{0} : f32) outs({3} : {2})"
                        " -> {2}\n",
                        id, number, type, empty);
    return fmt::format("%f{}", id);
  }

  /// A region over loops of which `row` and `position` count.
  RandomBody body(unsigned loops, unsigned row, unsigned position) {
    RandomBody result(rng, loops);
    std::string i = result.emit(fmt::format("linalg.index {}", row), "index");
    std::string j =
        result.emit(fmt::format("linalg.index {}", position), "index");
    // The row's position in the cache.
    std::string p = result.emit(fmt::format("arith.addi {}, %at", i), "index");
    result.indices = {p, p, j, j, i, "%at"};
    result.tables = {"%table"};
    result.favorites = {"0.0", "0xFF800000", "1.0"};
    result.onlyIndices = true;
    result.extremes = false;
    std::string seen =
        result.emit(fmt::format("arith.cmpi sle, {}, {}", j, p), "index");
    result.masks = {seen};
    return result;
  }

  /// What goes into the cache where that is not the rows themselves.
  std::string madeRows() {
    RandomBody row(rng, 2);
    row.floats = {"%a", "%b"};
    row.extremes = row.divides = false;
    std::string value = row.real(2);
    text += fmt::format(
        "  %rows = linalg.generic {{indexing_maps = [affine_map<(i, c) -> (i, "
        "c)>, affine_map<(i, c) -> (c)>, affine_map<(i, c) -> (i, c)>], "
        "iterator_types = [\"parallel\", \"parallel\"]}} ins(%x, %w : "
        "tensor<?x2xf32>, tensor<2xf32>) outs(%ey : tensor<?x2xf32>) {{\n  "
        "^bb0(%a: f32, %b: f32, %o: f32):\n{}    linalg.yield {} : f32\n  }} "
        "-> tensor<?x2xf32>\n",
        row.text(), value);
    return "%rows";
  }

  std::string scores() {
    static const char *inits[] = {"0.0", "-0.0", "1.0", "0xFF800000"};
    std::string init = filled(inits[below(4)], "tensor<?x6xf32>", "%es");
    RandomBody terms = body(3, 0, 1);
    terms.floats = {"%a", "%b", "%o"};
    std::string term =
        below(2) ? terms.emit("arith.mulf %a, %b", "f32") : terms.real(1);
    std::string combined =
        below(4) ? terms.emit(fmt::format("arith.addf %o, {}", term), "f32")
                 : terms.real(2);
    text += fmt::format(
        "  %s = linalg.generic {{indexing_maps = [affine_map<(i, j, c) -> (i, "
        "c)>, affine_map<(i, j, c) -> (j, c)>, affine_map<(i, j, c) -> (i, "
        "j)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}} "
        "ins(%x, %full : tensor<?x2xf32>, tensor<6x2xf32>) outs({} : "
        "tensor<?x6xf32>) {{\n  ^bb0(%a: f32, %b: f32, %o: f32):\n{}    "
        "linalg.yield {} : f32\n  }} -> tensor<?x6xf32>\n",
        init, terms.text(), combined);
    return "%s";
  }

  std::string reweighed(const std::string &of) {
    RandomBody weights = body(2, 0, 1);
    weights.floats = {"%a"};
    std::string value = below(4) ? weights.masked(2) : weights.real(3);
    std::string name = fmt::format("%w{}", count++);
    text += fmt::format(
        "  {} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, "
        "j)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
        "\"parallel\"]}} ins({} : tensor<?x6xf32>) outs(%es : tensor<?x6xf32>) "
        "{{\n  ^bb0(%a: f32, %o: f32):\n{}    linalg.yield {} : f32\n  }} -> "
        "tensor<?x6xf32>\n",
        name, of, weights.text(), value);
    return name;
  }

  std::string softmax(const std::string &of) {
    std::string low = filled("0xFF800000", "tensor<?xf32>", "%er");
    std::string zero = filled("0.0", "tensor<?xf32>", "%er");
    text += fmt::format(R"(
  %largest = linalg.reduce {{ arith.maximumf }} ins({0} : tensor<?x6xf32>) outs({1} : tensor<?xf32>) dimensions = [1]
  %exps = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} ins({0}, %largest : tensor<?x6xf32>, tensor<?xf32>) outs(%es : tensor<?x6xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %less = arith.subf %a, %b : f32
    %exp = math.exp %less : f32
    linalg.yield %exp : f32
  }} -> tensor<?x6xf32>
  %total = linalg.reduce {{ arith.addf }} ins(%exps : tensor<?x6xf32>) outs({2} : tensor<?xf32>) dimensions = [1]
  %shares = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}} ins(%exps, %total : tensor<?x6xf32>, tensor<?xf32>) outs(%es : tensor<?x6xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %share = arith.divf %a, %b : f32
    linalg.yield %share : f32
  }} -> tensor<?x6xf32>
)",
                        of, low, zero);
    return "%shares";
  }

  void sum(const std::string &weights) {
    static const char *inits[] = {"0.0", "-0.0", "0xFF800000"};
    static const char *ops[] = {"arith.addf", "arith.addf", "arith.addf",
                                "arith.maximumf", "arith.maxnumf"};
    std::string init = filled(inits[below(3)], "tensor<?x2xf32>", "%ey");
    RandomBody terms = body(3, 0, 2);
    terms.floats = {"%a", "%b", "%v"};
    std::string term =
        below(3) ? terms.emit("arith.mulf %a, %b", "f32") : terms.masked(1);
    text += fmt::format(
        "  %y = linalg.generic {{indexing_maps = [affine_map<(i, c, j) -> (i, "
        "j)>, affine_map<(i, c, j) -> (j, c)>, affine_map<(i, c, j) -> (c)>, "
        "affine_map<(i, c, j) -> (i, c)>], iterator_types = [\"parallel\", "
        "\"parallel\", \"reduction\"]}} ins({}, %full, %w : tensor<?x6xf32>, "
        "tensor<6x2xf32>, tensor<2xf32>) outs({} : tensor<?x2xf32>) {{\n  "
        "^bb0(%a: f32, %b: f32, %v: f32, %o: f32):\n{}    %r = {} %o, {} : "
        "f32\n    linalg.yield %r : f32\n  }} -> tensor<?x2xf32>\n",
        weights, init, terms.text(), ops[below(5)], term);
  }

  std::mt19937 &rng;
  unsigned count = 0;
  std::string text;
};

struct Counts {
  unsigned accepted = 0, withoutAssumption = 0;
};

class ChunkOracle : public testing::Test {
protected:
  ChunkOracle() : context(registry()) {}

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  static HostValue numbers(std::mt19937 &rng, std::vector<int64_t> shape,
                           bool finite) {
    static const float ordinary[] = {0.0f, -0.0f, 1.0f,  -1.0f, 0.5f,   -3.0f,
                                     2.0f, 7.25f, -0.1f, 1e-3f, -25.0f, 40.0f};
    HostValue value;
    value.array.shape = std::move(shape);
    for (int64_t i = 0; i < value.array.numEntries(); ++i)
      value.array.entries.push_back(
          {.f = finite ? ordinary[rng() % std::size(ordinary)]
                       : specialRealValue(rng)});
    return value;
  }

  static HostValue rowsOf(const HostValue &all, int64_t begin, int64_t rows) {
    HostValue part;
    part.array.shape = {rows, columns};
    part.array.entries.assign(all.array.entries.begin() + begin * columns,
                              all.array.entries.begin() +
                                  (begin + rows) * columns);
    return part;
  }

  static HostValue index(int64_t number) {
    HostValue value;
    value.scalar.i = number;
    return value;
  }

  void compare(func::FuncOp function, std::mt19937 &rng, bool finite) {
    Type type = Float32Type::get(&context);
    auto garbage = [&](Type) { return Scalar{.f = specialRealValue(rng)}; };
    for (int64_t offset : {0, 1})
      for (int64_t length = 1; length <= 4; ++length) {
        HostValue x = numbers(rng, {length, columns}, finite);
        HostValue cache = numbers(rng, {capacity, columns}, finite);
        HostValue w = numbers(rng, {columns}, finite);
        std::vector<HostValue> whole;
        try {
          whole =
              Interpreter(garbage).run(function, {x, cache, w, index(offset)});
        } catch (const Trap &) {
          continue;
        }
        for (int64_t chunk = 1; chunk < length; ++chunk) {
          SCOPED_TRACE(fmt::format("offset {}, length {}, chunks of {}", offset,
                                   length, chunk));
          HostValue held = cache;
          for (int64_t begin = 0; begin < length; begin += chunk) {
            int64_t rows = std::min(chunk, length - begin);
            std::vector<HostValue> part;
            ASSERT_NO_THROW(part = Interpreter(garbage).run(
                                function, {rowsOf(x, begin, rows), held, w,
                                           index(offset + begin)}));
            held = part[1];
            HostValue expected = rowsOf(whole[0], begin, rows);
            for (auto [a, b] :
                 llvm::zip_equal(expected.array.entries, part[0].array.entries))
              ASSERT_TRUE(sameBits(a, b, type)) << a.f << " became " << b.f;
          }
          for (auto [a, b] :
               llvm::zip_equal(whole[1].array.entries, held.array.entries))
            ASSERT_TRUE(sameBits(a, b, type)) << a.f << " became " << b.f;
        }
      }
  }

  void check(uint64_t seed, Counts &counts) {
    std::mt19937 rng(seed);
    std::string text = RandomPrefill(rng).write();
    SCOPED_TRACE(fmt::format("case {}\n{}", seed, text));
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    bool found = false;
    FailureOr<Prefill> prefill = findPrefill(function, found);
    ASSERT_TRUE(succeeded(prefill) && found);
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
    Causality causality(function, *prefill, /*assumeFinite=*/true);
    if (failed(causality.run()))
      return;
    ++counts.accepted;
    bool finite = !causality.assumptions().empty();
    counts.withoutAssumption += !finite;
    compare(function, rng, finite);
  }

  MLIRContext context;
};

TEST_F(ChunkOracle, WhatIsRunInChunksIsTheSame) {
  const char *asked = std::getenv("NPU_ORACLE_CASES");
  uint64_t cases = asked ? std::strtoull(asked, nullptr, 10) : 3000;
  const char *begin = std::getenv("NPU_ORACLE_SEED");
  uint64_t first = begin ? std::strtoull(begin, nullptr, 10) : 0;
  Counts counts;
  for (uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed)
    check(seed, counts);
  // A proof that accepts nothing would be right as well.
  EXPECT_GT(counts.accepted, cases / 20);
  std::printf("%u of %u functions can be run in chunks, %u of them whatever "
              "they hold\n",
              counts.accepted, unsigned(cases), counts.withoutAssumption);
}

} // namespace
} // namespace npu
