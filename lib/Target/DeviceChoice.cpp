// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/DeviceChoice.h"

#include "npu/Target/Target.h"

#include <array>

namespace npu {
namespace {

/// One source of a device string: its name, where users write it, and what it
/// says.
struct Candidate {
  std::string_view source;
  std::string_view place;
  std::optional<std::string> text;
};

std::array<Candidate, 4> candidatesOf(const DeviceSources &sources) {
  return {{{"command line", "device", sources.commandLine},
           {"file", "npu.device", sources.file},
           {"environment", deviceVariable, sources.environment},
           {"default", "", std::string(defaultDevice)}}};
}

bool counts(const Candidate &candidate) {
  return candidate.text &&
         !(candidate.source == "environment" && candidate.text->empty());
}

std::string nameOf(const Candidate &candidate) {
  std::string name(candidate.source);
  if (!candidate.place.empty())
    name += " (" + std::string(candidate.place) + ")";
  return name;
}

/// The target of the NPU, or an error where the device names another one than
/// was asked for, or, in a file, than the module describes.
Result<std::string> targetOfChoice(const DeviceRequest &request,
                                   const KnownTargets &targets, bool isOfFile) {
  const NamedDevice *npu = npuOf(request);
  if (!npu || npu->target.empty())
    return targets.asked;
  if (!targets.asked.empty() && targets.asked != npu->target)
    return Error{"'" + toString(request) + "' names the target '" +
                 npu->target + "', which contradicts target '" + targets.asked +
                 "'"};
  if (isOfFile && !targets.own.empty() && targets.own != npu->target)
    return Error{"'" + toString(request) + "' names the target '" +
                 npu->target + "', which contradicts target '" + targets.own +
                 "' that the module describes"};
  return npu->target;
}

} // namespace

Result<DeviceChoice> resolveDevice(const DeviceSources &sources,
                                   const KnownTargets &targets) {
  for (const Candidate &candidate : candidatesOf(sources)) {
    if (!counts(candidate))
      continue;
    std::string place = "device of the " + nameOf(candidate) + ": ";
    Result<DeviceRequest> request = parseDevice(*candidate.text, targets.own);
    if (!request)
      return Error{place + request.error().message};
    Result<std::string> target =
        targetOfChoice(*request, targets, candidate.source == "file");
    if (!target)
      return Error{place + target.error().message};
    return DeviceChoice{std::move(*request), candidate.source, *target};
  }
  return Error{"expected a device, got none"};
}

std::string accountOf(const DeviceChoice &choice, const DeviceSources &sources,
                      const KnownTargets &targets) {
  std::string text = "device " + toString(choice.request) + ", of the " +
                     std::string(choice.source) + "\n";
  bool isAfter = false;
  for (const Candidate &candidate : candidatesOf(sources)) {
    text += "  " + nameOf(candidate) + ": ";
    if (!candidate.text)
      text += "not given\n";
    else if (!counts(candidate))
      text += "empty, as if not given\n";
    else
      text +=
          *candidate.text + (isAfter ? ", does not count" : ", counts") + "\n";
    isAfter |= candidate.source == choice.source;
  }
  text += "  meaning: " + meaningOf(choice.request) + "\n";
  if (!npuOf(choice.request))
    return text;
  std::string target = choice.target;
  if (target.empty())
    target = targets.own.empty() ? "of no target, without limits"
                                 : targets.own + ", which the module describes";
  return text + "  NPU.0: simulated, " + target + "\n";
}

} // namespace npu
