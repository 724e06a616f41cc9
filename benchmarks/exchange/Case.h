// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One redistribution between processes: what each rank holds before and after,
// and the transfers between them. Read from text, in words between spaces:
//
//   case NAME ELEMENT_BYTES RANK RANKS
//   source BEGIN END ...         one for each rank: its box, RANK pairs
//   target BEGIN END ...         one for each rank
//   transfer FROM TO BEGIN END ...   boxes of the whole tensor; each part that
//                                    stays on its rank is one as well
//   blocks P Q P Q               optional: grids of ranks along two dimensions,
//                                before and after, for a block distribution
//   end

#ifndef NPU_BENCHMARKS_EXCHANGE_CASE_H
#define NPU_BENCHMARKS_EXCHANGE_CASE_H

#include "Strided.h"

#include <istream>
#include <optional>
#include <string>

namespace exchange {

struct Box {
  Extents begin, end;

  Extents sizes() const {
    Extents result(begin.size());
    for (std::size_t dim = 0; dim < begin.size(); ++dim)
      result[dim] = end[dim] - begin[dim];
    return result;
  }
  int64_t volume() const {
    int64_t product = 1;
    for (int64_t size : sizes())
      product *= size;
    return product;
  }
};

/// Where a box of the whole tensor is in the array that holds `held`.
inline Place placeIn(const Box &held, const Box &box) {
  Place place{held.sizes(), box.begin};
  for (std::size_t dim = 0; dim < box.begin.size(); ++dim)
    place.begin[dim] -= held.begin[dim];
  return place;
}

struct Transfer {
  int from = 0, to = 0;
  Box box;
};

struct Case {
  std::string name;
  int64_t elementBytes = 8;
  std::vector<Box> source, target;
  std::vector<Transfer> transfers;
  std::optional<std::vector<int>> blocks;

  int64_t sourceBytes(int rank) const {
    return source[rank].volume() * elementBytes;
  }
  int64_t targetBytes(int rank) const {
    return target[rank].volume() * elementBytes;
  }
  Copy copyOf(const Transfer &transfer) const {
    return Copy(transfer.box.sizes(),
                placeIn(source[transfer.from], transfer.box),
                placeIn(target[transfer.to], transfer.box), elementBytes);
  }
};

/// Nothing where the text is no case.
inline std::optional<Case> readCase(std::istream &text) {
  Case result;
  std::string word;
  std::size_t rank = 0, ranks = 0;
  if (!(text >> word >> result.name >> result.elementBytes >> rank >> ranks) ||
      word != "case" || rank == 0 || ranks == 0)
    return std::nullopt;
  auto readBox = [&] {
    Box box{Extents(rank), Extents(rank)};
    for (std::size_t dim = 0; dim < rank; ++dim)
      text >> box.begin[dim] >> box.end[dim];
    return box;
  };
  while (text >> word && word != "end") {
    if (word == "source" || word == "target") {
      (word == "source" ? result.source : result.target).push_back(readBox());
    } else if (word == "transfer") {
      Transfer transfer;
      text >> transfer.from >> transfer.to;
      transfer.box = readBox();
      result.transfers.push_back(transfer);
    } else if (word == "blocks") {
      result.blocks.emplace(4);
      for (int &extent : *result.blocks)
        text >> extent;
    } else {
      return std::nullopt;
    }
  }
  if (word != "end" || !text || result.source.size() != ranks ||
      result.target.size() != ranks)
    return std::nullopt;
  return result;
}

} // namespace exchange

#endif // NPU_BENCHMARKS_EXCHANGE_CASE_H
