// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in a text: the protocol counts lines and UTF-16 code units, the parser
// counts bytes.

#ifndef NPU_LIB_LANGUAGESERVER_LINES_H
#define NPU_LIB_LANGUAGESERVER_LINES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <vector>

namespace npu {

/// A half-open range of bytes of a text.
struct Span {
  size_t begin = 0, end = 0;

  bool contains(size_t offset) const { return begin <= offset && offset < end; }
  /// The same for a cursor, which may stand after the last character.
  bool touches(size_t offset) const { return begin <= offset && offset <= end; }
  Span operator+(size_t distance) const {
    return {begin + distance, end + distance};
  }
};

class Lines {
public:
  /// The text has to outlive the lines.
  explicit Lines(llvm::StringRef text);

  /// A place that the text does not have is the nearest one before it.
  size_t offsetOf(llvm::lsp::Position position) const;
  llvm::lsp::Position positionOf(size_t offset) const;
  llvm::lsp::Range rangeOf(Span span) const {
    return {positionOf(span.begin), positionOf(span.end)};
  }

  size_t count() const { return begins.size(); }
  /// A line without its end.
  llvm::StringRef line(size_t number) const;
  size_t begin(size_t number) const { return begins[number]; }

private:
  llvm::StringRef text;
  std::vector<size_t> begins;
};

/// Makes the changes of an edit, one after the other.
void makeChanges(
    llvm::ArrayRef<llvm::lsp::TextDocumentContentChangeEvent> changes,
    std::string &text);

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_LINES_H
