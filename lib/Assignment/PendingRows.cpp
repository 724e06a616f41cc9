// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PendingRows.h"

#include <algorithm>

namespace npu {

void PendingRows::advance(int operation) {
  for (; next < rows.size() && rows[next].at == operation; ++next) {
    counted[next] = rows[next].forms;
    std::ranges::sort(counted[next], {}, &FormBytes::form);
    pending.push_back(static_cast<int>(next));
  }
  std::vector<int> kept;
  for (int row : pending) {
    std::erase_if(counted[row], [&](const FormBytes &term) {
      return term.bytes == 0 || lifetimes.lastNeed(term.form) <= operation;
    });
    if (counted[row].empty()) {
      places[row] = -1;
      continue;
    }
    auto same = std::ranges::find_if(
        kept, [&](int other) { return counted[other] == counted[row]; });
    if (same == kept.end()) {
      places[row] = row;
      kept.push_back(row);
    } else {
      places[row] = *same;
      counted[row].clear();
    }
  }
  pending = std::move(kept);
}

} // namespace npu
