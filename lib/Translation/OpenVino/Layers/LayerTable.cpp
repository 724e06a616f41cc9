// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayerTable.h"

#include "llvm/ADT/STLExtras.h"

namespace npu {

std::optional<int64_t> LayerType::versionIn(int64_t set) const {
  std::optional<int64_t> found;
  for (int64_t version : versions)
    if (version <= set)
      found = version;
  return found;
}

const LayerTable &LayerTable::get() {
  static const LayerTable table;
  return table;
}

LayerTable::LayerTable() {
  addAttentionLayers(*this);
  addContractionLayers(*this);
  addControlFlowLayers(*this);
  addElementwiseLayers(*this);
  addGatherLayers(*this);
  addGraphLayers(*this);
  addMovementLayers(*this);
  addNormalizationLayers(*this);
  addRecurrentLayers(*this);
  addReductionLayers(*this);
  addResizingLayers(*this);
  addShapeLayers(*this);
  addSliceLayers(*this);
  addWindowLayers(*this);
  refuseOutOfScope();
}

void LayerTable::refuseOutOfScope() {
  for (const char *type :
       {"NonZero", "NonMaxSuppression", "MulticlassNms", "MatrixNms", "Unique"})
    refuse(type, "the shape of its result depends on data");
  for (const char *type : {"RandomUniform", "Multinomial"})
    refuse(type, "random numbers");
  for (const char *type : {"StringTensorUnpack", "StringTensorPack"})
    refuse(type, "strings");
  refuse("FakeConvert", "elements of 8-bit floats");
  refuse("RegionYolo", "detection layers of one framework");
  refuse("TensorIterator", "Loop says the same");
}

const LayerType *LayerTable::find(llvm::StringRef type) const {
  auto found = types.find(type.str());
  return found == types.end() ? nullptr : &found->second;
}

void LayerTable::add(llvm::StringRef type, Integers versions,
                     unsigned leastOperands, unsigned mostOperands,
                     LayerTranslator translate, llvm::StringRef refused) {
  types[type.str()] = {translate,    std::move(versions), leastOperands,
                       mostOperands, refused.str(),       false};
}

void LayerTable::addInternal(llvm::StringRef type, unsigned leastOperands,
                             unsigned mostOperands, LayerTranslator translate,
                             llvm::StringRef refused) {
  add(type, {1}, leastOperands, mostOperands, translate, refused);
  types[type.str()].isInternal = true;
}

void LayerTable::refuse(llvm::StringRef type, llvm::StringRef reason) {
  types[type.str()] = {nullptr, {}, 0, 0, reason.str(), true};
}

} // namespace npu
