// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportResults.h"

#include "FindNonFinite.h"
#include "FindSource.h"
#include "npu/Artefact/Artefact.h"
#include "npu/Artefact/PendingFile.h"
#include "npu/Conversion/LowerToTiles/Passes.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Prepare/PrepareEntry.h"
#include "npu/Host/Npy.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/Naming.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

std::string ulpToString(const Comparison &comparison) {
  return comparison.hasNanOnOneSide ? "none (nan on one side)"
                                    : std::to_string(comparison.maxUlp);
}

/// The largest rounding share of a sum: beyond it, fewer than three bits of the
/// sum can be told from rounding.
constexpr double largestRoundingShare = 1.0 / 8;

} // namespace

Outcome outcomeOf(const Comparison &comparison) {
  if (!comparison.first)
    return Outcome::Equal;
  return comparison.beyond == 0 ? Outcome::Allowed : Outcome::Different;
}

LogicalResult reportRounding(const Sides &sides, llvm::raw_ostream &out) {
  bool isHeld = true;
  for (auto [i, number] : llvm::enumerate(sides.measured)) {
    double share = sides.roundingShare(i);
    std::string name = sides.splits[number].name();
    if (!std::isfinite(share)) {
      isHeld = false;
      out << fmt::format("rounding: {} overflows in its parts, or its whole "
                         "does, and the other does not\n",
                         name);
      continue;
    }
    out << fmt::format("rounding: the parts of {} and its whole are apart by "
                       "at most {:.2g} of |init| + sum of |terms|\n",
                       name, share);
    if (share <= largestRoundingShare)
      continue;
    isHeld = false;
    out << fmt::format("  expected at most {}: the element type loses the "
                       "terms of such a sum in any order\n",
                       largestRoundingShare);
  }
  return success(isHeld);
}

void reportSplits(ArrayRef<SplitReductionNote> splits, llvm::raw_ostream &out) {
  for (const SplitReductionNote &split : splits)
    out << fmt::format(
        "split reduction: {} #{} of '{}' at {}: {} terms added up in {} "
        "parts, which rounds otherwise\n",
        split.op, split.number, split.function, nameOfLocation(split.loc),
        split.terms, split.parts);
}

Comparison reportResult(Sides &sides, unsigned number,
                        const RunOptions &options, llvm::raw_ostream &out) {
  Side &side = sides.own;
  const HostTensor &expected = sides.reference.results[number];
  const HostTensor *replay = sides.replayed(number);
  const HostTensor &got = side.results[number];
  Comparison c = compareTensors(expected, got, options.tolerance, replay);
  out << fmt::format("result #{} {}: {} elements, {} different, max absolute "
                     "difference {:g}, max ULP difference {}\n",
                     number, toString(got.spec), c.elements, c.different,
                     c.maxAbsolute, ulpToString(c));
  if (c.rows)
    out << fmt::format("  top-1: the largest element is where it is expected "
                       "in {} of {} row{}\n",
                       c.rowsAgree, c.rows, c.rows == 1 ? "" : "s");
  if (!c.first)
    return c;
  if (replay)
    out << fmt::format("  {} of {} different elements have the bits that the "
                       "reference gives when it adds up in the same parts\n",
                       c.replayed + c.overflowed, c.different);
  if (c.overflowed)
    out << fmt::format("  {} of these are NaN or infinite on one side only, "
                       "which does not pass\n",
                       c.overflowed);
  std::vector<int64_t> index = coordinatesOf(got.spec, *c.first);
  std::string inParts;
  if (replay && c.beyond)
    inParts = fmt::format(" ({} in the same parts)",
                          elementToString(*replay, *c.first));
  out << fmt::format("  first {} at [{}]: expected {}{}, got {}\n",
                     c.beyond ? "difference" : "difference, tolerated,",
                     fmt::join(index, ", "),
                     elementToString(expected, *c.first), inParts,
                     elementToString(got, *c.first));
  if (c.beyond && c.beyond != c.different)
    out << fmt::format("  {} beyond the tolerance\n", c.beyond);
  if (c.beyond && side.program)
    for (const std::string &line :
         findSource(side.program->lookupSymbol<func::FuncOp>(sides.entry),
                    number, index))
      out << "    from " << line << "\n";
  return c;
}

NonFiniteCount reportNonFinite(const Sides &sides, unsigned number,
                               llvm::raw_ostream &out) {
  const HostTensor *expected = sides.reference.results.empty()
                                   ? nullptr
                                   : &sides.reference.results[number];
  // After the real part of a result, nothing is ever written.
  NonFiniteCount count = countNonFinite(sides.own.results[number], expected,
                                        /*mayBeUnwritten=*/sides.takesLength);
  if (count.total() > 0)
    out << "  " << toString(count) << (expected ? ", on both sides" : "")
        << "\n";
  return count;
}

void reportOrigin(Sides &sides, unsigned number,
                  const std::vector<HostTensor> &inputs,
                  llvm::raw_ostream &out) {
  OwningOpRef<ModuleOp> module = std::move(sides.searched.module);
  if (!module) {
    if (!sides.searched.whyNot.empty())
      out << "    since which operation is not known: " << sides.searched.whyNot
          << "\n";
    return;
  }
  std::vector<std::string> lines;
  if (succeeded(toReference(*module)) && succeeded(inlineCalls(*module)))
    lines = findNonFinite(std::move(module), sides.entry, number, inputs,
                          sides.optLevel);
  for (const std::string &line : lines)
    out << "    " << line << "\n";
}

void reportBroken(Side &side, llvm::raw_ostream &out) {
  if (!side.program)
    return;
  MLIRContext *context = side.program->getContext();
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    std::optional<RefusalMark> mark = markOf(diagnostic);
    bool lacks = mark && mark->kind == RefusalKind::ReadsUnwritten;
    out << fmt::format("  the tile program is {}: {} ({})\n",
                       lacks ? "not whole" : "wrong", diagnostic.str(),
                       nameOfLocation(diagnostic.getLocation()));
    return success();
  });
  PassManager passes(context);
  passes.addPass(createVerifyTileProgram());
  (void)passes.run(*side.program);
}

void reportRun(const Sides &sides, llvm::raw_ostream &out) {
  const Side &side = sides.own;
  out << fmt::format("'{}' ran: {} -> {}\n", sides.entry,
                     toString(side.function->inputs()),
                     toString(side.function->results()));
  for (auto [i, result] : llvm::enumerate(side.results)) {
    std::vector<std::string> values;
    int64_t shown = std::min<int64_t>(result.spec.elements(), 16);
    values.reserve(shown);
    for (int64_t k = 0; k < shown; ++k)
      values.push_back(elementToString(result, k));
    out << fmt::format("result #{} {}: {}{}\n", i, toString(result.spec),
                       fmt::join(values, " "),
                       shown < result.spec.elements() ? " ..." : "");
  }
}

std::vector<std::string> filesOfResults(const std::string &path, size_t count) {
  if (count == 1)
    return {path};
  StringRef stem = path;
  stem.consume_back(".npy");
  std::vector<std::string> files;
  for (size_t i = 0; i < count; ++i)
    files.push_back(fmt::format("{}.{}.npy", stem.str(), i));
  return files;
}

Result<ResultFiles> ResultFiles::create(Side &side, const std::string &path) {
  ResultFiles results;
  results.files = std::make_shared<std::vector<File>>();
  const std::vector<TensorSpec> &specs = side.function->results();
  for (auto [file, spec] :
       llvm::zip_equal(filesOfResults(path, specs.size()), specs)) {
    File &each = results.files->emplace_back();
    each.path = file;
    if (Result<> error = checkOutput("", file); !error)
      return error.error();
    if (!becomesFile(file))
      continue;
    Result<PendingFile> pending = PendingFile::create(file);
    if (!pending)
      return pending.error();
    // Small ones, and those of another form, are written in the end.
    Result<std::optional<HostTensor>> mapped = mapNpy(pending->handle(), spec);
    if (!mapped)
      return Error{file + ": " + mapped.error().message};
    if (!*mapped)
      continue;
    each.pending = std::make_shared<PendingFile>(std::move(*pending));
    each.first = std::move(*mapped);
  }
  side.function->placeResults([files = results.files](size_t number,
                                                      const TensorSpec &spec) {
    File &file = (*files)[number];
    std::optional<HostTensor> tensor = std::exchange(file.first, std::nullopt);
    if (!tensor && file.pending)
      if (auto mapped = mapNpy(file.pending->handle(), spec))
        tensor = std::move(*mapped);
    file.data = tensor ? tensor->buffer.data() : nullptr;
    return tensor ? std::move(*tensor) : HostTensor(spec);
  });
  return results;
}

LogicalResult ResultFiles::write(const Side &side) const {
  std::vector<FileToWrite> toWrite;
  for (auto [file, result] : llvm::zip_equal(*files, side.results)) {
    FileToWrite &each = toWrite.emplace_back();
    each.path = file.path;
    // What the function has left in an input, or has cut off, lies elsewhere.
    if (file.data && result.buffer.data() == file.data)
      each.written = file.pending;
    else
      each.write = [&result = result](llvm::raw_ostream &out) {
        writeNpy(out, result);
      };
  }
  Result<> written = writeFilesAtomically(toWrite);
  if (!written)
    return failRun(written.error().message);
  return success();
}

} // namespace npu
