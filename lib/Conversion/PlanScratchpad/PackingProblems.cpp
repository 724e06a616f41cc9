// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackingProblems.h"

#include "npu/Placement/Scratchpad/PackingTable.h"
#include "npu/Support/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// A function's name as part of a file's name: other characters than those of
/// identifiers as their codes, so that different functions have different
/// files.
std::string fileNameOf(StringRef function) {
  std::string name;
  for (char c : function) {
    if (llvm::isAlnum(c) || c == '_' || c == '-' || c == '$')
      name += c;
    else
      name += fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return name;
}

/// The table without the plan: offsets are what solvers search.
std::string tableOf(const TileBuffers &tile) {
  std::vector<int> numbers;
  std::vector<Buffer> placed = placedBuffers(tile.buffers, tile.plan, numbers);
  std::vector<std::string> ids;
  ids.reserve(numbers.size());
  for (int number : numbers)
    ids.push_back(std::to_string(number));
  return packingTable(placed, ids);
}

} // namespace

LogicalResult writePackingProblems(Operation *op, StringRef directory,
                                   ArrayRef<PlannedFunction> functions) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return op->emitError() << "cannot make directory '" << directory
                           << "': " << error.message();
  for (const PlannedFunction &planned : functions) {
    std::string name = fileNameOf(func::FuncOp(planned.function).getName());
    for (const auto &[number, tile] : planned.tiles) {
      llvm::SmallString<128> path(directory);
      llvm::sys::path::append(path, fmt::format("{}.{}.csv", name, number));
      if (failed(writeReport(op, "npu-plan-scratchpad", path, tableOf(tile))))
        return failure();
    }
  }
  return success();
}

} // namespace npu
