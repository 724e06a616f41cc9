// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/DimensionNames.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

using namespace mlir;

namespace npu {

StringRef nameOfDimension(FunctionOpInterface function, unsigned argument,
                          int64_t dim) {
  auto names = function.getArgAttrOfType<ArrayAttr>(
      argument, NPUDialect::DimNamesAttrHelper::getNameStr());
  if (!names || dim >= static_cast<int64_t>(names.size()))
    return "";
  auto name = dyn_cast<StringAttr>(names[dim]);
  return name ? name.getValue() : "";
}

SmallVector<StringRef> namesInSum(StringRef name) {
  SmallVector<StringRef> terms;
  name.split(terms, '+');
  for (StringRef &term : terms)
    term = term.trim();
  return terms;
}

} // namespace npu
