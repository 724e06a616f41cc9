// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function moves: every redistribution, every operation on gathered
// data, what passes its boundary, and the sums. Functions with layouts are
// asked what they will move when they are lowered, tile programs what they do
// move.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_FUNCTIONTRAFFIC_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_FUNCTIONTRAFFIC_H

#include "npu/Analysis/Choices/Gather.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// One redistribution or cast, its plan in elements.
struct MoveRow {
  mlir::Operation *op;
  mlir::RankedTensorType type;
  int64_t elementBits = 0;
  RedistributionPlan plan;
  int64_t relaid = 0;
  /// What nobody has written is made where it goes, and does not move.
  bool ofNothing = false;

  int64_t bytes(int64_t elements) const {
    return toBytes(elements, elementBits);
  }
  int64_t bytes(const Box &box) const { return bytes(box.volume()); }
};

/// An operation on gathered data.
struct GatherRow {
  mlir::Operation *op;
  Gather gather;
};

/// Sums in bits, so that elements smaller than a byte add up.
struct TrafficTotals {
  int64_t received = 0, injected = 0, relaid = 0;
  /// All that is loaded and stored, the two below included.
  int64_t ddr = 0;
  int64_t gathered = 0;
  /// Arguments, results and constants.
  int64_t boundary = 0;
};

struct FunctionTraffic {
  mlir::FunctionOpInterface function;
  std::vector<MoveRow> moves;
  std::vector<GatherRow> gathered;
  /// Of a tile program, which has nothing of the above.
  std::vector<TransferOp> transfers;
  TrafficTotals totals;

  bool isTileProgram() const { return !transfers.empty(); }
  bool isEmpty() const {
    return moves.empty() && gathered.empty() && transfers.empty() &&
           totals.ddr == 0;
  }
};

/// Fails, with a diagnostic if `saysWhyNot`, where a plan cannot be made or
/// elements have no known size. Precondition: layouts fit their tensors.
mlir::FailureOr<FunctionTraffic> trafficOf(mlir::FunctionOpInterface function,
                                           bool saysWhyNot = true);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_FUNCTIONTRAFFIC_H
