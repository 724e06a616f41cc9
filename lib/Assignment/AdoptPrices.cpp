// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prices of a few layers as those of all layers that are like them.

#include "Prices.h"

#include <algorithm>

namespace npu {

/// The reader in `others` that stands for the operation's reader at `place`;
/// null where there is none.
const Prices::Reader *Prices::readerLike(const Reader &reader, int place,
                                         const Prices &others,
                                         const ShortProblem &shorter) const {
  int value = shorter.valueReadBy(reader.value, reader.operation);
  if (value < 0)
    return nullptr;
  // An operation can read one value several times.
  auto reads = [](const Prices &prices, int number, int which) {
    return prices.split.readers[number].value == which;
  };
  const std::vector<int> &own = operations[reader.operation].readers;
  auto before =
      std::count_if(own.begin(), own.begin() + place, [&](int number) {
        return reads(*this, number, reader.value);
      });
  for (int number :
       others.operations[shorter.operation(reader.operation)].readers)
    if (reads(others, number, value) && before-- == 0)
      return &others.split.readers[number];
  return nullptr;
}

void Prices::adoptOffers(const Prices &others, const ShortProblem &shorter) {
  for (Operation &operation : operations)
    for (size_t place = 0; place < operation.readers.size(); ++place) {
      Reader &reader = split.readers[operation.readers[place]];
      const Reader *like =
          readerLike(reader, static_cast<int>(place), others, shorter);
      for (size_t f = 0; f < reader.offers.size(); ++f) {
        if (reader.offers[f] == kMuch)
          continue;
        bool isKnown =
            like && f < like->offers.size() && like->offers[f] != kMuch;
        reader.offers[f] = isKnown ? like->offers[f] : 0;
      }
    }
}

void Prices::adoptRevenue(const Prices &others, const ShortProblem &shorter) {
  for (size_t v = 0; v < split.values.size(); ++v) {
    std::vector<int64_t> &revenue = split.values[v].revenue;
    int like = shorter.value(static_cast<int>(v));
    // The value of another layer may have readers that this one does not have.
    bool isRead = !split.values[v].readers.empty();
    if (isRead && like >= 0 &&
        others.split.values[like].revenue.size() == revenue.size())
      revenue = others.split.values[like].revenue;
    else
      std::ranges::fill(revenue, 0);
  }
}

void Prices::sumOffered(Value &value) const {
  std::ranges::fill(value.offered, 0);
  for (int number : value.readers)
    for (size_t f = 0; f < value.offered.size(); ++f)
      if (int64_t offer = split.readers[number].offers[f]; offer != kMuch)
        value.offered[f] += offer;
}

/// Operations that are not between the layers take what the others leave: of
/// what all share, and where shares of moves were rounded down.
void Prices::settleSeams(const ShortProblem &shorter) {
  int count = static_cast<int>(operations.size());
  for (int i = 0; i < count; ++i)
    if (shorter.isKept(i))
      visit(i, true);
  for (int i = count - 1; i >= 0; --i)
    if (shorter.isKept(i))
      visit(i, false);
}

void Prices::adopt(const Prices &others, const ShortProblem &shorter) {
  if (!areCostsSmall)
    return;
  adoptOffers(others, shorter);
  adoptRevenue(others, shorter);
  known.assign(split.values.size(), {});
  for (Value &value : split.values)
    if (value.isWide)
      sumOffered(value);
  settleSeams(shorter);
  if (!sumUp())
    reset();
  ++changed;
}

} // namespace npu
