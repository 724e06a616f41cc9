// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms, windows and filter banks of signals.

#include "../Graph/OperatorTable.h"

using namespace mlir;

namespace npu {

void addFourier(OperatorTable &table) {}

} // namespace npu
