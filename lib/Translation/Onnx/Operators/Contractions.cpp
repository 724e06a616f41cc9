// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices: MatMul, Gemm, Einsum.

#include "../Graph/OperatorTable.h"

#include <algorithm>

using namespace mlir;

namespace npu {
namespace {

LogicalResult buildMatMul(NodeImport &node) {
  return node.setResult(
      0, node.build.matmul(node.operand(0).value, node.operand(1).value));
}

/// alpha * A' * B' + beta * C, where A' and B' are transposed if it says so.
LogicalResult buildGemm(NodeImport &node) {
  const OnnxTensor &a = node.operand(0), &b = node.operand(1);
  if (a.rank() != 2 || b.rank() != 2)
    return node.error() << "expected matrices, got " << NodeImport::describe(a)
                        << " and " << NodeImport::describe(b);
  Type type = a.elementType();
  double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  Value left = a.value, right = b.value;
  if (node.integer("transA", 0))
    left = node.build.transpose(left, {1, 0});
  if (node.integer("transB", 0))
    right = node.build.transpose(right, {1, 0});
  Value result = node.build.matmul(left, right);
  auto scaled = [&](Value value, double factor) {
    if (factor == 1 || !value)
      return value;
    return node.build.map(value, type, [&](ScalarBuilder &s, ValueRange v) {
      return s.mul(v[0], s.constant(type, factor));
    });
  };
  result = scaled(result, alpha);
  if (result && node.has(2)) {
    Value added = scaled(node.operand(2).value, beta);
    result = node.build.map(
        {result, added}, type,
        [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  return node.setResult(0, result);
}

/// A matrix, or matrices, as a factor of FusedMatMul: with the first dimension
/// moved in front of the last one, and then with the last two swapped, where
/// the node says so.
FailureOr<Value> turnedFactor(NodeImport &node, unsigned operand,
                              StringRef batch, StringRef last) {
  const OnnxTensor &tensor = node.operand(operand);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  if (node.integer(batch, 0) != 0) {
    if (tensor.rank() < 3)
      return node.error() << "expected rank 3 or more of operand #" << operand
                          << " for " << batch << ", got "
                          << NodeImport::describe(tensor);
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  }
  if (node.integer(last, 0) != 0 && tensor.rank() > 1)
    std::swap(order[tensor.rank() - 1], order[tensor.rank() - 2]);
  if (llvm::is_sorted(order))
    return tensor.value;
  return node.build.transpose(tensor.value, order);
}

/// alpha * A' * B', where A' and B' are transposed if it says so.
LogicalResult buildFusedMatMul(NodeImport &node) {
  FailureOr<Value> left = turnedFactor(node, 0, "transBatchA", "transA"),
                   right = turnedFactor(node, 1, "transBatchB", "transB");
  if (failed(left) || failed(right))
    return failure();
  Value product = node.build.matmul(*left, *right);
  double alpha = node.real("alpha", 1);
  Type type = node.operand(0).elementType();
  if (product && alpha != 1)
    product =
        node.build.map(product, type, [&](ScalarBuilder &s, ValueRange v) {
          return s.mul(v[0], s.constant(type, alpha));
        });
  return node.setResult(0, product);
}

/// The letters of one operand of an equation; `...` stands for the dimensions
/// that are left, which get the capital letters that nobody uses from the end.
struct Term {
  std::string before, after;
  bool hasEllipsis = false;
};

std::optional<Term> parseTerm(StringRef text) {
  Term term;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (term.hasEllipsis)
        return std::nullopt;
      term.hasEllipsis = true;
      continue;
    }
    char letter = text.front();
    text = text.drop_front();
    if (letter == ' ')
      continue;
    if (!llvm::isAlpha(letter))
      return std::nullopt;
    (term.hasEllipsis ? term.after : term.before) += letter;
  }
  return term;
}

/// Numbers of an equation's letters, and the extents that they have.
class EinsumLoops {
public:
  explicit EinsumLoops(Number one) : one(one) {}

  /// The loops of an operand's dimensions.
  Result<SmallVector<int64_t>> add(const Term &term, ArrayRef<Number> shape) {
    auto letters = static_cast<int64_t>(term.before.size() + term.after.size());
    int64_t left = static_cast<int64_t>(shape.size()) - letters;
    if (left < 0 || (left > 0 && !term.hasEllipsis))
      return Error{"a term has " + std::to_string(letters) +
                   " letters for an operand of rank " +
                   std::to_string(shape.size())};
    SmallVector<int64_t> loops;
    for (char letter : term.before)
      loops.push_back(loop(std::string(1, letter)));
    // Dimensions of an ellipsis are counted from the last one.
    for (int64_t dim = left; dim > 0; --dim)
      loops.push_back(loop("." + std::to_string(dim)));
    ellipsis = std::max(ellipsis, left);
    for (char letter : term.after)
      loops.push_back(loop(std::string(1, letter)));
    for (auto [number, extent] : llvm::zip_equal(loops, shape)) {
      // Dynamic extents agree with all: a run says whether they do.
      std::optional<int64_t> now = getConstantIntValue(extents[number]),
                             other = getConstantIntValue(extent);
      if (now == 1 || (!now && other && other != 1))
        extents[number] = extent;
      else if (now && other && other != 1 && now != other)
        return Error{"letter '" + names[number] + "' has extents " +
                     std::to_string(*now) + " and " + std::to_string(*other)};
    }
    return loops;
  }

  int64_t loop(const std::string &name) {
    auto found = llvm::find(names, name);
    if (found != names.end())
      return found - names.begin();
    names.push_back(name);
    extents.push_back(one);
    return static_cast<int64_t>(names.size()) - 1;
  }

  std::vector<std::string> names;
  SmallVector<Number> extents;
  int64_t ellipsis = 0;

private:
  Number one;
};

/// A sum over all letters that the result does not have, of the product of all
/// operands.
LogicalResult buildEinsum(NodeImport &node) {
  std::string equation = node.text("equation", "");
  auto [left, right] = StringRef(equation).split("->");
  bool hasRight = StringRef(equation).contains("->");
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != node.operandCount())
    return node.error() << "its equation has " << texts.size() << " terms for "
                        << node.operandCount() << " operands";
  EinsumLoops loops(node.build.numbersHere().constant(1));
  SmallVector<SmallVector<int64_t>> dims;
  std::string letters;
  bool anyEllipsis = false;
  for (auto [number, text] : llvm::enumerate(texts)) {
    std::optional<Term> term = parseTerm(text);
    const OnnxTensor &operand = node.operand(number);
    if (!term)
      return node.error() << "equation '" << equation
                          << "': expected letters and at most one '...'";
    Result<SmallVector<int64_t>> found =
        loops.add(*term, node.build.sizes(operand.value));
    if (!found)
      return node.error() << "equation '" << equation
                          << "': " << found.error().message;
    letters += term->before + term->after;
    anyEllipsis |= term->hasEllipsis;
    dims.push_back(*found);
  }
  // Without a right side: an ellipsis, then letters that occur once, sorted.
  std::optional<Term> result = parseTerm(right);
  if (!hasRight) {
    result = Term{"", "", anyEllipsis};
    std::string sorted = letters;
    llvm::sort(sorted);
    for (char letter : sorted)
      if (llvm::count(letters, letter) == 1)
        result->after += letter;
  }
  bool isKnown = result.has_value();
  SmallVector<int64_t> resultLoops;
  TensorBuilder::Sizes shape;
  if (result) {
    for (char letter : result->before + result->after)
      isKnown &= letters.find(letter) != std::string::npos &&
                 llvm::count(result->before + result->after, letter) == 1;
  }
  if (!isKnown)
    return node.error() << "equation '" << equation
                        << "': expected every letter of the result once, and "
                           "in an operand";
  for (char letter : result->before)
    resultLoops.push_back(loops.loop(std::string(1, letter)));
  if (result->hasEllipsis)
    for (int64_t dim = loops.ellipsis; dim > 0; --dim)
      resultLoops.push_back(loops.loop("." + std::to_string(dim)));
  for (char letter : result->after)
    resultLoops.push_back(loops.loop(std::string(1, letter)));
  for (int64_t loop : resultLoops)
    shape.push_back(loops.extents[loop]);

  MLIRContext *context = node.build.builder.getContext();
  auto count = static_cast<unsigned>(loops.names.size());
  auto mapOf = [&](ArrayRef<int64_t> numbers) {
    SmallVector<AffineExpr> exprs;
    for (int64_t number : numbers)
      exprs.push_back(getAffineDimExpr(number, context));
    return AffineMap::get(count, 0, exprs, context);
  };
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [number, numbers] : llvm::enumerate(dims)) {
    const OnnxTensor &operand = node.operand(number);
    SmallVector<int64_t> kept, keptShape;
    for (auto [loop, extent] : llvm::zip_equal(numbers, operand.shape()))
      if (extent != 1 || isConstantIntValue(loops.extents[loop], 1)) {
        kept.push_back(loop);
        keptShape.push_back(extent);
      }
    operands.push_back(node.build.reshape(operand.value, keptShape));
    maps.push_back(mapOf(kept));
  }
  maps.push_back(mapOf(resultLoops));
  Type type = node.operand(0).elementType();
  Value init = node.build.filled(shape, node.build.scalar(type, 0));
  return node.setResult(
      0, node.build.structured(operands, init, maps,
                               [](ScalarBuilder &s, ValueRange v) {
                                 Value product = v[0];
                                 for (Value factor : v.drop_front().drop_back())
                                   product = s.mul(product, factor);
                                 return s.add(v.back(), product);
                               }));
}

} // namespace

void addContractions(OperatorTable &table) {
  table.add("MatMul", 2, buildMatMul);
  table.add("Gemm", 2, buildGemm);
  table.add("Einsum", 1, buildEinsum);
  table.addMicrosoft("FusedMatMul", 2, buildFusedMatMul);
}

} // namespace npu
