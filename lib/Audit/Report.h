// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an audit has found, as text and as JSON.

#ifndef NPU_LIB_AUDIT_REPORT_H
#define NPU_LIB_AUDIT_REPORT_H

#include "Against.h"
#include "Finding.h"

namespace npu {

struct AuditReport {
  std::string entry;
  /// "normal" or "files", and the seed of generated inputs.
  std::string inputs;
  uint64_t seed = 0;
  /// How many operations were audited, how many different ones were compiled,
  /// and the most bytes of their values at a time.
  int64_t operations = 0, compiled = 0, mostBytes = 0;
  /// The worst first.
  std::vector<Finding> findings;
  /// For each result of the function, what computes it; null for arguments.
  std::vector<const Measurement *> results;
  /// Whether the file was lowered from TOSA first.
  bool wasLowered = false;
  /// What a comparison with the function before it was compiled has found.
  std::optional<Comparison64> original;
  /// Where a reproducer was written to, and the command that runs it.
  std::string reproducer;

  /// The finding that the verdict is about; null where there is none.
  const Finding *worst() const;
  /// Whether something is wrong that is no matter of rounding.
  bool isWrong() const;
};

/// Sorts findings: by class, then by what the operation itself is off by, in
/// units of the last place.
void sortFindings(std::vector<Finding> &findings);

/// What is wrong with an operation, in one line.
std::string reasonOf(const Finding &finding);
std::string verdictOf(const AuditReport &report);
/// The class that the verdict says.
FindingClass classOf(const AuditReport &report);

std::string toText(const AuditReport &report);
std::string toJson(const AuditReport &report);

} // namespace npu

#endif // NPU_LIB_AUDIT_REPORT_H
