// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser and the printer of a table of kernels. The numbers are those of
// the constraints in NPUAttributes.td; a violation is an error at its row.

#include "npu/Dialect/NPU/IR/KernelsAttr.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Placement/Distributions/Order.h"
#include "npu/Placement/Distributions/Storage.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace npu {
namespace {

/// What the value of an item is made of.
enum class Kind {
  Name,
  Types,
  Integers,
  Orders,
  Storages,
  Bounds,
  Number,
  Names
};

struct Item {
  StringLiteral name;
  Kind kind;
  StringLiteral expected;
};

constexpr Item items[] = {
    {kernelOp, Kind::Name, "the name of an operation or a structure"},
    {kernelInputs, Kind::Types, "a list of element types, as [f16, i8]"},
    {kernelIndices, Kind::Integers,
     "a list of types of integers, as [i32, i16]"},
    {kernelAccumulators, Kind::Types, "a list of element types, as [f32, i32]"},
    {kernelResults, Kind::Types, "a list of element types, as [f16, f32]"},
    {kernelOrders, Kind::Orders, "a list of memory orders, as [\"NHWC\"]"},
    {kernelStorage, Kind::Storages,
     "a list of storage kinds, as [\"linear\", \"tiled2d\"]"},
    {kernelRanks, Kind::Bounds,
     "the least and the most number of dimensions, as [1, 4]"},
    {kernelExtents, Kind::Number, "a number of at least 1"},
    {kernelAttributes, Kind::Names,
     "a list of names of attributes, as [\"batch_dims\"]"},
};

std::optional<int64_t> numberOf(Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  if (!number || !number.getValue().isSignedIntN(64))
    return std::nullopt;
  return number.getValue().getSExtValue();
}

bool isElement(Attribute each, Kind kind) {
  auto type = dyn_cast<TypeAttr>(each);
  auto text = dyn_cast<StringAttr>(each);
  switch (kind) {
  case Kind::Types:
    return type &&
           isa<FloatType, IntegerType, IndexType, ComplexType>(type.getValue());
  case Kind::Integers:
    return type && (type.getValue().isIndex() ||
                    (type.getValue().isSignlessInteger() &&
                     type.getValue().getIntOrFloatBitWidth() >= 1 &&
                     type.getValue().getIntOrFloatBitWidth() <= 64));
  case Kind::Orders:
    return text && parseOrderName(text.getValue().str());
  case Kind::Storages:
    return text && parseStorage(text.getValue());
  case Kind::Names:
    return text && !text.empty();
  default:
    return false;
  }
}

/// Whether `value` is of the kind that the item has (constraints 2 and 3).
bool fits(const Item &item, Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  switch (item.kind) {
  case Kind::Name:
    return isa<StringAttr>(value);
  case Kind::Number:
    return numberOf(value).value_or(0) >= 1;
  case Kind::Bounds: {
    if (!list || list.size() != 2)
      return false;
    auto least = numberOf(list[0]), most = numberOf(list[1]);
    return least && most && *least >= 0 && *least <= *most;
  }
  default:
    return list && !list.empty() && llvm::all_of(list, [&](Attribute each) {
             return isElement(each, item.kind) && llvm::count(list, each) == 1;
           });
  }
}

/// Whether every value that an item of `later` takes, the same item of
/// `earlier` takes as well; either is null where the item is not written.
bool takesAll(const Item &item, Attribute earlier, Attribute later,
              bool isStructure) {
  if (item.kind == Kind::Name)
    return earlier == later;
  // A named operation without the item has no attributes.
  if (item.kind == Kind::Names && !isStructure && !later)
    return true;
  if (!earlier)
    return item.kind != Kind::Names || isStructure;
  if (!later)
    return false;
  if (item.kind == Kind::Number)
    return *numberOf(later) <= *numberOf(earlier);
  auto first = cast<ArrayAttr>(earlier), second = cast<ArrayAttr>(later);
  if (item.kind == Kind::Bounds)
    return *numberOf(first[0]) <= *numberOf(second[0]) &&
           *numberOf(second[1]) <= *numberOf(first[1]);
  return llvm::all_of(
      second, [&](Attribute each) { return llvm::is_contained(first, each); });
}

/// Whether `name` is a structure, or an operation of a dialect that is there.
/// Of a dialect that is not loaded, no operation is known.
bool isKnownOperation(StringRef name, MLIRContext *context) {
  if (isKernelStructure(name))
    return true;
  OperationName operation(name, context);
  if (context->getLoadedDialect(operation.getDialectNamespace()))
    return operation.isRegistered();
  return name.contains('.') &&
         llvm::is_contained(context->getAvailableDialects(),
                            operation.getDialectNamespace());
}

std::string listItems() {
  return llvm::join(
      llvm::map_range(items, [](const Item &item) { return item.name; }), ", ");
}

/// Nothing wrong with a row, or what.
std::string whatIsWrong(DictionaryAttr row, ArrayRef<DictionaryAttr> earlier) {
  for (NamedAttribute each : row) {
    const auto *item = llvm::find_if(
        items, [&](const Item &item) { return item.name == each.getName(); });
    if (item == std::end(items))
      return ("unknown item '" + each.getName().getValue() +
              "', expected one of " + listItems())
          .str();
    if (!fits(*item, each.getValue())) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "expected '" << item->name << "' to be " << item->expected
          << (isa<ArrayAttr>(each.getValue()) && item->kind != Kind::Bounds
                  ? ", each once"
                  : "")
          << ", got " << each.getValue();
      return text;
    }
  }
  auto op = row.getAs<StringAttr>(kernelOp);
  if (!op)
    return "expected an item 'op' in the row, got none";
  if (!isKnownOperation(op, row.getContext()))
    return "unknown operation '" + op.str() + "', expected " +
           llvm::join(kernelStructures(), ", ") +
           " or the name of an operation";
  bool isStructure = isKernelStructure(op);
  OperationName operation(op.getValue(), row.getContext());
  if (auto names = row.getAs<ArrayAttr>(kernelAttributes);
      names && !isStructure && operation.isRegistered())
    for (StringAttr name : names.getAsRange<StringAttr>())
      if (!llvm::is_contained(operation.getAttributeNames(), name))
        return "unknown attribute '" + name.str() + "' of '" + op.str() + "'";
  if (row.contains(kernelIndices) && op != GatherOp::getOperationName() &&
      op != ScatterOp::getOperationName() && op != kernelLookup)
    return "expected 'indices' in a row for npu.gather, npu.scatter or lookup, "
           "got '" +
           op.str() + "'";
  for (auto [number, before] : llvm::enumerate(earlier))
    if (llvm::all_of(items, [&, &before = before](const Item &item) {
          return takesAll(item, before.get(item.name), row.get(item.name),
                          isStructure);
        }))
      return "expected a row that takes what no row before it takes, but row " +
             std::to_string(number + 1) + " takes all of this one's";
  return "";
}

} // namespace

ArrayRef<StringLiteral> kernelStructures() {
  static constexpr StringLiteral names[] = {
      "contraction", "convolution", "pooling",   "reduction",
      "elementwise", "movement",    kernelLookup};
  return names;
}

bool isKernelStructure(StringRef name) {
  return llvm::is_contained(kernelStructures(), name);
}

std::string textOfKernel(DictionaryAttr row) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{";
  llvm::ListSeparator comma;
  for (const Item &item : items)
    if (Attribute value = row.get(item.name)) {
      os << comma << item.name << " = ";
      if (auto number = dyn_cast<IntegerAttr>(value))
        os << number.getInt();
      else if (item.kind == Kind::Bounds)
        os << "[" << *numberOf(cast<ArrayAttr>(value)[0]) << ", "
           << *numberOf(cast<ArrayAttr>(value)[1]) << "]";
      else
        os << value;
    }
  os << "}";
  return text;
}

Attribute KernelsAttr::parse(AsmParser &parser, Type) {
  SmallVector<DictionaryAttr> rows;
  auto parseRow = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    DictionaryAttr row;
    if (parser.parseAttribute(row))
      return failure();
    if (std::string wrong = whatIsWrong(row, rows); !wrong.empty())
      return parser.emitError(loc) << wrong;
    rows.push_back(row);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseRow))
    return {};
  return get(parser.getContext(), rows);
}

void KernelsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getRows(), printer, [&](DictionaryAttr row) {
    printer << textOfKernel(row);
  });
  printer << ">";
}

} // namespace npu
