// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes of a graph's inputs that somebody gives.

#include "InputShapes.h"

#include "npu/Dialect/NPU/IR/DimensionNames.h"

#include "llvm/ADT/StringExtras.h"

namespace npu {
namespace {

/// Replaces the shape of one input. Whether there is an input of that name. A
/// dimension that stays dynamic keeps its name in the model, because dimensions
/// of different names may have different extents; a dimension without a name
/// gets one of its own.
bool setShape(onnx::GraphProto &graph, std::string_view name,
              const OnnxShape &shape) {
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    if (input.name() != name)
      continue;
    auto *dims = input.mutable_type()->mutable_tensor_type()->mutable_shape();
    std::vector<std::string> names;
    for (const auto &dim : dims->dim())
      names.push_back(dim.dim_param());
    names.resize(shape.size());
    dims->clear_dim();
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      auto *added = dims->add_dim();
      if (shape[dim] >= 0)
        added->set_dim_value(shape[dim]);
      else
        added->set_dim_param(names[dim].empty()
                                 ? std::string(name) + "_" + std::to_string(dim)
                                 : names[dim]);
    }
    return true;
  }
  return false;
}

/// A name that is a sum of others with the numbers of those that have one:
/// "past + 1" for "past + new" where "new" is 1, and for the name that model
/// builders have for a cache and new entries together. The name as it is where
/// no part has a number.
std::string withNumbers(const std::string &name,
                        const std::map<std::string, int64_t> &extents) {
  llvm::StringRef sum = name;
  if (sum == totalLengthName)
    sum = totalLengthSum;
  std::vector<std::string> terms;
  bool hasNumber = false, hasName = false;
  for (llvm::StringRef term : namesInSum(sum)) {
    auto found = extents.find(term.str());
    bool isNumber = found != extents.end();
    terms.push_back(isNumber ? std::to_string(found->second) : term.str());
    (isNumber ? hasNumber : hasName) = true;
  }
  return hasNumber && hasName ? llvm::join(terms, " + ") : name;
}

/// Gives dimensions that have no number, of inputs whose shapes are not given,
/// the numbers that dimensions of the same names have got: dimensions of one
/// name have one extent. Sums of names get these numbers, too.
void shareExtents(onnx::GraphProto &graph, const onnx::GraphProto &before,
                  const OnnxShapes &shapes) {
  std::map<std::string, int64_t> extents;
  for (const onnx::ValueInfoProto &input : before.input())
    if (auto given = shapes.find(input.name()); given != shapes.end())
      for (int dim = 0; dim < input.type().tensor_type().shape().dim_size() &&
                        dim < static_cast<int>(given->second.size());
           ++dim)
        if (given->second[dim] >= 0)
          extents[input.type().tensor_type().shape().dim(dim).dim_param()] =
              given->second[dim];
  extents.erase("");
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    if (!input.type().has_tensor_type() ||
        !input.type().tensor_type().has_shape())
      continue;
    for (auto &dim : *input.mutable_type()
                          ->mutable_tensor_type()
                          ->mutable_shape()
                          ->mutable_dim()) {
      if (!dim.has_dim_param())
        continue;
      auto found = extents.find(dim.dim_param());
      if (found == extents.end())
        dim.set_dim_param(withNumbers(dim.dim_param(), extents));
      else if (!shapes.contains(input.name()))
        dim.set_dim_value(found->second);
    }
  }
}

std::string names(const onnx::GraphProto &graph) {
  std::string list;
  for (const onnx::ValueInfoProto &input : graph.input())
    list += (list.empty() ? "'" : ", '") + input.name() + "'";
  return list.empty() ? "none" : list;
}

} // namespace

Result<> giveShapes(onnx::GraphProto &graph, const OnnxShapes &shapes) {
  if (shapes.empty())
    return Success();
  onnx::GraphProto asWritten;
  *asWritten.mutable_input() = graph.input();
  for (const auto &[name, shape] : shapes)
    if (!setShape(graph, name, shape))
      return Error{"expected an input named '" + name + "', got " +
                   names(graph)};
  shareExtents(graph, asWritten, shapes);
  // What was inferred for other shapes is not true for these.
  graph.clear_value_info();
  return Success();
}

} // namespace npu
