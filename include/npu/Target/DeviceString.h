// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device string means. There is one grammar for command lines, files and
// the environment:
//
//   device  := element | list | "HETERO:" list | "AUTO" | "AUTO:" list
//   list    := element ("," element)*
//   element := "NPU" | "NPU." k | k | "CPU" | name of a target
//
// This machine has exactly one NPU, which is simulated, and its CPU, so that k
// is 0. The case of letters does not count. There are no spaces, no empty
// elements, no list inside of a list, and no device twice: each of these is an
// error, and never a device that nobody has asked for.

#ifndef NPU_TARGET_DEVICESTRING_H
#define NPU_TARGET_DEVICESTRING_H

#include "npu/Placement/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace npu {

enum class DeviceKind { Npu, Cpu };

/// One device of a string.
struct NamedDevice {
  DeviceKind kind = DeviceKind::Npu;
  /// The target that the string names, as `npu4000`; empty for an NPU without a
  /// name, which is the one that the module describes or `target=` gives, and
  /// for the CPU.
  std::string target;

  bool operator==(const NamedDevice &) const = default;
};

/// How the devices of a string share the operations of a model.
enum class DeviceWay {
  /// The first device that takes the whole model runs all of it; an error where
  /// none does. A single device is a list of one.
  Whole,
  /// Each operation runs on the first device that can run it.
  Hetero,
  /// As Whole, and as Hetero where no device takes the whole model.
  Auto,
};

/// A device string, read. `devices` is not empty and has each kind at most
/// once.
struct DeviceRequest {
  DeviceWay way = DeviceWay::Whole;
  std::vector<NamedDevice> devices;

  bool operator==(const DeviceRequest &) const = default;
};

/// Reads a device string. `ownTarget` is the name of the device that the module
/// describes, or empty; it may be written as the names of built-in targets may,
/// unless it is a word of the grammar. Examples: "HETERO:NPU,CPU" is {Hetero,
/// {NPU, CPU}}; "npu4000" is {Whole, {NPU of target npu4000}}; "GPU" is an
/// error that lists what there is.
Result<DeviceRequest> parseDevice(std::string_view text,
                                  std::string_view ownTarget = {});

/// The shortest string with that meaning: "HETERO:NPU,CPU", "npu4000".
std::string toString(const DeviceRequest &request);

/// What the request asks for, in words: "each operation runs on the first of
/// NPU, CPU that can run it".
std::string meaningOf(const DeviceRequest &request);

/// Everything that may be written: "NPU (NPU.0, 0), CPU, npu3720, npu4000,
/// HETERO:LIST, AUTO, AUTO:LIST or a LIST as NPU,CPU".
std::string deviceGrammar(std::string_view ownTarget = {});

/// The NPU among the devices, or null.
const NamedDevice *npuOf(const DeviceRequest &request);

/// Whether the CPU is among the devices.
bool hasCpu(const DeviceRequest &request);

} // namespace npu

#endif // NPU_TARGET_DEVICESTRING_H
