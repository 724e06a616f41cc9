// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that resize one dimension of an image. Nearest neighbours are
// repeated or taken by slices; interpolations are small contractions, with a
// window where the weights repeat along the dimension and with a whole matrix
// where not.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_RESIZEDIMENSION_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_RESIZEDIMENSION_H

#include "../Graph/NodeImport.h"
#include "ResizeTaps.h"

namespace npu {

using AllTaps = std::vector<ResizeTaps>;

/// How often nearest neighbours repeat each entry, one after the other;
/// nothing where they do not repeat all as often.
std::optional<int64_t> repeatsOf(const AllTaps &taps, int64_t entries);

/// Repeats every entry of dimension d `repeats[d]` times.
mlir::Value repeated(TensorBuilder &build, mlir::Value x,
                     llvm::ArrayRef<int64_t> repeats);

/// Takes nearest neighbours: each result is the first entry of its taps.
mlir::Value takeEntries(TensorBuilder &build, mlir::Value x, int64_t dim,
                        const AllTaps &taps);

/// Weighs the entries of every result. An error where it takes too many
/// weights.
mlir::FailureOr<mlir::Value> interpolate(NodeImport &node, mlir::Value x,
                                         int64_t dim, const ResizeAxis &axis,
                                         const AllTaps &taps,
                                         OnnxElement element);

/// Another value at the positions that lie outside of the image.
mlir::Value replaceOutside(TensorBuilder &build, mlir::Value x, int64_t dim,
                           const AllTaps &taps, double number);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_RESIZEDIMENSION_H
