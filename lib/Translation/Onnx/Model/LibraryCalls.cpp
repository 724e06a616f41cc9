// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the ONNX library and of protocol buffers.

#include "LibraryCalls.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <limits>

namespace npu {

std::string oneLine(const std::string &text) {
  constexpr std::size_t kMostCharacters = 300;
  std::string line;
  for (char character : text) {
    bool isSpace = character == ' ' || character == '\n';
    if (isSpace && (line.empty() || line.back() == ' '))
      continue;
    line += isSpace ? ' ' : character;
    if (line.size() == kMostCharacters)
      return line + " ...";
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line.empty() ? "an error without a text" : line;
}

bool parseMessage(std::string_view bytes, google::protobuf::Message &message) {
  if (bytes.size() > std::numeric_limits<int>::max())
    return false;
  // Protobuf reports what it cannot read on stderr as well.
  google::protobuf::LogSilencer silence;
  google::protobuf::io::ArrayInputStream stream(bytes.data(),
                                                static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(100);
  return message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

} // namespace npu
