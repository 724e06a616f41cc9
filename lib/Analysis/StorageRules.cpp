// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Analysis/StorageRules.h"

#include "npu/Analysis/TargetOf.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Target/Count.h"

#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {

FailureOr<StorageRules> StorageRules::of(Operation *op, StringRef target) {
  FailureOr<std::optional<TargetDescription>> described = targetDescription(op);
  if (failed(described) || failed(targetOf(op, target)))
    return failure();
  bool isOwn =
      *described && (target.empty() || (*described)->target.name == target);
  StorageRules rules = isOwn ? (*described)->storage : StorageRules();
  if (isOwn)
    rules.device = (*described)->target.name;
  else if (!target.empty())
    rules.device = target.str();
  return rules;
}

std::string StorageRules::namesOfKinds() const {
  return llvm::join(
      llvm::map_range(kinds, [](Storage kind) { return toString(kind); }),
      ", ");
}

std::string StorageRules::whyNoImage(RankedTensorType type) const {
  if (type.getRank() != 4)
    return fmt::format("{} dimension{}, an image has 4", type.getRank(),
                       type.getRank() == 1 ? "" : "s");
  if (!type.hasStaticShape())
    return "a dynamic extent";
  return whyNoImage(toExtents(type.getShape()));
}

std::string StorageRules::whyNoImage(const Extents &sizes) const {
  Count rows = Count{sizes[0]} * Count{sizes[2]};
  Count places = dividedUp(Count{sizes[1]}, channelsPacked) * Count{sizes[3]};
  if (rows <= Count{imageExtent} && places <= Count{imageExtent})
    return "";
  bool isHigh = rows > Count{imageExtent};
  return fmt::format("{} {} of its image, and {} has at most {}",
                     (isHigh ? rows : places).value,
                     isHigh ? "rows" : "places in a row", device, imageExtent);
}

} // namespace npu
