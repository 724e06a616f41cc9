// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operators, filled once.

#include "OperatorTable.h"

namespace npu {

const OperatorTable &OperatorTable::get() {
  static const OperatorTable table;
  return table;
}

OperatorTable::OperatorTable() {
  addActivations(*this);
  addAttention(*this);
  addBatchNormalization(*this);
  addCasts(*this);
  addColumns(*this);
  addConstants(*this);
  addContractions(*this);
  addControlFlow(*this);
  addConvolutions(*this);
  addDeformableConvolution(*this);
  addDropout(*this);
  addElementwise(*this);
  addFourier(*this);
  addGathers(*this);
  addLoops(*this);
  addGridSampling(*this);
  addNormalizations(*this);
  addOutOfScope(*this);
  addPads(*this);
  addPoolings(*this);
  addQuantization(*this);
  addRecurrent(*this);
  addReductions(*this);
  addResizing(*this);
  addRotaryEmbedding(*this);
  addScatters(*this);
  addSelections(*this);
  addShapes(*this);
  addSlices(*this);
  addSoftmaxes(*this);
  addTopK(*this);
  addUnpooling(*this);
  addVision(*this);
}

const OnnxOperator *OperatorTable::find(llvm::StringRef name) const {
  auto found = operators.find(name);
  return found == operators.end() ? nullptr : &found->second;
}

llvm::StringRef OperatorTable::outOfScope(llvm::StringRef name) const {
  auto found = reasons.find(name);
  return found == reasons.end() ? llvm::StringRef() : found->second;
}

void OperatorTable::add(llvm::StringRef name, unsigned leastOperands,
                        NodeBuilder build) {
  operators[name] = {build, leastOperands};
}

void OperatorTable::refuse(llvm::StringRef name, llvm::StringRef reason) {
  reasons[name] = reason.str();
}

} // namespace npu
