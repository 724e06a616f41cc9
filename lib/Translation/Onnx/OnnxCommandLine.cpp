// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Translation/Onnx/OnnxTranslation.h"

namespace cl = llvm::cl;

namespace npu {

OnnxCommandLine::OnnxCommandLine(cl::OptionCategory &category)
    : inputShapes("input-shape",
                  cl::desc("The shape of an input of a network; ? is an "
                           "extent that stays dynamic"),
                  cl::value_desc("NAME:1x3x48x192"), cl::cat(category)),
      inputValues("input-value",
                  cl::desc("Makes an input of a network a constant: "
                           "numbers, a .npy file, or a .pb file with an ONNX "
                           "tensor"),
                  cl::value_desc("NAME=1,2|NAME=FILE"), cl::cat(category)),
      fold("fold",
           cl::desc("Fold operators of a network into others where bits may "
                    "change (default: true)"),
           cl::init(true), cl::cat(category)),
      weights("openvino-weights",
              cl::desc("The file with the weights of a model of OpenVINO IR "
                       "(default: the model's name with .bin)"),
              cl::value_desc("FILE"), cl::cat(category)) {}

OnnxImportOptions OnnxCommandLine::options() const {
  return {{inputShapes.begin(), inputShapes.end()},
          {inputValues.begin(), inputValues.end()},
          fold,
          namedPrompts,
          weights};
}

const cl::Option *OnnxCommandLine::given() const {
  // Lists and options have an operator & of their own.
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           std::addressof(inputShapes), std::addressof(inputValues),
           std::addressof(fold)})
    if (option->getNumOccurrences() > 0)
      return option;
  return nullptr;
}

const cl::Option *OnnxCommandLine::givenWeights() const {
  return weights.getNumOccurrences() > 0 ? std::addressof(weights) : nullptr;
}

OnnxCommandLine &onnxCommandLine() {
  static OnnxCommandLine line(cl::getGeneralCategory());
  return line;
}

} // namespace npu
