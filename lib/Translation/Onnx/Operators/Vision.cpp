// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of image networks.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addVision(OperatorTable &table) {}

} // namespace npu
