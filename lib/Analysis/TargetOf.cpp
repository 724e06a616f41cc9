// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a target from #dlti.target_device_spec.

#include "npu/Analysis/TargetOf.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Diagnostics.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

constexpr llvm::StringLiteral deviceId = "NPU";
constexpr llvm::StringLiteral prefix = "npu.";
constexpr llvm::StringLiteral nameKey = "npu.name";

const TargetField *findField(StringRef key) {
  if (key.consume_front(prefix))
    for (const TargetField &field : targetFields())
      if (key == StringRef(field.name))
        return &field;
  return nullptr;
}

std::string keys() {
  std::string text = nameKey.str();
  for (const TargetField &field : targetFields())
    text += fmt::format(", {}{}", prefix.str(), field.name);
  return text + ", or a figure of costs";
}

/// The figure of costs that an entry is, or null.
const CostField *findCost(StringRef key) {
  return key.consume_front(prefix) ? findCostField({key.data(), key.size()})
                                   : nullptr;
}

/// Reads the entries of a device spec by their names. An unknown entry is an
/// error.
class DeviceReader {
public:
  explicit DeviceReader(Operation *owner) : owner(owner) {}

  FailureOr<Target> read(TargetDeviceSpecInterface device) {
    for (DataLayoutEntryInterface entry : device.getEntries())
      if (failed(readEntry(entry)))
        return failure();
    if (!name)
      return error() << "expected an entry \"" << nameKey << "\", got none";
    Target target;
    const Target *base = findBuiltinTarget(name.getValue());
    if (base)
      target = *base;
    target.name = name.getValue().str();
    for (auto [field, value] : figures) {
      if (Check wrong = checkFigure(*field, value))
        return error() << "target '" << target.name << "': " << wrong->message;
      target.*field->value = value;
    }
    for (auto [field, value] : costs) {
      if (Check wrong = checkCostFigure(*field, value))
        return error() << "target '" << target.name << "': " << wrong->message;
      field->of(target.costs) = value;
    }
    if (!base && failed(checkComplete(target)))
      return failure();
    if (Check wrong = checkTarget(target))
      return error() << "target '" << target.name << "': " << wrong->message;
    return target;
  }

private:
  InFlightDiagnostic error() {
    return mlir::emitError(owner->getLoc()) << "target description: ";
  }

  LogicalResult readEntry(DataLayoutEntryInterface entry) {
    auto key = llvm::dyn_cast_if_present<StringAttr>(entry.getKey());
    if (!key)
      return error() << "expected a name as key, got " << entry;
    if (key == nameKey) {
      name = dyn_cast<StringAttr>(entry.getValue());
      return name ? success()
                  : error() << "expected a string as \"" << nameKey
                            << "\", got " << entry.getValue();
    }
    const TargetField *field = findField(key);
    const CostField *cost = findCost(key);
    if (!field && !cost)
      return error() << "unknown entry \"" << key.getValue()
                     << "\", expected one of " << keys();
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || value.getType().isInteger(1))
      return error() << "expected an integer as " << key << ", got "
                     << entry.getValue();
    bool isUnsigned = value.getType().isUnsignedInteger();
    const APInt &bits = value.getValue();
    if (isUnsigned ? bits.getActiveBits() > 63 : bits.getSignificantBits() > 64)
      return error() << "expected " << key << " to fit 63 bits, got "
                     << entry.getValue();
    int64_t figure = isUnsigned ? bits.getZExtValue() : bits.getSExtValue();
    if (field)
      figures.emplace_back(field, figure);
    else
      costs.emplace_back(cost, figure);
    return success();
  }

  bool has(StringRef name) const {
    return llvm::any_of(figures, [&](const auto &figure) {
      return StringRef(figure.first->name) == name;
    });
  }

  /// Fails where a figure is absent that something is decided by, and that a
  /// target has no default for; either number of tiles follows from the other.
  LogicalResult checkComplete(Target &target) {
    if (!has("max_tiles"))
      target.maxTiles = target.tiles;
    if (!has("tiles"))
      target.tiles = target.maxTiles;
    std::string missing;
    for (const TargetField &field : targetFields())
      if (field.isNeeded && target.*field.value == 0)
        missing += fmt::format("{}{}{}", missing.empty() ? "" : ", ",
                               prefix.str(), field.name);
    if (missing.empty())
      return success();
    return error() << "expected figures of target '" << target.name
                   << "', which is not built in (" << builtinTargetNames()
                   << "), got none for " << missing;
  }

  Operation *owner;
  StringAttr name;
  llvm::SmallVector<std::pair<const TargetField *, int64_t>> figures;
  llvm::SmallVector<std::pair<const CostField *, int64_t>> costs;
};

} // namespace

FailureOr<std::optional<Target>> describedTarget(Operation *op) {
  auto key = DLTIDialect::kTargetSystemDescAttrName;
  while (op && !op->hasAttr(key))
    op = op->getParentOp();
  if (!op)
    return std::optional<Target>();
  auto system = op->getAttrOfType<TargetSystemSpecInterface>(key);
  if (!system)
    return op->emitError() << "expected #dlti.target_system_spec as '" << key
                           << "'";
  for (DataLayoutEntryInterface entry : system.getEntries()) {
    auto id = llvm::dyn_cast_if_present<StringAttr>(entry.getKey());
    auto device = dyn_cast<TargetDeviceSpecInterface>(entry.getValue());
    if (!id || !device)
      continue;
    if (id == deviceId) {
      FailureOr<Target> target = DeviceReader(op).read(device);
      if (failed(target))
        return failure();
      Target &limits = *target;
      return std::optional<Target>(std::move(limits));
    }
    for (DataLayoutEntryInterface figure : device.getEntries())
      if (auto name = llvm::dyn_cast_if_present<StringAttr>(figure.getKey());
          name && name.getValue().starts_with(prefix))
        return mlir::emitError(op->getLoc())
               << "target description: expected " << name << " in the device \""
               << deviceId << "\", got device " << id;
  }
  return std::optional<Target>();
}

FailureOr<std::optional<Target>> targetOf(Operation *op, StringRef option) {
  if (const Target *builtin = findBuiltinTarget(option.str()))
    return std::optional<Target>(*builtin);
  FailureOr<std::optional<Target>> described = describedTarget(op);
  if (failed(described) || option.empty() ||
      (*described && (*described)->name == option))
    return described;
  std::string names = builtinTargetNames();
  if (*described)
    names += " or the module's own " + (*described)->name;
  return mlir::emitError(op->getLoc())
         << "unknown target '" << option << "', expected " << names;
}

} // namespace npu
