// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several device strings counts: all eight cases of which sources
// say something, and what is said of a choice.

#include "npu/Target/DeviceChoice.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

TEST(DeviceChoice, PrecedenceOfEverySubset) {
  for (int given = 0; given < 8; ++given) {
    DeviceSources sources;
    if (given & 1)
      sources.environment = "npu3720";
    if (given & 2)
      sources.file = "CPU";
    if (given & 4)
      sources.commandLine = "NPU";
    Result<DeviceChoice> choice = resolveDevice(sources);
    ASSERT_TRUE(choice) << choice.error().message;
    std::string_view source = given & 4   ? "command line"
                              : given & 2 ? "file"
                              : given & 1 ? "environment"
                                          : "default";
    std::string device = given & 4   ? "NPU"
                         : given & 2 ? "CPU"
                         : given & 1 ? "npu3720"
                                     : "HETERO:NPU,CPU";
    EXPECT_EQ(choice->source, source);
    EXPECT_EQ(toString(choice->request), device);
  }
}

TEST(DeviceChoice, OnlyWhatCountsIsRead) {
  DeviceSources sources{"CPU", "GPU", ","};
  EXPECT_TRUE(resolveDevice(sources));
  sources.commandLine.reset();
  EXPECT_EQ(resolveDevice(sources).error().message.substr(0, 51),
            "device of the file (npu.device): unknown device 'GP");
  sources.file.reset();
  EXPECT_EQ(resolveDevice(sources).error().message,
            "device of the environment (NPU_DEVICE): expected a device between "
            "commas, got nothing as element 1 of ','");
  // An empty variable is as good as none; an empty option is not.
  sources.environment = "";
  EXPECT_EQ(resolveDevice(sources)->source, "default");
  sources.commandLine = "";
  EXPECT_EQ(resolveDevice(sources).error().message,
            "device of the command line (device): expected a device, got none");
}

TEST(DeviceChoice, Targets) {
  KnownTargets targets{"mine", "npu3720"};
  DeviceSources sources{"NPU", {}, {}};
  EXPECT_EQ(resolveDevice(sources, targets)->target, "npu3720");
  sources.commandLine = "npu3720";
  EXPECT_EQ(resolveDevice(sources, targets)->target, "npu3720");
  sources.commandLine = "HETERO:npu4000,CPU";
  EXPECT_EQ(resolveDevice(sources, targets).error().message,
            "device of the command line (device): 'HETERO:npu4000,CPU' names "
            "the target 'npu4000', which contradicts target 'npu3720'");
  targets.asked = "";
  EXPECT_EQ(resolveDevice(sources, targets)->target, "npu4000");
  sources.commandLine = "mine";
  EXPECT_EQ(resolveDevice(sources, targets)->target, "mine");
  sources.commandLine = "NPU";
  EXPECT_EQ(resolveDevice(sources, targets)->target, "");
  // Within one file, one target is meant.
  sources = {{}, "npu4000", {}};
  EXPECT_EQ(resolveDevice(sources, targets).error().message,
            "device of the file (npu.device): 'npu4000' names the target "
            "'npu4000', which contradicts target 'mine' that the module "
            "describes");
}

TEST(DeviceChoice, Account) {
  DeviceSources sources{{}, "HETERO:NPU,CPU", "CPU"};
  KnownTargets targets{"npu4000", ""};
  EXPECT_EQ(accountOf(*resolveDevice(sources, targets), sources, targets),
            "device HETERO:NPU,CPU, of the file\n"
            "  command line (device): not given\n"
            "  file (npu.device): HETERO:NPU,CPU, counts\n"
            "  environment (NPU_DEVICE): CPU, does not count\n"
            "  default: HETERO:NPU,CPU, does not count\n"
            "  meaning: each operation runs on the first of NPU, CPU that can "
            "run it, or there is an error\n"
            "  NPU.0: simulated, npu4000, which the module describes\n");
  sources = {{}, {}, ""};
  EXPECT_EQ(accountOf(*resolveDevice(sources), sources),
            "device HETERO:NPU,CPU, of the default\n"
            "  command line (device): not given\n"
            "  file (npu.device): not given\n"
            "  environment (NPU_DEVICE): empty, as if not given\n"
            "  default: HETERO:NPU,CPU, counts\n"
            "  meaning: each operation runs on the first of NPU, CPU that can "
            "run it, or there is an error\n"
            "  NPU.0: simulated, of no target, without limits\n");
}

} // namespace
