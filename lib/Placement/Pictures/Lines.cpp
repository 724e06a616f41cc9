// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Pictures/Lines.h"

#include <algorithm>

namespace npu {

std::string wrapped(std::string_view text, std::size_t indent,
                    std::size_t mostLines) {
  constexpr std::string_view dots = " ...";
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t count = 1;; ++count) {
    bool isLast = count == mostLines;
    std::size_t room = terminalColumns - begin;
    if (text.size() <= room)
      return lines.append(begin, ' ').append(text).append("\n");
    if (isLast)
      room -= dots.size();
    // The blank itself may stand where the line is over; a comma may not.
    std::size_t end = text.rfind(' ', room);
    std::size_t comma = text.rfind(',', room - 1);
    if (comma != std::string_view::npos &&
        (end == std::string_view::npos || comma + 1 > end))
      end = comma + 1;
    std::size_t firstWord = text.find_first_not_of(' ');
    if (end == std::string_view::npos || end <= firstWord)
      end = room;
    lines.append(begin, ' ').append(text.substr(0, end));
    if (isLast)
      return lines.append(dots).append("\n");
    lines += '\n';
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    begin = indent;
  }
}

std::string leftOut(std::size_t count, std::string_view what,
                    std::string_view option, std::size_t indent) {
  std::string line(indent, ' ');
  line.append("... ").append(std::to_string(count)).append(" more ");
  line.append(what).append(count == 1 ? "" : "s");
  return line.append("; all with ").append(option).append("=0\n");
}

} // namespace npu
