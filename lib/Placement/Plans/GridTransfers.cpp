// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GridTransfers.h"

#include <algorithm>

namespace npu {

std::optional<CellGrid> coveringGrid(const Placement &placement) {
  std::optional<CellGrid> grid = CellGrid::of(placement);
  if (grid && !grid->covers(placement.shape))
    return std::nullopt;
  return grid;
}

bool keepsBoxes(std::span<const PaddedRange> padding, const Extents &shape) {
  return std::ranges::all_of(padding, [&](const PaddedRange &padded) {
    return padded.range.isEmpty() || padded.range.begin == 0 ||
           padded.range.end == shape[padded.dim];
  });
}

GridTransfers::GridTransfers(CellGrid source, CellGrid target,
                             std::span<const PaddedRange> padding,
                             Machines machines)
    : source(std::move(source)), target(std::move(target)), machines(machines),
      shift(this->source.rank(), 0), runs(this->source.rank()) {
  for (const PaddedRange &padded : padding)
    if (padded.range.begin == 0)
      shift[padded.dim] = padded.range.extent();
  findRuns();
  findReceivers();
  countAll();
}

std::optional<GridTransfers>
GridTransfers::between(const Placement &source, const Placement &target,
                       std::span<const PaddedRange> padding,
                       Machines machines) {
  std::optional<CellGrid> held = coveringGrid(source);
  if (!held || held->mostHolders() > 1)
    return std::nullopt;
  std::optional<CellGrid> wanted = coveringGrid(target);
  if (!wanted)
    return std::nullopt;
  return GridTransfers(*std::move(held), *std::move(wanted), padding, machines);
}

void GridTransfers::findRuns() {
  for (std::size_t dim = 0; dim < source.rank(); ++dim) {
    const std::vector<Range> &others = target.along(dim);
    Run run;
    for (const Range &range : source.along(dim)) {
      while (others[run.begin].end <= range.begin)
        ++run.begin;
      run.end = run.begin;
      while (run.end < others.size() && others[run.end].begin < range.end)
        ++run.end;
      runs[dim].push_back(run);
    }
  }
}

void GridTransfers::findReceivers() {
  receiverBegin.assign(target.cellCount() + 1, 0);
  for (std::size_t cell = 0; cell < target.cellCount(); ++cell)
    receiverBegin[cell + 1] =
        receiverBegin[cell] +
        static_cast<std::size_t>(target.holderCount(cell));
  receivers.resize(receiverBegin.back());
  std::vector<std::size_t> end = receiverBegin;
  for (std::size_t tile = 0; tile < target.tileCount(); ++tile)
    if (std::optional<std::size_t> cell = target.cell(tile))
      receivers[end[*cell]++] = static_cast<int>(tile);
}

int64_t GridTransfers::countMachines(std::span<const int> tiles) const {
  int64_t count = 0, last = -1;
  for (int tile : tiles)
    if (int64_t machine = machines.of(tile); machine != last) {
      last = machine;
      ++count;
    }
  return count;
}

bool GridTransfers::isAloneOnMachine(int tile,
                                     std::span<const int> tiles) const {
  auto at = std::ranges::lower_bound(tiles, tile) - tiles.begin();
  auto isBeside = [&](std::ptrdiff_t other) {
    return other >= 0 && other < static_cast<std::ptrdiff_t>(tiles.size()) &&
           machines.of(tiles[other]) == machines.of(tile);
  };
  return !isBeside(at - 1) && !isBeside(at + 1);
}

/// Each cell of the target gets as many transfers as cells of the source
/// overlap it, to each of its machines. What a tile has is not sent to it.
void GridTransfers::countAll() {
  FixedVector<std::vector<int64_t>, kMaxRank> overlapping(source.rank());
  for (std::size_t dim = 0; dim < source.rank(); ++dim) {
    overlapping[dim].assign(target.along(dim).size(), 0);
    for (const Run &run : runs[dim])
      for (std::size_t place = run.begin; place < run.end; ++place)
        ++overlapping[dim][place];
  }
  int64_t count = 0;
  for (std::size_t cell = 0; cell < target.cellCount(); ++cell) {
    int64_t ofCell = countMachines(receiversOf(cell));
    for (std::size_t dim = 0; dim < source.rank(); ++dim)
      ofCell *= overlapping[dim][target.place(cell, dim)];
    count += ofCell;
  }
  for (std::size_t tile = 0; tile < source.tileCount(); ++tile) {
    std::optional<std::size_t> held = source.cell(tile),
                               wanted = target.cell(tile);
    bool overlaps = held && wanted;
    for (std::size_t dim = 0; overlaps && dim < source.rank(); ++dim)
      overlaps &=
          !intersect(source.range(*held, dim), target.range(*wanted, dim))
               .isEmpty();
    count -= overlaps &&
             isAloneOnMachine(static_cast<int>(tile), receiversOf(*wanted));
  }
  total = static_cast<std::size_t>(count);
}

GridWalk::GridWalk(const GridTransfers &grids)
    : grids(grids), runs(grids.source.rank()), places(grids.source.rank(), 0) {
  transfer.from = -1;
  transfer.box = Box(grids.source.rank());
}

void GridWalk::next() {
  while (!nextReceivers())
    if (!nextCell())
      nextSender();
}

/// Takes the tiles of the next machine from the receivers that are left.
bool GridWalk::nextReceivers() {
  transfer.to.clear();
  while (transfer.to.empty() && !receivers.empty()) {
    int64_t machine = grids.machines.of(receivers.front());
    do {
      if (receivers.front() != transfer.from)
        transfer.to.push_back(receivers.front());
      receivers = receivers.subspan(1);
    } while (!receivers.empty() &&
             grids.machines.of(receivers.front()) == machine);
  }
  return !transfer.to.empty();
}

/// Goes to the next of the boxes that the sender's box overlaps, the last
/// dimension fastest; false after the last of them.
bool GridWalk::nextCell() {
  if (transfer.from < 0)
    return false;
  for (std::size_t dim = places.size(); dim-- > 0;) {
    bool isNext = ++places[dim] < runs[dim].end;
    if (!isNext)
      places[dim] = runs[dim].begin;
    enter(dim);
    if (isNext) {
      enterCell();
      return true;
    }
  }
  return false;
}

void GridWalk::nextSender() {
  do
    ++transfer.from;
  while (!grids.source.cell(transfer.from));
  held = *grids.source.cell(transfer.from);
  for (std::size_t dim = 0; dim < places.size(); ++dim) {
    runs[dim] = grids.runs[dim][grids.source.place(held, dim)];
    places[dim] = runs[dim].begin;
    enter(dim);
  }
  enterCell();
}

void GridWalk::enter(std::size_t dim) {
  Range range = intersect(grids.source.range(held, dim),
                          grids.target.along(dim)[places[dim]]);
  int64_t shift = grids.shift[dim];
  transfer.box[dim] = {range.begin + shift, range.end + shift};
}

void GridWalk::enterCell() {
  receivers = grids.receiversOf(grids.target.cellAt(places));
}

Transfers::Iterator &Transfers::Iterator::operator++() {
  --left;
  if (!walk)
    ++transfer;
  else if (left > 0)
    walk->next();
  return *this;
}

Transfers::Transfers(GridTransfers grids) {
  rule = std::make_shared<const GridTransfers>(std::move(grids));
  if (size() > static_cast<std::size_t>(kMaxListed))
    return;
  listed.reserve(size());
  for (const Transfer &transfer : *this)
    listed.push_back(transfer);
  rule = nullptr;
}

std::size_t Transfers::size() const {
  return rule ? rule->count() : listed.size();
}

Transfers::Iterator Transfers::begin() const {
  Iterator first;
  first.left = size();
  if (!rule) {
    first.transfer = listed.data();
  } else if (first.left > 0) {
    first.walk = std::make_shared<GridWalk>(*rule);
    first.walk->next();
    first.transfer = &first.walk->current();
  }
  return first;
}

bool operator==(const Transfers &a, const Transfers &b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

} // namespace npu
