// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sections.h"

#include <algorithm>
#include <numeric>

namespace npu {

Sections::Sections(std::span<const Buffer> buffers)
    : firsts(buffers.size()), ends(buffers.size()), starts(buffers.size()) {
  std::vector<int> byEnd(buffers.size());
  std::iota(starts.begin(), starts.end(), 0);
  std::iota(byEnd.begin(), byEnd.end(), 0);
  std::ranges::sort(starts, {},
                    [&](int i) { return std::pair(buffers[i].first, i); });
  std::ranges::sort(byEnd, {},
                    [&](int i) { return std::pair(buffers[i].last, i); });
  // A section closes where a buffer begins after another has ended: what is in
  // use grows up to there, and shrinks before it grows again.
  int section = 0;
  auto ending = byEnd.begin();
  startBegins.push_back(0);
  for (size_t i = 0; i < starts.size(); ++i) {
    int next = starts[i];
    if (buffers[*ending].last < buffers[next].first) {
      ++section;
      startBegins.push_back(static_cast<int>(i));
      for (; buffers[*ending].last < buffers[next].first; ++ending)
        ends[*ending] = section;
    }
    firsts[next] = section;
  }
  for (; ending != byEnd.end(); ++ending)
    ends[*ending] = section + 1;
  if (!buffers.empty())
    startBegins.push_back(static_cast<int>(starts.size()));
}

int64_t Sections::uses() const {
  int64_t sum = 0;
  for (size_t i = 0; i < firsts.size(); ++i)
    sum += ends[i] - firsts[i];
  return sum;
}

} // namespace npu
