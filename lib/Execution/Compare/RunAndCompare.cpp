// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one program, or two on the same inputs and compares them, at one length
// or at several.

#include "npu/Execution/Compare/RunAndCompare.h"

#include "ReportResults.h"
#include "RunSides.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Compares the results of the last run.
Outcome compare(Sides &sides, const RunOptions &options,
                llvm::raw_ostream &out) {
  reportSplits(sides.splits, out);
  Outcome worst = Outcome::Equal;
  bool replayed = false, overflowed = false;
  for (auto [i, expected] : llvm::enumerate(sides.reference.results)) {
    Comparison comparison =
        reportResult(sides.own, expected, sides.replayed(i), i, options, out);
    replayed |= comparison.replayed > 0;
    overflowed |= comparison.overflowed > 0;
    worst = std::max(worst, outcomeOf(comparison));
  }
  bool isHeld = true;
  if (replayed || overflowed)
    isHeld = succeeded(reportRounding(sides, out));
  if (worst == Outcome::Different && !overflowed)
    reportBroken(sides.own, out);
  if (!isHeld)
    worst = Outcome::Different;
  if (worst != Outcome::Different || sides.splits.empty())
    return worst;
  if (!sides.whyNoReplay.empty())
    out << "the reference cannot add up in the same parts, so bits have to be "
           "equal: "
        << sides.whyNoReplay << "\n";
  if (sides.replay && sides.takesLength)
    out << "with padding in front, parts begin elsewhere at every length: "
           "compare with the padded function\n";
  if (!sides.whyNoReplay.empty() || overflowed || !isHeld)
    out << "what can be compared: --inputs=integers, whose sums are exact in "
           "any order while they stay small; the file legalized with "
           "split-reductions=false; sums accumulated in f32\n";
  return worst;
}

LogicalResult conclude(Outcome worst, llvm::raw_ostream &out) {
  switch (worst) {
  case Outcome::Equal:
    out << "equal\n";
    return success();
  case Outcome::Allowed:
    out << "equal within what is allowed\n";
    return success();
  case Outcome::Different:
    out << "different\n";
    return failure();
  }
}

/// Compares at every length; prints the lengths at which results differ.
LogicalResult compareLengths(Sides &sides, const RunOptions &options,
                             llvm::raw_ostream &out) {
  Outcome worst = Outcome::Equal;
  int64_t different = 0;
  for (int64_t length : options.lengths) {
    auto inputs = makeInputs(sides, options, length);
    if (failed(inputs) || failed(runSides(sides, *inputs, 1)))
      return failure();
    std::string text;
    llvm::raw_string_ostream stream(text);
    Outcome outcome = compare(sides, options, stream);
    if (outcome != Outcome::Equal)
      out << "length " << length << ":\n" << text;
    different += outcome == Outcome::Different;
    worst = std::max(worst, outcome);
  }
  out << fmt::format("{} lengths, {} different\n", options.lengths.size(),
                     different);
  return conclude(worst, out);
}

} // namespace

LogicalResult runAndCompare(OwningOpRef<ModuleOp> module,
                            OwningOpRef<ModuleOp> referenceModule,
                            const RunOptions &options, llvm::raw_ostream &out) {
  FailureOr<Sides> sides =
      prepareSides(std::move(module), std::move(referenceModule), options);
  if (failed(sides))
    return failure();
  bool several = options.lengths.size() > 1;
  if (several && (!sides->reference || !options.output.empty()))
    return failRun(fmt::format("--length: expected one length without a "
                               "reference or with --output, got {}",
                               options.lengths.size()));
  if (failed(compileSides(*sides, options)))
    return failure();
  if (several)
    return compareLengths(*sides, options, out);

  int64_t length = options.lengths.empty() ? 0 : options.lengths.front();
  auto inputs = makeInputs(*sides, options, length);
  if (failed(inputs) || failed(runSides(*sides, *inputs, options.repeat)))
    return failure();
  const Side &own = sides->own, &reference = sides->reference;
  if (!options.output.empty() && failed(writeResults(own, options.output)))
    return failure();
  if (!reference) {
    reportRun(own, options, out);
    if (options.repeat > 1)
      out << fmt::format("time: {:.3f} ms\n", own.milliseconds);
    return success();
  }
  Outcome worst = compare(*sides, options, out);
  if (options.repeat > 1)
    out << fmt::format("time: {:.3f} ms, reference {:.3f} ms, ratio {:.3f}\n",
                       own.milliseconds, reference.milliseconds,
                       own.milliseconds / reference.milliseconds);
  return conclude(worst, out);
}

} // namespace npu
