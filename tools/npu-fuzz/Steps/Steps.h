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

// Kinds.
void arithmetic(OperationMaker &maker);
void broadcasting(OperationMaker &maker);
void converting(OperationMaker &maker);
void comparing(OperationMaker &maker);
void logic(OperationMaker &maker);
void selecting(OperationMaker &maker);
void selectingByFlag(OperationMaker &maker);
void extreme(OperationMaker &maker);
void countingMap(OperationMaker &maker);
void capturedScalar(OperationMaker &maker);
void table(OperationMaker &maker);
void detour(OperationMaker &maker);
void tosaOperation(OperationMaker &maker);

void plainContraction(OperationMaker &maker);
void slidingContraction(OperationMaker &maker);
void reducing(OperationMaker &maker);
void countingReduction(OperationMaker &maker);
void extremeReduction(OperationMaker &maker);
void reducingNothing(OperationMaker &maker);
void softmaxing(OperationMaker &maker);
void softmaxInParts(OperationMaker &maker);
void twoResults(OperationMaker &maker);
void argMost(OperationMaker &maker);
void indexed(OperationMaker &maker);

void transposing(OperationMaker &maker);
void permuteCasting(OperationMaker &maker);
void expanding(OperationMaker &maker);
void collapsing(OperationMaker &maker);
void addingDimension(OperationMaker &maker);
void slicing(OperationMaker &maker);
void inserting(OperationMaker &maker);
void concatenating(OperationMaker &maker);
void plainPadding(OperationMaker &maker);
void paddingWith(OperationMaker &maker);
void fromNothing(OperationMaker &maker);
void moving(OperationMaker &maker);
void relabeling(OperationMaker &maker);

void filling(OperationMaker &maker);
void denseConstant(OperationMaker &maker);
void counting(OperationMaker &maker);
void bothZeros(OperationMaker &maker);
void gathering(OperationMaker &maker);
void deciding(OperationMaker &maker);
void element(OperationMaker &maker);
void settingElement(OperationMaker &maker);
void filledWith(OperationMaker &maker);
void computedScalar(OperationMaker &maker);
void callWithScalar(OperationMaker &maker);
void tensorsInside(OperationMaker &maker);

void branching(OperationMaker &maker);
void looping(OperationMaker &maker);
void handingOn(OperationMaker &maker);
void switching(OperationMaker &maker);

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

/// What `body` computes of every entry, in a linalg.generic or as one operation
/// on tensors of one layout.
Made entries(OperationMaker &maker, const std::vector<unsigned> &operands,
             ElementType type, bool onTensors,
             llvm::function_ref<Scalar(Region &)> body,
             const std::vector<std::vector<int64_t>> &loops = {});

/// A loop and its extent.
struct CountedLoop {
  int64_t loop, extent;
};
/// What a body that uses positions makes of its first entry: it adds a position
/// (form 0), or takes zero instead where the first position is below the second
/// one (1), or odd (2).
Scalar countedEntry(Region &region, int64_t form, CountedLoop first,
                    CountedLoop second);

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
/// Padding by -2. The numbers are low and high padding of each dimension.
Made padded(OperationMaker &maker, unsigned value,
            const std::vector<int64_t> &numbers);

/// A position inside of a shape without extents of 0.
std::vector<int64_t> randomPlace(RandomNumbers &random, const Extents &shape);

} // namespace npu

#endif // NPU_FUZZ_STEPS_STEPS_H
