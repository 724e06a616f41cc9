// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices.

#include "LayerTable.h"

namespace npu {
namespace {

void translateMatMul(LayerTranslation &layer) {
  bool transposeA = layer.flag("transpose_a", false),
       transposeB = layer.flag("transpose_b", false);
  std::vector<NodeValue> operands{layer.operand(0), layer.operand(1)};
  if (!transposeA && !transposeB)
    return layer.set(0, layer.add("MatMul", operands));
  layer.set(0, layer.addOwn("MatMul", operands,
                            NodeAttributes()
                                .set("transpose_a", int64_t(transposeA))
                                .set("transpose_b", int64_t(transposeB))));
}

void translateEinsum(LayerTranslation &layer) {
  std::vector<NodeValue> operands;
  for (unsigned operand = 0; operand < layer.operandCount(); ++operand)
    operands.push_back(layer.operand(operand));
  layer.set(
      0, layer.add("Einsum", operands,
                   NodeAttributes().set(
                       "equation", llvm::StringRef(layer.text("equation")))));
}

} // namespace

void addContractionLayers(LayerTable &table) {
  table.add("MatMul", {1}, 2, 2, translateMatMul);
  table.add("Einsum", {7}, 1, 64, translateEinsum);
}

} // namespace npu
