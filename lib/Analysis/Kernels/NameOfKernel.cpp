// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/Kernels/NameOfKernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  return text;
}

/// The element types of values that are tensors or buffers, joined by "x".
std::string elementsOf(ValueRange values) {
  std::vector<std::string> types;
  for (Value value : values)
    if (isa<ShapedType>(value.getType()))
      types.push_back(textOf(value.getType()));
  return fmt::format("{}", fmt::join(types, "x"));
}

/// The operations of a body, each name once, in their order.
std::string bodyOf(linalg::GenericOp op) {
  std::vector<std::string> names;
  for (Operation &inner : op.getBody()->without_terminator()) {
    std::string name = inner.getName().getStringRef().str();
    if (!inner.hasTrait<OpTrait::ConstantLike>() &&
        !isa<linalg::IndexOp>(inner) && !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  }
  return names.empty() ? "copy" : fmt::format("{}", fmt::join(names, "+"));
}

} // namespace

std::string nameOfKernel(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      return fmt::format("call of @{}", callee.getLeafReference().str());
  std::string name = op->getName().getStringRef().str();
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    name += "(" + bodyOf(generic) + ")";
  std::string inputs, results;
  if (auto writes = dyn_cast<DestinationStyleOpInterface>(op)) {
    inputs = elementsOf(writes.getDpsInputs());
    results = elementsOf(writes.getDpsInits());
  } else {
    inputs = elementsOf(op->getOperands());
    results = elementsOf(op->getResults());
    // A single entry is no tensor.
    for (Type type : op->getResultTypes())
      if (!isa<ShapedType>(type))
        results += (results.empty() ? "" : "x") + textOf(type);
  }
  if (inputs.empty() && results.empty())
    return name;
  return fmt::format("{} {}->{}", name, inputs, results);
}

} // namespace npu
