// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured operations of convolutions.

#include "SlideWeights.h"

using namespace mlir;

namespace npu {
namespace {

using Iterator = utils::IteratorType;

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
    AffineExpr batch = loop(Iterator::parallel);
    image = {batch};
    result = {batch};
    if (hasGroups) {
      AffineExpr group = loop(Iterator::parallel);
      for (auto *map : {&image, &weights, &result})
        map->push_back(group);
    }
    if (hasOutputs) {
      AffineExpr output = loop(Iterator::parallel);
      weights.push_back(output);
      result.push_back(output);
    }
    SmallVector<AffineExpr> places;
    for (int64_t dim = 0; dim < windows.rank(); ++dim)
      places.push_back(loop(Iterator::parallel));
    llvm::append_range(result, places);
    if (hasInputs) {
      AffineExpr input = loop(Iterator::reduction);
      weights.push_back(input);
      image.push_back(input);
    }
    for (int64_t dim = 0; dim < windows.rank(); ++dim) {
      AffineExpr entry = loop(Iterator::reduction);
      weights.push_back(entry);
      image.push_back(windowPosition(windows, dim, places[dim], entry));
    }
  }

  SmallVector<AffineMap> maps() const {
    SmallVector<AffineMap> found;
    for (const auto *exprs : {&image, &weights, &result})
      found.push_back(AffineMap::get(iterators.size(), 0, *exprs, context));
    return found;
  }

  SmallVector<Iterator> iterators;

private:
  AffineExpr loop(Iterator kind) {
    iterators.push_back(kind);
    return getAffineDimExpr(iterators.size() - 1, context);
  }

  MLIRContext *context;
  SmallVector<AffineExpr> image, weights, result;
};

} // namespace

Value slideWeights(TensorBuilder &build, Value image, Value weights, Value bias,
                   const Windows &windows, int64_t groups) {
  ArrayRef<int64_t> spatial = shapeOf(image).drop_front(2);
  Windows::Numbers kernel(windows.kernel), places(windows.results);
  int64_t channels = shapeOf(image)[1], outputs = shapeOf(weights)[0];
  int64_t inputsOfGroup = channels / groups, outputsOfGroup = outputs / groups;
  TensorBuilder::Sizes imageSizes = build.sizes(image);
  Type type = elementOf(image);

  TensorBuilder::Sizes sizes{imageSizes[0]};
  llvm::append_range(sizes, build.sizes(ArrayRef<int64_t>{outputs}));
  llvm::append_range(sizes, build.sizes(places));
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
    return build.contract(image, weights, init, loops.maps(), loops.iterators);
  }
  if (groups == 1) {
    ConvolutionLoops loops(build, windows, false, true, true);
    return build.contract(image, weights, initial(build, bias, type, sizes, 1),
                          loops.maps(), loops.iterators);
  }
  bool hasInputs = inputsOfGroup != 1, hasOutputs = outputsOfGroup != 1;
  SmallVector<int64_t> imageShape{shapeOf(image)[0], groups},
      resultShape{shapeOf(image)[0], outputs};
  weightsShape = {groups};
  TensorBuilder::Sizes groupSizes{imageSizes[0]};
  SmallVector<int64_t> apart{groups};
  if (hasOutputs) {
    apart.push_back(outputsOfGroup);
    weightsShape.push_back(outputsOfGroup);
  }
  if (hasInputs) {
    imageShape.push_back(inputsOfGroup);
    weightsShape.push_back(inputsOfGroup);
  }
  llvm::append_range(groupSizes, build.sizes(apart));
  llvm::append_range(groupSizes, build.sizes(places));
  llvm::append_range(imageShape, spatial);
  llvm::append_range(weightsShape, kernel);
  llvm::append_range(resultShape, places);
  ConvolutionLoops loops(build, windows, true, hasOutputs, hasInputs);
  Value result = build.contract(build.reshape(image, imageShape),
                                build.reshape(weights, weightsShape),
                                initial(build, bias, type, groupSizes,
                                        static_cast<int64_t>(apart.size())),
                                loops.maps(), loops.iterators);
  return build.reshape(result, resultShape);
}

} // namespace npu
