// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {
namespace {

LogicalResult buildCast(NodeImport &node) {
  int64_t number = node.integer("to", 0);
  std::optional<OnnxElement> to = onnxElement(number);
  if (!to)
    return node.error() << "out of scope: a cast to "
                        << onnxElementName(number);
  const OnnxTensor &operand = node.operand(0);
  return node.setResult(
      0, node.build.convert(operand.value, operand.element, *to), *to);
}

LogicalResult buildCastLike(NodeImport &node) {
  const OnnxTensor &operand = node.operand(0);
  OnnxElement to = node.operand(1).element;
  return node.setResult(
      0, node.build.convert(operand.value, operand.element, to), to);
}

} // namespace

void addCasts(OperatorTable &table) {
  table.add("Cast", 1, buildCast);
  table.add("CastLike", 2, buildCastLike);
}

} // namespace npu
