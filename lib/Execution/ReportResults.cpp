// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportResults.h"

#include "FindSource.h"
#include "npu/Conversion/Passes.h"
#include "npu/Execution/Npy.h"
#include "npu/Support/Naming.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace mlir;

namespace npu {
namespace {

std::string ulpToString(uint64_t ulp) {
  return ulp == std::numeric_limits<uint64_t>::max() ? "none (nan on one side)"
                                                     : fmt::format("{}", ulp);
}

} // namespace

void reportSplits(ArrayRef<SplitReductionNote> splits, llvm::raw_ostream &out) {
  for (const SplitReductionNote &split : splits)
    out << fmt::format(
        "split reduction: {} #{} of '{}' at {}: {} terms added up in {} "
        "parts, which rounds otherwise\n",
        split.op, split.number, split.function, nameOfLocation(split.loc),
        split.terms, split.parts);
}

Outcome reportResult(Side &side, const HostTensor &expected,
                     const HostTensor *bound, unsigned number,
                     const RunOptions &options, llvm::raw_ostream &out) {
  const HostTensor &got = side.results[number];
  Comparison c = compareTensors(expected, got, options.tolerance, bound);
  out << fmt::format("result #{} {}: {} elements, {} different, max absolute "
                     "difference {:g}, max ULP difference {}\n",
                     number, toString(got.spec), c.elements, c.different,
                     c.maxAbsolute, ulpToString(c.maxUlp));
  if (!c.first)
    return Outcome::Equal;
  if (bound)
    out << fmt::format("  its own split reduction's bound on rounding holds "
                       "for {} of {} different elements; the largest "
                       "difference is {:.2g} of its bound\n",
                       c.different - c.beyond, c.different, c.maxOfBound);
  std::vector<int64_t> index = coordinatesOf(got.spec, *c.first);
  out << fmt::format("  first {} at [{}]: expected {}, got {}\n",
                     c.beyond ? "difference" : "difference, tolerated,",
                     fmt::join(index, ", "),
                     elementToString(expected, *c.first),
                     elementToString(got, *c.first));
  if (c.beyond && c.beyond != c.different)
    out << fmt::format("  {} beyond the tolerance\n", c.beyond);
  if (c.beyond && side.program)
    for (const std::string &line :
         findSource(side.program->lookupSymbol<func::FuncOp>(options.entry),
                    number, index))
      out << "    from " << line << "\n";
  return c.beyond == 0 ? Outcome::Allowed : Outcome::Different;
}

void reportBroken(Side &side, llvm::raw_ostream &out) {
  if (!side.program)
    return;
  MLIRContext *context = side.program->getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    out << fmt::format("  the tile program is not whole: {} ({})\n",
                       diagnostic.str(),
                       nameOfLocation(diagnostic.getLocation()));
    return success();
  });
  PassManager passes(context);
  passes.addPass(createVerifyTileProgram());
  (void)passes.run(*side.program);
}

void reportRun(const Side &side, const RunOptions &options,
               llvm::raw_ostream &out) {
  out << fmt::format("'{}' ran: {} -> {}\n", options.entry,
                     toString(side.function->inputs()),
                     toString(side.function->results()));
  for (auto [i, result] : llvm::enumerate(side.results)) {
    std::vector<std::string> values;
    int64_t shown = std::min<int64_t>(result.spec.elements(), 16);
    for (int64_t k = 0; k < shown; ++k)
      values.push_back(elementToString(result, k));
    out << fmt::format("result #{} {}: {}{}\n", i, toString(result.spec),
                       fmt::join(values, " "),
                       shown < result.spec.elements() ? " ..." : "");
  }
}

LogicalResult writeResults(const Side &side, const std::string &path) {
  for (size_t i = 0; i < side.results.size(); ++i) {
    std::string name = path;
    if (side.results.size() > 1) {
      bool suffixed = path.ends_with(".npy");
      name = fmt::format("{}.{}.npy",
                         suffixed ? path.substr(0, path.size() - 4) : path, i);
    }
    if (Check error = writeNpy(name, side.results[i]))
      return failRun(error->message);
  }
  return success();
}

} // namespace npu
