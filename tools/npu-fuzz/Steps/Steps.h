// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that functions of operations are made of. Each makes up a step,
// with arguments or other steps that it needs, or does nothing when no value
// fits.

#ifndef NPU_FUZZ_STEPS_STEPS_H
#define NPU_FUZZ_STEPS_STEPS_H

#include "npu-fuzz/Functions/ElementwiseRows.h"
#include "npu-fuzz/Functions/Nest.h"
#include "npu-fuzz/Functions/OperationMaker.h"

namespace npu {

/// A step's value, if the step is legal.
using Made = std::optional<unsigned>;

/// The kinds that each file has.
std::span<const StepRow> blockSteps();
std::span<const StepRow> contractionSteps();
std::span<const StepRow> controlSteps();
std::span<const StepRow> entrySteps();
std::span<const StepRow> indexedSteps();
std::span<const StepRow> positionSteps();
std::span<const StepRow> reductionSteps();
std::span<const StepRow> shapeSteps();
std::span<const StepRow> sourceSteps();
std::span<const StepRow> tosaElementwiseSteps();
std::span<const StepRow> tosaShapeSteps();
std::span<const StepRow> tosaSumSteps();

// Steps that others are made of.

/// How an operation of ElementwiseRows.h is written: as a linalg.generic, as an
/// operation on tensors of one layout, or by the name that linalg has for it.
enum class Written { Generic, OnTensors, Named };
inline Written anyForm(RandomNumbers &random) {
  return static_cast<Written>(random.below(3));
}

/// The operation of that row on one value or two. The second value has the
/// dimensions `loops` of the first one, or all.
Made elementwise(OperationMaker &maker, const std::vector<unsigned> &operands,
                 int64_t row, Written written,
                 const std::vector<std::vector<int64_t>> &loops = {});
/// The name of one of the operations on two values of the type.
const char *randomBinary(OperationMaker &maker, ElementType type);

/// What a body that uses positions makes of its first entry: it adds the
/// position of loop `first` (form 0), or takes zero instead where that is below
/// the position of loop `second` (1), or odd (2).
mlir::Value countedEntry(Region &region, ElementType type, int64_t form,
                         int64_t first, int64_t second);

/// Minima and maxima whose result depends on the operation: of both zeros, and
/// of a number and NaN.
inline constexpr const char *kExtremes[] = {"arith.minimumf", "arith.maximumf",
                                            "arith.minnumf", "arith.maxnumf"};

enum ReductionRow : int64_t { kSum, kSumFrom3, kMaximum, kMinimum };
Made reduction(OperationMaker &maker, unsigned value, int64_t row,
               const std::vector<int64_t> &dims);
Made softmax(OperationMaker &maker, unsigned value, int64_t dim);
/// The contraction whose operation is called so, with one number for all
/// strides and one for all dilations.
Made contraction(OperationMaker &maker, std::string_view op, unsigned input,
                 unsigned filter, int64_t stride = 1, int64_t dilation = 1);

Made transposed(OperationMaker &maker, unsigned value,
                const std::vector<int64_t> &dims);
/// The dimension `dim` in two, of which the outer one has this extent.
Made expanded(OperationMaker &maker, unsigned value, int64_t dim,
              int64_t outer);
Made collapsed(OperationMaker &maker, unsigned value, int64_t dim);
Made withDimension(OperationMaker &maker, unsigned value, int64_t dim,
                   int64_t extent);

/// A part of a dimension.
struct Slice {
  int64_t offset = 0;
  Extent size = {};
  int64_t stride = 1;
  bool isDropped = false;
};
Made slice(OperationMaker &maker, unsigned value,
           const std::vector<Slice> &slices);
Made concat(OperationMaker &maker, const std::vector<unsigned> &values,
            int64_t dim);
/// Padding by one number. The others are low and high padding of each
/// dimension.
Made padded(OperationMaker &maker, unsigned value,
            const std::vector<int64_t> &numbers, int64_t by = -2);

} // namespace npu

#endif // NPU_FUZZ_STEPS_STEPS_H
