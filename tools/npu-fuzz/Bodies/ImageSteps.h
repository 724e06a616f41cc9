// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of ONNX graphs that take rows of a prompt for an image of one
// dimension: windows that slide over it, other sizes of it, and its blocks.

#ifndef NPU_TOOLS_FUZZ_BODIES_IMAGESTEPS_H
#define NPU_TOOLS_FUZZ_BODIES_IMAGESTEPS_H

#include "ImportedGraph.h"

namespace npu {

class ImageSteps : public ImportedGraph {
public:
  using ImportedGraph::ImportedGraph;

protected:
  /// A convolution or a pooling along the last dimension of three. Its padding
  /// is given or as SAME says; the number of a pooling's windows may be rounded
  /// up.
  void window(const Tensor &from);
  /// By a constant factor, or by sizes that are computed of the shape.
  void resize(const Tensor &from);
  /// Channels to rows and columns, at times back.
  void blocks(const Tensor &from);

private:
  /// A tensor of rows with its channels in front of these, as windows slide
  /// over it; at times that already is one.
  std::optional<Tensor> channelsFirst(Tensor x);
};

} // namespace npu

#endif // NPU_TOOLS_FUZZ_BODIES_IMAGESTEPS_H
