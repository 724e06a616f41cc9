// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ListSchedule.h"

#include "npu/Target/Count.h"
#include "npu/Target/PlanCost.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <span>
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

/// The rows that wait for each row.
class Successors {
public:
  explicit Successors(const Schedule &schedule)
      : begins(schedule.rows.size() + 1, 0), rows(schedule.waits.size()) {
    for (RowId before : schedule.waits)
      ++begins[before + 1];
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<size_t> next(begins.begin(), begins.end() - 1);
    for (RowId row = 0; row < schedule.rows.size(); ++row)
      for (size_t i = schedule.rows[row].waits;
           i < schedule.rows[row].endOfWaits; ++i)
        rows[next[schedule.waits[i]]++] = row;
  }

  std::span<const RowId> of(RowId row) const {
    return std::span(rows).subspan(begins[row], begins[row + 1] - begins[row]);
  }

private:
  std::vector<size_t> begins;
  std::vector<RowId> rows;
};

/// Which of the rows that could begin first does.
enum class Priority { FirstInProgram, LongestPath };

class Scheduler {
public:
  Scheduler(Schedule &schedule, const Successors &successors,
            const Target &target, Priority priority)
      : schedule(schedule), successors(successors), tiles(schedule.tiles),
        priority(priority), loads(rateOfDdr(target, Direction::DdrToTile),
                                  target.costs.ddrToTileLatency),
        stores(rateOfDdr(target, Direction::TileToDdr),
               target.costs.tileToDdrLatency),
        ports(std::max<int64_t>(target.dmaPorts, 1), 0), sends(tiles, 0),
        receives(tiles, 0), queues(5 * tiles + 1), lastBegin(queues.size(), 0),
        free(2 * tiles, 0), machines(target.machines()),
        linkOut(tiles == 0 ? 1 : machines.of(schedule.tiles - 1) + 1, 0),
        linkIn(linkOut.size(), 0) {}

  void run() {
    std::vector<RowId> missing(schedule.rows.size());
    for (RowId row = 0; row < schedule.rows.size(); ++row) {
      const ScheduleRow &each = schedule.rows[row];
      queues[queueOf(each)].push_back(row);
      missing[row] = each.endOfWaits - each.waits;
    }
    if (priority == Priority::LongestPath)
      findPaths();
    for (size_t queue = 0; queue < queues.size(); ++queue)
      offerFirst(queue, missing);
    while (!offers.empty()) {
      Offer offer = offers.top();
      offers.pop();
      ScheduleRow &row = schedule.rows[offer.row];
      // Ports and links may have been taken since.
      Offer now = offerOf(offer.row);
      if (now.begin > offer.begin) {
        offers.push(now);
        continue;
      }
      place(row, now.begin);
      for (RowId other : successors.of(offer.row))
        if (--missing[other] == 0 &&
            queues[queueOf(schedule.rows[other])].front() == other)
          offerFirst(queueOf(schedule.rows[other]), missing);
      size_t queue = queueOf(row);
      queues[queue].pop_front();
      offerFirst(queue, missing);
    }
  }

private:
  /// What could begin next.
  struct Offer {
    int64_t begin;
    /// The cycles from its begin to the end of all, at least; 0 where the order
    /// of the program decides.
    int64_t path;
    RowId row;

    bool operator>(const Offer &other) const {
      return std::tie(begin, other.path, row) >
             std::tie(other.begin, path, other.row);
    }
  };

  Offer offerOf(RowId row) const {
    return {beginOf(schedule.rows[row]), paths.empty() ? 0 : paths[row], row};
  }

  /// The longest path of rows that wait for each other, or that begin one after
  /// the other.
  void findPaths() {
    paths.assign(schedule.rows.size(), 0);
    std::vector<int64_t> next(queues.size(), 0);
    for (RowId number = schedule.rows.size(); number-- > 0;) {
      const ScheduleRow &row = schedule.rows[number];
      int64_t &path = paths[number], &ofQueue = next[queueOf(row)];
      path = ofQueue = after(std::max(path, ofQueue), row.cycles);
      for (size_t i = row.waits; i < row.endOfWaits; ++i) {
        int64_t &before = paths[schedule.waits[i]];
        before = std::max(before, path);
      }
    }
  }

  /// A load for several tiles waits for places in all of them, and no tile's
  /// own loads wait after it.
  size_t queueOf(const ScheduleRow &row) const {
    if (row.engine == Engine::Load && row.endOfReceivers - row.receivers > 1)
      return queues.size() - 1;
    return 5 * row.tile + static_cast<size_t>(row.engine);
  }

  void offerFirst(size_t queue, const std::vector<RowId> &missing) {
    if (queues[queue].empty() || missing[queues[queue].front()] != 0)
      return;
    offers.push(offerOf(queues[queue].front()));
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
    schedule.forEachCrossing(machines, row, [&](int64_t from, int64_t to) {
      begin = std::max({begin, linkOut[from], linkIn[to]});
    });
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
    int64_t ready = readyOf(row);
    // Each side is busy for as long as the bytes take from when it could have
    // begun.
    auto occupy = [&](int64_t &side, int64_t cycles) {
      side = after(std::max(side, ready), cycles);
    };
    schedule.forEachCrossing(machines, row, [&](int64_t from, int64_t to) {
      occupy(linkOut[from], row.linkCycles);
      occupy(linkIn[to], row.linkCycles);
    });
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
    case Engine::Link:
      occupy(sends[row.tile], row.cycles);
      for (size_t i = row.receivers; i < row.endOfReceivers; ++i)
        occupy(receives[schedule.receivers[i]], row.cycles);
      placeOnLink(row);
      break;
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
  const Successors &successors;
  size_t tiles;
  Priority priority;
  std::vector<int64_t> paths;
  DdrSide loads, stores;
  /// When each of these is free.
  std::vector<int64_t> ports, sends, receives, links;
  std::vector<std::deque<RowId>> queues;
  std::vector<int64_t> lastBegin;
  std::vector<int64_t> free;
  /// When the link of each machine is free, for each direction.
  Machines machines;
  std::vector<int64_t> linkOut, linkIn;
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
  struct Times {
    int64_t begin, end, port;
  };
  Successors successors(schedule);
  Scheduler(schedule, successors, target, Priority::FirstInProgram).run();
  int64_t total = schedule.total();
  std::vector<Times> inOrder;
  inOrder.reserve(schedule.rows.size());
  for (const ScheduleRow &row : schedule.rows)
    inOrder.push_back({row.begin, row.end, row.port});
  Scheduler(schedule, successors, target, Priority::LongestPath).run();
  if (schedule.total() < total)
    return;
  for (RowId number = 0; number < inOrder.size(); ++number) {
    ScheduleRow &row = schedule.rows[number];
    std::tie(row.begin, row.end, row.port) = std::tie(
        inOrder[number].begin, inOrder[number].end, inOrder[number].port);
  }
}

} // namespace npu
