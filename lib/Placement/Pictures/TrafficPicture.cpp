// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Placement/Pictures/TrafficPicture.h"

#include "npu/Placement/Pictures/Lines.h"

#include <algorithm>
#include <map>
#include <set>

namespace npu {
namespace {

std::string nameOf(int tile) {
  return tile == kDdr ? "DDR" : std::to_string(tile);
}

/// The numbers of a set, tiles first and then DDR.
std::vector<int> inOrder(const std::set<int> &tiles) {
  std::vector<int> order(tiles.begin(), tiles.end());
  if (!order.empty() && order.front() == kDdr)
    std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

std::string toTheRight(const std::string &text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

} // namespace

std::string trafficPicture(const std::vector<Traffic> &transfers,
                           std::size_t most, std::size_t indent) {
  std::map<std::pair<int, int>, int64_t> cells;
  std::set<int> from, to;
  for (const Traffic &each : transfers) {
    from.insert(each.from);
    for (int tile : each.to) {
      to.insert(tile);
      cells[{each.from, tile}] += each.bytes;
    }
  }
  std::vector<int> senders = inOrder(from), receivers = inOrder(to);
  std::size_t width = std::string("to DDR").size();
  for (const auto &[pair, bytes] : cells)
    width = std::max(width, std::to_string(bytes).size());
  width += 2;
  const std::string corner = "from";
  std::size_t perLine = (terminalColumns - indent - corner.size()) / width;

  auto shown = [&](const std::vector<int> &all) {
    return most == 0 ? all.size() : std::min(all.size(), most);
  };
  std::string text;
  for (std::size_t begin = 0; begin < shown(receivers); begin += perLine) {
    std::size_t end = std::min(begin + perLine, shown(receivers));
    std::string head = std::string(indent, ' ') + corner;
    for (std::size_t column = begin; column < end; ++column)
      head += toTheRight("to " + nameOf(receivers[column]), width);
    text += head + "\n";
    for (std::size_t row = 0; row < shown(senders); ++row) {
      std::string name = nameOf(senders[row]);
      name.resize(corner.size(), ' ');
      text += std::string(indent, ' ') + name;
      for (std::size_t column = begin; column < end; ++column) {
        auto cell = cells.find({senders[row], receivers[column]});
        text += toTheRight(
            cell == cells.end() ? "." : std::to_string(cell->second), width);
      }
      text += "\n";
    }
  }
  if (std::size_t more = senders.size() - shown(senders))
    text += leftOut(more, "sender", "tiles", indent);
  if (std::size_t more = receivers.size() - shown(receivers))
    text += leftOut(more, "receiver", "tiles", indent);
  return text;
}

} // namespace npu
