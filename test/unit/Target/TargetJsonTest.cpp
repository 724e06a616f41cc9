// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets as JSON: what is written is read again, figure by figure.

#include "npu/Target/TargetJson.h"

#include <gtest/gtest.h>

using namespace npu;

/// The text with the first `from` replaced by `to`.
static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

/// npu4000 as two machines of two tiles.
static Target onMachines() {
  Target target = *findBuiltinTarget("npu4000");
  target.machineTiles = 2;
  target.machineLinkLatency = 2000;
  target.machineLinkRate = 7000;
  return target;
}

TEST(TargetJson, RoundTrip) {
  for (Target target : builtinTargets()) {
    for (const char *name : {"", "mine, \"quoted\""}) {
      if (*name)
        target.name = name;
      Result<TargetFile> read = readTargetJson(writeTargetJson(target));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->target, target);
      EXPECT_EQ(read->like, "");
    }
  }
}

// Each figure is written to its own place: another value of one is no other
// target's.
TEST(TargetJson, EveryFigure) {
  const Target base = onMachines();
  auto expectRead = [](const Target &target, const std::string &what) {
    Result<TargetFile> read = readTargetJson(writeTargetJson(target));
    ASSERT_TRUE(read) << what << ": " << read.error().message;
    EXPECT_EQ(read->target, target) << what;
  };
  for (const TargetField &field : targetFields()) {
    Target other = base;
    other.name = "mine";
    other.*field.value = field.most == 1 ? 1 : 5;
    expectRead(other, std::string(field.name));
  }
  for (const CostField &field : costFields()) {
    Target other = base;
    field.of(other.costs) += 1;
    expectRead(other, field.name);
  }
}

TEST(TargetJson, Missing) {
  std::string text = writeTargetJson(onMachines());
  for (const TargetField &field : targetFields()) {
    std::string name(field.name);
    Result<TargetFile> read =
        readTargetJson(replaced(text, '"' + name + '"', "\"" + name + "s\""));
    ASSERT_FALSE(read) << name;
    EXPECT_NE(read.error().message.find("the nearest is \"" + name + '"'),
              std::string::npos)
        << read.error().message;
  }
}

TEST(TargetJson, Like) {
  Result<TargetFile> read = readTargetJson(
      R"({"name": "mine", "like": "npu3720",
          "max_tiles": {"value": 9, "unit": "tiles"}})");
  ASSERT_TRUE(read) << read.error().message;
  Target expected = *findBuiltinTarget("npu3720");
  expected.name = "mine";
  expected.tiles = expected.maxTiles = 9;
  EXPECT_EQ(read->target, expected);
  EXPECT_EQ(read->like, "npu3720");
}

TEST(TargetJson, Refused) {
  std::string text = writeTargetJson(*findBuiltinTarget("npu4000"));
  for (const auto &[from, to] :
       std::vector<std::pair<std::string, std::string>>{
           {"npu4000", ""},
           {"\"name\": \"npu4000\"", "\"name\": 4"},
           {"\"name\": \"npu4000\"", "\"name\": \"a\", \"like\": \"b\""},
           {"\"name\": \"npu4000\"", "\"name\": \"a\", \"like\": 1"},
           {"{\"value\": 4, ", "{\"value\": null, "},
           {"{\"value\": 4, ", "{\"value\": 4.5, "},
           {"{\"value\": 4, ", "{\"value\": \"4\", "},
           {"{\"value\": 4, ", "{\"value\": 1e30, "},
           {"{\"value\": 4, ", "{\"more\": 1, \"value\": 4, "},
           {"{\"value\": 4, ", "{"},
           {"{\"value\": 4, ", "{\"value\": 7, "},
           {"\"unit\": \"tiles\"", "\"unit\": 1"},
           {"}\n", ""},
       })
    EXPECT_FALSE(readTargetJson(replaced(text, from, to))) << from << to;
  for (const char *other : {"", "[]", "null", "{}", "{\"name\": \"a\"}"})
    EXPECT_FALSE(readTargetJson(other)) << other;
}

// Of one machine, nothing is written of machines; null says the same.
TEST(TargetJson, Machines) {
  std::string one = writeTargetJson(*findBuiltinTarget("npu4000"));
  EXPECT_EQ(one.find("machine"), std::string::npos);
  std::string text = writeTargetJson(onMachines());
  Result<TargetFile> read = readTargetJson(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->target.machines(), Machines{2});
  std::string rate =
      R"("machine_link_rate": {"value": 7000, "unit": "bytes per 1000 cycles"})";
  for (const std::string &without : {replaced(text, rate + ",\n  ", ""),
                                     replaced(text, ": 7000,", ": null,")}) {
    read = readTargetJson(without);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("got none for 'machine_link_rate'"),
              std::string::npos)
        << read.error().message;
  }
  EXPECT_EQ(readTargetJson(replaced(text, ": 7000,", ": 0,")).error().message,
            "\"machine_link_rate\": expected 'machine_link_rate' from 1 to "
            "1125899906842624, got 0");
}
