// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowNames.h"

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include <fmt/format.h>

namespace npu {

std::string nameOfEngine(const ScheduleRow &row) {
  switch (row.engine) {
  case Engine::Matrix:
    return fmt::format("tile {} matrix", row.tile);
  case Engine::Vector:
    return fmt::format("tile {} vector", row.tile);
  default:
    return fmt::format("dma {}", row.port);
  }
}

std::string nameOfWork(const ScheduleRow &row) {
  if (mlir::isa<TransferOp>(row.op) || row.engine == Engine::Load)
    switch (row.engine) {
    case Engine::Load:
      return "load";
    case Engine::Store:
      return "store";
    default:
      return "move";
    }
  return row.op->getName().getStringRef().str();
}

} // namespace npu
