// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DumpDevice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace npu {

std::string_view DumpDevice::sourceInWords() const {
  switch (source) {
  case Source::Assumed:
    return "assumed, because the dump names none; --npu-dump-device=NAME says "
           "another one";
  case Source::Comment:
    return "by a comment of the dump";
  case Source::Module:
    return "by the module";
  case Source::Option:
    return "as asked for";
  }
  return "";
}

std::optional<DumpDevice> deviceIn(std::string_view text,
                                   DumpDevice::Source source) {
  llvm::SmallVector<std::string> names;
  llvm::StringRef rest = text;
  while (!rest.empty()) {
    std::size_t next = std::min(rest.find("NPU"), rest.find("VPUX"));
    if (next == llvm::StringRef::npos)
      break;
    rest = rest.drop_front(next);
    rest = rest.drop_front(rest.starts_with("NPU") ? 3 : 4);
    // Two digits and XX, or the four digits of a platform: 3720 is a 37XX.
    llvm::StringRef number = rest.take_front(4);
    bool isName = number.size() == 4 && llvm::isDigit(number[0]) &&
                  llvm::isDigit(number[1]) &&
                  (number.ends_with("XX") ||
                   (llvm::isDigit(number[2]) && llvm::isDigit(number[3])));
    if (!isName)
      continue;
    std::string name = ("NPU" + number.take_front(2) + "XX").str();
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  if (names.empty())
    return std::nullopt;
  DumpDevice device;
  device.name = llvm::join(names, " or ");
  device.source = source;
  device.readsAcrossTiles = llvm::any_of(names, [](llvm::StringRef name) {
    return name == "NPU30XX" || name == "NPU37XX";
  });
  return device;
}

DumpDevice deviceOfComments(std::string_view dump) {
  llvm::StringRef rest = dump;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.ltrim();
    if (!line.starts_with("//"))
      continue;
    if (!line.contains("REQUIRES:") && !line.contains("vpu-arch=") &&
        !line.contains("platform="))
      continue;
    if (auto device = deviceIn(line, DumpDevice::Source::Comment))
      return *device;
  }
  return {};
}

} // namespace npu
