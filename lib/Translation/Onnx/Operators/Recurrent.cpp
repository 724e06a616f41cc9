// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent networks.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addRecurrent(OperatorTable &table) {}

} // namespace npu
