// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ListSchedule.h"

#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <tuple>

namespace npu {
namespace {

/// Cycles stay at the largest number instead of overflowing.
int64_t after(int64_t begin, int64_t cycles) {
  return (Count{begin} + Count{cycles}).value;
}

/// DDR in one direction: transfers begin to move bytes after their latency, and
/// share what DDR has.
class DdrSide {
public:
  DdrSide(int64_t bytesPer1000Cycles, int64_t latency)
      : rate(bytesPer1000Cycles), latency(latency) {}

  /// When a transfer that begins at `begin` has moved its bytes.
  int64_t endOf(int64_t begin, int64_t bytes) const {
    if (rate == 0)
      return begin;
    Wide end = (busyAfter(begin, bytes) + rate - 1) / rate;
    return static_cast<int64_t>(std::min<Wide>(end, Count::most));
  }
  void move(int64_t begin, int64_t bytes) {
    if (rate != 0)
      busy = busyAfter(begin, bytes);
  }

private:
  using Wide = __int128;

  /// Times `rate`, so that what several transfers take is rounded once.
  Wide busyAfter(int64_t begin, int64_t bytes) const {
    return std::max<Wide>(busy, Wide{after(begin, latency)} * rate) +
           Wide{bytes} * 1000;
  }

  int64_t rate, latency;
  Wide busy = 0;
};

class Scheduler {
public:
  Scheduler(Schedule &schedule, const Target &target)
      : schedule(schedule), tiles(schedule.tiles),
        loads(rateOfDdr(target, Direction::DdrToTile),
              target.costs.ddrToTileLatency),
        stores(rateOfDdr(target, Direction::TileToDdr),
               target.costs.tileToDdrLatency),
        ports(std::max<int64_t>(target.dmaPorts, 1), 0), sends(tiles, 0),
        receives(tiles, 0), queues(5 * tiles), lastBegin(queues.size(), 0),
        free(2 * tiles, 0) {}

  void run() {
    std::vector<RowId> missing(schedule.rows.size());
    std::vector<std::vector<RowId>> waiting(schedule.rows.size());
    for (RowId row = 0; row < schedule.rows.size(); ++row) {
      const ScheduleRow &each = schedule.rows[row];
      queues[queueOf(each)].push_back(row);
      missing[row] = each.endOfWaits - each.waits;
      for (size_t i = each.waits; i < each.endOfWaits; ++i)
        waiting[schedule.waits[i]].push_back(row);
    }
    for (size_t queue = 0; queue < queues.size(); ++queue)
      offerFirst(queue, missing);
    while (!offers.empty()) {
      Offer offer = offers.top();
      offers.pop();
      ScheduleRow &row = schedule.rows[offer.row];
      // Ports and links may have been taken since.
      int64_t begin = beginOf(row);
      if (begin > offer.begin) {
        offers.push({begin, offer.row});
        continue;
      }
      place(row, begin);
      for (RowId other : waiting[offer.row])
        if (--missing[other] == 0 &&
            queues[queueOf(schedule.rows[other])].front() == other)
          offerFirst(queueOf(schedule.rows[other]), missing);
      waiting[offer.row] = {};
      size_t queue = queueOf(row);
      queues[queue].pop_front();
      offerFirst(queue, missing);
    }
  }

private:
  /// What could begin next.
  struct Offer {
    int64_t begin;
    RowId row;

    bool operator>(const Offer &other) const {
      return std::tie(begin, row) > std::tie(other.begin, other.row);
    }
  };

  static size_t queueOf(const ScheduleRow &row) {
    return 5 * row.tile + static_cast<size_t>(row.engine);
  }

  void offerFirst(size_t queue, const std::vector<RowId> &missing) {
    if (queues[queue].empty() || missing[queues[queue].front()] != 0)
      return;
    RowId first = queues[queue].front();
    const ScheduleRow &row = schedule.rows[first];
    offers.push({beginOf(row), first});
  }

  /// When what the row waits for has ended, and the one before it has begun.
  int64_t readyOf(const ScheduleRow &row) const {
    int64_t ready = lastBegin[queueOf(row)];
    for (size_t i = row.waits; i < row.endOfWaits; ++i)
      ready = std::max(ready, schedule.rows[schedule.waits[i]].end);
    return ready;
  }

  int64_t beginOf(const ScheduleRow &row) const {
    int64_t begin = readyOf(row);
    switch (row.engine) {
    case Engine::Matrix:
    case Engine::Vector:
      return std::max(begin, free[engineOf(row)]);
    case Engine::Load:
    case Engine::Store:
      return std::max(begin, *std::ranges::min_element(ports));
    case Engine::Link:
      begin = std::max(begin, sends[row.tile]);
      for (size_t i = row.receivers; i < row.endOfReceivers; ++i)
        begin = std::max(begin, receives[schedule.receivers[i]]);
      return begin;
    }
    return begin;
  }

  static size_t engineOf(const ScheduleRow &row) {
    return 2 * row.tile + (row.engine == Engine::Vector);
  }

  void place(ScheduleRow &row, int64_t begin) {
    row.begin = begin;
    row.end = after(begin, row.cycles);
    switch (row.engine) {
    case Engine::Matrix:
    case Engine::Vector:
      free[engineOf(row)] = row.end;
      break;
    case Engine::Load:
    case Engine::Store: {
      DdrSide &side = row.engine == Engine::Load ? loads : stores;
      if (row.cycles > 0) {
        row.end = std::max(row.end, side.endOf(begin, row.ddrBytes));
        side.move(begin, row.ddrBytes);
      }
      auto port = std::ranges::min_element(ports);
      row.port = port - ports.begin();
      *port = row.end;
      break;
    }
    case Engine::Link: {
      // Each side is busy for as long as the bytes take from when it could
      // have begun.
      int64_t ready = readyOf(row);
      auto occupy = [&](int64_t &side) {
        side = after(std::max(side, ready), row.cycles);
      };
      occupy(sends[row.tile]);
      for (size_t i = row.receivers; i < row.endOfReceivers; ++i)
        occupy(receives[schedule.receivers[i]]);
      placeOnLink(row);
      break;
    }
    }
    lastBegin[queueOf(row)] = begin;
  }

  /// The first of the links' numbers that is free.
  void placeOnLink(ScheduleRow &row) {
    auto link = std::ranges::find_if(
        links, [&](int64_t end) { return end <= row.begin; });
    if (link == links.end())
      link = links.insert(links.end(), 0);
    row.port = static_cast<int64_t>(ports.size()) + (link - links.begin());
    *link = row.end;
  }

  Schedule &schedule;
  size_t tiles;
  DdrSide loads, stores;
  /// When each of these is free.
  std::vector<int64_t> ports, sends, receives, links;
  std::vector<std::deque<RowId>> queues;
  std::vector<int64_t> lastBegin;
  std::vector<int64_t> free;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
};

} // namespace

int64_t Schedule::total() const {
  int64_t total = 0;
  for (const ScheduleRow &row : rows)
    total = std::max(total, row.end);
  return total;
}

void schedule(Schedule &schedule, const Target &target) {
  Scheduler(schedule, target).run();
}

} // namespace npu
