// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and transposed convolutions.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addConvolutions(OperatorTable &table) {}

} // namespace npu
