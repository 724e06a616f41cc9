// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator is built by which function. Every family of operators is one
// file, which adds its operators to the table.

#ifndef NPU_LIB_TRANSLATION_ONNX_GRAPH_OPERATORTABLE_H
#define NPU_LIB_TRANSLATION_ONNX_GRAPH_OPERATORTABLE_H

#include "NodeImport.h"

#include "llvm/ADT/StringMap.h"

namespace npu {

/// Builds a node: sets all results that are wanted, or reports an error.
using NodeBuilder = mlir::LogicalResult (*)(NodeImport &);

struct OnnxOperator {
  NodeBuilder build = nullptr;
  /// Operands 0 .. leastOperands - 1 may not be left out.
  unsigned leastOperands = 0;
};

/// The domain of ONNX Runtime's own operators.
inline constexpr llvm::StringLiteral kMicrosoftDomain = "com.microsoft";

/// The domain of operators that no model can name: layers of other formats
/// become them where the standard has none.
inline constexpr llvm::StringLiteral kLayerDomain = "npu.layer";

/// The operators that are imported, and those of the standard that are out of
/// scope.
class OperatorTable {
public:
  /// The one table.
  static const OperatorTable &get();

  /// Null where the operator is not imported.
  const OnnxOperator *find(const onnx::NodeProto &node) const;
  /// Why an operator is out of scope; empty where it is not.
  llvm::StringRef outOfScope(llvm::StringRef name) const;

  /// Adds an operator of the standard, of ONNX Runtime, or of layers.
  void add(llvm::StringRef name, unsigned leastOperands, NodeBuilder build);
  void addMicrosoft(llvm::StringRef name, unsigned leastOperands,
                    NodeBuilder build);
  void addOfLayers(llvm::StringRef name, unsigned leastOperands,
                   NodeBuilder build);

private:
  void refuse(llvm::StringRef name, llvm::StringRef reason);
  OperatorTable();
  /// Operators that a compiler of tensors with known shapes does not take.
  void refuseOutOfScope();

  llvm::StringMap<OnnxOperator> operators, ofMicrosoft, ofLayers;
  llvm::StringMap<std::string> reasons;
};

// The families, by file.
void addActivations(OperatorTable &table);
void addAttention(OperatorTable &table);
void addBlockQuantization(OperatorTable &table);
void addColumns(OperatorTable &table);
void addConstants(OperatorTable &table);
void addContractions(OperatorTable &table);
void addConvolutions(OperatorTable &table);
void addElementwise(OperatorTable &table);
void addFourier(OperatorTable &table);
void addGathers(OperatorTable &table);
void addLoops(OperatorTable &table);
void addGridSampling(OperatorTable &table);
void addLayerOperators(OperatorTable &table);
void addMicrosoftAttention(OperatorTable &table);
void addNormalizations(OperatorTable &table);
void addPads(OperatorTable &table);
void addPoolings(OperatorTable &table);
void addQuantization(OperatorTable &table);
void addQuantizedElementwise(OperatorTable &table);
void addRecurrent(OperatorTable &table);
void addReductions(OperatorTable &table);
void addResizing(OperatorTable &table);
void addRotaryEmbedding(OperatorTable &table);
void addScatters(OperatorTable &table);
void addSelections(OperatorTable &table);
void addShapes(OperatorTable &table);
void addSlices(OperatorTable &table);
void addVision(OperatorTable &table);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_GRAPH_OPERATORTABLE_H
