// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeformConv: a convolution whose windows read the image between its entries,
// each at an offset of its own. What the windows read is one operation, and its
// product with the weights another.

#include "../Graph/OperatorTable.h"
#include "ImageSampler.h"
#include "Moments.h"
#include "Windows.h"

using namespace mlir;

namespace npu {
namespace {

/// The groups of a node and of its offsets, with windows over the image.
struct Deformation {
  Windows windows;
  int64_t groups, offsetGroups;
};

FailureOr<Deformation> deformationOf(NodeImport &node) {
  const OnnxTensor &x = node.operand(0), &w = node.operand(1);
  for (unsigned operand = 0; operand < node.operandCount(); ++operand)
    if (node.has(operand) && (!node.operand(operand).type().hasStaticShape() ||
                              !isFloat(node.operand(operand).element)))
      return node.error() << "expected floats of a static shape as operand #"
                          << operand << ", got "
                          << NodeImport::describe(node.operand(operand));
  if (x.rank() != 4 || w.rank() != 4)
    return node.error() << "expected an image and weights of rank 4, got "
                        << NodeImport::describe(x) << " and "
                        << NodeImport::describe(w);
  auto kernel = node.integers("kernel_shape");
  if (kernel && ArrayRef<int64_t>(*kernel) != w.shape().drop_front(2))
    return node.error() << "expected a kernel_shape as the weights have it, "
                        << "got weights " << NodeImport::describe(w);
  FailureOr<Windows> windows =
      readWindows(node, x.shape().drop_front(2), w.shape().drop_front(2));
  if (failed(windows))
    return failure();
  int64_t groups = node.integer("group", 1),
          offsetGroups = node.integer("offset_group", 1);
  int64_t channels = x.shape()[1];
  if (groups < 1 || channels % groups != 0 || w.shape()[0] % groups != 0 ||
      w.shape()[1] != channels / groups)
    return node.error() << "cannot share " << channels << " channels and "
                        << w.shape()[0] << " results among " << groups
                        << " groups with weights " << NodeImport::describe(w);
  if (offsetGroups < 1 || channels % offsetGroups != 0)
    return node.error() << "cannot share " << channels << " channels among "
                        << offsetGroups << " groups of offsets";
  return Deformation{*windows, groups, offsetGroups};
}

/// An error where an operand has not `perEntry` numbers for each group of
/// offsets, entry of the window, and window.
LogicalResult checkPerWindow(NodeImport &node, unsigned operand,
                             const Deformation &deformation, int64_t perEntry) {
  const Windows &windows = deformation.windows;
  int64_t entries = windows.kernel[0] * windows.kernel[1];
  SmallVector<int64_t> expected{node.operand(0).shape()[0],
                                deformation.offsetGroups * entries * perEntry,
                                windows.results[0], windows.results[1]};
  const OnnxTensor &tensor = node.operand(operand);
  if (tensor.shape() == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic diagnostic = node.error();
  diagnostic << "expected a shape of ";
  llvm::interleave(
      expected, [&](int64_t extent) { diagnostic << extent; },
      [&] { diagnostic << "x"; });
  return diagnostic << " as operand #" << operand << ", got "
                    << NodeImport::describe(tensor);
}

/// What all windows read: batch, channel, entry of the window, window, the last
/// two by rows and columns.
Value sampled(NodeImport &node, const Deformation &deformation) {
  const OnnxTensor &x = node.operand(0), &offset = node.operand(2);
  const Windows &windows = deformation.windows;
  int64_t channels = x.shape()[1], entries = windows.kernel[1],
          perGroup = channels / deformation.offsetGroups;
  ImageSampler sampler;
  // Positions in short floats would be off by whole entries.
  sampler.type = x.elementType().getIntOrFloatBitWidth() < 32
                     ? node.build.builder.getF32Type()
                     : x.elementType();
  OnnxElement ofPositions =
      x.elementType() == sampler.type ? x.element : OnnxElement::Float;
  SmallVector<int64_t> shape{x.shape()[0],       channels,
                             windows.kernel[0],  windows.kernel[1],
                             windows.results[0], windows.results[1]};
  TensorBuilder &build = node.build;
  return build.generate(
      build.sizes(shape), x.elementType(),
      [&](ScalarBuilder &s, ValueRange at) {
        auto times = [&](Value index, int64_t factor) {
          return s.create<arith::MulIOp>(
              index, s.integer(s.builder.getIndexType(), factor));
        };
        auto plus = [&](Value a, Value b) {
          return s.create<arith::AddIOp>(a, b);
        };
        Value group = s.create<arith::DivUIOp>(
            at[1], s.integer(s.builder.getIndexType(), perGroup));
        Value entry =
            plus(times(plus(times(group, windows.kernel[0]), at[2]), entries),
                 at[3]);
        Value position[2];
        for (int64_t dim = 0; dim < 2; ++dim) {
          Value number =
              plus(times(entry, 2), s.integer(s.builder.getIndexType(), dim));
          Value moved =
              s.cast(TensorBuilder::read(s, offset.value,
                                         {at[0], number, at[4], at[5]}),
                     ofPositions);
          Value fixed = plus(times(at[4 + dim], windows.strides[dim]),
                             times(at[2 + dim], windows.dilations[dim]));
          Value begin = s.create<arith::SubIOp>(
              fixed, s.integer(s.builder.getIndexType(), windows.low[dim]));
          Value whole =
              s.create<arith::IndexCastOp>(s.builder.getI64Type(), begin);
          position[dim] =
              s.add(s.create<arith::SIToFPOp>(sampler.type, whole), moved);
        }
        Value found = sampler.interpolated(s, x.value, {at[0], at[1]},
                                           position[0], position[1]);
        if (!node.has(4))
          return found;
        return s.mul(found, TensorBuilder::read(s, node.operand(4).value,
                                                {at[0], entry, at[4], at[5]}));
      });
}

LogicalResult buildDeformConv(NodeImport &node) {
  FailureOr<Deformation> deformation = deformationOf(node);
  if (failed(deformation) ||
      failed(checkPerWindow(node, 2, *deformation, /*perEntry=*/2)) ||
      (node.has(4) &&
       failed(checkPerWindow(node, 4, *deformation, /*perEntry=*/1))))
    return failure();
  const OnnxTensor &x = node.operand(0), &w = node.operand(1);
  const Windows &windows = deformation->windows;
  int64_t groups = deformation->groups;
  int64_t terms = w.shape()[1] * w.shape()[2] * w.shape()[3];
  int64_t places = windows.results[0] * windows.results[1];
  std::optional<int64_t> count =
      elementCount({x.shape()[0], groups, terms, places});
  if (!count)
    return node.error() << "its windows read more than " << kMostElements
                        << " numbers";
  TensorBuilder &build = node.build;
  Value read = build.reshape(sampled(node, *deformation),
                             {x.shape()[0], groups, terms, places});
  Value weights =
      build.reshape(w.value, {groups, w.shape()[0] / groups, terms});
  Value result = build.matmul(weights, read);
  SmallVector<int64_t> shape{x.shape()[0], w.shape()[0], windows.results[0],
                             windows.results[1]};
  result = result ? build.reshape(result, shape) : result;
  if (!result || !node.has(3))
    return node.setResult(0, result);
  FailureOr<Value> bias = ofChannels(node, 3, 4, w.shape()[0]);
  if (failed(bias))
    return failure();
  return node.setResult(0, sumOf(build, result, *bias));
}

} // namespace

void addDeformableConvolution(OperatorTable &table) {
  table.add("DeformConv", 3, buildDeformConv);
}

} // namespace npu
