// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches. Of a branch whose condition is constant, the one graph that runs is
// imported as if it stood there; otherwise both are, and must give results of
// the same types.

#include "../Graph/GraphImport.h"
#include "../Graph/OperatorTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace npu {
namespace {

FailureOr<SmallVector<OnnxTensor>> importBranch(NodeImport &node,
                                                StringRef name) {
  const onnx::AttributeProto *attribute = node.attribute(name);
  if (!attribute || !attribute->has_g())
    return node.error() << "expected a graph as " << name;
  const onnx::GraphProto &graph = attribute->g();
  if (static_cast<unsigned>(graph.output_size()) != node.resultCount())
    return node.error() << "expected " << node.resultCount() << " results of "
                        << name << ", got " << graph.output_size();
  GraphImport branch(node.graph.importSession(), graph, node.build.builder,
                     &node.graph);
  if (failed(branch.run()))
    return failure();
  return branch.results();
}

LogicalResult setResults(NodeImport &node, ArrayRef<OnnxTensor> results) {
  for (auto [number, result] : llvm::enumerate(results))
    if (failed(node.setResult(number, result.value, result.element)))
      return failure();
  return success();
}

LogicalResult buildIf(NodeImport &node) {
  const OnnxTensor &condition = node.operand(0);
  if (auto constant =
          TensorBuilder::integersOf(condition.value, condition.element)) {
    bool holds = !constant->empty() && constant->front() != 0;
    auto results = importBranch(node, holds ? "then_branch" : "else_branch");
    return failed(results) ? failure() : setResults(node, *results);
  }
  TensorBuilder &build = node.build;
  OpBuilder &builder = build.builder;
  Value flag = build.reshape(condition.value, {});
  if (!flag || condition.element != OnnxElement::Bool)
    return node.error() << "expected one boolean as the condition, got "
                        << NodeImport::describe(condition);
  ScalarBuilder scalars(builder, node.loc, OnnxElement::Bool);
  flag = TensorBuilder::read(scalars, flag, {});

  // Types of results are known when both branches are there; then they move.
  auto typeless = scf::IfOp::create(builder, node.loc, flag,
                                    /*withElseRegion=*/true);
  SmallVector<OnnxTensor> results[2];
  const StringRef names[] = {"then_branch", "else_branch"};
  for (auto [number, name] : llvm::enumerate(names)) {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = typeless->getRegion(number).front();
    block.clear();
    builder.setInsertionPointToEnd(&block);
    auto branch = importBranch(node, name);
    if (failed(branch))
      return failure();
    results[number] = *branch;
    SmallVector<Value> values;
    for (const OnnxTensor &result : *branch)
      values.push_back(result.value);
    scf::YieldOp::create(builder, node.loc, values);
  }
  SmallVector<Type> types;
  for (auto [one, other] : llvm::zip_equal(results[0], results[1])) {
    if (one.type() != other.type() || one.element != other.element) {
      InFlightDiagnostic diagnostic = node.error();
      diagnostic << "expected results of one type from both branches, got "
                 << NodeImport::describe(one) << " and "
                 << NodeImport::describe(other)
                 << "; the shape of its result depends on data";
      return diagnostic;
    }
    types.push_back(one.type());
  }
  auto whole = scf::IfOp::create(builder, node.loc, types, flag,
                                 /*withElseRegion=*/true);
  for (unsigned number : {0u, 1u})
    whole->getRegion(number).takeBody(typeless->getRegion(number));
  typeless.erase();
  for (auto [number, value] : llvm::enumerate(whole.getResults()))
    results[0][number].value = value;
  return setResults(node, results[0]);
}

} // namespace

void addControlFlow(OperatorTable &table) { table.add("If", 1, buildIf); }

} // namespace npu
