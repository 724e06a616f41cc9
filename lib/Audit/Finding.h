// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an audit says of one operation.

#ifndef NPU_LIB_AUDIT_FINDING_H
#define NPU_LIB_AUDIT_FINDING_H

#include "Measure.h"
#include "Units.h"

#include "npu/Placement/Boxes/Box.h"

namespace npu {

/// From the worst to the best.
enum class FindingClass : uint8_t {
  Structural,
  Overflow,
  Cancellation,
  NotAudited,
  Rounding,
  Exact
};

/// "STRUCTURAL"
const char *nameOf(FindingClass kind);

struct Finding {
  /// The operation's number among those that were audited.
  int64_t number = 0;
  FindingClass kind = FindingClass::Exact;
  mlir::Operation *op = nullptr;
  /// "linalg.matmul" and the name of its place.
  std::string name, location;
  /// For each result that somebody uses.
  std::vector<Measurement> results;
  /// The number of the worst result among them.
  size_t worst = 0;
  Summing sums;
  /// What may be the reason, in words.
  std::vector<std::string> hints;
  /// Where elements of the worst result are beyond their bounds, and which
  /// tiles compute them; empty where there is none or nothing is distributed.
  std::optional<Box> wrong;
  std::vector<std::pair<int64_t, Box>> tiles;
  /// Why there is no bound.
  std::string why;

  const Measurement *worstResult() const {
    return results.empty() ? nullptr : &results[worst];
  }
  /// "linalg.matmul (model.mlir:3:8)"
  std::string title() const { return name + " (" + location + ")"; }
};

/// Chooses the class from the results, and the worst of them.
void classify(Finding &finding, const CompiledUnit &unit);

Summing sumsOf(mlir::Operation *op);
/// How often the bodies of an operation run.
int64_t workOf(mlir::Operation *op);

/// What the pattern of errors looks like: a wrong broadcast, scale, row or
/// window.
std::vector<std::string> hintsOf(const HostTensor &device, const Tracked &local,
                                 const std::vector<int64_t> &beyond);

/// Says where elements are wrong.
void locate(Finding &finding, mlir::Type deviceType,
            const std::vector<int64_t> &beyond);

} // namespace npu

#endif // NPU_LIB_AUDIT_FINDING_H
