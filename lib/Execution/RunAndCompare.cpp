// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run, or two on the same inputs and what differs between them.

#include "npu/Execution/RunAndCompare.h"

#include "npu/Conversion/Passes.h"
#include "npu/Execution/CompiledFunction.h"
#include "npu/Execution/Npy.h"
#include "npu/Execution/ToExecutable.h"
#include "npu/Support/Naming.h"

#include "BoundSplitReductions.h"
#include "FindSource.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

using namespace mlir;

namespace npu {
namespace {

LogicalResult fail(const std::string &message) {
  llvm::WithColor::error(llvm::errs(), "npu-run") << message << "\n";
  return failure();
}

/// A side of the comparison, and the program that says where its data were.
struct Side {
  OwningOpRef<ModuleOp> program;
  std::unique_ptr<CompiledFunction> function;
  std::vector<HostTensor> results;
  double milliseconds = std::numeric_limits<double>::infinity();
};

FailureOr<Side> prepare(OwningOpRef<ModuleOp> module, bool asReference,
                        const RunOptions &options) {
  StringRef entry = options.entry;
  FailureOr<func::FuncOp> function = findEntry(*module, entry);
  if (failed(function) || failed(keepReachable(*module, *function)))
    return failure();
  if (failed(asReference ? toReference(*module) : toExecutable(*module)))
    return failure();
  Side side;
  if (phaseOf(*module) == Phase::TileProgram)
    side.program = module->clone();
  auto compiled = asReference ? CompiledFunction::bufferize(
                                    std::move(module), entry)
                              : CompiledFunction::bufferize(
                                    std::move(module), entry, options.threads,
                                    options.scratchpad);
  if (failed(compiled))
    return failure();
  side.function = std::move(*compiled);
  return side;
}

/// The reference once more, returning how far results may be from it.
struct Bounds {
  Side side;
  /// Per result of the function, which of the side's it is.
  std::vector<std::optional<unsigned>> numbers;

  const HostTensor *of(unsigned result) const {
    if (result >= numbers.size() || !numbers[result])
      return nullptr;
    return &side.results[*numbers[result]];
  }
};

FailureOr<Bounds> prepareBounds(OwningOpRef<ModuleOp> reference,
                                StringRef entry,
                                ArrayRef<SplitReductionNote> splits) {
  FailureOr<func::FuncOp> function = findEntry(*reference, entry);
  if (failed(function) || failed(keepReachable(*reference, *function)) ||
      failed(toReference(*reference)))
    return failure();
  auto numbers =
      returnBounds(reference->lookupSymbol<func::FuncOp>(entry), splits);
  Bounds bounds;
  if (!numbers)
    return bounds;
  auto compiled = CompiledFunction::bufferize(std::move(reference), entry);
  if (failed(compiled))
    return failure();
  bounds.numbers = std::move(*numbers);
  bounds.side.function = std::move(*compiled);
  return bounds;
}

void reportSplits(ArrayRef<SplitReductionNote> splits, llvm::raw_ostream &out) {
  for (const SplitReductionNote &split : splits)
    out << fmt::format(
        "split reduction: {} #{} of '{}' at {}: {} terms added up in {} "
        "parts, which rounds otherwise\n",
        split.op, split.number, split.function, nameOfLocation(split.loc),
        split.terms, split.parts);
}

std::string join(const std::vector<TensorSpec> &specs) {
  std::vector<std::string> names;
  for (const TensorSpec &spec : specs)
    names.push_back(toString(spec));
  return fmt::format("({})", fmt::join(names, ", "));
}

LogicalResult checkSameSignature(const Side &side, const Side &reference) {
  auto &a = *side.function, &b = *reference.function;
  if (a.inputs() == b.inputs() && a.results() == b.results())
    return success();
  return fail(fmt::format(
      "expected one signature on both sides, got {} -> {} and, in the "
      "reference, {} -> {}",
      join(a.inputs()), join(a.results()), join(b.inputs()),
      join(b.results())));
}

LogicalResult checkMemory(const Side &side, const Side *reference,
                          const Side *bounds) {
  ByteSum needed;
  for (const TensorSpec &spec : side.function->inputs())
    needed.add(spec.bytes());
  side.function->addMemory(needed);
  if (reference)
    reference->function->addMemory(needed);
  if (bounds && bounds->function)
    bounds->function->addMemory(needed);
  if (Check error = npu::checkMemory(needed))
    return fail(error->message);
  return success();
}

FailureOr<std::vector<HostTensor>> makeInputs(const Side &side,
                                              const RunOptions &options) {
  const std::vector<TensorSpec> &specs = side.function->inputs();
  std::vector<HostTensor> inputs;
  if (!options.inputFiles.empty() && options.inputFiles.size() != specs.size())
    return fail(
        fmt::format("--inputs: expected {} files, one for each argument "
                    "of {}, got {}",
                    specs.size(), join(specs), options.inputFiles.size()));
  for (size_t i = 0; i < specs.size(); ++i) {
    if (options.inputFiles.empty()) {
      inputs.push_back(
          generateInput(specs[i], options.inputs, options.seed, i));
      continue;
    }
    Result<HostTensor> input = readNpy(options.inputFiles[i], specs[i]);
    if (!input)
      return fail(fmt::format("argument #{}: {}", i, input.error()));
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

LogicalResult execute(Side &side, const std::vector<HostTensor> &inputs) {
  auto results = side.function->run(inputs);
  if (failed(results))
    return failure();
  side.results = std::move(*results);
  side.milliseconds =
      std::min(side.milliseconds, side.function->milliseconds());
  return success();
}

/// Runs the sides in turn, so that what else the machine does falls on both.
LogicalResult execute(Side &side, Side *reference,
                      const std::vector<HostTensor> &inputs, unsigned repeat) {
  for (unsigned i = 0; i < repeat; ++i)
    if (failed(execute(side, inputs)) ||
        (reference && failed(execute(*reference, inputs))))
      return failure();
  return success();
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
      return fail(error->message);
  }
  return success();
}

std::string ulpToString(uint64_t ulp) {
  return ulp == std::numeric_limits<uint64_t>::max() ? "none (nan on one side)"
                                                     : fmt::format("{}", ulp);
}

enum class Outcome { Equal, Allowed, Different };

/// Prints one result's comparison.
Outcome report(Side &side, const HostTensor &expected, const HostTensor *bound,
               unsigned number, const RunOptions &options,
               llvm::raw_ostream &out) {
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

/// Says what the tile program reads that nobody wrote, or uses of another
/// tile's: what was done to it by hand after it had been verified.
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
                     join(side.function->inputs()),
                     join(side.function->results()));
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

} // namespace

LogicalResult runAndCompare(OwningOpRef<ModuleOp> module,
                            OwningOpRef<ModuleOp> referenceModule,
                            const RunOptions &options, llvm::raw_ostream &out) {
  bool compares = bool(referenceModule);
  std::vector<SplitReductionNote> splits = splitReductionsIn(*module);
  // What is split on both sides is added up in one order.
  if (compares && !splitReductionsIn(*referenceModule).empty())
    splits.clear();
  OwningOpRef<ModuleOp> boundsModule;
  if (compares && !splits.empty())
    boundsModule = referenceModule->clone();
  FailureOr<Side> side =
      prepare(std::move(module), /*asReference=*/false, options);
  if (failed(side))
    return failure();
  FailureOr<Side> reference = failure();
  if (compares) {
    reference =
        prepare(std::move(referenceModule), /*asReference=*/true, options);
    if (failed(reference) || failed(checkSameSignature(*side, *reference)))
      return failure();
  }
  Bounds bounds;
  if (boundsModule) {
    auto prepared =
        prepareBounds(std::move(boundsModule), options.entry, splits);
    if (failed(prepared))
      return failure();
    bounds = std::move(*prepared);
  }
  if (failed(
          checkMemory(*side, compares ? &*reference : nullptr, &bounds.side)))
    return failure();
  auto inputs = makeInputs(*side, options);
  if (failed(inputs))
    return failure();
  if (failed(side->function->compile(options.optLevel)) ||
      (compares && failed(reference->function->compile(options.optLevel))) ||
      failed(execute(*side, compares ? &*reference : nullptr, *inputs,
                     options.repeat)))
    return failure();
  if (!options.output.empty() && failed(writeResults(*side, options.output)))
    return failure();
  if (!compares) {
    reportRun(*side, options, out);
    if (options.repeat > 1)
      out << fmt::format("time: {:.3f} ms\n", side->milliseconds);
    return success();
  }

  if (bounds.side.function &&
      (failed(bounds.side.function->compile(options.optLevel)) ||
       failed(execute(bounds.side, *inputs))))
    return failure();
  reportSplits(splits, out);
  Outcome worst = Outcome::Equal;
  bool boundIsMissing = false;
  for (auto [i, expected] : llvm::enumerate(reference->results)) {
    Outcome outcome = report(*side, expected, bounds.of(i), i, options, out);
    boundIsMissing |= outcome == Outcome::Different && !bounds.of(i);
    worst = std::max(worst, outcome);
  }
  if (worst == Outcome::Different)
    reportBroken(*side, out);
  if (boundIsMissing && !splits.empty())
    out << "no bound is known where other operations follow a split "
           "reduction: --inputs=integers adds up exactly in any order, "
           "--tolerance lets differences pass\n";
  if (options.repeat > 1)
    out << fmt::format("time: {:.3f} ms, reference {:.3f} ms, ratio {:.3f}\n",
                       side->milliseconds, reference->milliseconds,
                       side->milliseconds / reference->milliseconds);
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

} // namespace npu
