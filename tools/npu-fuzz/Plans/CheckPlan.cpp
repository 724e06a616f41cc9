// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Plans/CheckPlan.h"
#include "npu-fuzz/Plans/Holders.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>

namespace npu {
namespace {

std::string describe(const Transfer &transfer) {
  auto name = [](int tile) {
    return tile == kDdr ? "ddr" : "tile " + std::to_string(tile);
  };
  std::string text = "transfer of " + toString(transfer.box) + " from " +
                     name(transfer.from) + " to ";
  for (int tile : transfer.to)
    text += (tile == transfer.to.front() ? "" : ", ") + name(tile);
  return text;
}

Error wrong(const Transfer &transfer, const std::string &why) {
  return {describe(transfer) + ": " + why};
}

Result<> checkFigure(const char *name, const Bounded &figure, int64_t value,
                     int64_t bound) {
  if (figure == Bounded{value, bound})
    return Success();
  return Error{std::string(name) + ": expected " + std::to_string(value) +
               " with bound " + std::to_string(bound) + ", got " +
               std::to_string(figure.value) + " with bound " +
               std::to_string(figure.bound)};
}

Result<> checkDdr(const RedistributionPlan &plan, int64_t expected) {
  if (plan.ddr == expected)
    return Success();
  return Error{"ddr: expected " + std::to_string(expected) + ", got " +
               std::to_string(plan.ddr)};
}

/// Checks that boxes are inside the tensor and not empty, receivers increase,
/// transfers are sorted, and no two of them could be one.
Result<> checkTransfers(const Extents &shape,
                        const std::vector<Transfer> &transfers) {
  Box whole = Box::whole(shape);
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const Transfer &transfer = transfers[i];
    if (transfer.box.isEmpty() || !whole.contains(transfer.box))
      return wrong(transfer, "moves nothing or what there is not");
    if (transfer.to.empty() ||
        std::adjacent_find(transfer.to.begin(), transfer.to.end(),
                           std::greater_equal<>()) != transfer.to.end())
      return wrong(transfer, "expected increasing receivers");
    if (i > 0 && transfers[i - 1].from > transfer.from)
      return wrong(transfer, "stands after a later sender's");
    for (std::size_t k = i + 1; k < transfers.size(); ++k)
      if (transfers[k].from == transfer.from &&
          transfers[k].to == transfer.to &&
          joined(transfers[k].box, transfer.box))
        return wrong(transfer,
                     "could be one with that of " + toString(transfers[k].box));
  }
  return Success();
}

uint64_t bitOf(int tile) { return uint64_t{1} << tile; }

/// Executes transfers on sets of tiles.
class Run {
public:
  Run(Holders before, Holders after, const Extents &shape)
      : before(std::move(before)), after(std::move(after)), shape(shape),
        got(this->before.size()), left(this->before.size()) {}

  Result<> transfer(const Transfer &transfer) {
    uint64_t receivers = 0;
    for (int tile : transfer.to) {
      if (tile < 0 || tile > static_cast<int>(kMaxHolders))
        return wrong(transfer, "there is no such receiver");
      receivers |= bitOf(tile);
    }
    const char *why = nullptr;
    forEachElementIn(transfer.box, shape, [&](std::size_t i) {
      if (why)
        return;
      if (transfer.from != kDdr && !(before[i] & bitOf(transfer.from)))
        why = "the sender does not hold it";
      else if (left[i])
        why = "sends what was sent before";
      else if (receivers & before[i])
        why = "a receiver has it already";
      else if (receivers & ~after[i])
        why = "a receiver does not want it";
      left[i] = true;
      got[i] |= receivers;
      ++count;
    });
    if (why)
      return wrong(transfer, why);
    return Success();
  }

  Result<> finish() const {
    for (std::size_t i = 0; i < got.size(); ++i)
      if (uint64_t lacking = after[i] & ~before[i] & ~got[i])
        return Error{"tile " + std::to_string(std::countr_zero(lacking)) +
                     " never gets element " + std::to_string(i)};
    return Success();
  }

  /// The number of elements that left their sender, and that a tile received.
  int64_t injected() const { return count; }
  int64_t receivedBy(std::size_t tile) const {
    return std::count_if(got.begin(), got.end(), [&](uint64_t tiles) {
      return tiles & bitOf(static_cast<int>(tile));
    });
  }

private:
  Holders before, after;
  const Extents &shape;
  Holders got;
  std::vector<bool> left;
  int64_t count = 0;
};

/// The tiles that hold each real element; padding has no holders.
Holders realHolders(const Placement &placement,
                    std::span<const PaddedRange> padding) {
  Holders holders = holdersOf(placement);
  for (const Box &box : paddingIn(Box::whole(placement.shape), padding))
    forEachElementIn(box, placement.shape,
                     [&](std::size_t element) { holders[element] = 0; });
  return holders;
}

/// The multiples at which real parts may be cut: after padding, there may be no
/// cut.
Extents keptBeside(std::span<const PaddedRange> padding,
                   const Extents &multiples) {
  Extents kept = multiples;
  for (const PaddedRange &padded : padding)
    if (!kept.empty() && kept[padded.dim] != 1)
      kept[padded.dim] = 0;
  return kept;
}

/// Checks the busiest sender. Precondition: both placements are of the real
/// part.
Result<> checkSenders(const Placement &source, const Placement &target,
                      const RedistributionPlan &plan, int64_t mostSent,
                      const Extents &multiples) {
  const Bounded &busiest = plan.maxTileSent;
  std::optional<int64_t> least = leastBusiestSender(source, target);
  if (Result<> error = checkFigure("busiest sender", busiest, mostSent,
                                   least.value_or(busiest.bound));
      !error)
    return error;
  int64_t slice =
      plan.transfers.empty() ? 1 : largestSlice(source, target, multiples);
  if (busiest.value < busiest.bound || busiest.value >= busiest.bound + slice)
    return Error{"busiest sender: expected less than a slice of " +
                 std::to_string(slice) + " above its bound " +
                 std::to_string(busiest.bound) + ", got " +
                 std::to_string(busiest.value)};
  return Success();
}

/// Runs the transfers, each of which `isWrong` may refuse.
Result<> runAll(Run &run, const Extents &shape,
                const std::vector<Transfer> &transfers,
                const std::function<const char *(const Transfer &)> &isWrong) {
  if (Result<> error = checkTransfers(shape, transfers); !error)
    return error;
  for (const Transfer &transfer : transfers) {
    if (const char *why = isWrong(transfer))
      return wrong(transfer, why);
    if (Result<> error = run.transfer(transfer); !error)
      return error;
  }
  return run.finish();
}

/// Checks a plan in which no tile sends anything to a tile.
Result<> checkOnlyDdr(const RedistributionPlan &plan, int64_t ddr) {
  return firstOf(
      {checkDdr(plan, ddr), checkFigure("received", plan.received, 0, 0),
       checkFigure("most received by a tile", plan.maxTileReceived, 0, 0),
       checkFigure("injected", plan.injected, 0, 0),
       checkFigure("busiest sender", plan.maxTileSent, 0, 0)});
}

} // namespace

Result<> checkRedistribution(const Placement &source, const Placement &target,
                             const RedistributionPlan &plan,
                             std::span<const PaddedRange> padding,
                             const Extents &multiples) {
  std::size_t tiles = std::max(source.tiles.size(), target.tiles.size());
  Run run(realHolders(source, padding), realHolders(target, padding),
          source.shape);
  std::vector<int64_t> sent(tiles);
  if (Result<> error = runAll(run, source.shape, plan.transfers.list(),
                              [&](const Transfer &transfer) -> const char * {
                                if (transfer.from < 0 ||
                                    transfer.from >= static_cast<int>(tiles))
                                  return "there is no such sender";
                                sent[transfer.from] += transfer.box.volume();
                                return nullptr;
                              });
      !error)
    return error;
  int64_t total = 0, most = 0;
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    int64_t count = run.receivedBy(tile);
    total += count;
    most = std::max(most, count);
  }
  Placement realSource = realPart(source, padding);
  Placement realTarget = realPart(target, padding);
  // Padding between real entries may divide every piece into two.
  std::size_t allowed = (countPieces(realSource, realTarget) + tiles)
                        << padding.size();
  int64_t missing = elementsMissing(source, target, padding);
  return firstOf(
      {checkFigure("received", plan.received, total, total),
       checkFigure("most received by a tile", plan.maxTileReceived, most, most),
       checkFigure("injected", plan.injected, run.injected(), run.injected()),
       missing == total
           ? Result<>(Success())
           : Error{"elementsMissing: expected " + std::to_string(total) +
                   ", got " + std::to_string(missing)},
       checkSenders(realSource, realTarget, plan,
                    *std::max_element(sent.begin(), sent.end()),
                    keptBeside(padding, multiples)),
       plan.transfers.size() <= allowed
           ? Result<>(Success())
           : Error{"transfers: expected at most " + std::to_string(allowed) +
                   ", got " + std::to_string(plan.transfers.size())},
       checkDdr(plan, 0)});
}

namespace {

/// What a plan between tiles of several machines has to do, element by element.
class MachineCheck {
public:
  MachineCheck(const Placement *source, const Placement *target,
               Machines machines, std::span<const PaddedRange> padding)
      : machines(machines), source(source), target(target),
        shape((source ? source : target)->shape) {
    std::size_t tiles = 1;
    for (const Placement *side : {source, target})
      if (side)
        tiles = std::max(tiles, side->tiles.size());
    ofMachine.resize(machines.of(static_cast<int64_t>(tiles) - 1) + 1);
    ofMachine[0] |= bitOf(kDdrTile);
    for (std::size_t tile = 0; tile < tiles; ++tile)
      ofMachine[machines.of(tile)] |= bitOf(static_cast<int>(tile));
    before = holders(source, target, padding);
    after = holders(target, source, padding);
    got.resize(before.size());
  }

  Result<> run(const RedistributionPlan &plan, const Extents &multiples) {
    for (const Transfer &transfer : plan.transfers)
      if (const char *why = add(transfer))
        return wrong(transfer, why);
    for (std::size_t i = 0; i < got.size(); ++i)
      if (uint64_t lacking = after[i] & ~before[i] & ~got[i])
        return Error{"tile " + std::to_string(std::countr_zero(lacking)) +
                     " never gets element " + std::to_string(i)};
    Result<> between =
        checkFigure("between machines", plan.betweenMachines, crossed, least());
    bool isBetweenTiles = source && target;
    return !between || !isBetweenTiles
               ? between
               : firstOf({checkFigure("injected", plan.injected, injected,
                                      leastInjected()),
                          checkSenders(plan.maxTileSent, multiples)});
  }

private:
  static constexpr int kDdrTile = kMaxHolders;

  /// The tiles that hold each element; of the DDR, what `other` has.
  static Holders holders(const Placement *side, const Placement *other,
                         std::span<const PaddedRange> padding) {
    if (side)
      return realHolders(*side, padding);
    Holders all = realHolders(*other, padding);
    for (uint64_t &tiles : all)
      tiles = tiles ? bitOf(kDdrTile) : 0;
    return all;
  }

  uint64_t machineOf(int tile) const {
    return ofMachine[machines.of(tile == kDdrTile ? kDdr : tile)];
  }

  const char *add(const Transfer &transfer) {
    int from = transfer.from == kDdr ? kDdrTile : transfer.from;
    uint64_t receivers = 0;
    for (int tile : transfer.to)
      receivers |= bitOf(tile == kDdr ? kDdrTile : tile);
    if (from != kDdrTile && receivers & ~machineOf(std::countr_zero(receivers)))
      return "goes to tiles of several machines";
    const char *why = nullptr;
    forEachElementIn(transfer.box, shape, [&](std::size_t i) {
      if (!(before[i] & bitOf(from)))
        why = "the sender does not hold it";
      if (receivers & (before[i] | got[i] | ~after[i]))
        why = "a receiver has it already, or does not want it";
      got[i] |= receivers;
      for (uint64_t machine : ofMachine)
        if (machine & receivers && !(machine & bitOf(from))) {
          ++crossed;
          if (before[i] & machine)
            why = "a tile of the receivers' machine holds it";
        }
    });
    injected += transfer.box.volume();
    sent[from] += transfer.box.volume();
    return why;
  }

  template <typename Visit>
  void forEachNeed(Visit visit) const {
    for (std::size_t i = 0; i < after.size(); ++i)
      for (uint64_t machine : ofMachine)
        if (machine & after[i] & ~before[i])
          visit(before[i], machine);
  }

  int64_t least() const {
    int64_t count = 0;
    forEachNeed([&](uint64_t holders, uint64_t machine) {
      count += (holders & machine) == 0;
    });
    return count;
  }

  int64_t leastInjected() const {
    int64_t count = 0;
    forEachNeed([&](uint64_t, uint64_t) { ++count; });
    return count;
  }

  /// The busiest sender beside the closed formula of leastBusiestSender, where
  /// an element leaves a tile of the machine that needs it, if one holds it.
  Result<> checkSenders(const Bounded &busiest,
                        const Extents &multiples) const {
    std::map<uint64_t, int64_t> byHolders;
    forEachNeed([&](uint64_t holders, uint64_t machine) {
      ++byHolders[holders & machine ? holders & machine : holders];
    });
    int64_t bound = busiest.bound;
    if (constexpr std::size_t kMostTiles = 8;
        source->tiles.size() <= kMostTiles) {
      bound = 0;
      for (uint64_t set = 1; set < bitOf(source->tiles.size()); ++set) {
        int64_t only = 0, size = std::popcount(set);
        for (auto [holders, count] : byHolders)
          only += (holders & ~set) == 0 ? count : 0;
        bound = std::max(bound, (only + size - 1) / size);
      }
    }
    int64_t most = *std::max_element(sent.begin(), sent.end());
    int64_t volume = Box::whole(shape).volume(), slice = volume;
    for (std::size_t dim = 0; dim < shape.size(); ++dim)
      if (int64_t multiple = multiples.empty() ? 1 : multiples[dim];
          multiple != 0 && shape[dim] != 0)
        slice = std::min(slice, volume / shape[dim] * multiple);
    if (Result<> wrong = checkFigure("busiest sender", busiest, most, bound);
        !wrong)
      return wrong;
    return busiest.value >= bound &&
                   busiest.value < bound + std::max<int64_t>(slice, 1)
               ? Result<>(Success())
               : Error{"busiest sender: expected less than a slice of " +
                       std::to_string(slice) + " above " +
                       std::to_string(bound) + ", got " +
                       std::to_string(busiest.value)};
  }

  Machines machines;
  const Placement *source, *target;
  const Extents &shape;
  /// The tiles of each machine.
  std::vector<uint64_t> ofMachine;
  Holders before, after, got;
  int64_t crossed = 0, injected = 0;
  std::array<int64_t, kMaxHolders + 1> sent{};
};

} // namespace

Result<> checkOnMachines(const Placement *source, const Placement *target,
                         const RedistributionPlan &plan, Machines machines,
                         std::span<const PaddedRange> padding,
                         const Extents &multiples) {
  return MachineCheck(source, target, machines, padding)
      .run(plan, keptBeside(padding, multiples));
}

Result<> checkSharedBytes(const Extents &shape, const RedistributionPlan &plan,
                          int64_t perByte,
                          std::span<const PaddedRange> padding) {
  constexpr std::size_t kStays = 0, kIsPadding = ~std::size_t(0);
  // For each element, the first transfer of its sender and receivers.
  std::vector<std::size_t> movedBy(Box::whole(shape).volume(), kStays);
  for (std::size_t i = 0; i < plan.transfers.size(); ++i) {
    std::size_t first = 0;
    while (plan.transfers[first].from != plan.transfers[i].from ||
           plan.transfers[first].to != plan.transfers[i].to)
      ++first;
    forEachElementIn(plan.transfers[i].box, shape, [&](std::size_t element) {
      movedBy[element] = first + 1;
    });
  }
  for (const Box &box : paddingIn(Box::whole(shape), padding))
    forEachElementIn(box, shape, [&](std::size_t element) {
      movedBy[element] = kIsPadding;
    });
  std::size_t size = movedBy.size(), step = perByte;
  for (std::size_t byte = 0; byte < size; byte += step) {
    std::size_t mover = kIsPadding;
    for (std::size_t i = byte; i < std::min(byte + step, size); ++i) {
      if (mover == kIsPadding)
        mover = movedBy[i];
      else if (movedBy[i] != mover && movedBy[i] != kIsPadding)
        return Error{"the byte of element " + std::to_string(i) +
                     " does not move as one"};
    }
  }
  return Success();
}

Result<> checkLoad(const Placement &target, const RedistributionPlan &plan,
                   std::span<const PaddedRange> padding) {
  Holders after = realHolders(target, padding);
  Run run(Holders(after.size()), after, target.shape);
  Result<> ran = runAll(
      run, target.shape, plan.transfers.list(), [](const Transfer &transfer) {
        return transfer.from == kDdr ? nullptr : "a load comes from DDR";
      });
  return firstOf({ran, checkOnlyDdr(plan, run.injected())});
}

Result<> checkStore(const Placement &source, const RedistributionPlan &plan,
                    std::span<const PaddedRange> padding) {
  // The DDR is one more tile, which has no element yet.
  constexpr int ddrTile = kMaxHolders;
  Holders before = realHolders(source, padding), wanted(before.size());
  int64_t real = 0;
  for (std::size_t element = 0; element < before.size(); ++element)
    if (before[element]) {
      wanted[element] = bitOf(ddrTile);
      ++real;
    }
  std::vector<Transfer> transfers = plan.transfers.list();
  bool storesOnly = true;
  for (Transfer &transfer : transfers) {
    storesOnly &= transfer.to == std::vector<int>{kDdr};
    transfer.to = {ddrTile};
  }
  Run run(before, wanted, source.shape);
  Result<> ran =
      runAll(run, source.shape, transfers, [&](const Transfer &transfer) {
        return storesOnly && transfer.from != kDdr
                   ? nullptr
                   : "a store goes from a tile to DDR";
      });
  return firstOf({ran, checkOnlyDdr(plan, real)});
}

} // namespace npu
