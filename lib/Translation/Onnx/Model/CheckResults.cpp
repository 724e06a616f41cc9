// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A check that the ONNX library leaves out, and relies on.

#include "CheckResults.h"

#include <set>

namespace npu {
namespace {

/// The name of a result that nobody computes, in a graph that may use the
/// values `known` of the graphs around it.
std::optional<std::string> findIn(const onnx::GraphProto &graph,
                                  std::set<std::string> known) {
  for (const onnx::ValueInfoProto &input : graph.input())
    known.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    known.insert(tensor.name());
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    known.insert(tensor.values().name());
  for (const onnx::NodeProto &node : graph.node()) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        if (auto found = findIn(attribute.g(), known))
          return found;
      for (const onnx::GraphProto &inner : attribute.graphs())
        if (auto found = findIn(inner, known))
          return found;
    }
    known.insert(node.output().begin(), node.output().end());
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!known.contains(output.name()))
      return output.name();
  return std::nullopt;
}

} // namespace

std::optional<std::string>
resultThatNobodyComputes(const onnx::GraphProto &graph) {
  return findIn(graph, {});
}

} // namespace npu
