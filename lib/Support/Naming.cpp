// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Support/Naming.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

std::string nameOf(Value value) {
  Operation *owner = value.getDefiningOp();
  if (!owner)
    owner = value.getParentRegion() ? value.getParentRegion()->getParentOp()
                                    : nullptr;
  if (!owner)
    return "<value>";
  // Number values as a dump of the whole function does.
  while (owner->getParentOp() && !isa<FunctionOpInterface>(owner))
    owner = owner->getParentOp();
  return ValueNames(owner).of(value);
}

std::string ValueNames::of(Value value) {
  std::string name;
  llvm::raw_string_ostream os(name);
  value.printAsOperand(os, state);
  return name;
}

std::string nameOfTile(std::size_t tile) {
  return fmt::format("tile {}", tile);
}

std::string nameOfHeld(const Box &box) {
  return box.isEmpty() ? "nothing" : toString(box);
}

std::string nameOfBytes(int64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string nameOfLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getEncoding())
    return "no distribution";
  std::string name;
  llvm::raw_string_ostream os(name);
  // A free-standing attribute prints in full, not by its alias.
  tensor.getEncoding().print(os);
  return name;
}

std::string nameOfLocation(Location loc) {
  std::string names, place;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      names += (names.empty() ? "" : ", ") + name.getName().str();
    else if (auto file = dyn_cast<FileLineColLoc>(part); file && place.empty())
      place = fmt::format("{}:{}:{}", file.getFilename().str(), file.getLine(),
                          file.getColumn());
    return WalkResult::advance();
  });
  if (names.empty())
    return place.empty() ? "unknown" : place;
  return place.empty() ? names : names + " at " + place;
}

StringRef nameOfFunction(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

} // namespace npu
