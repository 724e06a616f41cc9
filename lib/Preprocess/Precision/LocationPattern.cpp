// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocationPattern.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace npu {

bool fitsWildcards(llvm::StringRef pattern, llvm::StringRef text) {
  // Where the last * stood, and what it has taken so far: it takes more when
  // what follows does not fit. The time is at most the product of the lengths.
  size_t p = 0, t = 0, star = llvm::StringRef::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != llvm::StringRef::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.drop_front(p).find_first_not_of('*') == llvm::StringRef::npos;
}

bool LocationPattern::names(Location loc) const {
  bool found = false;
  loc->walk([&](Location each) {
    if (auto name = dyn_cast<NameLoc>(each)) {
      found |= isName && fitsWildcards(text, name.getName().getValue());
    } else if (auto place = dyn_cast<FileLineColRange>(each);
               place && !isName) {
      std::string line = ":" + std::to_string(place.getStartLine());
      std::string column = ":" + std::to_string(place.getStartColumn());
      llvm::StringRef file = place.getFilename().getValue();
      for (llvm::StringRef path : {file, llvm::sys::path::filename(file)})
        found |= fitsWildcards(text, (path + line).str()) ||
                 fitsWildcards(text, (path + line + column).str());
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

} // namespace npu
