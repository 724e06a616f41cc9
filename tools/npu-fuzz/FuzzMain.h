// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-fuzz as a function, for mains that make up functions with more dialects.

#ifndef NPU_FUZZ_FUZZMAIN_H
#define NPU_FUZZ_FUZZMAIN_H

namespace npu {

struct FuzzExtension;

/// npu-fuzz. The extension has the dialects, and kinds of steps with their
/// operations.
int fuzzMain(int argc, char **argv, const FuzzExtension &extension);

} // namespace npu

#endif // NPU_FUZZ_FUZZMAIN_H
