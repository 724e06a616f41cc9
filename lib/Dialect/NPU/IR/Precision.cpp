// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Dialect/NPU/IR/Precision.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace npu {
namespace {

bool isKnown(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
         llvm::any_of(ArrayRef<unsigned>{8, 16, 32, 64}, [&](unsigned width) {
           return type.isSignlessInteger(width);
         });
}

bool oneKind(Type one, Type other) {
  return isa<FloatType>(one) == isa<FloatType>(other);
}

} // namespace

llvm::StringRef listPrecisionTypes() {
  return "f16, bf16, f32, f64, i8, i16, i32, i64";
}

Type parsePrecisionType(MLIRContext *context, StringRef text) {
  return llvm::StringSwitch<Type>(text)
      .Case("f16", Float16Type::get(context))
      .Case("bf16", BFloat16Type::get(context))
      .Case("f32", Float32Type::get(context))
      .Case("f64", Float64Type::get(context))
      .Case("i8", IntegerType::get(context, 8))
      .Case("i16", IntegerType::get(context, 16))
      .Case("i32", IntegerType::get(context, 32))
      .Case("i64", IntegerType::get(context, 64))
      .Default({});
}

bool holdsEvery(Type wide, Type narrow) {
  auto wideFloat = dyn_cast<FloatType>(wide);
  auto narrowFloat = dyn_cast<FloatType>(narrow);
  if (wideFloat && narrowFloat)
    return wide == narrow ||
           llvm::APFloatBase::isRepresentableBy(narrowFloat.getFloatSemantics(),
                                                wideFloat.getFloatSemantics());
  return wide.isSignlessInteger() && narrow.isSignlessInteger() &&
         wide.getIntOrFloatBitWidth() >= narrow.getIntOrFloatBitWidth();
}

Result<> checkPrecision(const Precision &types) {
  // Constraint 1.
  if (types == Precision())
    return Error{"expected a precision that says something: storage, "
                 "accumulation or intermediate"};
  for (const PrecisionKey &key : precisionKeys) {
    Type type = types.*key.type;
    // Constraint 2.
    if (type && !isKnown(type))
      return Error{"expected " + key.name.str() + " to be one of " +
                   listPrecisionTypes().str() + ", got " + toString(type)};
  }
  for (const PrecisionKey &one : precisionKeys)
    for (const PrecisionKey &other : precisionKeys) {
      Type first = types.*one.type, second = types.*other.type;
      // Constraint 3.
      if (first && second && !oneKind(first, second))
        return Error{"expected floats alone or integers alone, got " +
                     one.name.str() + " " + toString(first) + " and " +
                     other.name.str() + " " + toString(second)};
    }
  for (const PrecisionKey &key : precisionKeys) {
    Type type = types.*key.type;
    // Constraint 4.
    if (type && types.storage && !holdsEvery(type, types.storage))
      return Error{"expected " + key.name.str() +
                   " to hold every number of storage " +
                   toString(types.storage) + ", got " + toString(type)};
  }
  return Success();
}

Result<> checkResult(const Precision &types, Type element) {
  for (const PrecisionKey &key : precisionKeys) {
    Type type = types.*key.type;
    if (type && (!oneKind(type, element) || element.isInteger(1) ||
                 !element.isIntOrFloat()))
      return Error{
          "expected " + key.name.str() + " to be " +
          (isa<FloatType>(element)                           ? "a float"
           : element.isInteger(1) || !element.isIntOrFloat() ? "left out"
                                                             : "an integer") +
          " for a result of " + toString(element) + ", got " + toString(type)};
  }
  return Success();
}

Precision toPrecision(PrecisionAttr attr) {
  return {attr.getStorage(), attr.getAccumulation(), attr.getIntermediate()};
}

PrecisionAttr toAttr(MLIRContext *context, const Precision &types) {
  return PrecisionAttr::get(context, types.storage, types.accumulation,
                            types.intermediate);
}

std::string toString(const Precision &types) {
  std::string text;
  for (const PrecisionKey &key : precisionKeys)
    if (Type type = types.*key.type)
      text +=
          (text.empty() ? "" : ", ") + key.name.str() + " " + toString(type);
  return text;
}

std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

LogicalResult
PrecisionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      Type storage, Type accumulation, Type intermediate) {
  if (Result<> problem = checkPrecision({storage, accumulation, intermediate});
      !problem)
    return emitError() << problem.error().message;
  return success();
}

} // namespace npu
