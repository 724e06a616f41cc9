// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How values, operations, tiles and boxes are named in every message.

#ifndef NPU_SUPPORT_NAMING_H
#define NPU_SUPPORT_NAMING_H

#include "npu/Placement/Boxes/Box.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace npu {

/// "%0", "%arg1": the name that the value has in a dump of its function.
std::string nameOf(mlir::Value value);

/// Names many values of a function, which are numbered once.
class ValueNames {
public:
  explicit ValueNames(mlir::Operation *function)
      : state(function, mlir::OpPrintingFlags().useLocalScope()) {}

  /// The name that `nameOf` gives.
  std::string of(mlir::Value value);

private:
  mlir::AsmState state;
};

/// "tile 2"
std::string nameOfTile(std::size_t tile);

/// "[0:1, 7:14]", or "nothing" for an empty box.
std::string nameOfHeld(const Box &box);

/// "1204224 bytes", "1 byte"
std::string nameOfBytes(int64_t bytes);

/// The layout as it is printed, "#npu.layout<...>"; "no distribution" for a
/// plain tensor.
std::string nameOfLayout(mlir::Type type);

/// The name of the function around the operation, or "".
llvm::StringRef nameOfFunction(mlir::Operation *op);

/// "Add_1106, _mem_permute_1 at prompt-336.log:3:1": the names and the first
/// place in a file that a location holds.
std::string nameOfLocation(mlir::Location loc);

} // namespace npu

#endif // NPU_SUPPORT_NAMING_H
