// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every kind of device string means, and the exact error of every kind
// that means nothing: a string is never taken for another one.

#include "npu/Target/DeviceString.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

/// A string and what becomes of it: the shortest string of the same meaning, or
/// else an error.
struct Row {
  std::string text, means, error;
};

constexpr std::string_view all =
    "NPU (NPU.0, 0), CPU, npu3720, npu4000, mine, HETERO:LIST, AUTO, AUTO:LIST "
    "or a LIST as NPU,CPU";

std::string unknown(const std::string &name) {
  return "unknown device '" + name + "', expected " + std::string(all);
}

std::string nested(const std::string &name) {
  return "expected NPU, CPU or the name of a target in a list, got '" + name +
         "'";
}

std::string absent(const std::string &number) {
  return "there is no NPU." + number +
         ", expected NPU.0 or CPU: this machine has one NPU, which is "
         "simulated, and its CPU";
}

std::string nothing(int element, const std::string &list) {
  return "expected a device between commas, got nothing as element " +
         std::to_string(element) + " of '" + list + "'";
}

const Row rows[] = {
    // One device.
    {"NPU", "NPU", ""},
    {"npu", "NPU", ""},
    {"NPU.0", "NPU", ""},
    {"npu.0", "NPU", ""},
    {"0", "NPU", ""},
    {"CPU", "CPU", ""},
    {"cpu", "CPU", ""},
    {"npu4000", "npu4000", ""},
    {"NPU4000", "npu4000", ""},
    {"npu3720", "npu3720", ""},
    {"mine", "mine", ""},
    // Several devices.
    {"NPU,CPU", "NPU,CPU", ""},
    {"CPU,NPU", "CPU,NPU", ""},
    {"npu4000,CPU", "npu4000,CPU", ""},
    {"HETERO:NPU,CPU", "HETERO:NPU,CPU", ""},
    {"hetero:npu,cpu", "HETERO:NPU,CPU", ""},
    {"HETERO:CPU,NPU", "HETERO:CPU,NPU", ""},
    {"HETERO:NPU", "HETERO:NPU", ""},
    {"HETERO:0,CPU", "HETERO:NPU,CPU", ""},
    {"HETERO:mine,CPU", "HETERO:mine,CPU", ""},
    {"AUTO", "AUTO", ""},
    {"Auto", "AUTO", ""},
    {"AUTO:NPU,CPU", "AUTO", ""},
    {"AUTO:CPU", "AUTO:CPU", ""},
    {"AUTO:npu3720,CPU", "AUTO:npu3720,CPU", ""},
    // Devices that are not there.
    {"GPU", "", unknown("GPU")},
    {"npu5000", "", unknown("npu5000")},
    {"CPU.0", "", unknown("CPU.0")},
    {"NPU0", "", unknown("NPU0")},
    {"-1", "", unknown("-1")},
    {"0x0", "", unknown("0x0")},
    {"NPU.1", "", absent("1")},
    {"1", "", absent("1")},
    {"99999999999999999999", "", absent("99999999999999999999")},
    {"HETERO:NPU.7,CPU", "", absent("7")},
    {"00", "", "expected a number without zeros in front, got '00'"},
    {"NPU.00", "", "expected a number without zeros in front, got 'NPU.00'"},
    {"NPU.", "", "expected a number after 'NPU.', got 'NPU.'"},
    {"NPU.x", "", "expected a number after 'NPU.', got 'NPU.x'"},
    {"NPU.0.0", "", "expected a number after 'NPU.', got 'NPU.0.0'"},
    // Lists with nothing in them.
    {"", "", "expected a device, got none"},
    {",", "", nothing(1, ",")},
    {"NPU,", "", nothing(2, "NPU,")},
    {",NPU", "", nothing(1, ",NPU")},
    {"NPU,,CPU", "", nothing(2, "NPU,,CPU")},
    {"HETERO:NPU,", "", nothing(2, "NPU,")},
    {"HETERO:", "", "expected devices after 'HETERO:', got none"},
    {"AUTO:", "", "expected devices after 'AUTO:', got none"},
    {"HETERO", "",
     "expected the devices after 'HETERO:', as in HETERO:NPU,CPU, got "
     "'HETERO'"},
    // Spaces, and what nobody can read.
    {" ", "", "expected a device string without spaces, got ' '"},
    {"NPU, CPU", "", "expected a device string without spaces, got 'NPU, CPU'"},
    {"NPU ", "", "expected a device string without spaces, got 'NPU '"},
    {"NPU\n", "",
     "expected a device string of printable characters, got one with the byte "
     "10"},
    {std::string(257, 'N'), "",
     "expected a device string of at most 256 characters, got 257"},
    // The same device twice.
    {"NPU,NPU", "", "expected each device once, got 'NPU' again"},
    {"NPU,0", "", "expected each device once, got '0' again"},
    {"CPU,NPU,cpu", "", "expected each device once, got 'cpu' again"},
    {"NPU,npu4000", "", "expected each device once, got 'npu4000' again"},
    {"npu3720,npu4000", "",
     "expected one target for the one NPU that there is, got 'npu3720' and "
     "'npu4000'"},
    // Lists in lists, and other words.
    {"HETERO:AUTO,CPU", "", nested("AUTO")},
    {"HETERO:HETERO:NPU,CPU", "", nested("HETERO:NPU")},
    {"AUTO:HETERO:NPU", "", nested("HETERO:NPU")},
    {"NPU,AUTO", "", nested("AUTO")},
    {"NPU,AUTO:CPU", "", nested("AUTO:CPU")},
    {"MULTI:NPU,CPU", "",
     "unknown word 'MULTI' in front of ':', expected HETERO or AUTO"},
    {"NPU:CPU", "",
     "unknown word 'NPU' in front of ':', expected HETERO or AUTO"},
    {":NPU", "", "unknown word '' in front of ':', expected HETERO or AUTO"},
    {"HETERO::NPU", "", unknown(":NPU")},
    {"NPU;CPU", "", unknown("NPU;CPU")},
};

TEST(DeviceString, Table) {
  for (const Row &row : rows) {
    Result<DeviceRequest> request = parseDevice(row.text, "mine");
    if (row.error.empty()) {
      ASSERT_TRUE(request) << row.text << ": " << request.error().message;
      EXPECT_EQ(toString(*request), row.means) << row.text;
    } else {
      ASSERT_FALSE(request) << row.text;
      EXPECT_EQ(request.error().message, row.error) << row.text;
    }
  }
}

TEST(DeviceString, ShortestStringMeansTheSame) {
  for (const Row &row : rows)
    if (Result<DeviceRequest> request = parseDevice(row.text, "mine"))
      EXPECT_EQ(*parseDevice(toString(*request), "mine"), *request);
}

TEST(DeviceString, OwnNameIsUnknownWithoutAModule) {
  EXPECT_FALSE(parseDevice("mine"));
  // Words of the grammar keep their meaning whatever a module calls its device.
  EXPECT_EQ(toString(*parseDevice("CPU", "CPU")), "CPU");
  EXPECT_FALSE(npuOf(*parseDevice("CPU", "CPU")));
}

TEST(DeviceString, Meaning) {
  auto meaning = [](std::string_view text) {
    return meaningOf(*parseDevice(text));
  };
  EXPECT_EQ(meaning("NPU"),
            "the whole model runs on NPU, or there is an error");
  EXPECT_EQ(meaning("npu4000,CPU"),
            "the whole model runs on the first of npu4000, CPU that takes it, "
            "or there is an error");
  EXPECT_EQ(meaning("HETERO:NPU,CPU"),
            "each operation runs on the first of NPU, CPU that can run it, or "
            "there is an error");
  EXPECT_EQ(meaning("AUTO"),
            "the whole model runs on the first of NPU, CPU that takes it, or "
            "else as HETERO:NPU,CPU");
}

} // namespace
