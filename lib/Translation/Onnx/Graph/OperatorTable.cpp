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
  refuseOutOfScope();
  addActivations(*this);
  addAttention(*this);
  addBlockQuantization(*this);
  addColumns(*this);
  addConstants(*this);
  addContractions(*this);
  addConvolutions(*this);
  addElementwise(*this);
  addFourier(*this);
  addGathers(*this);
  addLoops(*this);
  addGridSampling(*this);
  addLayerOperators(*this);
  addMicrosoftAttention(*this);
  addNormalizations(*this);
  addPads(*this);
  addPoolings(*this);
  addQuantization(*this);
  addQuantizedElementwise(*this);
  addRecurrent(*this);
  addReductions(*this);
  addResizing(*this);
  addRotaryEmbedding(*this);
  addScatters(*this);
  addSelections(*this);
  addShapes(*this);
  addSlices(*this);
  addVision(*this);
}

void OperatorTable::refuseOutOfScope() {
  for (const char *name :
       {"SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase",
        "SequenceInsert", "SequenceLength", "SequenceMap", "SplitToSequence",
        "ConcatFromSequence"})
    refuse(name, "sequences");
  for (const char *name :
       {"Optional", "OptionalGetElement", "OptionalHasElement"})
    refuse(name, "optional values");
  for (const char *name :
       {"StringNormalizer", "TfIdfVectorizer", "LabelEncoder", "CategoryMapper",
        "RegexFullMatch", "StringConcat", "StringSplit"})
    refuse(name, "strings");
  refuse("ImageDecoder", "encoded images");
  for (const char *name : {"Gradient", "Adam", "Adagrad", "Momentum"})
    refuse(name, "training");
  for (const char *name : {"RandomNormal", "RandomNormalLike", "RandomUniform",
                           "RandomUniformLike", "Multinomial", "Bernoulli"})
    refuse(name, "random numbers");
  for (const char *name : {"Unique", "NonMaxSuppression"})
    refuse(name, "the shape of its result depends on data");
}

const OnnxOperator *OperatorTable::find(const onnx::NodeProto &node) const {
  const std::string &domain = node.domain();
  bool isStandard = domain.empty() || domain == "ai.onnx";
  if (!isStandard && domain != kMicrosoftDomain && domain != kLayerDomain)
    return nullptr;
  const auto &table = isStandard                   ? operators
                      : domain == kMicrosoftDomain ? ofMicrosoft
                                                   : ofLayers;
  auto found = table.find(node.op_type());
  return found == table.end() ? nullptr : &found->second;
}

llvm::StringRef OperatorTable::outOfScope(llvm::StringRef name) const {
  auto found = reasons.find(name);
  return found == reasons.end() ? llvm::StringRef() : found->second;
}

void OperatorTable::add(llvm::StringRef name, unsigned leastOperands,
                        NodeBuilder build) {
  operators[name] = {build, leastOperands};
}

void OperatorTable::addMicrosoft(llvm::StringRef name, unsigned leastOperands,
                                 NodeBuilder build) {
  ofMicrosoft[name] = {build, leastOperands};
}

void OperatorTable::addOfLayers(llvm::StringRef name, unsigned leastOperands,
                                NodeBuilder build) {
  ofLayers[name] = {build, leastOperands};
}

void OperatorTable::refuse(llvm::StringRef name, llvm::StringRef reason) {
  reasons[name] = reason.str();
}

} // namespace npu
