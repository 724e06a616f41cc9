// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-inspect: prints what an artefact says of itself.

#include "npu/Tools/Mains.h"

int main(int argc, char **argv) { return npu::inspectMain(argc, argv); }
