// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the ONNX library and of protocol buffers: exceptions become texts.

#ifndef NPU_LIB_TRANSLATION_ONNX_MODEL_LIBRARYCALLS_H
#define NPU_LIB_TRANSLATION_ONNX_MODEL_LIBRARYCALLS_H

#include <google/protobuf/message.h>

#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace npu {

/// A message of the ONNX library in one line, cut where it goes on with whole
/// graphs.
std::string oneLine(const std::string &text);

/// Reads a message of any size; protobuf's own limit is 2 GiB.
bool parseMessage(std::string_view bytes, google::protobuf::Message &message);

/// Runs `step`, whose exceptions become the returned text.
template <typename Step>
std::optional<std::string> catching(Step step) {
  try {
    step();
  } catch (const std::exception &exception) {
    return oneLine(exception.what());
  }
  return std::nullopt;
}

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_MODEL_LIBRARYCALLS_H
