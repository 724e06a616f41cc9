// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structured operations of convolutions.

#ifndef NPU_LIB_TRANSLATION_ONNX_OPERATORS_SLIDEWEIGHTS_H
#define NPU_LIB_TRANSLATION_ONNX_OPERATORS_SLIDEWEIGHTS_H

#include "Windows.h"

namespace npu {

/// The convolution of an image N x C x ..., which is padded already, with
/// weights M x C/groups x ...; `bias` has M numbers, or is null. Of two spatial
/// dimensions it is one of linalg's named operations where there is one group
/// or as many as channels; the others are generics with the same maps. The bias
/// is what the sums begin with.
mlir::Value slideWeights(TensorBuilder &build, mlir::Value image,
                         mlir::Value weights, mlir::Value bias,
                         const Windows &windows, int64_t groups);

} // namespace npu

#endif // NPU_LIB_TRANSLATION_ONNX_OPERATORS_SLIDEWEIGHTS_H
