// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and transposed convolutions.

#include "Convolutions.h"

#include "../Build/NumberBounds.h"
#include "../Graph/OperatorTable.h"
#include "FoldIntoWeights.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// Zeros, or the bias of every channel. `channels` of the result's dimensions,
/// from dimension 1 on, are those of the bias.
Value initial(TensorBuilder &build, Value bias, Type type,
              const TensorBuilder::Sizes &sizes, int64_t channels) {
  if (!bias)
    return build.filled(sizes, build.scalar(type, 0));
  SmallVector<int64_t> shape(sizes.size(), 1);
  for (int64_t dim = 1; dim <= channels; ++dim)
    shape[dim] = *getConstantIntValue(sizes[dim]);
  return build.broadcast(build.reshape(bias, shape), sizes);
}

template <typename Op>
Value named(TensorBuilder &build, Value image, Value weights, Value init,
            const Windows &windows) {
  return Op::create(build.builder, build.loc, init.getType(),
                    ValueRange{image, weights}, ValueRange{init},
                    build.builder.getI64TensorAttr(windows.strides),
                    build.builder.getI64TensorAttr(windows.dilations))
      .getResult(0);
}

/// The loops of a convolution in their order, and the maps of its tensors.
/// Groups, channels of the result in a group and channels of the image in a
/// group are there only where they are more than one.
class ConvolutionLoops {
public:
  ConvolutionLoops(TensorBuilder &build, const Windows &windows, bool hasGroups,
                   bool hasOutputs, bool hasInputs)
      : context(build.builder.getContext()) {
    AffineExpr batch = loop();
    image = {batch};
    result = {batch};
    if (hasGroups) {
      AffineExpr group = loop();
      for (auto *map : {&image, &weights, &result})
        map->push_back(group);
    }
    if (hasOutputs) {
      AffineExpr output = loop();
      weights.push_back(output);
      result.push_back(output);
    }
    SmallVector<AffineExpr> places;
    for (int64_t dim = 0; dim < windows.rank(); ++dim)
      places.push_back(loop());
    llvm::append_range(result, places);
    if (hasInputs) {
      AffineExpr input = loop();
      weights.push_back(input);
      image.push_back(input);
    }
    for (int64_t dim = 0; dim < windows.rank(); ++dim) {
      AffineExpr entry = loop();
      weights.push_back(entry);
      image.push_back(windowPosition(windows, dim, places[dim], entry));
    }
  }

  SmallVector<AffineMap> maps() const {
    return AffineMap::inferFromExprList(
        ArrayRef<ArrayRef<AffineExpr>>{image, weights, result}, context);
  }

private:
  AffineExpr loop() { return getAffineDimExpr(count++, context); }

  MLIRContext *context;
  unsigned count = 0;
  SmallVector<AffineExpr> image, weights, result;
};

/// The convolution of an image N x C x ..., which is padded already, with
/// weights M x C/groups x ...; `bias` has M numbers, or is null. Of two spatial
/// dimensions it is one of linalg's named operations where there is one group
/// or as many as channels; the others are generics with the same maps. The bias
/// is what the sums begin with.
Value slideWeights(TensorBuilder &build, Value image, Value weights, Value bias,
                   const Windows &windows, int64_t groups) {
  Windows::Numbers kernel(windows.kernel);
  int64_t channels = shapeOf(image)[1], outputs = shapeOf(weights)[0];
  int64_t inputsOfGroup = channels / groups, outputsOfGroup = outputs / groups;
  TensorBuilder::Sizes imageSizes = build.sizes(image);
  Type type = elementOf(image);

  TensorBuilder::Sizes sizes{imageSizes[0]};
  llvm::append_range(sizes, build.sizes(ArrayRef<int64_t>{outputs}));
  llvm::append_range(sizes, windows.places);
  bool isDepthwise = groups == channels && groups == outputs && groups > 1;
  if (groups == 1 && windows.rank() == 2)
    return named<linalg::Conv2DNchwFchwOp>(
        build, image, weights, initial(build, bias, type, sizes, 1), windows);
  SmallVector<int64_t> weightsShape;
  if (isDepthwise) {
    weightsShape = {channels};
    llvm::append_range(weightsShape, kernel);
    weights = build.reshape(weights, weightsShape);
    Value init = initial(build, bias, type, sizes, 1);
    if (windows.rank() == 2)
      return named<linalg::DepthwiseConv2DNchwChwOp>(build, image, weights,
                                                     init, windows);
    ConvolutionLoops loops(build, windows, true, false, false);
    return build.contract(image, weights, init, loops.maps());
  }
  if (groups == 1) {
    ConvolutionLoops loops(build, windows, false, true, true);
    return build.contract(image, weights, initial(build, bias, type, sizes, 1),
                          loops.maps());
  }
  bool hasInputs = inputsOfGroup != 1, hasOutputs = outputsOfGroup != 1;
  TensorBuilder::Sizes imageShape{imageSizes[0]}, resultShape(sizes);
  SmallVector<int64_t> channelsShape{groups};
  weightsShape = {groups};
  TensorBuilder::Sizes groupSizes{imageSizes[0]};
  SmallVector<int64_t> apart{groups};
  if (hasOutputs) {
    apart.push_back(outputsOfGroup);
    weightsShape.push_back(outputsOfGroup);
  }
  if (hasInputs) {
    channelsShape.push_back(inputsOfGroup);
    weightsShape.push_back(inputsOfGroup);
  }
  llvm::append_range(groupSizes, build.sizes(apart));
  llvm::append_range(groupSizes, windows.places);
  llvm::append_range(imageShape, build.sizes(channelsShape));
  llvm::append_range(imageShape, ArrayRef(imageSizes).drop_front(2));
  llvm::append_range(weightsShape, kernel);
  ConvolutionLoops loops(build, windows, true, hasOutputs, hasInputs);
  Value result = build.contract(build.reshapeTo(image, imageShape),
                                build.reshape(weights, weightsShape),
                                initial(build, bias, type, groupSizes,
                                        static_cast<int64_t>(apart.size())),
                                loops.maps());
  return build.reshapeTo(result, resultShape);
}

/// An error where shapes of image, weights and bias do not go together.
/// `imageChannels` and `outputs` are what the weights have.
LogicalResult checkOperands(NodeImport &node,
                            const ConvolutionOperands &operands, int64_t groups,
                            int64_t imageChannels, int64_t outputs) {
  const OnnxTensor &image = operands.image, &weights = operands.weights;
  if (image.elementType() != weights.elementType() ||
      (operands.bias && operands.bias->elementType() != image.elementType()))
    return node.error() << "expected operands of one element type, got "
                        << NodeImport::describe(image) << " and "
                        << NodeImport::describe(weights);
  if (image.shape()[1] != imageChannels || outputs % groups != 0)
    return node.error() << "expected weights for " << image.shape()[1]
                        << " channels in " << groups << " groups, got "
                        << NodeImport::describe(weights);
  if (operands.bias && operands.bias->shape() != ArrayRef<int64_t>{outputs})
    return node.error() << "expected a bias of " << outputs << " numbers, got "
                        << NodeImport::describe(*operands.bias);
  return success();
}

/// Image and weights have shapes at all, and there is at least one group.
FailureOr<int64_t> checkRanks(NodeImport &node,
                              const ConvolutionOperands &operands) {
  const OnnxTensor &weights = operands.weights;
  if (failed(checkImage(node, operands.image)))
    return failure();
  if (!weights.type().hasStaticShape() ||
      weights.rank() != operands.image.rank())
    return node.error() << "expected weights of rank " << operands.image.rank()
                        << " and a static shape, got "
                        << NodeImport::describe(weights);
  int64_t groups = node.integer("group", 1);
  if (groups < 1 || groups > std::max<int64_t>(operands.image.shape()[1], 1))
    return node.error() << "expected 1 .. " << operands.image.shape()[1]
                        << " groups, got " << groups;
  ArrayRef<int64_t> kernel = weights.shape().drop_front(2);
  if (auto given = node.integers("kernel_shape");
      given && ArrayRef<int64_t>(*given) != kernel)
    return node.error() << "its kernel_shape is not that of the weights, "
                        << NodeImport::describe(weights);
  return groups;
}

/// Dimension 1 of weights counts channels of one group: those of all; -1 where
/// there are too many to count.
int64_t inAllGroups(const OnnxTensor &weights, int64_t groups) {
  int64_t channels = 0;
  return llvm::MulOverflow(weights.shape()[1], groups, channels) ? -1
                                                                 : channels;
}

Value biasOf(const ConvolutionOperands &operands) {
  return operands.bias ? operands.bias->value : Value();
}

/// The padding of a transposed convolution. What `high` lacks is padded: the
/// result is larger there than any product reaches.
LogicalResult padTransposed(NodeImport &node, ArrayRef<Number> spatial,
                            Windows &windows) {
  std::size_t rank = spatial.size();
  auto added = node.integers("output_padding");
  auto shape = node.integers("output_shape");
  // Some exporters write all extents of the result.
  if (shape && shape->size() == rank + 2)
    shape->erase(shape->begin(), shape->begin() + 2);
  if ((added && added->size() != rank) || (shape && shape->size() != rank))
    return node.error() << "expected " << rank
                        << " numbers in output_padding and output_shape";
  std::string mode = node.text("auto_pad", "NOTSET");
  bool isSame = StringRef(mode).starts_with("SAME");
  Numbers numbers = node.build.numbersHere();
  Number zero = numbers.constant(0);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    int64_t more = added ? (*added)[dim] : 0;
    if (more < 0 || more > kMostElements)
      return node.error() << "output_padding is " << more;
    std::optional<int64_t> extent = getConstantIntValue(spatial[dim]);
    if (extent &&
        (*extent < 1 || *extent > kMostElements / windows.strides[dim]))
      return node.error() << "extent #" << dim + 2 << " of its operand is "
                          << *extent << ", with a stride of "
                          << windows.strides[dim];
    Number stride = numbers.constant(windows.strides[dim]),
           &low = windows.before[dim], &high = windows.after[dim];
    Number reached = numbers.add(
        numbers.mul(numbers.sub(spatial[dim], numbers.constant(1)), stride),
        numbers.constant(windows.reach(dim)));
    Number whole = numbers.add(reached, numbers.constant(more));
    if (shape || isSame) {
      Number wanted = shape ? numbers.constant((*shape)[dim])
                            : numbers.mul(spatial[dim], stride);
      std::optional<int64_t> count = getConstantIntValue(wanted);
      if (count && (*count < 1 || *count > kMostElements))
        return node.error() << "output_shape is " << *count;
      Number total = numbers.sub(whole, wanted);
      Number positive = numbers.max(total, zero);
      Number less = numbers.floorDiv(positive, numbers.constant(2));
      low = mode == "SAME_UPPER" ? less : numbers.sub(positive, less);
      high = numbers.sub(total, low);
    }
    high = numbers.sub(high, numbers.constant(more));
    windows.places.push_back(numbers.sub(numbers.sub(reached, low), high));
    windows.results.push_back(Numbers::inType(windows.places.back()));
    Number left =
        numbers.sub(numbers.sub(reached, low), numbers.max(high, zero));
    if (!left || !numbers.ensureAtLeast(left, 1))
      return node.error() << "its padding leaves nothing of extent #" << dim + 2
                          << " of its result, got " << describeBelow(left, 1);
  }
  return success();
}

/// Weights C x M/group x ... as the weights M x C/group x ... of the
/// convolution that goes the other way: spatial dimensions are reversed.
Value reversedWeights(TensorBuilder &build, Value weights, int64_t groups) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(weights.getType()).getShape();
  SmallVector<int64_t> apart{groups, shape[0] / groups, shape[1]},
      together{groups * shape[1], shape[0] / groups}, order{0, 2, 1}, dims;
  for (std::size_t dim = 2; dim < shape.size(); ++dim) {
    apart.push_back(shape[dim]);
    together.push_back(shape[dim]);
    order.push_back(static_cast<int64_t>(dim) + 1);
    if (shape[dim] > 1)
      dims.push_back(static_cast<int64_t>(dim));
  }
  weights = build.transpose(build.reshape(weights, apart), order);
  weights = build.reshape(weights, together);
  return dims.empty() ? weights : build.reverse(weights, dims);
}

/// The image with stride - 1 zeros after every entry.
Value stuffedWithZeros(TensorBuilder &build, Value image,
                       ArrayRef<int64_t> strides) {
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return image;
  auto type = cast<RankedTensorType>(image.getType());
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes own = build.sizes(image), apart{own[0], own[1]},
                       together(apart);
  SmallVector<int64_t> none(2, 0), zeros(2, 0);
  for (auto [extent, stride] :
       llvm::zip_equal(ArrayRef(own).drop_front(2), strides)) {
    apart.append({extent, numbers.constant(1)});
    together.push_back(numbers.mul(extent, numbers.constant(stride)));
    zeros.append({0, stride - 1});
  }
  none.resize(apart.size(), 0);
  image = build.reshapeTo(image, apart);
  image = build.pad(image, none, zeros, build.scalar(type.getElementType(), 0));
  return build.reshapeTo(image, together);
}

/// Windows that do not overlap: every entry of the image times the weights is
/// a block of the result, all of them one product of matrices whose rows are
/// entries and whose columns are entries of blocks.
Value productOfBlocks(TensorBuilder &build, Value image, Value weights,
                      ArrayRef<int64_t> kernel) {
  auto type = cast<RankedTensorType>(image.getType());
  TensorBuilder::Sizes imageSizes = build.sizes(image);
  int64_t outputs = cast<RankedTensorType>(weights.getType()).getDimSize(1);
  auto rank = static_cast<unsigned>(kernel.size());
  unsigned count = 3 + 2 * rank;
  auto loop = [&](unsigned number) {
    return build.builder.getAffineDimExpr(number);
  };
  // Loops: batch, output, every place and the entry in its block, channel.
  SmallVector<AffineExpr> ofImage{loop(0), loop(count - 1)},
      ofWeights{loop(count - 1), loop(1)}, ofResult{loop(0), loop(1)};
  TensorBuilder::Sizes sizes{imageSizes[0]};
  llvm::append_range(sizes, build.sizes(ArrayRef<int64_t>{outputs}));
  Numbers numbers = build.numbersHere();
  TensorBuilder::Sizes shape(sizes);
  for (unsigned dim = 0; dim < rank; ++dim) {
    ofImage.push_back(loop(2 + 2 * dim));
    ofWeights.push_back(loop(3 + 2 * dim));
    ofResult.append({loop(2 + 2 * dim), loop(3 + 2 * dim)});
    sizes.push_back(imageSizes[2 + dim]);
    sizes.push_back(build.builder.getIndexAttr(kernel[dim]));
    shape.push_back(
        numbers.mul(imageSizes[2 + dim], numbers.constant(kernel[dim])));
  }
  auto maps = AffineMap::inferFromExprList(
      ArrayRef<ArrayRef<AffineExpr>>{ofImage, ofWeights, ofResult},
      build.builder.getContext());
  Value zero = build.filled(sizes, build.scalar(type.getElementType(), 0));
  return build.reshapeTo(build.contract(image, weights, zero, maps), shape);
}

Value addBias(TensorBuilder &build, Value value, Value bias) {
  if (!bias)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getRank() - 1, 1);
  shape[0] = type.getDimSize(1);
  return build.map(
      {value, build.reshape(bias, shape)}, type.getElementType(),
      [](ScalarBuilder &s, ValueRange v) { return s.add(v[0], v[1]); });
}

using Builder = FailureOr<Value> (*)(NodeImport &, const ConvolutionOperands &);

template <Builder builder>
LogicalResult buildNode(NodeImport &node) {
  ConvolutionOperands operands{node.operand(0), node.operand(1), {}};
  if (node.has(2))
    operands.bias = node.operand(2);
  FailureOr<Value> result = builder(node, operands);
  if (failed(result))
    return failure();
  recordFoldable(node, node, operands);
  return node.setResult(0, *result);
}

} // namespace

FailureOr<Value> buildConvolution(NodeImport &node,
                                  const ConvolutionOperands &operands) {
  FailureOr<int64_t> groups = checkRanks(node, operands);
  if (failed(groups))
    return failure();
  const OnnxTensor &image = operands.image, &weights = operands.weights;
  if (failed(checkOperands(node, operands, *groups,
                           inAllGroups(weights, *groups), weights.shape()[0])))
    return failure();
  TensorBuilder::Sizes extents = node.build.sizes(image.value);
  FailureOr<Windows> windows = readWindows(
      node, ArrayRef(extents).drop_front(2), weights.shape().drop_front(2));
  if (failed(windows))
    return failure();
  TensorBuilder &build = node.build;
  Value padded = padSpatial(build, image.value, windows->before, windows->after,
                            build.scalar(image.elementType(), 0));
  return slideWeights(build, padded, weights.value, biasOf(operands), *windows,
                      *groups);
}

FailureOr<Value>
buildTransposedConvolution(NodeImport &node,
                           const ConvolutionOperands &operands) {
  FailureOr<int64_t> groups = checkRanks(node, operands);
  if (failed(groups))
    return failure();
  const OnnxTensor &image = operands.image, &weights = operands.weights;
  if (failed(checkOperands(node, operands, *groups, weights.shape()[0],
                           inAllGroups(weights, *groups))))
    return failure();
  if (image.shape()[1] % *groups != 0)
    return node.error() << "cannot share " << image.shape()[1]
                        << " channels among " << *groups << " groups";
  TensorBuilder::Sizes extents = node.build.sizes(image.value);
  ArrayRef<Number> spatial = ArrayRef(extents).drop_front(2);
  FailureOr<Windows> windows =
      readWindowAttributes(node, weights.shape().drop_front(2));
  if (failed(windows) || failed(padTransposed(node, spatial, *windows)))
    return failure();

  TensorBuilder &build = node.build;
  Numbers numbers = build.numbersHere();
  Value zero = build.scalar(image.elementType(), 0);
  bool isOfBlocks = *groups == 1 && windows->kernel == windows->strides &&
                    llvm::all_of(windows->dilations,
                                 [](int64_t number) { return number == 1; });
  if (isOfBlocks) {
    Value blocks =
        productOfBlocks(build, image.value, weights.value, windows->kernel);
    TensorBuilder::Sizes low, high;
    for (auto [before, after] :
         llvm::zip_equal(windows->before, windows->after)) {
      low.push_back(numbers.sub(numbers.constant(0), before));
      high.push_back(numbers.sub(numbers.constant(0), after));
    }
    return addBias(build, padSpatial(build, blocks, low, high, zero),
                   biasOf(operands));
  }
  // After the last entry there are stride - 1 zeros too many.
  TensorBuilder::Sizes low, high;
  for (int64_t dim = 0; dim < windows->rank(); ++dim) {
    int64_t around = windows->reach(dim) - 1,
            stuffed = windows->strides[dim] - 1;
    low.push_back(numbers.sub(numbers.constant(around), windows->before[dim]));
    high.push_back(
        numbers.sub(numbers.constant(around - stuffed), windows->after[dim]));
  }
  Value stuffed = stuffedWithZeros(build, image.value, windows->strides);
  Value padded = padSpatial(build, stuffed, low, high, zero);
  windows->strides.assign(windows->strides.size(), 1);
  return slideWeights(build, padded,
                      reversedWeights(build, weights.value, *groups),
                      biasOf(operands), *windows, *groups);
}

void addConvolutions(OperatorTable &table) {
  table.add("Conv", 2, buildNode<buildConvolution>);
  table.add("ConvTranspose", 2, buildNode<buildTransposedConvolution>);
}

} // namespace npu
