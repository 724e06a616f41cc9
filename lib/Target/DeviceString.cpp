// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of device strings: one element at a time, then what the elements
// of a list say together.

#include "npu/Target/DeviceString.h"

#include "npu/Target/Target.h"

#include <algorithm>

namespace npu {
namespace {

/// Strings are shown in messages, so that there is an end to them.
constexpr size_t kMostCharacters = 256;

char upper(char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }

bool sameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, upper, upper);
}

bool isNumber(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// The k of "NPU.k" or "k": only 0 is there.
Result<NamedDevice> numbered(std::string_view element,
                             std::string_view number) {
  if (!isNumber(number))
    return Error{"expected a number after 'NPU.', got " + quoted(element)};
  if (number.size() > 1 && number.front() == '0')
    return Error{"expected a number without zeros in front, got " +
                 quoted(element)};
  if (number != "0")
    return Error{"there is no NPU." + std::string(number) +
                 ", expected NPU.0 or CPU: this machine has one NPU, which is "
                 "simulated, and its CPU"};
  return NamedDevice{DeviceKind::Npu, ""};
}

Result<NamedDevice> parseElement(std::string_view element,
                                 std::string_view ownTarget) {
  constexpr std::string_view prefix = "NPU.";
  if (sameWord(element, "NPU"))
    return NamedDevice{DeviceKind::Npu, ""};
  if (sameWord(element, "CPU"))
    return NamedDevice{DeviceKind::Cpu, ""};
  if (isNumber(element))
    return numbered(element, element);
  if (sameWord(element.substr(0, prefix.size()), prefix))
    return numbered(element, element.substr(prefix.size()));
  if (!ownTarget.empty() && sameWord(element, ownTarget))
    return NamedDevice{DeviceKind::Npu, std::string(ownTarget)};
  for (const Target &target : builtinTargets())
    if (sameWord(element, target.name))
      return NamedDevice{DeviceKind::Npu, target.name};
  return Error{"unknown device " + quoted(element) + ", expected " +
               deviceGrammar(ownTarget)};
}

/// Refuses what only a whole string may be, where an element has to be.
Result<> checkNesting(std::string_view element) {
  for (std::string_view word : {"HETERO", "AUTO"})
    if (sameWord(element, word) ||
        sameWord(element.substr(0, word.size() + 1), std::string(word) + ":"))
      return Error{"expected NPU, CPU or the name of a target in a list, got " +
                   quoted(element)};
  return Success();
}

/// Refuses a device that the list has already, under this or another name.
Result<> checkNew(const std::vector<NamedDevice> &devices,
                  const NamedDevice &device, std::string_view element) {
  for (const NamedDevice &other : devices) {
    if (other.kind != device.kind)
      continue;
    if (!other.target.empty() && !device.target.empty() &&
        other.target != device.target)
      return Error{"expected one target for the one NPU that there is, got '" +
                   other.target + "' and '" + device.target + "'"};
    return Error{"expected each device once, got " + quoted(element) +
                 " again"};
  }
  return Success();
}

Result<std::vector<NamedDevice>> parseList(std::string_view text,
                                           std::string_view ownTarget) {
  std::vector<NamedDevice> devices;
  for (size_t begin = 0, number = 1; begin <= text.size(); ++number) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view element = text.substr(begin, end - begin);
    begin = end + 1;
    if (element.empty())
      return Error{"expected a device between commas, got nothing as element " +
                   std::to_string(number) + " of " + quoted(text)};
    if (Result<> wrong = checkNesting(element); !wrong)
      return wrong.error();
    Result<NamedDevice> device = parseElement(element, ownTarget);
    if (!device)
      return device.error();
    if (Result<> wrong = checkNew(devices, *device, element); !wrong)
      return wrong.error();
    devices.push_back(*device);
  }
  return devices;
}

/// Refuses characters that no device string has.
Result<> checkCharacters(std::string_view text) {
  if (text.empty())
    return Error{"expected a device, got none"};
  if (text.size() > kMostCharacters)
    return Error{"expected a device string of at most " +
                 std::to_string(kMostCharacters) + " characters, got " +
                 std::to_string(text.size())};
  if (text.find(' ') != std::string_view::npos)
    return Error{"expected a device string without spaces, got " +
                 quoted(text)};
  for (unsigned char c : text)
    if (c < 0x21 || c > 0x7e)
      return Error{"expected a device string of printable characters, got one "
                   "with the byte " +
                   std::to_string(c)};
  return Success();
}

std::string nameOf(const NamedDevice &device) {
  if (device.kind == DeviceKind::Cpu)
    return "CPU";
  return device.target.empty() ? "NPU" : device.target;
}

std::string namesOf(const DeviceRequest &request, std::string_view between) {
  std::string names;
  for (const NamedDevice &device : request.devices)
    names += (names.empty() ? "" : std::string(between)) + nameOf(device);
  return names;
}

} // namespace

Result<DeviceRequest> parseDevice(std::string_view text,
                                  std::string_view ownTarget) {
  if (Result<> wrong = checkCharacters(text); !wrong)
    return wrong.error();
  DeviceRequest request;
  size_t colon = text.find(':');
  std::string_view word = text.substr(0, colon), list = text;
  bool hasColon = colon != std::string_view::npos;
  if (sameWord(word, "HETERO") || sameWord(word, "AUTO")) {
    bool isAuto = sameWord(word, "AUTO");
    request.way = isAuto ? DeviceWay::Auto : DeviceWay::Hetero;
    if (!hasColon && !isAuto)
      return Error{"expected the devices after 'HETERO:', as in "
                   "HETERO:NPU,CPU, got " +
                   quoted(text)};
    list = hasColon ? text.substr(colon + 1) : "NPU,CPU";
    if (list.empty())
      return Error{"expected devices after " +
                   quoted(text.substr(0, colon + 1)) + ", got none"};
  } else if (hasColon && word.find(',') == std::string_view::npos) {
    return Error{"unknown word " + quoted(word) +
                 " in front of ':', expected HETERO or AUTO"};
  }
  Result<std::vector<NamedDevice>> devices = parseList(list, ownTarget);
  if (!devices)
    return devices.error();
  request.devices = std::move(*devices);
  return request;
}

std::string toString(const DeviceRequest &request) {
  std::string names = namesOf(request, ",");
  switch (request.way) {
  case DeviceWay::Whole:
    return names;
  case DeviceWay::Hetero:
    return "HETERO:" + names;
  case DeviceWay::Auto:
    return names == "NPU,CPU" ? "AUTO" : "AUTO:" + names;
  }
  return names;
}

std::string meaningOf(const DeviceRequest &request) {
  std::string names = namesOf(request, ", ");
  bool isOne = request.devices.size() == 1;
  std::string first = isOne ? names : "the first of " + names;
  switch (request.way) {
  case DeviceWay::Whole:
    return "the whole model runs on " + first +
           (isOne ? "" : " that takes it") + ", or there is an error";
  case DeviceWay::Hetero:
    return "each operation runs on " + first +
           (isOne ? "" : " that can run it") + ", or there is an error";
  case DeviceWay::Auto:
    return "the whole model runs on " + first +
           (isOne ? "" : " that takes it") +
           ", or else as HETERO:" + namesOf(request, ",");
  }
  return names;
}

std::string deviceGrammar(std::string_view ownTarget) {
  std::string names = "NPU (NPU.0, 0), CPU, " + builtinTargetNames();
  if (!ownTarget.empty() && !findBuiltinTarget(ownTarget))
    names += ", " + std::string(ownTarget);
  return names + ", HETERO:LIST, AUTO, AUTO:LIST or a LIST as NPU,CPU";
}

const NamedDevice *npuOf(const DeviceRequest &request) {
  auto found =
      std::ranges::find(request.devices, DeviceKind::Npu, &NamedDevice::kind);
  return found == request.devices.end() ? nullptr : &*found;
}

bool hasCpu(const DeviceRequest &request) {
  return std::ranges::find(request.devices, DeviceKind::Cpu,
                           &NamedDevice::kind) != request.devices.end();
}

} // namespace npu
