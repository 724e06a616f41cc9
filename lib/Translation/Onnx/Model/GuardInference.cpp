// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks in front of the ONNX library's inference of types.

#include "GuardInference.h"

#include <stdexcept>
#include <string>

namespace npu {
namespace {

[[noreturn]] void refuse(const onnx::NodeProto &node, const std::string &what,
                         int64_t least, int64_t got) {
  throw std::runtime_error(
      "node '" + node.name() + "' (" + node.op_type() + "): expected " + what +
      " of at least " + std::to_string(least) + ", got " + std::to_string(got));
}

} // namespace

void checkAttributesOfInference(const onnx::GraphProto &graph) {
  for (const onnx::NodeProto &node : graph.node())
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (node.op_type() == "GatherND" && attribute.name() == "batch_dims" &&
          attribute.i() < 0)
        refuse(node, "batch_dims", 0, attribute.i());
      if (attribute.name() == "strides")
        for (int64_t stride : attribute.ints())
          if (stride < 1)
            refuse(node, "strides", 1, stride);
      if (attribute.has_g())
        checkAttributesOfInference(attribute.g());
    }
}

} // namespace npu
