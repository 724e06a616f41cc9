// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the padding analysis says of padding, against running the padded
// function with all kinds of garbage: every entry of which something is said is
// looked at, and so are all results. 3,000 random functions;
// NPU_ORACLE_CASES=100000 for the long run.

#include "Interpreter.h"
#include "RandomBody.h"
#include "npu/Analysis/Padding/PaddingAnalysis.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Preprocess/Padding/PadToMaxPromptLen.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

using namespace mlir;

namespace npu {
namespace {

constexpr int64_t maxLength = 4;

struct Combiner {
  const char *op;
  /// Some that are neutral, or nearly.
  std::vector<std::string> masks;
  std::vector<const char *> inits;
};

const Combiner combiners[] = {
    {"arith.addf", {"0.0", "-0.0"}, {"0.0", "-0.0", "1.0"}},
    {"arith.mulf", {"1.0"}, {"1.0", "0.0"}},
    {"arith.maximumf", {"0xFF800000"}, {"0xFF800000", "0.0", "0x7FC00000"}},
    {"arith.maxnumf", {"0xFF800000"}, {"0xFF800000", "0x7FC00000", "0.0"}},
    {"arith.minimumf", {"0x7F800000"}, {"0x7F800000", "0.0"}},
    {"arith.minnumf", {"0x7F800000"}, {"0x7F800000", "0x7FC00000"}},
};

/// A function of x[?, ?] or x[?] that ends in a reduction.
class RandomFunction {
public:
  explicit RandomFunction(std::mt19937 &rng) : rng(rng) {}

  std::string write() {
    rank = below(4) == 0 ? 1 : 2;
    combiner = combiners[below(std::size(combiners))];
    text = fmt::format(
        "func.func @f(%x: {0}) -> {1} {{\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %n = tensor.dim %x, %c0 : {0}\n"
        "  %table = arith.constant dense<[5.0, -0.0, 0x7FC00000, 0.0]> : "
        "tensor<4xf32>\n"
        "  %e = tensor.empty({2}) : {0}\n",
        tensor(rank), "RESULT", sizes(rank));
    std::vector<std::string> made{"%x"};
    unsigned steps = 1 + below(2);
    for (unsigned step = 0; step < steps; ++step)
      made.push_back(elementwise(made, combiner.masks));
    if (rank == 2 && below(2)) {
      if (below(2))
        made.push_back(elementwise(made, {"0xFF800000"}));
      std::string largest = largestOf(made.back());
      made.push_back(lessTheLargest(made.back(), largest));
    }
    reduce(made.back());
    text += fmt::format("  return %result : {}\n}}\n", result);
    text.replace(text.find("RESULT"), 6, result);
    return text;
  }

private:
  unsigned below(unsigned n) {
    return std::uniform_int_distribution<unsigned>(0, n - 1)(rng);
  }

  static std::string tensor(unsigned rank) {
    return rank == 0   ? "tensor<f32>"
           : rank == 1 ? "tensor<?xf32>"
                       : "tensor<?x?xf32>";
  }

  static std::string sizes(unsigned rank) {
    return rank == 0 ? "" : rank == 1 ? "%n" : "%n, %n";
  }

  static std::string identity(unsigned rank) {
    return rank == 1 ? "affine_map<(i) -> (i)>"
                     : "affine_map<(i, j) -> (i, j)>";
  }

  static std::string kinds(unsigned count, const std::string &kind) {
    std::string one = "\"" + kind + "\"";
    return count == 1 ? one : one + ", " + one;
  }

  /// One operation on entries of one or two tensors.
  std::string elementwise(const std::vector<std::string> &made,
                          std::vector<std::string> masks) {
    std::vector<std::string> inputs{made.back()};
    if (below(3) == 0)
      inputs.push_back(made[below(unsigned(made.size()))]);
    std::string maps, names, types, arguments;
    RandomBody body(rng, rank);
    for (unsigned i = 0; i < inputs.size(); ++i) {
      bool transposed = rank == 2 && below(6) == 0;
      bool diagonal = rank == 2 && below(8) == 0;
      maps += (diagonal     ? "affine_map<(i, j) -> (j, j)>"
               : transposed ? "affine_map<(i, j) -> (j, i)>"
                            : identity(rank)) +
              ", ";
      names += (i ? ", " : "") + inputs[i];
      types += (i ? ", " : "") + tensor(rank);
      arguments += fmt::format("%a{}: f32, ", i);
      body.floats.push_back(fmt::format("%a{}", i));
    }
    body.indices = {"%n"};
    body.favorites = std::move(masks);
    body.tables = {"%table"};
    // Into what holds something already; rarely, with a loop that reduces and
    // stands in the result all the same.
    std::string output = "%e", kind = "parallel";
    if (below(6) == 0) {
      output = made[below(unsigned(made.size()))];
      kind = below(2) ? "reduction" : "parallel";
      body.floats.push_back("%o");
    }
    std::string value = below(3) ? body.masked(2) : body.real(3);
    std::string name = fmt::format("%m{}", count++);
    text += fmt::format(
        "  {} = linalg.generic {{indexing_maps = [{}{}], iterator_types = "
        "[{}]}} ins({} : {}) outs({} : {}) {{\n  ^bb0({}%o: f32):\n{}    "
        "linalg.yield {} : f32\n  }} -> {}\n",
        name, maps, identity(rank), kinds(rank, kind), names, types, output,
        tensor(rank), arguments, body.text(), value, tensor(rank));
    return name;
  }

  std::string filled(const char *number, unsigned ofRank) {
    unsigned id = count++;
    text += fmt::format(
        "  %k{0} = arith.constant {1} : f32\n"
        "  %e{0} = tensor.empty({2}) : {3}\n"
        "  %f{0} = linalg.fill ins(%k{0} : f32) outs(%e{0} : {3}) -> {3}\n",
        id, number, sizes(ofRank), tensor(ofRank));
    return fmt::format("%f{}", id);
  }

  std::string largestOf(const std::string &of) {
    std::string init = filled(below(5) ? "0xFF800000" : "5.0", 1);
    std::string name = fmt::format("%m{}", count++);
    text += fmt::format("  {} = linalg.reduce {{ {} }} ins({} : {}) outs({} : "
                        "{}) dimensions = [1]\n",
                        name, below(3) ? "arith.maximumf" : "arith.maxnumf", of,
                        tensor(2), init, tensor(1));
    return name;
  }

  std::string lessTheLargest(const std::string &of, const std::string &what) {
    RandomBody body(rng, 2);
    body.floats = {"%a", "%b"};
    std::string less = body.emit("arith.subf %a, %b", "f32");
    body.floats.push_back(body.emit("math.exp " + less, "f32"));
    body.floats.push_back(body.floats.back());
    body.favorites = combiner.masks;
    std::string value = below(3) == 0   ? body.floats.back()
                        : below(2) == 0 ? body.masked(1)
                                        : body.real(1);
    std::string name = fmt::format("%m{}", count++);
    text += fmt::format(
        "  {0} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, "
        "j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], "
        "iterator_types = [\"parallel\", \"parallel\"]}} ins({1}, {2} : {3}, "
        "{4}) outs(%e : {3}) {{\n  ^bb0(%a: f32, %b: f32, %o: f32):\n{5}    "
        "linalg.yield {6} : f32\n  }} -> {3}\n",
        name, of, what, tensor(2), tensor(1), body.text(), value);
    return name;
  }

  void reduce(const std::string &of) {
    const char *number = combiner.inits[below(unsigned(combiner.inits.size()))];
    unsigned form = rank == 1 ? 0 : 1 + below(4);
    static const char *maps[] = {
        "affine_map<(i) -> (i)>, affine_map<(i) -> ()>",
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>",
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>",
        "affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>",
        "affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>"};
    static const char *kinds[] = {
        "\"reduction\"", "\"parallel\", \"reduction\"",
        "\"reduction\", \"parallel\"", "\"reduction\"",
        "\"reduction\", \"reduction\""};
    unsigned resultRank = form == 1 || form == 2 ? 1 : 0;
    result = tensor(resultRank);
    std::string init = filled(number, resultRank);
    RandomBody body(rng, form == 0 || form == 3 ? 1 : 2);
    body.floats = {"%a"};
    body.favorites = combiner.masks;
    std::string term = below(3) ? "%a" : body.masked(1);
    text += fmt::format(
        "  %result = linalg.generic {{indexing_maps = [{}], iterator_types = "
        "[{}]}} ins({} : {}) outs({} : {}) {{\n  ^bb0(%a: f32, %o: f32):\n{}"
        "    %r = {} %o, {} : f32\n    linalg.yield %r : f32\n  }} -> {}\n",
        maps[form], kinds[form], of, tensor(rank), init, result, body.text(),
        combiner.op, term, result);
  }

  std::mt19937 &rng;
  unsigned rank = 2, count = 0;
  std::string text, result;
  Combiner combiner;
};

struct Claims {
  unsigned contents = 0, entries = 0, proofs = 0, functions = 0;
};

class ContentOracle : public testing::Test {
protected:
  ContentOracle() : context(registry()) {}

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// An argument of random numbers, many of them special.
  HostValue argument(std::mt19937 &rng, unsigned rank, int64_t length) {
    HostValue value;
    value.array.shape.assign(rank, length);
    // Now and then the same few throughout: a sum of nothing but -0.0.
    std::vector<float> palette;
    for (unsigned i = 0, e = rng() % 3; i < e; ++i)
      palette.push_back(rng() % 3 == 0 ? -0.0f : specialRealValue(rng));
    for (int64_t i = 0; i < value.array.numEntries(); ++i)
      value.array.entries.push_back(
          {.f = palette.empty() ? specialRealValue(rng)
                                : palette[rng() % palette.size()]});
    return value;
  }

  /// Looks at what is said of `padded`, a result whose real part is as `dims`
  /// says.
  void checkContents(HostArray padded, const PaddingState &dims, Type type,
                     int64_t length, Claims &claims) {
    auto number = [&](AffineExpr expr) {
      AffineExpr value = simplifyAffineExpr(
          expr.replaceSymbols({getAffineConstantExpr(length, &context)}), 0, 0);
      return cast<AffineConstantExpr>(value).getValue();
    };
    auto isReal = [&](const PaddedDim &dim, int64_t at) {
      int64_t hole = number(dim.hole);
      return at < hole || at >= hole + dim.extent - number(dim.real);
    };
    for (auto [number, dim] : llvm::enumerate(dims)) {
      if (!dim || !dim->content)
        continue;
      forEachPosition(padded.shape, [&](const std::vector<int64_t> &at) {
        for (auto [each, other] : llvm::enumerate(dims))
          if (other && isReal(*other, at[each]) == (each == number))
            return;
        ++claims.entries;
        Scalar entry = padded.at(at);
        bool allNaN = true;
        std::vector<int64_t> beside = at;
        for (int64_t i = 0; i < padded.shape[number]; ++i)
          if (isReal(*dim, i)) {
            beside[number] = i;
            allNaN &= std::isnan(padded.at(beside).f);
          }
        switch (dim->content.kind) {
        case PaddingContent::Anything:
          break;
        case PaddingContent::Constant: {
          auto constant = cast<FloatAttr>(dim->content.constant);
          Scalar said{.f = constant.getValue().convertToFloat()};
          EXPECT_TRUE(sameBits(entry, said, type))
              << toString(dim->content) << ", got " << entry.f;
          break;
        }
        case PaddingContent::NegativeInfinity:
          EXPECT_TRUE((std::isinf(entry.f) && entry.f < 0) ||
                      (std::isnan(entry.f) && allNaN))
              << entry.f;
          break;
        case PaddingContent::Zero:
          EXPECT_TRUE(entry.f == 0 || (std::isnan(entry.f) && allNaN))
              << entry.f;
          break;
        }
      });
      ++claims.contents;
    }
  }

  void check(uint64_t seed, Claims &claims) {
    std::mt19937 rng(seed);
    std::string text = RandomFunction(rng).write();
    SCOPED_TRACE(fmt::format("case {}\n{}", seed, text));
    for (PaddingSide side : {PaddingSide::Right, PaddingSide::Left}) {
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(text, &context);
      ASSERT_TRUE(module);
      auto original = *module->getOps<func::FuncOp>().begin();
      bool found = false;
      FailureOr<Prompt> prompt = findPrompt(original, maxLength, side, found);
      ASSERT_TRUE(succeeded(prompt) && found);
      ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
      PaddingAnalysis analysis(original, *prompt);
      if (failed(analysis.run()))
        continue;
      OwningOpRef<ModuleOp> copy(module->clone());
      PadOptions options;
      options.maxLength = maxLength;
      options.side = side;
      ASSERT_TRUE(succeeded(padToMaxPromptLen(copy.get(), options)));
      ASSERT_TRUE(succeeded(verify(*copy)));
      auto padded = *copy->getOps<func::FuncOp>().begin();
      ++claims.functions;
      std::vector<linalg::LinalgOp> structured;
      original.walk([&](linalg::LinalgOp op) {
        if (!isa<linalg::FillOp>(op.getOperation()))
          structured.push_back(op);
        if (const StructuredPadding *padding = analysis.of(op))
          claims.proofs += padding->proved.count();
      });
      unsigned rank =
          cast<RankedTensorType>(original.getArgumentTypes()[0]).getRank();
      Type type = Float32Type::get(&context);
      for (int64_t length = 1; length <= maxLength; ++length) {
        HostValue x = argument(rng, rank, length);
        auto garbage = [&](Type) { return Scalar{.f = specialRealValue(rng)}; };
        Interpreter before(garbage), after(garbage);
        std::vector<HostValue> expected;
        try {
          expected = before.run(original, {x});
        } catch (const Trap &) {
          continue; // The function itself has no result there.
        }
        std::vector<HostValue> got;
        ASSERT_NO_THROW(got = after.run(padded, {x})) << "length " << length;
        SCOPED_TRACE(fmt::format("side {}, length {}", int(side), length));
        for (auto [a, b] : llvm::zip_equal(expected, got)) {
          ASSERT_EQ(a.array.shape, b.array.shape);
          for (auto [x, y] : llvm::zip_equal(a.array.entries, b.array.entries))
            EXPECT_TRUE(sameBits(x, y, type)) << x.f << " became " << y.f;
        }
        ASSERT_EQ(after.structuredResults().size(), structured.size());
        for (auto [op, made] :
             llvm::zip_equal(structured, after.structuredResults()))
          for (auto [result, array] : llvm::zip_equal(op->getResults(), made))
            checkContents(array, analysis.of(result), type, length, claims);
      }
    }
  }

  MLIRContext context;
};

TEST_F(ContentOracle, WhatIsSaidOfPaddingHolds) {
  const char *asked = std::getenv("NPU_ORACLE_CASES");
  uint64_t cases = asked ? std::strtoull(asked, nullptr, 10) : 3000;
  const char *begin = std::getenv("NPU_ORACLE_SEED");
  uint64_t first = begin ? std::strtoull(begin, nullptr, 10) : 0;
  Claims claims;
  for (uint64_t seed = first; seed < first + cases && !HasFailure(); ++seed)
    check(seed, claims);
  // A test that nothing is said in would say nothing.
  EXPECT_GT(claims.contents, cases / 2);
  EXPECT_GT(claims.proofs, cases / 20);
  RecordProperty("contents", int(claims.contents));
  std::printf("%u padded functions, %u contents at %u entries, %u reductions "
              "without a mask\n",
              claims.functions, claims.contents, claims.entries, claims.proofs);
}

} // namespace
} // namespace npu
