// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/LanguageServer/LanguageServer.h"

using llvm::StringRef;

namespace npu {
namespace {

/// Editors nest what they say a dozen levels deep.
constexpr int kMostLevels = 500;

bool isTooDeep(StringRef body) {
  int levels = 0;
  bool isInString = false;
  for (size_t at = 0; at < body.size(); ++at) {
    char each = body[at];
    if (isInString) {
      at += each == '\\';
      isInString = each != '"';
    } else if (each == '"') {
      isInString = true;
    } else if (each == '[' || each == '{') {
      if (++levels > kMostLevels)
        return true;
    } else if (each == ']' || each == '}') {
      --levels;
    }
  }
  return false;
}

/// Whether it says `"jsonrpc": "2.0"`: upstream's transport ends at the first
/// message that does not.
bool isOfProtocol(StringRef body) {
  if (!body.ltrim().starts_with("{"))
    return false;
  StringRef rest = body.split("\"jsonrpc\"").second.ltrim();
  return rest.consume_front(":") && rest.ltrim().starts_with("\"2.0\"");
}

void check(std::string &body) {
  if (isTooDeep(body) || !isOfProtocol(body))
    body.clear();
}

} // namespace

llvm::LogicalResult ClientMessages::readDelimitedMessage(std::string &body) {
  if (failed(file.readDelimitedMessage(body)))
    return llvm::failure();
  check(body);
  return llvm::success();
}

llvm::LogicalResult ClientMessages::readStandardMessage(std::string &body) {
  if (failed(file.readStandardMessage(body)))
    return llvm::failure();
  check(body);
  return llvm::success();
}

} // namespace npu
