// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WritePage.h"

#include "llvm/Support/raw_ostream.h"

namespace npu {
namespace {

/// The page as web/build.mjs writes it, as a literal; an empty one without
/// Node.js.
constexpr llvm::StringLiteral kPage =
#include "Page.inc"
    ;

/// Where the view goes in it.
constexpr llvm::StringLiteral kMark = "<!-- the view -->";

} // namespace

bool hasPage() { return !kPage.empty(); }

void writePage(const ProgramView &view, llvm::raw_ostream &output) {
  auto [front, back] = llvm::StringRef(kPage).split(kMark);
  output << front;
  // A '<' stands in strings alone, where its escape is the same character, and
  // without one nothing ends the element or begins another.
  for (char character : toJson(view))
    if (character == '<')
      output << "\\u003c";
    else
      output << character;
  output << back;
}

} // namespace npu
