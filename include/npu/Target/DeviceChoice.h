// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which device string counts. There is one precedence, for every tool: the
// command line, then the file, then the environment, then the default.

#ifndef NPU_TARGET_DEVICECHOICE_H
#define NPU_TARGET_DEVICECHOICE_H

#include "npu/Target/DeviceString.h"

#include <optional>

namespace npu {

/// The environment variable that names a device. An empty one counts as one
/// that is not set.
inline constexpr std::string_view deviceVariable = "NPU_DEVICE";

/// The device where nobody names one: what the NPU cannot run, the CPU does.
inline constexpr std::string_view defaultDevice = "HETERO:NPU,CPU";

/// Device strings as they were written, where they were.
struct DeviceSources {
  std::optional<std::string> commandLine;
  /// The module's attribute `npu.device`.
  std::optional<std::string> file;
  std::optional<std::string> environment;
};

/// What is known of targets where a device is chosen.
struct KnownTargets {
  /// The device that the module describes, or empty.
  std::string own;
  /// What `--target` or `target=` says, or empty.
  std::string asked;
};

struct DeviceChoice {
  DeviceRequest request;
  /// Where it was written: "command line", "file", "environment", "default".
  std::string_view source;
  /// The target that counts for the NPU: the one that the device string names,
  /// or the one that was asked for; empty where the module's own counts.
  std::string target;
};

/// The string that counts, read. Strings of less precedence are not looked at.
/// An error begins with the place of the string that is wrong: "device of the
/// environment (NPU_DEVICE): unknown device 'GPU', expected ...". A device that
/// names another target than `--target` is one, and so is one of a file that
/// names another target than the module describes.
Result<DeviceChoice> resolveDevice(const DeviceSources &sources,
                                   const KnownTargets &targets = {});

/// The account of a choice, line by line: what every source says, which counts,
/// what it means, and which target the NPU is. Sources that do not count are
/// shown as they are.
std::string accountOf(const DeviceChoice &choice, const DeviceSources &sources,
                      const KnownTargets &targets = {});

} // namespace npu

#endif // NPU_TARGET_DEVICECHOICE_H
