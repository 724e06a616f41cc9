// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/TensorPadding.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace npu {
namespace {

constexpr llvm::StringLiteral form =
    "a list of [dimension, begin, end], such as [[2, 336, 512]]";

/// The padding that the attribute of one tensor lists; nothing where the
/// attribute has another form.
std::optional<Padding> fromAttribute(Attribute attr) {
  auto ranges = dyn_cast_or_null<ArrayAttr>(attr);
  if (!ranges)
    return std::nullopt;
  Padding padding;
  for (Attribute range : ranges) {
    auto numbers = dyn_cast<ArrayAttr>(range);
    if (!numbers || numbers.size() != 3)
      return std::nullopt;
    int64_t values[3];
    for (auto [value, number] : llvm::zip(values, numbers)) {
      auto integer = dyn_cast<IntegerAttr>(number);
      if (!integer || !integer.getType().isInteger(64))
        return std::nullopt;
      value = integer.getInt();
    }
    // A negative dimension becomes a huge number, which no tensor has.
    padding.push_back(
        {static_cast<std::size_t>(values[0]), {values[1], values[2]}});
  }
  return padding;
}

/// The part of the attribute for result `number` of `count` results.
Attribute partFor(Attribute attr, unsigned number, unsigned count) {
  if (count == 1)
    return attr;
  auto parts = dyn_cast<ArrayAttr>(attr);
  return parts && parts.size() == count ? parts[number] : Attribute();
}

LogicalResult verifyOne(function_ref<InFlightDiagnostic()> error, Type type,
                        Attribute attr) {
  std::optional<Padding> padding = fromAttribute(attr);
  if (!padding)
    return error() << "expected " << form;
  if (padding->empty())
    return success();
  // Upstream's convert-elementwise-to-linalg copies the attribute to operations
  // on scalars.
  if (!isa<TensorType>(type))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > kMaxRank)
    return error() << "expected a tensor of static shape and of rank at most "
                   << kMaxRank << " to have padding, got " << type;
  if (Result<> wrong = checkPadding(*padding, toExtents(tensor.getShape()));
      !wrong)
    return error() << wrong.error().message;
  return success();
}

/// The padding that the attribute of the defining operation or of the argument
/// lists. Precondition: the attribute is verified.
Padding paddingSaidOf(Value value) {
  Attribute attr;
  if (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    attr = op->getDiscardableAttr(paddingAttrName);
    if (attr)
      attr = partFor(attr, result.getResultNumber(), op->getNumResults());
  } else {
    auto argument = cast<BlockArgument>(value);
    // A block that is being converted may have no parent.
    auto function = dyn_cast_or_null<FunctionOpInterface>(
        argument.getOwner()->getParentOp());
    if (function && argument.getOwner()->isEntryBlock())
      attr = function.getArgAttr(argument.getArgNumber(), paddingAttrName);
  }
  return fromAttribute(attr).value_or(Padding());
}

} // namespace

/// The most casts in a row that are looked through, because each value of a
/// chain asks again.
static constexpr int maxCasts = 8;

Padding paddingOf(Value value) {
  // Dimension i of the first value is dimension `dims[i]` here.
  std::optional<Permutation> dims;
  for (int casts = 0; casts <= maxCasts; ++casts) {
    Padding padding = paddingSaidOf(value);
    if (!padding.empty()) {
      if (!dims)
        return padding;
      Padding mapped;
      for (auto [dim, from] : llvm::enumerate(*dims))
        for (const PaddedRange &padded : padding)
          if (padded.dim == static_cast<std::size_t>(from))
            mapped.push_back({dim, padded.range});
      return mapped;
    }
    Operation *op = value.getDefiningOp();
    auto change = dyn_cast_or_null<LayoutChangeOpInterface>(op);
    if (!change)
      return {};
    if (auto cast = dyn_cast<PermuteCastOp>(op)) {
      Permutation from = getInputDimensions(cast);
      if (!dims)
        dims = from;
      else
        for (int64_t &dim : *dims)
          dim = from[dim];
    }
    value = change.getSource();
  }
  return {};
}

std::optional<SmallVector<Padding>> paddingsOf(Operation *function) {
  Attribute attr = function->getDiscardableAttr(
      NPUDialect::PaddingsAttrHelper::getNameStr());
  SmallVector<Padding> paddings;
  if (!attr)
    return paddings;
  auto lists = dyn_cast<ArrayAttr>(attr);
  if (!lists)
    return std::nullopt;
  for (Attribute list : lists) {
    std::optional<Padding> padding = fromAttribute(list);
    if (!padding)
      return std::nullopt;
    paddings.push_back(std::move(*padding));
  }
  return paddings;
}

bool hasPaddingAttr(Operation *op) {
  if (op->getDiscardableAttr(paddingAttrName))
    return true;
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function &&
         llvm::any_of(llvm::seq(function.getNumArguments()), [&](unsigned i) {
           return function.getArgAttr(i, paddingAttrName) != nullptr;
         });
}

ArrayAttr toAttribute(MLIRContext *context,
                      std::span<const PaddedRange> padding) {
  Builder builder(context);
  SmallVector<Attribute> ranges;
  for (const auto &[dim, range] : padding)
    ranges.push_back(builder.getI64ArrayAttr(
        {static_cast<int64_t>(dim), range.begin, range.end}));
  return builder.getArrayAttr(ranges);
}

void setPadding(OpResult result, std::span<const PaddedRange> padding) {
  Operation *op = result.getOwner();
  MLIRContext *context = op->getContext();
  if (op->getNumResults() == 1) {
    if (padding.empty())
      op->removeDiscardableAttr(paddingAttrName);
    else
      op->setDiscardableAttr(paddingAttrName, toAttribute(context, padding));
    return;
  }
  SmallVector<Attribute> parts(op->getNumResults(),
                               toAttribute(context, Padding()));
  if (auto said = op->getAttrOfType<ArrayAttr>(paddingAttrName);
      said && said.size() == parts.size())
    llvm::copy(said, parts.begin());
  parts[result.getResultNumber()] = toAttribute(context, padding);
  bool none = llvm::all_of(
      parts, [](Attribute part) { return cast<ArrayAttr>(part).empty(); });
  if (none)
    op->removeDiscardableAttr(paddingAttrName);
  else
    op->setDiscardableAttr(paddingAttrName, ArrayAttr::get(context, parts));
}

LogicalResult verifyPadding(Operation *op, Attribute attr) {
  auto error = [&] {
    return op->emitOpError() << "with '" << paddingAttrName << "': ";
  };
  if (isa<UnitAttr>(attr)) {
    if (op->getName().getStringRef() == "tensor.empty")
      return success();
    return error() << "expected " << form
                   << "; only all of a tensor.empty is padding";
  }
  if (!isa<ArrayAttr>(attr))
    return error() << "expected " << form;
  unsigned count = op->getNumResults();
  // Upstream drops unused results and keeps the attribute, which is ignored
  // then.
  if (auto parts = dyn_cast<ArrayAttr>(attr);
      parts && parts.size() > count &&
      llvm::all_of(parts, [](Attribute part) { return !!fromAttribute(part); }))
    return success();
  for (OpResult result : op->getResults()) {
    Attribute part = partFor(attr, result.getResultNumber(), count);
    if (!part)
      return error() << "expected " << count << " lists, one for each result";
    if (failed(verifyOne(error, result.getType(), part)))
      return failure();
  }
  return success();
}

LogicalResult verifyArgumentPadding(Operation *op, Type type, Attribute attr) {
  return verifyOne(
      [&] {
        return op->emitOpError()
               << "with '" << paddingAttrName << "' on an argument: ";
      },
      type, attr);
}

} // namespace npu
