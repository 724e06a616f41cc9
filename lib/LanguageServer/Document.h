// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A document of an editor, as text and as the parts that it is parsed in.

#ifndef NPU_LIB_LANGUAGESERVER_DOCUMENT_H
#define NPU_LIB_LANGUAGESERVER_DOCUMENT_H

#include "ParsedPart.h"

#include <memory>

namespace npu {

class Document {
public:
  Document(std::string file, const mlir::DialectRegistry &registry)
      : file(std::move(file)), registry(registry) {}

  void setText(std::string newText, int64_t newVersion) {
    text = std::move(newText);
    version = newVersion;
    isCurrent = false;
  }

  const std::string &getText() const { return text; }
  int64_t getVersion() const { return version; }

  /// A part and where it begins in the text that it was parsed of.
  struct Place {
    std::shared_ptr<ParsedPart> part;
    size_t begin = 0;
  };

  /// The parts of the newest text. Those whose text has not changed are not
  /// parsed again.
  llvm::ArrayRef<Place> parts();

  /// A place of the newest text in a part that is IR. Where the newest text
  /// is none, it is the same line of the text that was some last, if
  /// that line has not changed since. Nothing where there is no such line.
  struct Target {
    std::shared_ptr<ParsedPart> part;
    size_t offset = 0;
    /// From places of the part to those of the newest text.
    ptrdiff_t toText = 0;
    bool isOfNewestText = true;
  };
  std::optional<Target> at(llvm::lsp::Position position);

private:
  std::optional<Target> inEarlierText(size_t offset, const Place &now,
                                      const Place &before) const;

  std::string file;
  const mlir::DialectRegistry &registry;
  std::string text;
  int64_t version = 0;
  bool isCurrent = false;
  std::vector<Place> current;
  /// For each part the newest one that was IR, by its number.
  std::vector<Place> lastParsed;
};

} // namespace npu

#endif // NPU_LIB_LANGUAGESERVER_DOCUMENT_H
