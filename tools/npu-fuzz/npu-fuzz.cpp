// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzzer: makes up functions and layouts, and compares the results of the
// compiled functions with those of the originals.

#include "npu-fuzz/Functions/FuzzExtension.h"
#include "npu-fuzz/FuzzMain.h"

int main(int argc, char **argv) { return npu::fuzzMain(argc, argv, {}); }
