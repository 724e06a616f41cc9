// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes up functions and layouts, and compares what comes of them with what
// they were.

#include "npu/Fuzz/Recipes/FuzzExtension.h"
#include "npu/Tools/Mains.h"

int main(int argc, char **argv) { return npu::fuzzMain(argc, argv, {}); }
