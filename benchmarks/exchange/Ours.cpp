// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our exchanges. Both go round by round, so that no two senders begin with the
// same receiver.

#include "Methods.h"
#include "Rounds.h"

#include <algorithm>
#include <atomic>
#include <linux/futex.h>
#include <map>
#include <new>
#include <numeric>
#include <sys/syscall.h>
#include <unistd.h>

namespace exchange {
namespace {

/// What is packed into one message: small enough to be in a cache when it is
/// sent and unpacked, large enough to be worth a message.
constexpr int64_t kChunkBytes = int64_t(256) << 10;
/// The most memory for messages that a rank sends, and receives, at the same
/// time. Small messages are all under way at once: a rank that waits for one of
/// them would give its turn away.
constexpr int64_t kInFlightBytes = 8 * kChunkBytes;

int rankHere() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// The transfers between ranks in the order of their rounds.
std::vector<Transfer> inRounds(const Case &each) {
  std::map<std::pair<int, int>, std::vector<Transfer>> byPair;
  for (const Transfer &transfer : each.transfers)
    if (transfer.from != transfer.to)
      byPair[{transfer.from, transfer.to}].push_back(transfer);
  std::vector<std::pair<int, int>> pairs;
  for (const auto &[pair, transfers] : byPair)
    pairs.push_back(pair);
  std::vector<int> rounds =
      roundsOf(pairs, static_cast<int>(each.source.size()));
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(rounds[a], a) < std::pair(rounds[b], b);
  });
  std::vector<Transfer> result;
  for (std::size_t pair : order)
    for (const Transfer &transfer : byPair[pairs[pair]])
      result.push_back(transfer);
  return result;
}

/// Cuts a box along its first dimensions until no part is over a chunk.
void cut(const Transfer &transfer, int64_t elements,
         std::vector<Transfer> &parts) {
  Extents sizes = transfer.box.sizes();
  int64_t volume = transfer.box.volume();
  for (std::size_t dim = 0; dim < sizes.size() && volume > elements; ++dim) {
    if (sizes[dim] == 1)
      continue;
    int64_t slices = std::max<int64_t>(1, elements / (volume / sizes[dim]));
    for (int64_t begin = 0; begin < sizes[dim]; begin += slices) {
      Transfer part = transfer;
      part.box.begin[dim] += begin;
      part.box.end[dim] =
          std::min(part.box.end[dim], part.box.begin[dim] + slices);
      cut(part, elements, parts);
    }
    return;
  }
  parts.push_back(transfer);
}

/// The copies of what stays on a rank, none of which keeps it from messages for
/// long.
std::vector<Copy> localCopies(const Case &each, int here) {
  std::vector<Transfer> parts;
  for (const Transfer &transfer : each.transfers)
    if (transfer.from == here && transfer.to == here)
      cut(transfer, 4 * kChunkBytes / each.elementBytes, parts);
  std::vector<Copy> result;
  for (const Transfer &part : parts)
    result.push_back(each.copyOf(part));
  return result;
}

/// A message on one of its sides: where it stands in the array, and how it gets
/// from there to a packed buffer, or back.
struct Message {
  int other;
  /// Between the array and a buffer.
  Copy copy;
  /// Whether it is one run of the array, which needs no buffer.
  bool isDirect;
  int64_t arrayBegin;
};

class Messages final : public Method {
public:
  Messages(const Case &each, const Memory &memory) : memory(memory) {
    int here = rankHere();
    local = localCopies(each, here);
    for (const Transfer &transfer : inRounds(each)) {
      if (transfer.from != here && transfer.to != here)
        continue;
      bool direct =
          isDirect(each, transfer, true) && isDirect(each, transfer, false);
      std::vector<Transfer> parts;
      cut(transfer,
          direct ? transfer.box.volume() : kChunkBytes / each.elementBytes,
          parts);
      for (const Transfer &part : parts) {
        bool sending = part.from == here;
        (sending ? sends : receives).push_back(message(each, part, sending));
      }
    }
    sendSide.prepare(sends);
    receiveSide.prepare(receives);
  }

  const char *name() const override { return "ours, messages"; }

  void run() override {
    sendSide.begin();
    receiveSide.begin();
    std::size_t copied = 0;
    for (;;) {
      bool moved = postReceives();
      moved |= postSends();
      moved |= finish(receiveSide, false);
      moved |= finish(sendSide, false);
      if (sendSide.isDone() && receiveSide.isDone() && copied == local.size())
        return;
      if (moved)
        continue;
      if (copied < local.size())
        local[copied](memory.source, memory.target), ++copied;
      else
        finish(receiveSide.isDone() ? sendSide : receiveSide, true);
    }
  }

private:
  /// The messages of one side, some of which are under way, each in a slot.
  struct Side {
    std::vector<Message> *messages = nullptr;
    std::vector<MPI_Request> requests;
    std::vector<std::vector<char>> buffers;
    std::vector<std::size_t> inSlot;
    std::vector<int> finished;
    std::size_t next = 0, done = 0;

    void prepare(std::vector<Message> &all) {
      messages = &all;
      int64_t largest = 0;
      for (const Message &message : all)
        if (!message.isDirect)
          largest = std::max(largest, message.copy.bytes());
      std::size_t slots = all.size();
      if (largest > 0)
        slots = std::min<std::size_t>(slots, kInFlightBytes / largest + 1);
      requests.assign(slots, MPI_REQUEST_NULL);
      buffers.resize(slots);
      inSlot.resize(slots);
      finished.resize(slots);
      for (std::vector<char> &buffer : buffers)
        buffer.resize(largest);
    }
    void begin() { next = done = 0; }
    bool isDone() const { return done == messages->size(); }
    /// A slot for the next message, or nothing.
    std::optional<std::size_t> freeSlot() const {
      if (next == messages->size())
        return std::nullopt;
      auto found =
          std::find(requests.begin(), requests.end(), MPI_REQUEST_NULL);
      if (found == requests.end())
        return std::nullopt;
      return found - requests.begin();
    }
  };

  static bool isDirect(const Case &each, const Transfer &transfer,
                       bool sending) {
    return dense(each, transfer, sending).loops.empty();
  }

  /// The copy between the array of one side and a buffer.
  static Copy dense(const Case &each, const Transfer &transfer, bool sending) {
    Extents sizes = transfer.box.sizes();
    Place buffer{sizes, Extents(sizes.size(), 0)};
    Place array =
        placeIn(sending ? each.source[transfer.from] : each.target[transfer.to],
                transfer.box);
    return sending ? Copy(sizes, array, buffer, each.elementBytes)
                   : Copy(sizes, buffer, array, each.elementBytes);
  }

  static Message message(const Case &each, const Transfer &transfer,
                         bool sending) {
    Copy copy = dense(each, transfer, sending);
    return {sending ? transfer.to : transfer.from, copy, copy.loops.empty(),
            sending ? copy.sourceBegin : copy.targetBegin};
  }

  bool postReceives() {
    bool any = false;
    while (std::optional<std::size_t> slot = receiveSide.freeSlot()) {
      const Message &message = receives[receiveSide.next];
      char *to = message.isDirect ? memory.target + message.arrayBegin
                                  : receiveSide.buffers[*slot].data();
      MPI_Irecv(to, static_cast<int>(message.copy.bytes()), MPI_BYTE,
                message.other, 0, MPI_COMM_WORLD, &receiveSide.requests[*slot]);
      receiveSide.inSlot[*slot] = receiveSide.next++;
      any = true;
    }
    return any;
  }

  bool postSends() {
    std::optional<std::size_t> slot = sendSide.freeSlot();
    if (!slot)
      return false;
    const Message &message = sends[sendSide.next];
    const char *from = memory.source + message.arrayBegin;
    if (!message.isDirect) {
      message.copy(memory.source, sendSide.buffers[*slot].data());
      from = sendSide.buffers[*slot].data();
    }
    MPI_Isend(from, static_cast<int>(message.copy.bytes()), MPI_BYTE,
              message.other, 0, MPI_COMM_WORLD, &sendSide.requests[*slot]);
    sendSide.inSlot[*slot] = sendSide.next++;
    return true;
  }

  /// Takes up what has arrived or left. Returns whether anything has.
  bool finish(Side &side, bool wait) {
    int count = 0;
    if (side.requests.empty())
      return false;
    (wait ? MPI_Waitsome : MPI_Testsome)(
        static_cast<int>(side.requests.size()), side.requests.data(), &count,
        side.finished.data(), MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED || count == 0)
      return false;
    for (int i = 0; i < count; ++i) {
      int slot = side.finished[i];
      const Message &message = (*side.messages)[side.inSlot[slot]];
      if (&side == &receiveSide && !message.isDirect)
        message.copy(side.buffers[slot].data(), memory.target);
      ++side.done;
    }
    return true;
  }

  const Memory &memory;
  std::vector<Copy> local;
  std::vector<Message> sends, receives;
  Side sendSide, receiveSide;
};

/// Numbers of runs that ranks of a machine see of each other.
class Counters {
public:
  Counters() {
    int here = rankHere();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate_shared(here == 0 ? ranks * sizeof(Line) : 0, 1,
                            MPI_INFO_NULL, MPI_COMM_WORLD, &lines, &window);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(window, 0, &size, &unit, &lines);
    new (&lines[here]) Line;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Counters() { MPI_Win_free(&window); }

  void set(int rank, int32_t run) {
    lines[rank].value.store(run);
    if (lines[rank].sleepers.load() > 0)
      futex(rank, FUTEX_WAKE, INT32_MAX);
  }
  /// Sleeps where the rank is late: there may be more ranks than cores, and a
  /// rank that spins would take the core from the one that it waits for.
  void wait(int rank, int32_t run) {
    Line &line = lines[rank];
    for (int turn = 0; turn < 200; ++turn)
      if (line.value.load(std::memory_order_acquire) >= run)
        return;
    ++line.sleepers;
    for (int32_t now; (now = line.value.load()) < run;)
      futex(rank, FUTEX_WAIT, now);
    --line.sleepers;
  }

private:
  struct alignas(64) Line {
    std::atomic<int32_t> value{0};
    std::atomic<int32_t> sleepers{0};
  };
  void futex(int rank, int what, int32_t number) {
    syscall(SYS_futex, &lines[rank].value, what, number, nullptr, nullptr, 0);
  }

  Line *lines = nullptr;
  int ranks = 0;
  MPI_Win window{};
};

class Shared final : public Method {
public:
  Shared(const Case &each, const Memory &memory)
      : memory(memory), here(rankHere()) {
    for (const Copy &copy : localCopies(each, here))
      copies.emplace_back(here, copy);
    for (const Transfer &transfer : inRounds(each)) {
      if (transfer.to == here)
        copies.emplace_back(transfer.from, each.copyOf(transfer));
      if (transfer.from == here)
        readers.push_back(transfer.to);
    }
  }
  const char *name() const override { return "ours, one machine"; }
  void run() override {
    written.set(here, ++number);
    for (const auto &[from, copy] : copies) {
      written.wait(from, number);
      copy(memory.sources[from], memory.target);
    }
    // What others read may be written again when they are done.
    read.set(here, number);
    for (int reader : readers)
      read.wait(reader, number);
  }

private:
  const Memory &memory;
  int here;
  std::vector<std::pair<int, Copy>> copies;
  std::vector<int> readers;
  Counters written, read;
  int32_t number = 0;
};

} // namespace

std::unique_ptr<Method> makeMessages(const Case &each, const Memory &memory) {
  return std::make_unique<Messages>(each, memory);
}

std::unique_ptr<Method> makeShared(const Case &each, const Memory &memory) {
  return std::make_unique<Shared>(each, memory);
}

} // namespace exchange
