// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of OpenVINO IR as its XML file says it: layers with attributes and
// ports, and the edges between them. The only room that reads XML.

#ifndef NPU_LIB_TRANSLATION_OPENVINO_MODEL_IRMODEL_H
#define NPU_LIB_TRANSLATION_OPENVINO_MODEL_IRMODEL_H

#include "../../Onnx/Model/OnnxModel.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace npu {

/// An input or an output of a layer.
struct IrPort {
  int64_t id = 0;
  /// Of onnx::TensorProto::DataType; 0 where the model says none.
  int64_t element = 0;
  /// -1 is an extent that the model leaves open.
  llvm::SmallVector<int64_t> dims;
  /// The first name of the tensor, or empty.
  std::string name;
};

/// The output of a layer that an input gets its values from.
struct IrSource {
  std::size_t layer = 0, port = 0;
};

struct IrLayer;

/// Layers in an order in which every one comes after those that it reads.
struct IrGraph {
  std::vector<IrLayer> layers;
};

/// What an input or an output of a layer with bodies is inside of a body.
struct IrPortMapping {
  /// The number of the outer port in its list; nothing for a value that is none
  /// outside, such as the condition of a loop.
  std::optional<std::size_t> outer;
  /// The layer inside, a Parameter or a Result.
  std::size_t inner = 0;
  std::string purpose;
  /// The dimension along which an iteration gets or gives a part.
  std::optional<int64_t> axis;
  int64_t start = 0, end = -1, stride = 1, partSize = 1;
};

/// A graph inside of a layer, and how both are connected.
struct IrBody {
  IrGraph graph;
  std::vector<IrPortMapping> inputs, outputs;
  /// A Result inside, and the Parameter that has its value in the next
  /// iteration.
  std::vector<std::pair<std::size_t, std::size_t>> backEdges;
};

struct IrLayer {
  int64_t id = 0;
  std::string name, type;
  /// The operation set that it is from: "opset1".
  std::string version;
  unsigned line = 0;
  /// What a Result is called, where the file says it.
  std::string outputName;
  /// Where the file has it among the layers of its graph.
  std::size_t place = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<IrPort> inputs, outputs;
  /// For each input.
  std::vector<IrSource> sources;
  /// The body of a loop, or both branches of an If.
  std::vector<IrBody> bodies;

  /// The attribute's text; null where it is absent.
  const std::string *attribute(llvm::StringRef name) const;
};

struct IrModel {
  std::string name;
  IrGraph graph;
};

/// The number of an element type in onnx::TensorProto::DataType from what IR
/// calls it, "f32" in attributes or "FP32" at ports; nothing where no tensor of
/// the compiler has such elements.
std::optional<int64_t> elementOfIr(llvm::StringRef name);

/// Bits of an element of such a type.
int64_t bitsOfElement(int64_t element);

/// Integers separated by commas; nothing where one of them is none.
std::optional<llvm::SmallVector<int64_t>> parseIntegers(llvm::StringRef text);

/// Reads versions 10 and 11. Errors: text that is no XML or no IR, elements and
/// attributes that are not known, ids that occur twice, edges from or to
/// nothing, cycles.
Result<IrModel, UnreadableModel> readIr(llvm::StringRef text);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_OPENVINO_MODEL_IRMODEL_H
