// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX Runtime's operators on weights of 4 and 8 bits, which have a scale and a
// zero point for every block of a row. Weights of 4 bits are bytes of two in
// the model, and tensors of 4-bit elements here, whose bytes are the same.

#include "../Graph/OperatorTable.h"
#include "Gathers.h"
#include "Quantization.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace npu {
namespace {

/// Bytes of a constant operand as elements of 4 bits, two for each byte: the
/// shape has as many. An error names the operand where it is no constant.
FailureOr<OnnxTensor> halvesOfBytes(NodeImport &node, unsigned operand,
                                    ArrayRef<int64_t> shape) {
  const OnnxTensor &bytes = node.operand(operand);
  ElementsAttr elements = TensorBuilder::constantOf(bytes.value);
  auto type = RankedTensorType::get(
      shape, elementType(OnnxElement::UInt4, node.build.builder.getContext()));
  // The bytes of a resource stay where they are.
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(elements))
    return OnnxTensor{
        arith::ConstantOp::create(
            node.build.builder, node.loc,
            DenseResourceElementsAttr::get(type, resource.getRawHandle())),
        OnnxElement::UInt4};
  std::optional<TensorData> data =
      elements ? fromElements(elements, OnnxElement::UInt8) : std::nullopt;
  if (!data)
    return node.error() << "expected a constant as operand #" << operand
                        << ", whose bytes have two elements each, got a value "
                        << "of run time";
  data->element = OnnxElement::UInt4;
  data->shape.assign(shape.begin(), shape.end());
  return OnnxTensor{node.build.constant(*data), OnnxElement::UInt4};
}

/// The same, of rows that begin at a byte each, of which the first `width`
/// elements count: all extents but the last are those of the operand.
FailureOr<OnnxTensor> halvesOfRows(NodeImport &node, unsigned operand,
                                   ArrayRef<int64_t> rows, int64_t width) {
  SmallVector<int64_t> padded(rows);
  padded.push_back((width + 1) / 2 * 2);
  FailureOr<OnnxTensor> halves = halvesOfBytes(node, operand, padded);
  if (failed(halves) || width == padded.back())
    return halves;
  auto dim = static_cast<int64_t>(rows.size());
  return OnnxTensor{node.build.sliceDim(halves->value, dim, 0, width),
                    OnnxElement::UInt4};
}

/// A number of bits that weights have; an error where it is no such number.
FailureOr<int64_t> bitsOfWeights(NodeImport &node) {
  int64_t bits = node.integer("bits", 4);
  if (bits != 4 && bits != 8)
    return node.error() << "bits of " << bits
                        << " are not supported, expected 4 or 8";
  return bits;
}

/// The number that stands for 0 where there are no zero points.
int64_t middle(int64_t bits) { return int64_t(1) << (bits - 1); }

//===----------------------------------------------------------------------===//
// MatMulNBits
//===----------------------------------------------------------------------===//

struct WeightShape {
  /// Of the product: K and N.
  int64_t inner, outer;
  int64_t bits, block;

  int64_t blocks() const { return llvm::divideCeil(inner, block); }
  /// Bytes of a row's zero points.
  int64_t zeroBytes() const { return llvm::divideCeil(blocks() * bits, 8); }
};

FailureOr<WeightShape> weightShape(NodeImport &node) {
  FailureOr<int64_t> bits = bitsOfWeights(node);
  if (failed(bits))
    return failure();
  WeightShape shape{node.integer("K", 0), node.integer("N", 0), *bits,
                    node.integer("block_size", 0)};
  if (shape.inner < 1 || shape.outer < 1 || shape.inner > kMostElements ||
      shape.outer > kMostElements / shape.inner)
    return node.error() << "expected K and N of at least 1 with a product of "
                        << "at most " << kMostElements << ", got "
                        << shape.inner << " and " << shape.outer;
  bool isPowerOfTwo = shape.block >= 16 && llvm::isPowerOf2_64(shape.block) &&
                      shape.block <= kMostElements;
  if (!isPowerOfTwo)
    return node.error() << "expected a block_size that is a power of two of "
                        << "at least 16, got " << shape.block;
  return shape;
}

/// What the operator says and is not built, each by its name.
LogicalResult checkProduct(NodeImport &node) {
  if (node.has(4))
    return node.error() << "operand #4, g_idx, is not supported";
  if (int64_t layout = node.integer("weight_prepacked", 0))
    return node.error() << "weight_prepacked of " << layout
                        << " is not supported";
  int64_t level = node.integer("accuracy_level", 0);
  if (level < 0 || level > 4)
    return node.error() << "expected an accuracy_level of 0 .. 4, got "
                        << level;
  return success();
}

/// An error unless an operand has the elements of a shape, in one dimension or
/// in rows of any.
LogicalResult checkCount(NodeImport &node, unsigned operand,
                         ArrayRef<int64_t> shape) {
  const OnnxTensor &tensor = node.operand(operand);
  bool isKnown = tensor.type().hasStaticShape() && tensor.rank() > 0 &&
                 elementCount(tensor.shape()) == elementCount(shape) &&
                 (tensor.rank() == 1 || tensor.shape()[0] == shape[0]);
  if (isKnown)
    return success();
  InFlightDiagnostic diagnostic = node.error() << "expected a shape of ";
  llvm::interleave(
      shape, [&](int64_t extent) { diagnostic << extent; },
      [&] { diagnostic << "x"; });
  return diagnostic << " as operand #" << operand << ", got "
                    << NodeImport::describe(tensor);
}

/// Zero points as one number for each block of a row.
FailureOr<OnnxTensor> zeroPoints(NodeImport &node, const WeightShape &shape) {
  const OnnxTensor &given = node.operand(3);
  SmallVector<int64_t> ofBlocks{shape.outer, shape.blocks(), 1};
  if (given.element != OnnxElement::UInt8) {
    if (given.element != node.operand(0).element)
      return node.error() << "expected zero points of type uint8 or as the "
                          << "first operand's, got "
                          << NodeImport::describe(given);
    if (failed(checkCount(node, 3, {shape.outer, shape.blocks()})))
      return failure();
    return OnnxTensor{node.build.reshape(given.value, ofBlocks), given.element};
  }
  if (failed(checkCount(node, 3, {shape.outer, shape.zeroBytes()})))
    return failure();
  if (shape.bits == 8)
    return OnnxTensor{node.build.reshape(given.value, ofBlocks), given.element};
  FailureOr<OnnxTensor> halves =
      halvesOfRows(node, 3, shape.outer, shape.blocks());
  if (failed(halves))
    return failure();
  return OnnxTensor{node.build.reshape(halves->value, ofBlocks),
                    OnnxElement::UInt4};
}

/// The weights as numbers of the first operand's type: N rows of K.
FailureOr<Value> weightsOf(NodeImport &node, const WeightShape &shape) {
  SmallVector<int64_t> inBlocks{shape.outer, shape.blocks(), shape.block};
  if (node.operand(1).element != OnnxElement::UInt8)
    return node.error() << "expected weights of type uint8, got "
                        << NodeImport::describe(node.operand(1));
  if (failed(checkCount(
          node, 1,
          {shape.outer, shape.blocks(), shape.block * shape.bits / 8})) ||
      failed(checkCount(node, 2, {shape.outer, shape.blocks()})))
    return failure();
  Blocks blocks;
  if (shape.bits == 8) {
    blocks.integers = {node.build.reshape(node.operand(1).value, inBlocks),
                       OnnxElement::UInt8};
  } else {
    FailureOr<OnnxTensor> halves = halvesOfBytes(node, 1, inBlocks);
    if (failed(halves))
      return failure();
    blocks.integers = *halves;
  }
  blocks.scales = {node.build.reshape(node.operand(2).value,
                                      {shape.outer, shape.blocks(), 1}),
                   node.operand(2).element};
  blocks.zero = middle(shape.bits);
  blocks.dim = 2;
  blocks.size = shape.block;
  if (node.has(3)) {
    FailureOr<OnnxTensor> zeros = zeroPoints(node, shape);
    if (failed(zeros))
      return failure();
    blocks.zeros = *zeros;
  }
  Value rows = node.build.reshape(dequantizedBlocks(node.build, blocks),
                                  {shape.outer, shape.blocks() * shape.block});
  return node.build.sliceDim(rows, 1, 0, shape.inner);
}

/// Products of rows of `left` and rows of `right`.
Value productOfRows(TensorBuilder &build, Value left, Value right) {
  MLIRContext *context = build.builder.getContext();
  TensorBuilder::Sizes sizes = build.sizes(left);
  auto outer = static_cast<unsigned>(sizes.size()) - 1;
  SmallVector<AffineExpr> rows;
  for (unsigned dim = 0; dim < outer; ++dim)
    rows.push_back(getAffineDimExpr(dim, context));
  AffineExpr column = getAffineDimExpr(outer, context),
             inner = getAffineDimExpr(outer + 1, context);
  auto mapOf = [&](ArrayRef<AffineExpr> before, AffineExpr last) {
    SmallVector<AffineExpr> exprs(before);
    exprs.push_back(last);
    return AffineMap::get(outer + 2, 0, exprs, context);
  };
  sizes.back() = build.sizes(right).front();
  Type type = cast<RankedTensorType>(left.getType()).getElementType();
  return build.contract(
      left, right, build.filled(sizes, build.scalar(type, 0)),
      {mapOf(rows, inner), mapOf(column, inner), mapOf(rows, column)});
}

/// The product with weights that stay as they are; its sums are exact as those
/// of any product here, which every accuracy_level allows.
LogicalResult buildMatMulNBits(NodeImport &node) {
  const OnnxTensor &a = node.operand(0);
  FailureOr<WeightShape> shape = weightShape(node);
  if (failed(shape) || failed(checkProduct(node)))
    return failure();
  if (!isFloat(a.element) || a.rank() < 1 || a.shape().back() != shape->inner)
    return node.error() << "expected floats with a last extent of "
                        << shape->inner << ", got " << NodeImport::describe(a);
  FailureOr<Value> weights = weightsOf(node, *shape);
  if (failed(weights))
    return failure();
  Value result = productOfRows(node.build, a.value, *weights);
  if (node.has(5)) {
    if (node.operand(5).shape() != ArrayRef<int64_t>{shape->outer})
      return node.error() << "expected " << shape->outer
                          << " numbers as operand #5, got "
                          << NodeImport::describe(node.operand(5));
    result = node.build.map(
        {result, node.operand(5).value}, a.elementType(),
        [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
  }
  return node.setResult(0, result);
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

/// The table of a node, as elements of 4 or 8 bits, and its zero points.
FailureOr<Blocks> blocksOfTable(NodeImport &node) {
  const OnnxTensor &data = node.operand(0), &scales = node.operand(2);
  if (!data.type().hasStaticShape() || data.rank() < 1 ||
      !isFloat(scales.element))
    return node.error() << "expected a table of static shape, and floats as "
                        << "scales, got " << NodeImport::describe(data)
                        << " and " << NodeImport::describe(scales);
  Blocks blocks;
  blocks.integers = data;
  blocks.scales = scales;
  if (node.has(3))
    blocks.zeros = node.operand(3);
  if (data.element == OnnxElement::UInt8) {
    FailureOr<int64_t> bits = bitsOfWeights(node);
    if (failed(bits))
      return failure();
    blocks.zero = middle(*bits);
    if (*bits == 4) {
      SmallVector<int64_t> shape(data.shape());
      shape.back() *= 2;
      FailureOr<OnnxTensor> halves = halvesOfBytes(node, 0, shape);
      if (failed(halves))
        return failure();
      blocks.integers = *halves;
    }
  } else if (data.element != OnnxElement::UInt4 &&
             data.element != OnnxElement::Int4) {
    return node.error()
           << "expected elements of type uint8, uint4 or int4, got "
           << NodeImport::describe(data);
  }
  FailureOr<int64_t> dim =
      node.dimension(node.integer("quantize_axis", 1), data.rank());
  if (failed(dim))
    return failure();
  blocks.dim = *dim;
  blocks.size = node.integer("block_size", 128);
  if (blocks.size < 16 || !llvm::isPowerOf2_64(blocks.size))
    return node.error() << "expected a block_size that is a power of two of "
                        << "at least 16, got " << blocks.size;
  if (!areOfBlocks(scales.shape(), blocks.integers.shape(), *dim, blocks.size))
    return node.error() << "expected one scale for every " << blocks.size
                        << " entries of dimension " << *dim << ", got "
                        << NodeImport::describe(scales);
  if (!blocks.zeros)
    return blocks;
  // Those of bytes with two elements are packed along the last dimension.
  bool arePacked = data.element == OnnxElement::UInt8 &&
                   blocks.integers.element == OnnxElement::UInt4;
  SmallVector<int64_t> expected(scales.shape());
  if (arePacked)
    expected.back() = (expected.back() + 1) / 2;
  if (blocks.zeros->element != data.element ||
      blocks.zeros->shape() != ArrayRef(expected))
    return node.error() << "expected zero points as the table's of the scales' "
                        << "shape, got " << NodeImport::describe(*blocks.zeros);
  if (!arePacked)
    return blocks;
  FailureOr<OnnxTensor> halves =
      halvesOfRows(node, 3, scales.shape().drop_back(), scales.shape().back());
  if (failed(halves))
    return failure();
  blocks.zeros = *halves;
  return blocks;
}

/// Rows of a table: what is read is dequantized, and nothing else, unless
/// blocks go across the dimension that is read from.
LogicalResult buildGatherBlockQuantized(NodeImport &node) {
  FailureOr<Blocks> blocks = blocksOfTable(node);
  if (failed(blocks))
    return failure();
  int64_t rank = blocks->integers.rank();
  FailureOr<int64_t> axis =
      node.dimension(node.integer("gather_axis", 0), rank);
  if (failed(axis))
    return failure();
  bool isOfBytes = node.operand(0).element == OnnxElement::UInt8;
  if (isOfBytes && *axis != 0)
    return node.error() << "expected a gather_axis of 0 for a table of type "
                        << "uint8, got " << *axis;
  const OnnxTensor scales = blocks->scales;
  if (*axis == blocks->dim) {
    Value numbers = dequantizedBlocks(node.build, *blocks);
    FailureOr<Value> rows = gathered(node, {numbers, scales.element}, 1, *axis);
    return failed(rows) ? failure() : node.setResult(0, *rows, scales.element);
  }
  for (OnnxTensor *tensor : {&blocks->integers, &blocks->scales,
                             blocks->zeros ? &*blocks->zeros : nullptr}) {
    if (!tensor)
      continue;
    FailureOr<Value> rows = gathered(node, *tensor, 1, *axis);
    if (failed(rows))
      return failure();
    tensor->value = *rows;
  }
  if (*axis < blocks->dim)
    blocks->dim += node.operand(1).rank() - 1;
  return node.setResult(0, dequantizedBlocks(node.build, *blocks),
                        scales.element);
}

} // namespace

void addBlockQuantization(OperatorTable &table) {
  table.addMicrosoft("MatMulNBits", 3, buildMatMulNBits);
  table.addMicrosoft("GatherBlockQuantized", 3, buildGatherBlockQuantized);
}

} // namespace npu
