// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our exchange: the library that programs of ranks call, round by round, as
// npu-convert-tiles-to-mpi has programs begin their messages.

#include "Methods.h"

#include "npu/Mpi/Mpi.h"
#include "npu/Placement/Plans/ExchangeRounds.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace exchange {
namespace {

/// A message on one of its sides.
struct Message {
  int other = 0;
  int tag = 0;
  int64_t begin = 0;
  /// As npu/Mpi/Mpi.h describes a part.
  std::vector<int64_t> part;
};

class Ours final : public Method {
public:
  Ours(const Case &each, const Memory &memory) : memory(memory) {
    MPI_Comm_rank(MPI_COMM_WORLD, &here);
    std::vector<Transfer> transfers;
    std::vector<npu::RankPair> pairs;
    for (const Transfer &transfer : each.transfers) {
      if (transfer.from == transfer.to) {
        if (transfer.to == here)
          local.push_back(each.copyOf(transfer));
        continue;
      }
      transfers.push_back(transfer);
      pairs.push_back({transfer.from, transfer.to});
    }
    std::vector<int> rounds = npu::exchangeRounds(pairs);
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(rounds[i], i); });
    for (std::size_t i : order) {
      const Transfer &transfer = transfers[i];
      bool isWhole =
          hasLongRuns(each.source[transfer.from], transfer.box, each) &&
          hasLongRuns(each.target[transfer.to], transfer.box, each);
      int tag = static_cast<int>(i) + (isWhole ? NPU_MPI_WHOLE : 0);
      if (transfer.to == here)
        receives.push_back({transfer.from, tag,
                            beginOf(each.target[here], transfer.box, each),
                            partOf(each.target[here], transfer.box, each)});
      if (transfer.from == here)
        sends.push_back({transfer.to, tag,
                         beginOf(each.source[here], transfer.box, each),
                         partOf(each.source[here], transfer.box, each)});
    }
  }

  const char *name() const override { return "ours"; }

  void run() override {
    requests.clear();
    for (const Message &each : receives)
      requests.push_back(
          npu_mpi_irecv(reinterpret_cast<intptr_t>(memory.target) + each.begin,
                        each.part.data(), each.tag, each.other));
    for (const Message &each : sends)
      requests.push_back(
          npu_mpi_isend(reinterpret_cast<intptr_t>(memory.source) + each.begin,
                        each.part.data(), each.tag, each.other));
    for (const Copy &copy : local)
      copy(memory.source, memory.target);
    for (int64_t request : requests)
      npu_mpi_wait(request);
  }

private:
  /// The first byte of a box in the array that holds `held`.
  static int64_t beginOf(const Box &held, const Box &box, const Case &each) {
    Place place = placeIn(held, box);
    Extents strides = stridesOf(place.array, each.elementBytes);
    return std::inner_product(strides.begin(), strides.end(),
                              place.begin.begin(), int64_t(0));
  }

  /// Whether long runs of a box lie one after the other in the array that holds
  /// `held`.
  static bool hasLongRuns(const Box &held, const Box &box, const Case &each) {
    Extents whole = held.sizes(), part = box.sizes();
    int64_t run = each.elementBytes;
    for (std::size_t dim = part.size(); dim-- > 0;) {
      run *= part[dim];
      if (part[dim] != whole[dim])
        break;
    }
    return run >= NPU_MPI_RUN;
  }

  static std::vector<int64_t> partOf(const Box &held, const Box &box,
                                     const Case &each) {
    Extents sizes = box.sizes(), strides = stridesOf(held.sizes(), 1);
    std::vector<int64_t> part{static_cast<int64_t>(sizes.size()),
                              each.elementBytes};
    part.insert(part.end(), sizes.begin(), sizes.end());
    part.insert(part.end(), strides.begin(), strides.end());
    return part;
  }

  const Memory &memory;
  int here = 0;
  std::vector<Copy> local;
  std::vector<Message> sends, receives;
  std::vector<int64_t> requests;
};

} // namespace

std::unique_ptr<Method> makeOurs(const Case &each, const Memory &memory) {
  return std::make_unique<Ours>(each, memory);
}

} // namespace exchange
