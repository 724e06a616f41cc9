// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized operators.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addQuantization(OperatorTable &table) {}

} // namespace npu
