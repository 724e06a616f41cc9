// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a target from #dlti.target_device_spec.

#include "npu/Analysis/TargetOf.h"

#include "npu/Support/InputFiles.h"
#include "npu/Support/ParserLimits.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

constexpr llvm::StringLiteral deviceId = "NPU";
constexpr llvm::StringLiteral prefix = "npu.";

constexpr llvm::StringLiteral nameKey = "npu.name";
constexpr llvm::StringLiteral likeKey = "npu.like";
constexpr llvm::StringLiteral kernelsKey = "npu.kernels";
constexpr llvm::StringLiteral kindsKey = "npu.storage_kinds";
constexpr llvm::StringLiteral imageKey = "npu.image_extent";

/// The device whose costs are assumed where nobody says whose they are.
constexpr llvm::StringLiteral assumed = "npu4000";

std::string entryOf(StringRef figure) { return (prefix + figure).str(); }

const TargetField *findField(StringRef key) {
  if (key.consume_front(prefix))
    for (const TargetField &field : targetFields())
      if (key == StringRef(field.name))
        return &field;
  return nullptr;
}

std::string keys() {
  std::string text =
      fmt::format("{}, {}, {}, {}, {}", nameKey.str(), likeKey.str(),
                  kernelsKey.str(), kindsKey.str(), imageKey.str());
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

  FailureOr<TargetDescription> read(TargetDeviceSpecInterface device) {
    for (DataLayoutEntryInterface entry : device.getEntries())
      if (failed(readEntry(entry)))
        return failure();
    if (!name)
      return error() << "expected an entry \"" << nameKey << "\", got none";
    TargetDescription description;
    description.owner = owner;
    FailureOr<const Target *> base = findBase(description);
    if (failed(base))
      return failure();
    Target &target = description.target;
    if (*base)
      target = **base;
    target.name = name.getValue().str();
    for (auto [field, value] : figures) {
      if (Result<> wrong = checkFigure(*field, value); !wrong)
        return error() << "target '" << target.name
                       << "': " << wrong.error().message;
      target.*field->value = value;
    }
    for (auto [field, value] : costs) {
      if (Result<> wrong = checkCostFigure(*field, value); !wrong)
        return error() << "target '" << target.name
                       << "': " << wrong.error().message;
      field->of(target.costs) = value;
    }
    bool isLike = description.why == TargetDescription::Base::Like;
    if (!*base || isLike)
      countTiles(target);
    if (!*base && failed(checkComplete(description)))
      return failure();
    if (Result<> wrong = checkTarget(target); !wrong)
      return error() << "target '" << target.name
                     << "': " << wrong.error().message;
    description.kernels = kernels;
    description.storage = storage;
    description.storage.device = target.name;
    listSources(description);
    return description;
  }

private:
  InFlightDiagnostic error() {
    return mlir::emitError(owner->getLoc()) << "target description: ";
  }

  LogicalResult readEntry(DataLayoutEntryInterface entry) {
    auto key = llvm::dyn_cast_if_present<StringAttr>(entry.getKey());
    if (!key)
      return error() << "expected a name as key, got " << entry;
    if (key == nameKey || key == likeKey) {
      StringAttr &text = key == nameKey ? name : like;
      text = dyn_cast<StringAttr>(entry.getValue());
      return text ? success()
                  : error() << "expected a string as " << key << ", got "
                            << entry.getValue();
    }
    if (key == kernelsKey) {
      kernels = dyn_cast<KernelsAttr>(entry.getValue());
      return kernels ? success()
                     : error() << "expected a #npu.kernels as " << key
                               << ", got " << entry.getValue();
    }
    if (key == kindsKey)
      return readKinds(entry);
    const TargetField *field = findField(key);
    const CostField *cost = findCost(key);
    if (!field && !cost && key != imageKey)
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
    if (key == imageKey) {
      if (figure < 1)
        return error() << "expected " << key << " to be at least 1, got "
                       << figure;
      storage.imageExtent = figure;
      return success();
    }
    if (field)
      figures.emplace_back(field, figure);
    else
      costs.emplace_back(cost, figure);
    return success();
  }

  /// Reads the storage kinds of the device, the preferred one first.
  LogicalResult readKinds(DataLayoutEntryInterface entry) {
    storage.kinds.clear();
    auto list = dyn_cast<ArrayAttr>(entry.getValue());
    for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>()) {
      auto word = dyn_cast<StringAttr>(each);
      auto kind = word ? parseStorage(word.getValue()) : std::nullopt;
      if (kind && !storage.has(*kind)) {
        storage.kinds.push_back(*kind);
        continue;
      }
      storage.kinds.clear();
      break;
    }
    if (storage.has(Storage::Linear))
      return success();
    return error() << "expected a list of storage kinds as " << kindsKey
                   << ", \"linear\" and perhaps \"tiled2d\", each once, the "
                      "preferred one first, got "
                   << entry.getValue();
  }

  bool has(StringRef name) const {
    return llvm::any_of(figures,
                        [&](const auto &figure) {
                          return StringRef(figure.first->name) == name;
                        }) ||
           llvm::any_of(costs, [&](const auto &figure) {
             return StringRef(figure.first->name) == name;
           });
  }

  /// The built-in device that the description begins with, or null.
  FailureOr<const Target *> findBase(TargetDescription &description) {
    using Base = TargetDescription::Base;
    const Target *own = findBuiltinTarget(name.getValue());
    if (own && like)
      return error() << "expected no \"" << likeKey << "\" beside the name '"
                     << own->name << "', which has figures of its own";
    const Target *base = like ? findBuiltinTarget(like.getValue()) : own;
    if (like && !base)
      return error() << "unknown target '" << like.getValue() << "' as \""
                     << likeKey << "\", expected " << builtinTargetNames();
    if (base) {
      description.base = base->name;
      description.why = own ? Base::OwnName : Base::Like;
    }
    return base;
  }

  /// Either number of tiles follows from the other.
  void countTiles(Target &target) const {
    if (has("tiles") && !has("max_tiles"))
      target.maxTiles = target.tiles;
    if (has("max_tiles") && !has("tiles"))
      target.tiles = target.maxTiles;
  }

  /// Fails where a figure is absent that something is decided by. Figures of
  /// costs that are absent are assumed to be those of npu4000.
  LogicalResult checkComplete(TargetDescription &description) {
    const Target &target = description.target;
    SmallVector<std::string> missing;
    for (const TargetField &field : targetFields())
      if (field.isNeeded && target.*field.value == 0)
        missing.push_back(entryOf(field.name));
    if (!missing.empty())
      return error() << "expected figures of target '" << target.name
                     << "', which is not built in (" << builtinTargetNames()
                     << "), got none for " << llvm::join(missing, ", ")
                     << "; \"" << likeKey << "\" = \"" << assumed
                     << "\" takes what is not given from there";
    if (!has("dma_ports"))
      missing.push_back(entryOf("dma_ports"));
    for (const CostField &field : costFields())
      if (!has(field.name))
        missing.push_back(entryOf(field.name));
    if (!missing.empty()) {
      description.base = assumed.str();
      description.why = TargetDescription::Base::Assumed;
    }
    return success();
  }

  /// Notes where each figure comes from.
  void listSources(TargetDescription &description) const {
    using Base = TargetDescription::Base;
    bool hasTiles = has("tiles") || has("max_tiles");
    bool isLike =
        description.why == Base::OwnName || description.why == Base::Like;
    auto add = [&](StringRef field, bool isKnown) {
      bool isTiles = field == "tiles" || field == "max_tiles";
      auto &list = has(field) ? description.given
                   : isTiles && hasTiles &&
                           description.why != TargetDescription::Base::OwnName
                       ? description.following
                   : isKnown ? description.taken
                             : description.unknown;
      list.push_back(entryOf(field));
    };
    for (const TargetField &field : targetFields())
      // A device that says nothing of memory orders wants none, and one that
      // says nothing of machines is one.
      if ((field.least > 0 && !field.isOfMachines) || has(field.name) ||
          (isLike && !field.isOfMachines))
        add(field.name,
            description.target.*field.value != 0 || field.least == 0);
    for (const CostField &field : costFields())
      add(field.name, /*isKnown=*/true);
  }

  Operation *owner;
  StringAttr name, like;
  KernelsAttr kernels;
  StorageRules storage;
  llvm::SmallVector<std::pair<const TargetField *, int64_t>> figures;
  llvm::SmallVector<std::pair<const CostField *, int64_t>> costs;
};

} // namespace

FailureOr<std::optional<TargetDescription>> targetDescription(Operation *op) {
  auto key = DLTIDialect::kTargetSystemDescAttrName;
  while (op && !op->hasAttr(key))
    op = op->getParentOp();
  if (!op)
    return std::optional<TargetDescription>();
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
      FailureOr<TargetDescription> read = DeviceReader(op).read(device);
      if (failed(read))
        return failure();
      return std::optional<TargetDescription>(std::move(*read));
    }
    for (DataLayoutEntryInterface figure : device.getEntries())
      if (auto name = llvm::dyn_cast_if_present<StringAttr>(figure.getKey());
          name && name.getValue().starts_with(prefix))
        return mlir::emitError(op->getLoc())
               << "target description: expected " << name << " in the device \""
               << deviceId << "\", got device " << id;
  }
  return std::optional<TargetDescription>();
}

/// "npu.dma_ports, npu.clock_hz and 57 figures of costs": where there are many
/// of costs, they are counted.
static std::string listOf(ArrayRef<std::string> names) {
  constexpr size_t most = 8;
  SmallVector<StringRef> listed(names.begin(), names.end());
  size_t all = listed.size();
  if (all > most)
    llvm::erase_if(listed, [](StringRef name) { return findCost(name); });
  std::string text = llvm::join(listed, ", ");
  if (size_t counted = all - listed.size())
    text += fmt::format("{}{} of {} figures of costs",
                        listed.empty() ? "" : " and ", counted,
                        costFields().size());
  return text;
}

std::string accountOf(const TargetDescription &description, StringRef indent) {
  using Base = TargetDescription::Base;
  const char *why = description.why == Base::OwnName ? "its name"
                    : description.why == Base::Like
                        ? "npu.like"
                        : "assumed, because nobody says whose they are";
  std::string text;
  auto add = [&](const std::string &what, ArrayRef<std::string> names) {
    if (!names.empty())
      text += fmt::format("{}{}: {}\n", indent.str(), what, listOf(names));
  };
  add("given", description.given);
  add("follow from the other number of tiles", description.following);
  add(fmt::format("of {} ({})", description.base, why), description.taken);
  add("not known", description.unknown);
  return text;
}

FailureOr<std::optional<Target>> describedTarget(Operation *op) {
  auto description = targetDescription(op);
  if (failed(description))
    return failure();
  if (!*description)
    return std::optional<Target>();
  return std::optional<Target>((*description)->target);
}

FailureOr<Machines> machinesOf(Operation *op) {
  auto key = DLTIDialect::kTargetSystemDescAttrName;
  while (op && !op->hasAttr(key))
    op = op->getParentOp();
  auto system =
      op ? op->getAttrOfType<TargetSystemSpecInterface>(key) : nullptr;
  if (!system)
    return Machines();
  auto isOfMachines = [](DataLayoutEntryInterface figure) {
    auto name = llvm::dyn_cast_if_present<StringAttr>(figure.getKey());
    const TargetField *field = name ? findField(name) : nullptr;
    return field && field->isOfMachines;
  };
  for (DataLayoutEntryInterface entry : system.getEntries())
    if (auto device = dyn_cast<TargetDeviceSpecInterface>(entry.getValue());
        device && llvm::any_of(device.getEntries(), isOfMachines)) {
      FailureOr<std::optional<Target>> target = describedTarget(op);
      if (failed(target))
        return failure();
      return *target ? (*target)->machines() : Machines();
    }
  return Machines();
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

FailureOr<std::optional<Target>> targetWithCosts(Operation *op,
                                                 StringRef option) {
  FailureOr<std::optional<Target>> target = targetOf(op, option);
  if (failed(target) || !*target || findBuiltinTarget(option.str()))
    return target;
  auto description = targetDescription(op);
  if (failed(description))
    return failure();
  if (*description && (*description)->why == TargetDescription::Base::Assumed) {
    // What is not known of that device either is not taken from there.
    SmallVector<std::string> known;
    for (const TargetField &field : targetFields())
      if (findBuiltinTarget(assumed.str())->*field.value != 0 &&
          llvm::is_contained((*description)->unknown, entryOf(field.name)))
        known.push_back(entryOf(field.name));
    InFlightDiagnostic warning =
        mlir::emitWarning((*description)->owner->getLoc())
        << "target '" << (*target)->name << "' gives no "
        << listOf((*description)->taken) << ", so that those of " << assumed
        << " count";
    warning.attachNote() << "\"" << likeKey << "\" = \"" << assumed
                         << "\" in the description says so, and takes "
                         << (known.empty() ? std::string("nothing else")
                                           : llvm::join(known, ", ") +
                                                 ", which are not known now,")
                         << " from there";
  }
  return target;
}

namespace {

/// The description of a device, and of what else the module describes.
struct SystemSpec {
  NamedAttrList figures;
  SmallVector<DataLayoutEntryInterface> others;

  explicit SystemSpec(ModuleOp module) {
    auto system = module->getAttrOfType<TargetSystemSpecInterface>(
        DLTIDialect::kTargetSystemDescAttrName);
    if (!system)
      return;
    for (DataLayoutEntryInterface entry : system.getEntries()) {
      auto id = llvm::dyn_cast_if_present<StringAttr>(entry.getKey());
      auto device = dyn_cast<TargetDeviceSpecInterface>(entry.getValue());
      if (id != deviceId || !device) {
        others.push_back(entry);
        continue;
      }
      for (DataLayoutEntryInterface figure : device.getEntries())
        if (auto key = llvm::dyn_cast_if_present<StringAttr>(figure.getKey()))
          figures.set(key, figure.getValue());
    }
  }

  /// Writes the device under this name, which comes first.
  void write(ModuleOp module, StringRef name) {
    Builder builder(module.getContext());
    figures.erase(nameKey);
    SmallVector<DataLayoutEntryInterface> entries{DataLayoutEntryAttr::get(
        builder.getStringAttr(nameKey), builder.getStringAttr(name))};
    for (NamedAttribute figure : figures)
      entries.push_back(
          DataLayoutEntryAttr::get(figure.getName(), figure.getValue()));
    others.push_back(DataLayoutEntryAttr::get(
        builder.getStringAttr(deviceId),
        TargetDeviceSpecAttr::get(module.getContext(), entries)));
    module->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                    TargetSystemSpecAttr::get(module.getContext(), others));
  }
};

} // namespace

void describeTarget(ModuleOp module, StringRef name, KernelsAttr kernels) {
  SystemSpec spec(module);
  auto described = dyn_cast_or_null<StringAttr>(spec.figures.get(nameKey));
  if (!described || described != name)
    spec.figures = {};
  if (kernels)
    spec.figures.set(kernelsKey, kernels);
  spec.write(module, name);
}

void describeTarget(ModuleOp module, const TargetFile &file) {
  const Target &target = file.target;
  SystemSpec spec(module);
  spec.figures = {};
  Builder builder(module.getContext());
  const Target *base = findBuiltinTarget(target.name);
  if (!base && !file.like.empty()) {
    base = findBuiltinTarget(file.like);
    spec.figures.set(likeKey, builder.getStringAttr(file.like));
  }
  auto add = [&](std::string_view name, int64_t value) {
    spec.figures.set(entryOf({name.data(), name.size()}),
                     builder.getI64IntegerAttr(value));
  };
  // One number of tiles alone would be the other as well.
  bool hasOtherTiles = base && (base->tiles != target.tiles ||
                                base->maxTiles != target.maxTiles);
  for (const TargetField &field : targetFields()) {
    int64_t value = target.*field.value;
    bool isOfTiles =
        field.value == &Target::tiles || field.value == &Target::maxTiles;
    bool isKnown = value != 0 || field.least == 0;
    if (isKnown &&
        (!base || value != base->*field.value || (isOfTiles && hasOtherTiles)))
      add(field.name, value);
  }
  for (const CostField &field : costFields())
    if (!base || field.of(target.costs) != field.of(base->costs))
      add(field.name, field.of(target.costs));
  spec.write(module, target.name);
}

FailureOr<TargetFile> readTargetFile(MLIRContext *context, StringRef file) {
  noteInput("the target", file.str());
  Location loc = FileLineColLoc::get(context, file, 0, 0);
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return mlir::emitError(loc)
           << "cannot read the target: " << buffer.getError().message();
  // The parser of JSON calls itself for each level.
  if (failed(checkText(**buffer, context)))
    return failure();
  Result<TargetFile> target = readTargetJson((*buffer)->getBuffer());
  if (!target)
    return mlir::emitError(loc) << target.error().message;
  return std::move(*target);
}

LogicalResult verifyTargetOption(
    bool isGiven, StringRef target,
    llvm::function_ref<LogicalResult(const llvm::Twine &)> fail) {
  if (!isGiven || !target.empty())
    return success();
  return fail("expected the name of a target as target=, got none; there are " +
              builtinTargetNames() + " and the module's own");
}

} // namespace npu
