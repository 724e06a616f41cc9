// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random devices and strategies.

#ifndef NPU_FUZZ_FUNCTIONS_RANDOMTASK_H
#define NPU_FUZZ_FUNCTIONS_RANDOMTASK_H

#include "npu-fuzz/Functions/MadeFunction.h"
#include "npu-fuzz/Plans/RandomPlacements.h"

namespace npu {

/// A random device, whose scratchpads are large, and a strategy, which is
/// mostly least.
AssignTask randomTask(RandomNumbers &random);

/// Makes transfers between tiles and kernels of the vector engine cheap, and
/// loads dear, so that it is worth while to reduce where parts of operands are.
void favourSumsInParts(RandomNumbers &random, AssignTask &task);

/// Chooses which storage kind the device prefers, and which one is asked for.
void chooseStorage(RandomNumbers &random, AssignTask &task);

/// Gives the device a random table of kernels, in which some are missing.
void chooseKernels(RandomNumbers &random, AssignTask &task);

/// The tiles that a program may use on the device.
int64_t tilesOf(const AssignTask &task);

/// Gives half of all devices scratchpads of about `largestBytes`, the bytes of
/// the largest value.
void chooseScratchpads(RandomNumbers &random, int64_t largestBytes,
                       AssignTask &task);

/// Lets contractions of half of all devices want channels innermost in memory.
void chooseMemoryOrders(RandomNumbers &random, AssignTask &task);

} // namespace npu

#endif // NPU_FUZZ_FUNCTIONS_RANDOMTASK_H
