// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Document.h"

using llvm::StringRef;

namespace npu {
namespace {

/// The parts between lines that begin with "// -----", which tests have.
std::vector<Span> splitIntoParts(StringRef text) {
  constexpr StringRef marker = "// -----";
  std::vector<Span> parts;
  size_t begin = 0;
  for (size_t at = text.find(marker); at != StringRef::npos;
       at = text.find(marker, at + 1)) {
    if (at != 0 && text[at - 1] != '\n')
      continue;
    parts.push_back({begin, at});
    begin = at;
  }
  parts.push_back({begin, text.size()});
  return parts;
}

} // namespace

llvm::ArrayRef<Document::Place> Document::parts() {
  if (isCurrent)
    return current;
  std::vector<Place> before = std::move(current);
  current.clear();
  for (auto [number, span] : llvm::enumerate(splitIntoParts(text))) {
    StringRef ofPart = StringRef(text).slice(span.begin, span.end);
    auto same = llvm::find_if(before, [&](const Place &place) {
      return place.part && place.part->getText() == ofPart;
    });
    Place place{nullptr, span.begin};
    if (same != before.end())
      place.part = std::move(same->part);
    else
      place.part = std::make_shared<ParsedPart>(ofPart, file, registry);
    current.push_back(place);
  }
  lastParsed.resize(current.size());
  for (auto [now, last] : llvm::zip_equal(current, lastParsed))
    if (now.part->isParsed())
      last = now;
  isCurrent = true;
  return current;
}

std::optional<Document::Target> Document::at(llvm::lsp::Position position) {
  (void)parts();
  size_t offset = Lines(text).offsetOf(position);
  for (size_t number = current.size(); number-- > 0;) {
    const Place &place = current[number];
    if (place.begin > offset)
      continue;
    if (place.part->isParsed())
      return Target{place.part, offset - place.begin,
                    static_cast<ptrdiff_t>(place.begin), true};
    if (lastParsed[number].part)
      return inEarlierText(offset - place.begin, place, lastParsed[number]);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Document::Target>
Document::inEarlierText(size_t offset, const Place &now,
                        const Place &before) const {
  Lines newLines(now.part->getText()), oldLines(before.part->getText());
  size_t most = std::min(newLines.count(), oldLines.count());
  size_t same = 0, sameAtEnd = 0;
  while (same < most && newLines.line(same) == oldLines.line(same))
    ++same;
  while (sameAtEnd < most - same &&
         newLines.line(newLines.count() - 1 - sameAtEnd) ==
             oldLines.line(oldLines.count() - 1 - sameAtEnd))
    ++sameAtEnd;
  auto line = static_cast<size_t>(newLines.positionOf(offset).line);
  size_t inOld = line;
  if (line >= newLines.count() - sameAtEnd)
    inOld = line + oldLines.count() - newLines.count();
  else if (line >= same)
    return std::nullopt;
  ptrdiff_t moved = static_cast<ptrdiff_t>(newLines.begin(line)) -
                    static_cast<ptrdiff_t>(oldLines.begin(inOld));
  return Target{before.part, offset - moved,
                moved + static_cast<ptrdiff_t>(now.begin), false};
}

} // namespace npu
