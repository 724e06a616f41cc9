// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized numbers: a number is (integer - zero point) * scale. Products are
// sums of 32-bit integers without their zero points.

#include "Quantization.h"

#include "../Graph/OperatorTable.h"
#include "Convolutions.h"
#include "Moments.h"
#include "Windows.h"

using namespace mlir;

namespace npu {

LogicalResult checkIntegers(NodeImport &node, unsigned operand) {
  const OnnxTensor &tensor = node.operand(operand);
  bool isInteger =
      !isFloat(tensor.element) && tensor.element != OnnxElement::Bool;
  if (isInteger)
    return success();
  return node.error() << "expected integers as operand #" << operand << ", got "
                      << NodeImport::describe(tensor);
}

bool isOne(const OnnxTensor &tensor) {
  return llvm::all_of(tensor.shape(),
                      [](int64_t extent) { return extent == 1; });
}

FailureOr<Value> along(NodeImport &node, unsigned operand, int64_t rank,
                       int64_t dim, int64_t extent) {
  const OnnxTensor &numbers = node.operand(operand);
  if (isOne(numbers))
    return node.build.reshape(numbers.value, {});
  if (numbers.rank() != 1)
    return numbers.value;
  if (numbers.shape()[0] != extent || dim >= rank)
    return node.error() << "expected one number or " << extent
                        << " as operand #" << operand << ", got "
                        << NodeImport::describe(numbers);
  SmallVector<int64_t> shape(rank - dim, 1);
  shape[0] = extent;
  return node.build.reshape(numbers.value, shape);
}

namespace {

/// Operand `operand` as 32-bit integers without its zero points, `zero`, which
/// may be null.
FailureOr<Value> centered(NodeImport &node, unsigned operand, Value zero,
                          unsigned zeroOperand) {
  const OnnxTensor &tensor = node.operand(operand);
  TensorBuilder typed(node.build.builder, node.loc, tensor.element);
  auto numbers = zero ? TensorBuilder::integersOf(
                            node.operand(zeroOperand).value, tensor.element)
                      : std::nullopt;
  bool isZero = numbers && llvm::all_of(*numbers, [](int64_t number) {
                  return number == 0;
                });
  if (!zero || isZero)
    return typed.convert(tensor.value, tensor.element, OnnxElement::Int32);
  if (node.operand(zeroOperand).element != tensor.element)
    return node.error() << "expected zero points of type "
                        << NodeImport::describe(tensor) << ", got "
                        << NodeImport::describe(node.operand(zeroOperand));
  return typed.map({tensor.value, zero}, node.build.builder.getI32Type(),
                   [](ScalarBuilder &s, ValueRange v) {
                     return s.sub(s.cast(v[0], OnnxElement::Int32),
                                  s.cast(v[1], OnnxElement::Int32));
                   });
}

} // namespace

bool areOfBlocks(ArrayRef<int64_t> numbers, ArrayRef<int64_t> integers,
                 int64_t dim, int64_t size) {
  SmallVector<int64_t> expected(integers);
  expected[dim] = llvm::divideCeil(expected[dim], size);
  return numbers == ArrayRef(expected);
}

Value splitAlong(TensorBuilder &build, Value tensor, int64_t dim,
                 int64_t size) {
  TensorBuilder::Sizes sizes = build.sizes(tensor);
  int64_t extent = *getConstantIntValue(sizes[dim]);
  sizes[dim] = build.numbersHere().constant(extent / size);
  sizes.insert(sizes.begin() + dim + 1, build.numbersHere().constant(size));
  return build.reshapeTo(tensor, sizes);
}

Value repeatedAlong(TensorBuilder &build, Value tensor, int64_t dim,
                    int64_t size, int64_t extent) {
  TensorBuilder::Sizes whole = build.sizes(tensor);
  // A block may be longer than the dimension.
  size = std::min(size, std::max<int64_t>(extent, 1));
  Value split = splitAlong(build, tensor, dim, 1);
  TensorBuilder::Sizes sizes = build.sizes(split);
  sizes[dim + 1] = build.numbersHere().constant(size);
  int64_t blocks = *getConstantIntValue(whole[dim]);
  whole[dim] = build.numbersHere().constant(blocks * size);
  Value repeated = build.reshapeTo(build.broadcast(split, sizes), whole);
  return build.sliceDim(repeated, dim, 0, extent);
}

Value dequantizedBlocks(TensorBuilder &build, const Blocks &blocks) {
  const OnnxTensor &integers = blocks.integers, &scales = blocks.scales;
  int64_t dim = blocks.dim, extent = integers.shape()[dim];
  bool isOneBlock = extent == blocks.size,
       isSplit = !isOneBlock && extent % blocks.size == 0;
  auto ofEntries = [&](Value numbers) {
    if (isOneBlock)
      return numbers;
    return isSplit ? splitAlong(build, numbers, dim, 1)
                   : repeatedAlong(build, numbers, dim, blocks.size, extent);
  };
  Value whole = isSplit ? splitAlong(build, integers.value, dim, blocks.size)
                        : integers.value;
  SmallVector<Value> operands{whole, ofEntries(scales.value)};
  if (blocks.zeros)
    operands.push_back(ofEntries(blocks.zeros->value));
  TensorBuilder typed(build.builder, build.loc, integers.element);
  Value numbers = typed.map(
      operands, scales.elementType(), [&](ScalarBuilder &s, ValueRange v) {
        if (blocks.zeros && isFloat(blocks.zeros->element))
          return s.mul(s.sub(s.cast(v[0], scales.element), v[2]), v[1]);
        ScalarBuilder signedNumbers(s.builder, s.loc, OnnxElement::Int32);
        Value number = s.cast(v[0], OnnxElement::Int32);
        if (blocks.zeros)
          number = s.sub(number, s.cast(v[2], OnnxElement::Int32));
        else if (blocks.zero != 0)
          number = s.sub(number, s.integer(number.getType(), blocks.zero));
        return s.mul(signedNumbers.cast(number, scales.element), v[1]);
      });
  return isSplit ? build.reshapeTo(numbers, build.sizes(integers.value))
                 : numbers;
}

Value quantized(ScalarBuilder &s, Value number, Value zero,
                OnnxElement element) {
  Value rounded = s.create<math::RoundEvenOp>(number);
  return s.cast(zero ? s.add(rounded, zero) : rounded, element);
}

FailureOr<Value> centeredAlong(NodeImport &node, unsigned operand,
                               unsigned zeroOperand, int64_t dim) {
  const OnnxTensor &tensor = node.operand(operand);
  if (failed(checkIntegers(node, operand)))
    return failure();
  if (!node.has(zeroOperand))
    return centered(node, operand, {}, zeroOperand);
  dim = std::clamp<int64_t>(dim, 0, std::max<int64_t>(tensor.rank() - 1, 0));
  FailureOr<Value> zero = along(node, zeroOperand, tensor.rank(), dim,
                                tensor.rank() ? tensor.shape()[dim] : 1);
  if (failed(zero))
    return failure();
  FailureOr<Value> result = centered(node, operand, *zero, zeroOperand);
  if (succeeded(result) && !*result)
    return LogicalResult(node.setResult(0, Value()));
  return result;
}

namespace {

//===----------------------------------------------------------------------===//
// To integers and back
//===----------------------------------------------------------------------===//

/// Numbers of float, which scaled ones are computed in.
Value asFloat(NodeImport &node, Value value, OnnxElement element) {
  return node.build.convert(value, element, OnnxElement::Float);
}

/// The dimension that scales belong to, if they are several.
FailureOr<int64_t> scaledDim(NodeImport &node) {
  if (!isFloat(node.operand(1).element))
    return node.error() << "expected floats as scales, got "
                        << NodeImport::describe(node.operand(1));
  int64_t rank = node.operand(0).rank();
  if (isOne(node.operand(1)))
    return 0;
  return node.dimension(node.integer("axis", 1), rank);
}

/// How many entries of dimension `axis` have a scale together; nothing where
/// the scales are those of the whole tensor or of entries of the dimension. The
/// shapes of scales and zero points are checked.
FailureOr<std::optional<int64_t>> blockSize(NodeImport &node) {
  int64_t size = node.integer("block_size", 0);
  if (size == 0)
    return std::optional<int64_t>();
  const OnnxTensor &x = node.operand(0);
  FailureOr<int64_t> dim = node.dimension(node.integer("axis", 1), x.rank());
  if (failed(dim))
    return failure();
  if (size < 0 || ShapedType::isDynamic(x.shape()[*dim]))
    return node.error() << "expected a block_size of at least 1 of a static "
                        << "dimension, got " << size << " and "
                        << NodeImport::describe(x);
  for (unsigned operand : {1U, 2U})
    if (node.has(operand) &&
        !areOfBlocks(node.operand(operand).shape(), x.shape(), *dim, size))
      return node.error() << "expected one number for every " << size
                          << " entries of dimension " << *dim << " as operand #"
                          << operand << ", got "
                          << NodeImport::describe(node.operand(operand));
  return std::optional(size);
}

/// The type that a node's attribute names; nothing where it names none.
FailureOr<std::optional<OnnxElement>>
namedElement(NodeImport &node, StringRef attribute, bool ofFloats) {
  int64_t number = node.integer(attribute, 0);
  if (number == 0)
    return std::optional<OnnxElement>();
  std::optional<OnnxElement> element = onnxElement(number);
  if (!element || isFloat(*element) != ofFloats ||
      *element == OnnxElement::Bool)
    return node.error() << "out of scope: " << attribute << " of type "
                        << onnxElementName(number);
  return element;
}

/// Scales, or zero points, as they are broadcast to operand 0.
FailureOr<Value> ofOperandZero(NodeImport &node, unsigned operand, int64_t dim,
                               std::optional<int64_t> block) {
  const OnnxTensor &x = node.operand(0);
  int64_t extent = x.rank() ? x.shape()[dim] : 1;
  if (!block)
    return along(node, operand, x.rank(), dim, extent);
  return repeatedAlong(node.build, node.operand(operand).value, dim, *block,
                       extent);
}

LogicalResult buildQuantize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &scale = node.operand(1);
  FailureOr<int64_t> dim = scaledDim(node);
  FailureOr<std::optional<int64_t>> block = blockSize(node);
  auto named = namedElement(node, "output_dtype", /*ofFloats=*/false);
  auto precision = namedElement(node, "precision", /*ofFloats=*/true);
  if (failed(dim) || failed(block) || failed(named) || failed(precision))
    return failure();
  FailureOr<Value> scales = ofOperandZero(node, 1, *dim, *block);
  if (failed(scales))
    return failure();
  OnnxElement divided = precision->value_or(OnnxElement::Float);
  OnnxElement wanted = named->value_or(OnnxElement::UInt8);
  SmallVector<Value> operands{
      node.build.convert(x.value, x.element, divided),
      node.build.convert(*scales, scale.element, divided)};
  if (node.has(2)) {
    if (failed(checkIntegers(node, 2)))
      return failure();
    FailureOr<Value> zero = ofOperandZero(node, 2, *dim, *block);
    if (failed(zero))
      return failure();
    wanted = node.operand(2).element;
    if (*named && **named != wanted)
      return node.error() << "expected zero points of the output_dtype "
                          << onnxElementName(static_cast<int64_t>(**named))
                          << ", got " << NodeImport::describe(node.operand(2));
    operands.push_back(asFloat(node, *zero, wanted));
  }
  Type type = elementType(wanted, node.build.builder.getContext());
  Value result =
      node.build.map(operands, type, [&](ScalarBuilder &s, ValueRange v) {
        Value quotient = s.cast(s.div(v[0], v[1]), OnnxElement::Float);
        return quantized(s, quotient, v.size() > 2 ? v[2] : Value(), wanted);
      });
  return node.setResult(0, result, wanted);
}

LogicalResult buildDequantizeBlocks(NodeImport &node, int64_t size,
                                    OnnxElement wanted) {
  if (failed(checkIntegers(node, 0)))
    return failure();
  const OnnxTensor &x = node.operand(0), &scale = node.operand(1);
  Blocks blocks;
  blocks.integers = x;
  blocks.scales = scale;
  if (node.has(2))
    blocks.zeros = node.operand(2);
  blocks.dim = *node.dimension(node.integer("axis", 1), x.rank());
  blocks.size = size;
  Value numbers = dequantizedBlocks(node.build, blocks);
  return node.setResult(0, node.build.convert(numbers, scale.element, wanted),
                        wanted);
}

LogicalResult buildDequantize(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &scale = node.operand(1);
  FailureOr<int64_t> dim = scaledDim(node);
  FailureOr<std::optional<int64_t>> block = blockSize(node);
  auto named = namedElement(node, "output_dtype", /*ofFloats=*/true);
  if (failed(dim) || failed(block) || failed(named))
    return failure();
  OnnxElement wanted = named->value_or(scale.element);
  if (*block)
    return buildDequantizeBlocks(node, **block, wanted);
  if (failed(dim))
    return failure();
  int64_t extent = x.rank() ? x.shape()[*dim] : 1;
  FailureOr<Value> scales = along(node, 1, x.rank(), *dim, extent);
  FailureOr<Value> integers = centeredAlong(node, 0, 2, *dim);
  if (failed(scales) || failed(integers))
    return failure();
  TensorBuilder typed(node.build.builder, node.loc, OnnxElement::Int32);
  Value numbers = typed.map({*integers, *scales}, scale.elementType(),
                            [&](ScalarBuilder &s, ValueRange v) {
                              return s.mul(s.cast(v[0], scale.element), v[1]);
                            });
  if (!numbers)
    return node.setResult(0, numbers);
  return node.setResult(0, node.build.convert(numbers, scale.element, wanted),
                        wanted);
}

LogicalResult buildDynamicQuantize(NodeImport &node) {
  FailureOr<QuantizedBytes> quantized = quantizedBytes(node);
  if (failed(quantized) ||
      failed(node.setResult(0, quantized->bytes, OnnxElement::UInt8)) ||
      failed(node.setResult(1, quantized->scale, OnnxElement::Float)))
    return failure();
  return node.setResult(2, quantized->zero, OnnxElement::UInt8);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Sums of integers as quantized numbers: `scales` are those of both factors
/// and of the result, the third of which divides.
LogicalResult setRequantized(NodeImport &node, Value sums,
                             ArrayRef<Value> scales, unsigned zeroOperand) {
  const OnnxTensor &zero = node.operand(zeroOperand);
  if (failed(checkIntegers(node, zeroOperand)))
    return failure();
  if (!isOne(zero))
    return node.error() << "expected one zero point, got "
                        << NodeImport::describe(zero);
  Type number = node.build.builder.getF32Type();
  Value factor =
      node.build.map(scales, number, [](ScalarBuilder &s, ValueRange v) {
        return s.div(s.mul(v[0], v[1]), v[2]);
      });
  if (!factor)
    return node.setResult(0, factor);
  Value offset =
      asFloat(node, node.build.reshape(zero.value, {}), zero.element);
  TensorBuilder typed(node.build.builder, node.loc, OnnxElement::Int32);
  Type type = elementType(zero.element, node.build.builder.getContext());
  Value result = typed.map(
      {sums, factor, offset}, type, [&](ScalarBuilder &s, ValueRange v) {
        Value real = s.mul(s.cast(v[0], OnnxElement::Float), v[1]);
        return quantized(s, real, v[2], zero.element);
      });
  return node.setResult(0, result, zero.element);
}

/// Scales as floats, for a result of rank `rank`.
FailureOr<Value> scalesAlong(NodeImport &node, unsigned operand, int64_t rank,
                             int64_t dim, int64_t extent) {
  FailureOr<Value> scales = along(node, operand, rank, dim, extent);
  if (failed(scales))
    return failure();
  return asFloat(node, *scales, node.operand(operand).element);
}

LogicalResult buildMatMulInteger(NodeImport &node) {
  const OnnxTensor &a = node.operand(0), &b = node.operand(1);
  FailureOr<Value> left = centeredAlong(node, 0, 2, a.rank() - 2);
  FailureOr<Value> right = centeredAlong(node, 1, 3, b.rank() - 1);
  if (failed(left) || failed(right))
    return failure();
  return node.setResult(0, node.build.matmul(*left, *right),
                        OnnxElement::Int32);
}

/// Sets result 0 to sums of integers times two scales, of the first factor and
/// of the columns of operand 1, plus operand `bias`, where it is there.
LogicalResult setScaledProduct(NodeImport &node, Value sums, Value scale,
                               unsigned columnScales, unsigned bias) {
  if (!sums)
    return node.setResult(0, sums);
  const OnnxTensor &b = node.operand(1), &own = node.operand(columnScales);
  if (!isFloat(own.element) || (!isOne(own) && own.rank() != 1))
    return node.error() << "expected one float or one for each column as "
                        << "operand #" << columnScales << ", got "
                        << NodeImport::describe(own);
  FailureOr<Value> columns = along(node, columnScales, b.rank(), b.rank() - 1,
                                   b.rank() ? b.shape().back() : 1);
  if (failed(columns))
    return failure();
  Type type = own.elementType();
  Value factor = product(node.build, *columns, scale);
  SmallVector<Value> operands{sums, factor};
  if (node.has(bias)) {
    if (node.operand(bias).shape() != b.shape().take_back())
      return node.error() << "expected one number for each column as operand #"
                          << bias << ", got "
                          << NodeImport::describe(node.operand(bias));
    operands.push_back(node.operand(bias).value);
  }
  TensorBuilder typed(node.build.builder, node.loc, OnnxElement::Int32);
  Value result = typed.map(operands, type, [&](ScalarBuilder &s, ValueRange v) {
    Value number = s.mul(s.cast(v[0], own.element), v[1]);
    return v.size() > 2 ? s.add(number, v[2]) : number;
  });
  return node.setResult(0, result, own.element);
}

/// An error unless an operand has one element for each column of operand 1, or
/// one for all.
LogicalResult checkColumns(NodeImport &node, unsigned operand) {
  if (!node.has(operand) || isOne(node.operand(operand)) ||
      node.operand(operand).shape() == node.operand(1).shape().take_back())
    return success();
  return node.error() << "expected one number or one for each column as "
                      << "operand #" << operand << ", got "
                      << NodeImport::describe(node.operand(operand));
}

LogicalResult buildMatMulIntegerToFloat(NodeImport &node) {
  const OnnxTensor &b = node.operand(1);
  for (unsigned operand : {2U, 4U})
    if (node.has(operand) && !isOne(node.operand(operand)))
      return node.error() << "expected one number as operand #" << operand
                          << ", got "
                          << NodeImport::describe(node.operand(operand));
  if (failed(checkColumns(node, 3)) || failed(checkColumns(node, 5)))
    return failure();
  FailureOr<Value> left = centeredAlong(node, 0, 4, 0);
  FailureOr<Value> right = centeredAlong(node, 1, 5, b.rank() - 1);
  if (failed(left) || failed(right))
    return failure();
  return setScaledProduct(node, node.build.matmul(*left, *right),
                          node.build.reshape(node.operand(2).value, {}), 3, 6);
}

/// The first factor is quantized here, to bytes.
LogicalResult buildDynamicQuantizeMatMul(NodeImport &node) {
  const OnnxTensor &b = node.operand(1);
  if (failed(checkColumns(node, 2)) || failed(checkColumns(node, 3)))
    return failure();
  FailureOr<QuantizedBytes> left = quantizedBytes(node);
  FailureOr<Value> right = centeredAlong(node, 1, 3, b.rank() - 1);
  if (failed(left) || failed(right))
    return failure();
  TensorBuilder ofBytes(node.build.builder, node.loc, OnnxElement::UInt8);
  Value centered =
      ofBytes.map({left->bytes, left->zero}, node.build.builder.getI32Type(),
                  [](ScalarBuilder &s, ValueRange v) {
                    return s.sub(s.cast(v[0], OnnxElement::Int32),
                                 s.cast(v[1], OnnxElement::Int32));
                  });
  return setScaledProduct(node, node.build.matmul(centered, *right),
                          left->scale, 2, 4);
}

LogicalResult buildQLinearMatMul(NodeImport &node) {
  const OnnxTensor &a = node.operand(0), &b = node.operand(3);
  FailureOr<Value> left = centeredAlong(node, 0, 2, a.rank() - 2);
  FailureOr<Value> right = centeredAlong(node, 3, 5, b.rank() - 1);
  if (failed(left) || failed(right))
    return failure();
  Value sums = node.build.matmul(*left, *right);
  if (!sums)
    return node.setResult(0, sums);
  // Scales of rows belong to the last dimension but one, of columns to the
  // last.
  FailureOr<Value> rows =
      scalesAlong(node, 1, a.rank(), std::max<int64_t>(a.rank() - 2, 0),
                  a.rank() > 1 ? a.shape()[a.rank() - 2] : 1);
  FailureOr<Value> columns =
      scalesAlong(node, 4, b.rank(), b.rank() - 1, b.shape().back());
  FailureOr<Value> result = scalesAlong(node, 6, 0, 0, 1);
  if (failed(rows) || failed(columns) || failed(result))
    return failure();
  return setRequantized(node, sums, {*rows, *columns, *result}, 7);
}

/// A convolution of integers; the operands are image, zero point of the image,
/// weights, zero points of the weights, and bias.
FailureOr<Value> convolvedIntegers(NodeImport &node,
                                   const unsigned (&operands)[4],
                                   std::optional<unsigned> bias) {
  auto [image, imageZero, weights, weightsZero] = operands;
  if (node.has(imageZero) && !isOne(node.operand(imageZero)))
    return node.error() << "expected one zero point for the image, got "
                        << NodeImport::describe(node.operand(imageZero));
  FailureOr<Value> x = centeredAlong(node, image, imageZero, 0);
  FailureOr<Value> w = centeredAlong(node, weights, weightsZero, 0);
  if (failed(x) || failed(w))
    return failure();
  ConvolutionOperands given{
      {*x, OnnxElement::Int32}, {*w, OnnxElement::Int32}, {}};
  if (bias && node.has(*bias))
    given.bias = node.operand(*bias);
  return buildConvolution(node, given);
}

LogicalResult buildConvInteger(NodeImport &node) {
  FailureOr<Value> sums = convolvedIntegers(node, {0, 2, 1, 3}, {});
  if (failed(sums))
    return failure();
  return node.setResult(0, *sums, OnnxElement::Int32);
}

LogicalResult buildQLinearConv(NodeImport &node) {
  FailureOr<Value> sums = convolvedIntegers(node, {0, 2, 3, 5}, 8);
  if (failed(sums))
    return failure();
  auto type = cast<RankedTensorType>(sums->getType());
  FailureOr<Value> image = scalesAlong(node, 1, 0, 0, 1);
  FailureOr<Value> weights =
      scalesAlong(node, 4, type.getRank(), 1, type.getDimSize(1));
  FailureOr<Value> result = scalesAlong(node, 6, 0, 0, 1);
  if (failed(image) || failed(weights) || failed(result))
    return failure();
  return setRequantized(node, *sums, {*image, *weights, *result}, 7);
}

} // namespace

/// The standard divides by 0 where all numbers are 0; the scale is 1 there, as
/// in ONNX Runtime.
FailureOr<QuantizedBytes> quantizedBytes(NodeImport &node) {
  const OnnxTensor &x = node.operand(0);
  if (x.element != OnnxElement::Float)
    return node.error() << "expected numbers of type float, got "
                        << NodeImport::describe(x);
  TensorBuilder &build = node.build;
  Type type = x.elementType(), bytes = build.builder.getI8Type();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  auto extreme = [&](bool isHigh) {
    Value found =
        build.reduce(x.value, dims, build.scalar(type, 0),
                     [&](ScalarBuilder &s, ValueRange v) {
                       return isHigh ? s.max(v[1], v[0]) : s.min(v[1], v[0]);
                     });
    return build.reshape(found, {});
  };
  Value low = extreme(/*isHigh=*/false), high = extreme(/*isHigh=*/true);
  Value scale =
      build.map({low, high}, type, [&](ScalarBuilder &s, ValueRange v) {
        Value range = s.sub(v[1], v[0]);
        Value isNone = s.compare(Comparison::Equal, range, s.constant(type, 0));
        return s.select(isNone, s.constant(type, 1),
                        s.div(range, s.constant(type, 255)));
      });
  Value zero =
      build.map({low, scale}, bytes, [&](ScalarBuilder &s, ValueRange v) {
        Value moved = s.neg(s.div(v[0], v[1]));
        return quantized(s, moved, Value(), OnnxElement::UInt8);
      });
  TensorBuilder ofBytes(build.builder, node.loc, OnnxElement::UInt8);
  Value offset = ofBytes.convert(zero, OnnxElement::UInt8, OnnxElement::Float);
  Value result = build.map(
      {x.value, scale, offset}, bytes, [&](ScalarBuilder &s, ValueRange v) {
        return quantized(s, s.div(v[0], v[1]), v[2], OnnxElement::UInt8);
      });
  return QuantizedBytes{result, scale, zero};
}

void addQuantization(OperatorTable &table) {
  table.add("QuantizeLinear", 2, buildQuantize);
  table.add("DequantizeLinear", 2, buildDequantize);
  table.add("DynamicQuantizeLinear", 1, buildDynamicQuantize);
  table.add("MatMulInteger", 2, buildMatMulInteger);
  table.add("QLinearMatMul", 8, buildQLinearMatMul);
  table.add("ConvInteger", 2, buildConvInteger);
  table.addMicrosoft("MatMulIntegerToFloat", 4, buildMatMulIntegerToFloat);
  table.addMicrosoft("DynamicQuantizeMatMul", 3, buildDynamicQuantizeMatMul);
  table.add("QLinearConv", 8, buildQLinearConv);
}

} // namespace npu
