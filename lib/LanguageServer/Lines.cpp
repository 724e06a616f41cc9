// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lines.h"

#include <algorithm>

using llvm::StringRef;

namespace npu {
namespace {

/// The bytes of the code point that begins here, by its first byte.
size_t bytesOfPoint(char first) {
  auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
}

/// Code points of four bytes are two units of UTF-16.
int unitsOfPoint(size_t bytes) { return bytes == 4 ? 2 : 1; }

} // namespace

Lines::Lines(StringRef text) : text(text), begins{0} {
  for (size_t at = text.find('\n'); at != StringRef::npos;
       at = text.find('\n', at + 1))
    begins.push_back(at + 1);
}

StringRef Lines::line(size_t number) const {
  size_t end =
      number + 1 < begins.size() ? begins[number + 1] - 1 : text.size();
  return text.slice(begins[number], end);
}

size_t Lines::offsetOf(llvm::lsp::Position position) const {
  if (position.line < 0)
    return 0;
  if (static_cast<size_t>(position.line) >= begins.size())
    return text.size();
  StringRef rest = line(position.line);
  size_t offset = 0;
  for (int units = 0; units < position.character && offset < rest.size();) {
    size_t bytes = bytesOfPoint(rest[offset]);
    units += unitsOfPoint(bytes);
    offset = std::min(offset + bytes, rest.size());
  }
  return begins[position.line] + offset;
}

llvm::lsp::Position Lines::positionOf(size_t offset) const {
  offset = std::min(offset, text.size());
  size_t number = std::upper_bound(begins.begin(), begins.end(), offset) -
                  begins.begin() - 1;
  StringRef before = text.slice(begins[number], offset);
  int units = 0;
  while (!before.empty()) {
    size_t bytes = bytesOfPoint(before.front());
    units += unitsOfPoint(bytes);
    before = before.drop_front(std::min(bytes, before.size()));
  }
  return {static_cast<int>(number), units};
}

void makeChanges(
    llvm::ArrayRef<llvm::lsp::TextDocumentContentChangeEvent> changes,
    std::string &text) {
  for (const llvm::lsp::TextDocumentContentChangeEvent &change : changes) {
    if (!change.range) {
      text = change.text;
      continue;
    }
    Lines lines(text);
    size_t begin = lines.offsetOf(change.range->start);
    size_t end = std::max(begin, lines.offsetOf(change.range->end));
    text.replace(begin, end - begin, change.text);
  }
}

} // namespace npu
