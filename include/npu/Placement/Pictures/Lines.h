// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that fit a terminal.

#ifndef NPU_PLACEMENT_PICTURES_LINES_H
#define NPU_PLACEMENT_PICTURES_LINES_H

#include <cstddef>
#include <string>
#include <string_view>

namespace npu {

/// The columns that a line of a picture has at most.
inline constexpr std::size_t terminalColumns = 80;

/// The text in lines of at most 80 columns, each with its newline. Lines end
/// where the text has a blank or a comma, or within a word that is longer than
/// a line;
/// those after the first begin with `indent` blanks. Text beyond `mostLines`
/// lines is left out, and the last of them ends in "..."; 0 keeps all of it.
/// Example: wrapped("  %0 : tensor<...>", 6).
std::string wrapped(std::string_view text, std::size_t indent,
                    std::size_t mostLines = 0);

/// A line that says what a picture leaves out: "    ... 37 more tiles; all with
/// tiles=0".
std::string leftOut(std::size_t count, std::string_view what,
                    std::string_view option, std::size_t indent);

} // namespace npu

#endif // NPU_PLACEMENT_PICTURES_LINES_H
