// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures that a target has, and those of the built-in targets: two tables.

#include "npu/Target/Target.h"

#include <algorithm>

namespace npu {
namespace {

constexpr int64_t kKiB = 1024;
/// The most tiles of a distribution (docs/concepts.md).
constexpr int64_t kMaxTilesOfTarget = 4096;
/// With these limits, the bytes of all scratchpads together and products of
/// cycles and bytes fit in 63 bits.
constexpr int64_t kMaxBytes = int64_t{1} << 40;
constexpr int64_t kMaxDdrBytes = int64_t{1} << 50;
constexpr int64_t kMaxPerSecond = int64_t{1} << 50;
constexpr int64_t kMaxLink = int64_t{1} << 50;

const TargetField fields[] = {
    {"tiles", "tiles", "tiles that a program uses by default", &Target::tiles,
     kMaxTilesOfTarget, /*isNeeded=*/true},
    {"max_tiles", "tiles", "tiles that there are", &Target::maxTiles,
     kMaxTilesOfTarget, /*isNeeded=*/true},
    {"scratchpad_bytes", "bytes", "bytes of each tile's scratchpad",
     &Target::scratchpadBytes, kMaxBytes, /*isNeeded=*/true},
    {"dma_ports", "ports", "ports that can move data at the same time",
     &Target::dmaPorts, kMaxTilesOfTarget, /*isNeeded=*/true},
    {"ddr_bytes_per_second", "bytes per second", "bandwidth of DDR",
     &Target::ddrBytesPerSecond, kMaxPerSecond},
    {"clock_hz", "Hz", "the clock that cycles are counted in", &Target::clockHz,
     kMaxPerSecond},
    {"channel_alignment", "channels",
     "channels that a split of channels is rounded to",
     &Target::channelAlignment, kMaxBytes},
    {"channels_innermost", "0 or 1",
     "1 where contractions want channels innermost in memory, 0 where not",
     &Target::channelsInnermost, /*most=*/1, /*isNeeded=*/false, /*least=*/0},
    {"ddr_bytes", "bytes", "bytes of DDR that a program may take",
     &Target::ddrBytes, kMaxDdrBytes},
    {.name = "machine_tiles",
     .unit = "tiles",
     .meaning = "tiles of each of several machines",
     .value = &Target::machineTiles,
     .most = kMaxTilesOfTarget,
     .isOfMachines = true},
    {.name = "machine_link_latency",
     .unit = "cycles",
     .meaning = "before the first byte between machines",
     .value = &Target::machineLinkLatency,
     .most = kMaxLink,
     .isOfMachines = true},
    {.name = "machine_link_rate",
     .unit = "bytes per 1000 cycles",
     .meaning = "between machines",
     .value = &Target::machineLinkRate,
     .most = kMaxLink,
     .isOfMachines = true},
};

/// Nothing wrong where all figures of several machines are known, or none is.
Result<> checkMachines(const Target &target) {
  std::string all, missing;
  bool isAnyKnown = false;
  for (const TargetField &field : fields) {
    if (!field.isOfMachines)
      continue;
    auto add = [&](std::string &names) {
      (names += names.empty() ? "'" : ", '") += field.name;
      names += "'";
    };
    add(all);
    isAnyKnown |= target.*field.value != 0;
    if (target.*field.value == 0)
      add(missing);
  }
  if (!isAnyKnown || missing.empty())
    return Success();
  return Error{"expected all figures of several machines (" + all +
               ") or none, got none for " + missing};
}

const Target builtin[] = {
    {.name = "npu3720",
     .tiles = 2,
     .maxTiles = 2,
     .scratchpadBytes = 1936 * kKiB,
     .dmaPorts = 2,
     .ddrBytesPerSecond = 27'000'000'000,
     .clockHz = 1'300'000'000,
     .channelAlignment = 16,
     .costs = costFiguresOf("npu3720")},
    {.name = "npu4000",
     .tiles = 4,
     .maxTiles = 6,
     .scratchpadBytes = 1440 * kKiB,
     .dmaPorts = 2,
     // What two ports move at 34 bytes per cycle, 116 GB/s, fits in this; the
     // vendor's older 45 GB/s is less than what one port was measured to move.
     .ddrBytesPerSecond = 136'000'000'000,
     .clockHz = 1'700'000'000,
     .channelAlignment = 16,
     .costs = costFiguresOf("npu4000")},
};

} // namespace

std::span<const TargetField> targetFields() { return fields; }

std::span<const Target> builtinTargets() { return builtin; }

const Target *findBuiltinTarget(std::string_view name) {
  const Target *found = std::ranges::find(builtin, name, &Target::name);
  return found == std::end(builtin) ? nullptr : found;
}

std::string builtinTargetNames() {
  std::string names;
  for (const Target &target : builtin)
    names += (names.empty() ? "" : ", ") + target.name;
  return names;
}

Result<> checkFigure(const TargetField &field, int64_t value) {
  if (value >= field.least && value <= field.most)
    return Success();
  return Error{"expected '" + std::string(field.name) + "' from " +
               std::to_string(field.least) + " to " +
               std::to_string(field.most) + ", got " + std::to_string(value)};
}

Result<> checkTarget(const Target &target) {
  if (target.name.empty())
    return Error{"expected a name, got none"};
  for (const TargetField &field : fields) {
    int64_t value = target.*field.value;
    if (value == 0 && !field.isNeeded)
      continue;
    if (Result<> wrong = checkFigure(field, value); !wrong)
      return wrong;
  }
  if (target.tiles > target.maxTiles)
    return Error{"expected 'tiles' of at most 'max_tiles' (" +
                 std::to_string(target.maxTiles) + "), got " +
                 std::to_string(target.tiles)};
  if (Result<> wrong = checkMachines(target); !wrong)
    return wrong;
  return checkCosts(target.costs);
}

} // namespace npu
