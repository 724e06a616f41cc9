// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TarFile.h"

#include <fmt/format.h>

#include <string>

namespace npu {

static constexpr std::size_t kBlock = 512;

static void pad(llvm::raw_ostream &archive, std::size_t written) {
  archive.write_zeros(
      static_cast<unsigned>((kBlock - written % kBlock) % kBlock));
}

/// Writes a header and what belongs to it. Sizes have eleven octal digits.
static void writeEntry(llvm::raw_ostream &archive, char kind,
                       llvm::StringRef name, llvm::StringRef contents,
                       bool isProgram) {
  std::string header(kBlock, '\0');
  auto put = [&](std::size_t at, llvm::StringRef text) {
    header.replace(at, text.size(), text);
  };
  constexpr std::size_t nameBytes = 100, checksumAt = 148;
  put(0, name.take_front(nameBytes));
  put(100, isProgram ? "0000755" : "0000644"); // mode
  put(108, "0000000");                         // owner
  put(116, "0000000");                         // group
  put(124, fmt::format("{:011o}", contents.size() & ((1ULL << 33) - 1)));
  put(136, "00000000000"); // time
  put(checksumAt, "        ");
  put(156, llvm::StringRef(&kind, 1));
  put(257, "ustar");
  put(263, "00"); // version
  unsigned sum = 0;
  for (char byte : header)
    sum += static_cast<unsigned char>(byte);
  // Six digits, a zero byte and one of the spaces that were summed up.
  put(checksumAt, fmt::format("{:06o}", sum) + std::string(1, '\0'));
  archive << header << contents;
  pad(archive, contents.size());
}

/// A record of a pax header, which begins with its own length.
static std::string paxRecord(llvm::StringRef key, llvm::StringRef value) {
  std::string rest = fmt::format(" {}={}\n", key.str(), value.str());
  std::size_t length = rest.size();
  while (length != rest.size() + std::to_string(length).size())
    length = rest.size() + std::to_string(length).size();
  return std::to_string(length) + rest;
}

void writeTarFile(llvm::raw_ostream &archive, llvm::StringRef name,
                  llvm::StringRef contents, bool isProgram) {
  std::string more;
  if (name.size() > 100)
    more += paxRecord("path", name);
  if (contents.size() >> 33)
    more += paxRecord("size", std::to_string(contents.size()));
  if (!more.empty())
    writeEntry(archive, 'x', "PaxHeader", more, /*isProgram=*/false);
  writeEntry(archive, '0', name, contents, isProgram);
}

void endTar(llvm::raw_ostream &archive) { archive.write_zeros(2 * kBlock); }

} // namespace npu
