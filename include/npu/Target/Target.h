// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device as plain data. Nothing in this project is decided by a target's
// name: a device that a user describes can do all that a built-in one can.

#ifndef NPU_TARGET_TARGET_H
#define NPU_TARGET_TARGET_H

#include "npu/Placement/Plans/Machines.h"
#include "npu/Placement/Result.h"
#include "npu/Target/CostFigures.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace npu {

/// One device. A figure that need not be known may be 0, which means that it is
/// not. Example: npu4000 is {"npu4000", 4, 6, 1474560,
/// 2, 136000000000, 1700000000, 16}.
struct Target {
  std::string name;
  /// Tiles that a program uses unless it asks for another number.
  int64_t tiles = 0;
  /// The number of tiles of the device.
  int64_t maxTiles = 0;
  /// Bytes of each tile's scratchpad.
  int64_t scratchpadBytes = 0;
  /// The number of DMA ports that can move data at the same time. A device that
  /// says nothing has those of npu4000.
  int64_t dmaPorts = 2;
  int64_t ddrBytesPerSecond = 0;
  /// The clock that cycles are counted in.
  int64_t clockHz = 0;
  /// The number of channels that splits of channels are rounded to.
  int64_t channelAlignment = 0;
  /// 1: contractions read operands whose input channels lie innermost in
  /// memory, and write results whose output channels do. 0: any order.
  int64_t channelsInnermost = 0;
  /// The bytes of DDR that a program may take.
  int64_t ddrBytes = 0;
  /// The tiles of each of several machines, and the link that each machine has
  /// to the others: cycles before the first byte, and bytes per 1000 cycles.
  /// All of them are known, or none: then all tiles are of one machine.
  int64_t machineTiles = 0;
  int64_t machineLinkLatency = 0;
  int64_t machineLinkRate = 0;
  /// What work and transfers cost. A device that says nothing has npu4000's.
  CostFigures costs = costFiguresOf({});

  Machines machines() const { return {machineTiles}; }

  bool operator==(const Target &) const = default;
};

/// A figure of a target: its name where targets are written, its unit, its
/// meaning, and its largest and its least value.
struct TargetField {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  int64_t Target::*value;
  int64_t most;
  /// Whether every device has to have it. Others may be 0: not known.
  bool isNeeded = false;
  /// 0 for a figure that says no by it.
  int64_t least = 1;
  /// Whether only devices of several machines have it. It is not written of
  /// others.
  bool isOfMachines = false;
};

/// Every figure but those of costs (CostFigures.h), in the order of the struct.
std::span<const TargetField> targetFields();

/// npu3720 and npu4000.
std::span<const Target> builtinTargets();

/// The built-in target of that name, or null.
const Target *findBuiltinTarget(std::string_view name);

/// "npu3720, npu4000"
std::string builtinTargetNames();

/// Nothing wrong with the value of a figure, or "expected 'tiles' from 1 to
/// 4096, got 0".
Result<> checkFigure(const TargetField &field, int64_t value);

/// Nothing wrong, or the first figure that no device has.
Result<> checkTarget(const Target &target);

} // namespace npu

#endif // NPU_TARGET_TARGET_H
