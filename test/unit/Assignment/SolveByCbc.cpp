// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SolveByCbc.h"

#include "LinearProgram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace npu {

std::optional<int64_t> solveByCbc(const AssignmentProblem &problem) {
  std::filesystem::path folder = testing::TempDir();
  std::string stem =
      (folder / ("assignment" + std::to_string(getpid()))).string();
  std::ofstream(stem + ".lp") << linearProgram(problem);
  std::string command = "cbc " + stem +
                        ".lp ratioGap 0 allowableGap 0 solve solution " + stem +
                        ".txt > " + stem + ".log 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0);
  // "Optimal - objective value 15.00000000", or "Infeasible - ...".
  std::ifstream solution(stem + ".txt");
  std::string status, word;
  solution >> status;
  while (solution >> word && word != "value")
    ;
  double value = 0;
  solution >> value;
  for (const char *suffix : {".lp", ".txt", ".log"})
    std::filesystem::remove(stem + suffix);
  if (status == "Optimal")
    return std::llround(value);
  EXPECT_TRUE(status == "Infeasible" || status == "Integer") << status;
  return {};
}

bool hasCbc() { return std::system("command -v cbc > /dev/null 2>&1") == 0; }

} // namespace npu
