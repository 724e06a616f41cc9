// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which type of layer is translated by which function. Every family of types is
// one file, which adds its types to the table; docs/reference/openvino.md is
// this table.

#ifndef NPU_LIB_TRANSLATION_OPENVINO_LAYERS_LAYERTABLE_H
#define NPU_LIB_TRANSLATION_OPENVINO_LAYERS_LAYERTABLE_H

#include "LayerTranslation.h"

#include <map>

namespace npu {

using LayerTranslator = void (*)(LayerTranslation &);

struct LayerType {
  /// Null for Parameters, constants and the like, which graphs know, and for
  /// types that are refused.
  LayerTranslator translate = nullptr;
  /// The operation sets in which the type was new or got another meaning.
  Integers versions;
  unsigned leastOperands = 0, mostOperands = 0;
  /// What is refused of it, for the documentation; or why all of it is.
  std::string refused;
  bool isRefused = false;
  /// Whether a runtime adds such layers to a model, in no operation set.
  bool isInternal = false;

  /// The version that a layer of an operation set has; nothing where the set
  /// has no such type.
  std::optional<int64_t> versionIn(int64_t set) const;
};

class LayerTable {
public:
  /// The one table.
  static const LayerTable &get();

  const LayerType *find(llvm::StringRef type) const;
  const std::map<std::string, LayerType> &all() const { return types; }

  void add(llvm::StringRef type, Integers versions, unsigned leastOperands,
           unsigned mostOperands, LayerTranslator translate,
           llvm::StringRef refused = "");
  void addInternal(llvm::StringRef type, unsigned leastOperands,
                   unsigned mostOperands, LayerTranslator translate,
                   llvm::StringRef refused = "");
  void refuse(llvm::StringRef type, llvm::StringRef reason);

private:
  LayerTable();
  void refuseOutOfScope();

  std::map<std::string, LayerType> types;
};

// The families, by file.
void addAttentionLayers(LayerTable &table);
void addContractionLayers(LayerTable &table);
void addControlFlowLayers(LayerTable &table);
void addElementwiseLayers(LayerTable &table);
void addGatherLayers(LayerTable &table);
void addGraphLayers(LayerTable &table);
void addMovementLayers(LayerTable &table);
void addNormalizationLayers(LayerTable &table);
void addRecurrentLayers(LayerTable &table);
void addReductionLayers(LayerTable &table);
void addResizingLayers(LayerTable &table);
void addShapeLayers(LayerTable &table);
void addSliceLayers(LayerTable &table);
void addWindowLayers(LayerTable &table);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_OPENVINO_LAYERS_LAYERTABLE_H
