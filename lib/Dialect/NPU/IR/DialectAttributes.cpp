// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the dialect's attributes on operations of other dialects and on
// arguments and results of functions, so that passes may rely on their form.
// NPUDialect.td declares the attributes and says what they are for.

#include "npu/Dialect/NPU/IR/CacheArguments.h"
#include "npu/Dialect/NPU/IR/Precision.h"
#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Placement/Distributions/Storage.h"
#include "npu/Placement/Result.h"
#include "npu/Target/DeviceChoice.h"

#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace npu {
namespace {

/// The name of the device that a module describes, or nothing. Whether the
/// description is a valid target, those say who read its figures.
StringRef describedName(Operation *module) {
  for (NamedAttribute attr : module->getDiscardableAttrs()) {
    auto system = dyn_cast<TargetSystemSpecInterface>(attr.getValue());
    if (!system)
      continue;
    for (DataLayoutEntryInterface entry : system.getEntries())
      if (auto device = dyn_cast<TargetDeviceSpecInterface>(entry.getValue()))
        for (DataLayoutEntryInterface figure : device.getEntries())
          if (auto key = llvm::dyn_cast_if_present<StringAttr>(figure.getKey());
              key && key == "npu.name")
            if (auto name = dyn_cast<StringAttr>(figure.getValue()))
              return name.getValue();
  }
  return "";
}

/// Nothing wrong with a device string in a module, or why it means nothing
/// there: the name of the device that the module describes may stand in it, and
/// no other target's beside it.
Result<> checkDeviceOf(Operation *module, StringRef text) {
  DeviceSources sources;
  sources.file = text.str();
  Result<DeviceChoice> choice =
      resolveDevice(sources, {describedName(module).str(), ""});
  if (!choice)
    return choice.error();
  return Success();
}

/// The place of an attribute: an operation, or an argument or a result of a
/// function.
struct Place {
  enum class Kind { Operation, Argument, Result };

  Operation *op;
  Kind kind;
  unsigned number = 0;

  /// The type of the argument or result.
  Type type() const {
    auto function = cast<FunctionOpInterface>(op);
    return kind == Kind::Argument ? function.getArgumentTypes()[number]
                                  : function.getResultTypes()[number];
  }

  InFlightDiagnostic error() const {
    InFlightDiagnostic error = op->emitOpError();
    if (kind != Kind::Operation)
      error << (kind == Kind::Argument ? "argument #" : "result #") << number
            << ": ";
    return error;
  }
};

using Verify = LogicalResult (*)(const Place &, NamedAttribute);

LogicalResult refuse(const Place &place, NamedAttribute attr,
                     const Twine &expected) {
  return place.error() << "expected '" << attr.getName().getValue()
                       << "' to be " << expected << ", got " << attr.getValue();
}

/// Verifies a number from which passes derive memory spaces, counts or indices.
template <int64_t First, int64_t Last>
LogicalResult verifyNumber(const Place &place, NamedAttribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (number && number.getType().isSignlessInteger(64) &&
      number.getInt() >= First && number.getInt() <= Last)
    return success();
  return refuse(place, attr,
                Last == std::numeric_limits<int64_t>::max()
                    ? "an i64, at least " + Twine(First)
                    : "an i64 from " + Twine(First) + " to " + Twine(Last));
}

constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

LogicalResult standsOn(const Place &place, NamedAttribute attr, bool fits,
                       const Twine &expected) {
  if (fits)
    return success();
  return place.error() << "expected '" << attr.getName().getValue() << "' on "
                       << expected;
}

/// Verifies a mark of an argument that is a number.
LogicalResult verifyMark(const Place &place, NamedAttribute attr) {
  if (!isa<UnitAttr>(attr.getValue()))
    return refuse(place, attr, "a unit attribute");
  if (place.type().isIntOrIndex())
    return success();
  return place.error() << "expected " << attr.getName().getValue()
                       << " on an index or integer, got " << place.type();
}

LogicalResult verifyIndices(const Place &place, NamedAttribute attr) {
  return isa<DenseI64ArrayAttr>(attr.getValue())
             ? success()
             : refuse(place, attr, "an array<i64>");
}

/// On buffers the operation has no result, and the attribute has no meaning.
LogicalResult verifyBegin(const Place &place, NamedAttribute attr) {
  unsigned results = place.op->getNumResults();
  if (failed(standsOn(place, attr, results <= 1,
                      "an operation with one result")) ||
      failed(verifyIndices(place, attr)))
    return failure();
  auto type =
      results == 0
          ? RankedTensorType()
          : dyn_cast<RankedTensorType>(place.op->getResult(0).getType());
  auto begin = cast<DenseI64ArrayAttr>(attr.getValue());
  if (!type || begin.size() == type.getRank())
    return success();
  return refuse(place, attr,
                "one number for each of the " + Twine(type.getRank()) +
                    " dimensions of its result");
}

LogicalResult verifyOrder(const Place &place, NamedAttribute attr) {
  if (failed(verifyBegin(place, attr)))
    return failure();
  ArrayRef<int64_t> order = cast<DenseI64ArrayAttr>(attr.getValue());
  if (isPermutation({order.data(), order.size()}))
    return success();
  return refuse(place, attr, "a permutation");
}

LogicalResult verifyOffset(const Place &place, NamedAttribute attr) {
  bool fits = isa<OffsetSizeAndStrideOpInterface, PermuteCastOp>(place.op);
  return success(
      succeeded(standsOn(place, attr, fits,
                         "a slice of a tensor, an insertion into one or a "
                         "permute_cast")) &&
      succeeded(verifyIndices(place, attr)));
}

LogicalResult verifyExtents(const Place &place, NamedAttribute attr) {
  if (failed(standsOn(place, attr, !isa<FunctionOpInterface>(place.op),
                      "an operation in a function")) ||
      failed(verifyIndices(place, attr)))
    return failure();
  ArrayRef<int64_t> extents = cast<DenseI64ArrayAttr>(attr.getValue());
  if (llvm::all_of(extents, [](int64_t extent) { return extent >= 0; }))
    return success();
  return refuse(place, attr, "numbers of at least 0");
}

bool isDimensionOf(Type type, int64_t dim) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && dim >= 0 && dim < shaped.getRank();
}

bool isDimensionOf(Type type, Attribute attr) {
  auto dim = dyn_cast<IntegerAttr>(attr);
  return dim && dim.getValue().isSignedIntN(64) &&
         isDimensionOf(type, dim.getValue().getSExtValue());
}

LogicalResult verifyDimension(const Place &place, NamedAttribute attr) {
  if (isDimensionOf(place.type(), attr.getValue()))
    return success();
  return place.error() << "expected " << attr.getName().getValue()
                       << " to be a dimension of " << place.type() << ", got "
                       << attr.getValue();
}

/// Verifies that a cache and the result that continues it belong together, and
/// that no other cache has that result. On buffers results are arguments.
LogicalResult verifyCache(const Place &place, NamedAttribute attr) {
  if (isa<BaseMemRefType>(place.type()))
    return success();
  auto function = cast<FunctionOpInterface>(place.op);
  Result<CacheArgument> cache = cacheArgument(function, place.number);
  if (!cache)
    return place.error() << cache.error().message;
  for (unsigned i = 0; i < place.number; ++i) {
    if (!function.getArgAttr(i, attr.getName()))
      continue;
    if (auto other = cacheArgument(function, i);
        other && other->result == cache->result)
      return place.error() << "expected another result than #" << cache->result
                           << ", which continues argument #" << i;
  }
  return success();
}

LogicalResult verifyDimensions(const Place &place, NamedAttribute attr) {
  Type type = place.type();
  bool fine = isDimensionOf(type, attr.getValue());
  if (auto array = dyn_cast<ArrayAttr>(attr.getValue()))
    fine = llvm::all_of(
        array, [&](Attribute each) { return isDimensionOf(type, each); });
  else if (auto array = dyn_cast<DenseI64ArrayAttr>(attr.getValue()))
    fine = llvm::all_of(array.asArrayRef(), [&](int64_t each) {
      return isDimensionOf(type, each);
    });
  if (fine)
    return success();
  return place.error() << "expected " << attr.getName().getValue()
                       << " to be a dimension of " << type
                       << " or an array of them, got " << attr.getValue();
}

LogicalResult verifyTiles(const Place &place, NamedAttribute attr) {
  return success(
      succeeded(standsOn(place, attr, isa<FunctionOpInterface>(place.op),
                         "a function")) &&
      succeeded(verifyNumber<1, kMaxTiles>(place, attr)));
}

LogicalResult verifyPhase(const Place &place, NamedAttribute attr) {
  return success(
      succeeded(standsOn(place, attr,
                         place.op->getName().getStringRef() == "async.execute",
                         "an async.execute")) &&
      succeeded(verifyNumber<0, unlimited>(place, attr)));
}

bool isEntryOfSplitReduction(NamedAttribute entry) {
  StringRef name = entry.getName();
  if (name == "op")
    return isa<StringAttr>(entry.getValue());
  if (name == "loops" || name == "ranges") {
    auto numbers = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    return numbers && llvm::all_of(numbers.asArrayRef(),
                                   [](int64_t each) { return each >= 0; });
  }
  auto number = dyn_cast<IntegerAttr>(entry.getValue());
  return llvm::is_contained({"number", "parts", "terms"}, name) && number &&
         number.getType().isSignlessInteger(64) &&
         number.getInt() >= (name == "parts" ? 1 : 0);
}

/// Whether `ranges` has a begin and an end for each cut loop of each part.
bool hasRangesOfParts(DictionaryAttr note) {
  auto loops = note.getAs<DenseI64ArrayAttr>("loops"),
       ranges = note.getAs<DenseI64ArrayAttr>("ranges");
  if (!ranges)
    return true;
  if (!loops)
    return false;
  int64_t parts = note.getAs<IntegerAttr>("parts").getInt();
  return ranges.size() % 2 == 0 && !loops.empty() &&
         ranges.size() / 2 % loops.size() == 0 &&
         ranges.size() / 2 / loops.size() == parts;
}

LogicalResult verifySplitReduction(const Place &place, NamedAttribute attr) {
  auto note = dyn_cast<DictionaryAttr>(attr.getValue());
  if (note && llvm::all_of(note, isEntryOfSplitReduction) &&
      llvm::all_of(ArrayRef<StringRef>{"op", "number", "parts", "terms"},
                   [&](StringRef name) { return note.contains(name); }) &&
      hasRangesOfParts(note))
    return success();
  return refuse(place, attr,
                "a dictionary of op (a string), number and terms (i64, at "
                "least 0), parts (i64, at least 1), and, where they are known, "
                "loops (array<i64>) and ranges (array<i64>: a begin and an end "
                "for each loop of each part)");
}

LogicalResult verifyTileOfOperation(const Place &place, NamedAttribute attr) {
  return success(succeeded(standsOn(
                     place, attr, !isa<FunctionOpInterface, ModuleOp>(place.op),
                     "an operation in a function")) &&
                 succeeded(verifyNumber<0, kMaxTiles - 1>(place, attr)));
}

LogicalResult verifyPaddingsOn(const Place &place, NamedAttribute attr) {
  if (failed(standsOn(place, attr, isa<FunctionOpInterface>(place.op),
                      "a function")))
    return failure();
  if (paddingsOf(place.op))
    return success();
  return refuse(place, attr,
                "an array of lists of [dimension, begin, end], such as "
                "[[[2, 336, 512]]]");
}

LogicalResult verifyPaddingOn(const Place &place, NamedAttribute attr) {
  if (place.kind == Place::Kind::Operation)
    return verifyPadding(place.op, attr.getValue());
  return verifyArgumentPadding(place.op, place.type(), attr.getValue());
}

/// Verifies a layout that an argument or a result is to get.
LogicalResult verifyLayout(const Place &place, NamedAttribute attr) {
  auto layout = dyn_cast<LayoutAttr>(attr.getValue());
  if (!layout)
    return refuse(place, attr, "a #npu.layout");
  // A tensor becomes a buffer under the attribute's feet.
  if (isa<BaseMemRefType>(place.type()))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(place.type());
  if (!tensor)
    return place.error() << "expected '" << attr.getName().getValue()
                         << "' on a ranked tensor, got " << place.type();
  return layout.verifyEncoding(tensor.getShape(), tensor.getElementType(),
                               [&] { return place.error(); });
}

/// Constraint 5 of a #npu.precision. On buffers the operation has no results.
LogicalResult verifyPrecision(const Place &place, NamedAttribute attr) {
  auto precision = dyn_cast<PrecisionAttr>(attr.getValue());
  if (!precision)
    return refuse(place, attr, "a #npu.precision");
  if (failed(standsOn(place, attr,
                      place.op->getName().getDialectNamespace() == "linalg",
                      "an operation of linalg")))
    return failure();
  Precision types = toPrecision(precision);
  for (Type result : place.op->getResultTypes()) {
    Type element = getElementTypeOrSelf(result);
    if (Result<> problem = checkResult(types, element); !problem)
      return place.error() << problem.error().message;
  }
  return success();
}

LogicalResult verifyName(const Place &place, NamedAttribute attr) {
  return isa<StringAttr>(attr.getValue()) ? success()
                                          : refuse(place, attr, "a string");
}

/// Verifies that there is a name, which may be empty, for each dimension.
LogicalResult verifyDimNames(const Place &place, NamedAttribute attr) {
  auto shaped = dyn_cast<ShapedType>(place.type());
  auto names = dyn_cast<ArrayAttr>(attr.getValue());
  if (shaped && shaped.hasRank() && names &&
      llvm::all_of(names, llvm::IsaPred<StringAttr>) &&
      static_cast<int64_t>(names.size()) == shaped.getRank())
    return success();
  return place.error() << "expected '" << attr.getName().getValue()
                       << "' to be an array of a string for each dimension of "
                       << place.type() << ", got " << attr.getValue();
}

/// Verifies that what is said to be unsigned integers are integers.
LogicalResult verifyUnsigned(const Place &place, NamedAttribute attr) {
  if (!isa<UnitAttr>(attr.getValue()))
    return refuse(place, attr, "a unit attribute");
  if (getElementTypeOrSelf(place.type()).isSignlessInteger())
    return success();
  return place.error() << "expected " << attr.getName().getValue()
                       << " on integers without a sign, got " << place.type();
}

/// Verifies a device string, with the name that the module gives its device.
LogicalResult verifyDevice(const Place &place, NamedAttribute attr) {
  if (failed(standsOn(place, attr, isa<ModuleOp>(place.op), "a module")))
    return failure();
  auto text = dyn_cast<StringAttr>(attr.getValue());
  if (!text)
    return refuse(place, attr, "a string");
  if (Result<> checked = checkDeviceOf(place.op, text.getValue()); !checked)
    return place.error() << checked.error().message;
  return success();
}

LogicalResult verifyHost(const Place &place, NamedAttribute attr) {
  if (failed(standsOn(place, attr,
                      !isa<FunctionOpInterface, ModuleOp>(place.op),
                      "an operation in a function")))
    return failure();
  return verifyName(place, attr);
}

/// Verifies a storage kind: an image is of a tensor of rank 4. On buffers an
/// operation has no results.
LogicalResult verifyStorage(const Place &place, NamedAttribute attr) {
  auto isOfRank4 = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 4;
  };
  bool isOnOperation = place.kind == Place::Kind::Operation;
  if (isOnOperation &&
      failed(standsOn(place, attr,
                      !isa<FunctionOpInterface, ModuleOp>(place.op),
                      "an operation in a function")))
    return failure();
  auto word = dyn_cast<StringAttr>(attr.getValue());
  std::optional<Storage> kind =
      word ? parseStorage(word.getValue()) : std::nullopt;
  if (!kind)
    return refuse(place, attr, "\"linear\" or \"tiled2d\"");
  bool hasImage = isOnOperation
                      ? llvm::any_of(place.op->getResultTypes(), isOfRank4)
                      : isOfRank4(place.type());
  bool isOnBuffers = isOnOperation && place.op->getNumResults() == 0;
  if (*kind == Storage::Linear || hasImage || isOnBuffers)
    return success();
  InFlightDiagnostic error = place.error()
                             << "expected '" << attr.getName().getValue()
                             << "' = \"tiled2d\" on a tensor of rank 4, got ";
  if (!isOnOperation)
    return error << place.type();
  llvm::interleaveComma(place.op->getResultTypes(), error);
  return error;
}

/// An attribute's name, where it may stand, and how it is verified there.
struct Row {
  StringRef name;
  Verify onOperation, onArgument, onResult;
};

constexpr auto verifyTile = verifyNumber<0, kMaxTiles - 1>;
constexpr auto verifyOf = verifyNumber<0, unlimited>;
constexpr auto verifyCount = verifyNumber<0, unlimited>;

template <typename Helper>
Row onOperation(Verify verify) {
  return {Helper::getNameStr(), verify, nullptr, nullptr};
}

template <typename Helper>
Row onArgument(Verify verify) {
  return {Helper::getNameStr(), nullptr, verify, nullptr};
}

/// Verifies the cycles of an operation: of each tile's part, or of one part.
LogicalResult verifyCycles(const Place &place, NamedAttribute attr) {
  if (failed(standsOn(place, attr,
                      !isa<FunctionOpInterface, ModuleOp>(place.op),
                      "an operation in a function")))
    return failure();
  auto ofTiles = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
  bool isPart = place.op->hasAttr(NPUDialect::TileAttrHelper::getNameStr());
  if (ofTiles && !ofTiles.empty() && (!isPart || ofTiles.size() == 1) &&
      llvm::all_of(ofTiles.asArrayRef(),
                   [](int64_t cycles) { return cycles >= 0; }))
    return success();
  return refuse(place, attr,
                "an array of i64, each at least 0, and one number on the part "
                "of one tile");
}

/// Verifies the slots of the buffers of a loop that is made of steps.
LogicalResult verifySlots(const Place &place, NamedAttribute attr) {
  if (failed(standsOn(place, attr,
                      place.op->getName().getStringRef() == "scf.for" &&
                          place.op->hasAttr("npu.steps"),
                      "a loop that is made of steps")))
    return failure();
  return verifyNumber<1, 8>(place, attr);
}

/// Verifies that there is a dictionary on an operation, which npu-run-in-steps
/// reads, or the mark of what it has made.
LogicalResult verifySteps(const Place &place, NamedAttribute attr) {
  StringRef name = place.op->getName().getStringRef();
  bool isMade = name == "scf.for" || name == "tensor.insert_slice" ||
                name == "tensor.extract_slice";
  if (failed(standsOn(place, attr,
                      isMade || name == "tensor.pad" ||
                          place.op->getName().getDialectNamespace() == "linalg",
                      "an operation of linalg, a pad, a loop, a slice or an "
                      "insertion")))
    return failure();
  if (isMade)
    return isa<UnitAttr>(attr.getValue())
               ? success()
               : refuse(place, attr, "a unit attribute");
  bool isMark = name == "tensor.pad" && isa<UnitAttr>(attr.getValue());
  return isMark || isa<DictionaryAttr>(attr.getValue())
             ? success()
             : refuse(place, attr, "a dictionary");
}

const Row rows[] = {
    onArgument<NPUDialect::ArenaAttrHelper>(verifyTile),
    onOperation<NPUDialect::BeginAttrHelper>(verifyBegin),
    onArgument<NPUDialect::CacheAttrHelper>(verifyCache),
    onArgument<NPUDialect::CacheDimAttrHelper>(verifyDimension),
    onArgument<NPUDialect::CacheOffsetAttrHelper>(verifyMark),
    onOperation<NPUDialect::DeviceAttrHelper>(verifyDevice),
    onArgument<NPUDialect::DimNamesAttrHelper>(verifyDimNames),
    onOperation<NPUDialect::ExtentsAttrHelper>(verifyExtents),
    onOperation<NPUDialect::HostAttrHelper>(verifyHost),
    {NPUDialect::LayoutAttrHelper::getNameStr(), nullptr, verifyLayout,
     verifyLayout},
    {"npu.load_cycles", verifyCycles, nullptr, nullptr},
    {NPUDialect::NameAttrHelper::getNameStr(), nullptr, verifyName, verifyName},
    {"npu.matrix_cycles", verifyCycles, nullptr, nullptr},
    onOperation<NPUDialect::OfAttrHelper>(verifyOf),
    onOperation<NPUDialect::OffsetAttrHelper>(verifyOffset),
    onOperation<NPUDialect::OrderAttrHelper>(verifyOrder),
    {NPUDialect::PaddingAttrHelper::getNameStr(), verifyPaddingOn,
     verifyPaddingOn, nullptr},
    onOperation<NPUDialect::PaddingsAttrHelper>(verifyPaddingsOn),
    onOperation<NPUDialect::PhaseAttrHelper>(verifyPhase),
    onOperation<NPUDialect::PrecisionAttrHelper>(verifyPrecision),
    onArgument<NPUDialect::PromptDimAttrHelper>(verifyDimensions),
    onArgument<NPUDialect::PromptLengthAttrHelper>(verifyMark),
    {NPUDialect::ResultAttrHelper::getNameStr(), nullptr, nullptr, verifyCount},
    onOperation<NPUDialect::SplitReductionAttrHelper>(verifySplitReduction),
    {"npu.slots", verifySlots, nullptr, nullptr},
    {"npu.steps", verifySteps, nullptr, nullptr},
    {NPUDialect::StorageAttrHelper::getNameStr(), verifyStorage, verifyStorage,
     nullptr},
    onOperation<NPUDialect::TileAttrHelper>(verifyTileOfOperation),
    onOperation<NPUDialect::TilesAttrHelper>(verifyTiles),
    {NPUDialect::UnsignedAttrHelper::getNameStr(), nullptr, verifyUnsigned,
     verifyUnsigned},
    {"npu.vector_cycles", verifyCycles, nullptr, nullptr},
};

Verify verifierOf(const Row &row, Place::Kind kind) {
  switch (kind) {
  case Place::Kind::Operation:
    return row.onOperation;
  case Place::Kind::Argument:
    return row.onArgument;
  case Place::Kind::Result:
    return row.onResult;
  }
  llvm_unreachable("every kind of place is handled");
}

LogicalResult verify(const Place &place, NamedAttribute attr) {
  static constexpr llvm::StringLiteral names[] = {"operations", "arguments",
                                                  "results"};
  StringRef where = names[static_cast<size_t>(place.kind)];
  SmallVector<StringRef> known;
  for (const Row &row : rows) {
    Verify verifier = verifierOf(row, place.kind);
    if (row.name == attr.getName() && verifier)
      return verifier(place, attr);
    if (verifier)
      known.push_back(row.name);
  }
  InFlightDiagnostic error = place.error()
                             << "expected one of the attributes that this "
                                "dialect has on "
                             << where << " (";
  llvm::interleaveComma(known, error);
  return error << "), got '" << attr.getName().getValue() << "'";
}

} // namespace

LogicalResult NPUDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attr) {
  return verify({op, Place::Kind::Operation}, attr);
}

LogicalResult NPUDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned number,
                                                   NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || number >= function.getNumArguments())
    return op->emitOpError() << "with '" << attr.getName().getValue()
                             << "' on an argument: expected a function";
  return verify({op, Place::Kind::Argument, number}, attr);
}

LogicalResult NPUDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                      unsigned number,
                                                      NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || number >= function.getNumResults())
    return op->emitOpError() << "with '" << attr.getName().getValue()
                             << "' on a result: expected a function";
  return verify({op, Place::Kind::Result, number}, attr);
}

} // namespace npu
