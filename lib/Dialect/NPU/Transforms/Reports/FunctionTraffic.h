// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function moves: every redistribution, every host fallback, the
// transfers at its boundary, and the sums. For functions with layouts it is
// what they will move after lowering, for tile programs what their transfers
// move.

#ifndef NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_FUNCTIONTRAFFIC_H
#define NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_FUNCTIONTRAFFIC_H

#include "npu/Analysis/Choices/HostFallback.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace npu {

/// One redistribution or cast; its plan counts elements.
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

/// An operation that falls back to the host.
struct HostFallbackRow {
  mlir::Operation *op;
  HostFallback fallback;
};

/// Sums in bits, so that elements smaller than a byte add up.
struct TrafficTotals {
  int64_t received = 0, injected = 0, relaid = 0;
  /// All bits that are loaded and stored; `gathered` and `boundary` are parts
  /// of them.
  int64_t ddr = 0;
  int64_t fallbacks = 0;
  /// The bits of arguments, results and constants.
  int64_t boundary = 0;
  /// The bits that go from one machine to another, and what some tile of each
  /// machine needs and none of it holds, move by move.
  Bounded betweenMachines;
};

struct FunctionTraffic {
  mlir::FunctionOpInterface function;
  /// Those that its tiles are of.
  Machines machines;
  std::vector<MoveRow> moves;
  std::vector<HostFallbackRow> fallbacks;
  /// The transfers of a tile program, which has no moves and no host fallbacks.
  std::vector<TransferOp> transfers;
  TrafficTotals totals;

  bool isTileProgram() const { return !transfers.empty(); }
  bool isEmpty() const {
    return moves.empty() && fallbacks.empty() && transfers.empty() &&
           totals.ddr == 0;
  }
};

/// The traffic of a function. Fails, with a diagnostic if `saysWhyNot`, where a
/// plan cannot be made or elements have no known size. Precondition: layouts
/// fit their tensors.
mlir::FailureOr<FunctionTraffic> trafficOf(mlir::FunctionOpInterface function,
                                           bool saysWhyNot = true);

} // namespace npu

#endif // NPU_LIB_DIALECT_NPU_TRANSFORMS_REPORTS_FUNCTIONTRAFFIC_H
