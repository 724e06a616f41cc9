// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Compare/CheckStorage.h"

#include "ReportResults.h"
#include "npu/Analysis/StorageRules.h"
#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Execution/Compare/RunSides.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Prepare/PrepareEntry.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

#include <cmath>

using namespace mlir;

namespace npu {
namespace {

/// The least share of equal classes that has no warning.
constexpr double leastAgreement = 99.9;

/// How two results differ as numbers, also of different element types.
struct Apart {
  int64_t elements = 0, different = 0;
  double largest = 0;

  double agreement() const {
    return elements == 0 ? 100.0
                         : 100.0 * static_cast<double>(elements - different) /
                               static_cast<double>(elements);
  }
};

Apart apart(const HostTensor &a, const HostTensor &b) {
  Apart found{a.spec.elements()};
  for (int64_t i = 0; i < found.elements; ++i) {
    double x = valueAt(a, i), y = valueAt(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    ++found.different;
    double error = std::abs(x - y);
    found.largest = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                      : std::max(found.largest, error);
  }
  return found;
}

bool haveSameBits(const HostTensor &a, const HostTensor &b) {
  return compareTensors(a, b, {}).different == 0;
}

/// Makes the entry return every tensor that an operation in its body computes,
/// after its own results, and returns these operations, once for each tensor.
std::vector<Operation *> returnAll(func::FuncOp function) {
  std::vector<Operation *> makers;
  if (!llvm::hasSingleElement(function.getBody()))
    return makers;
  auto end = cast<func::ReturnOp>(function.front().getTerminator());
  SmallVector<Value> values;
  for (Operation &op : function.front().without_terminator())
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !type.hasStaticShape() || isMadeAnywhere(result) ||
          op.hasTrait<OpTrait::ConstantLike>())
        continue;
      values.push_back(result);
      makers.push_back(&op);
    }
  unsigned at = function.getNumResults();
  SmallVector<unsigned> indices(values.size(), at);
  SmallVector<DictionaryAttr> attributes(values.size());
  if (failed(function.insertResults(
          indices, llvm::to_vector(ValueRange(values).getTypes()), attributes)))
    return {};
  end->insertOperands(end.getNumOperands(), values);
  return makers;
}

/// An operation of the trace, as messages name it.
struct Step {
  std::string name, location;
};

class StorageCheck {
public:
  StorageCheck(ModuleOp module, ModuleOp reference,
               const CompileOptions &compile, const RunOptions &options,
               llvm::raw_ostream &out)
      : module(module), reference(reference), compile(compile),
        options(options), out(out) {}

  LogicalResult run() {
    FailureOr<func::FuncOp> function = takeEntry(module, options.entry);
    if (failed(function))
      return failure();
    entry = function->getName().str();
    FailureOr<StorageRules> rules =
        StorageRules::of(module, compile.target.value_or(""));
    if (failed(rules))
      return failure();
    std::vector<std::string> kinds;
    for (Storage kind : {Storage::Linear, Storage::Tiled2d})
      if (rules->has(kind))
        kinds.emplace_back(toString(kind));
    kinds.emplace_back("auto");
    out << fmt::format("storage kinds of '{}' on {}: {}; {} prefers {}\n",
                       entry, rules->device, rules->namesOfKinds(),
                       rules->device, toString(rules->preferred()));
    for (const std::string &kind : kinds) {
      auto compiled = compiledAs(module, kind);
      if (failed(compiled) && kind == kinds.front())
        return failure();
      if (failed(compiled))
        out << fmt::format("{}: does not compile\n", kind);
      else if (failed(runKind(kind, std::move(*compiled))))
        return failure();
    }
    for (size_t kind = 1; kind < ran.size(); ++kind)
      if (!compareKinds(ran[0], ran[kind], results[kind]) &&
          failed(findParting(ran[0], ran[kind])))
        return failure();
    if (reference && failed(compareTypes()))
      return failure();
    out << (areEqual ? "equal\n" : "different\n");
    return success(areEqual);
  }

private:
  FailureOr<OwningOpRef<ModuleOp>> compiledAs(ModuleOp from, StringRef kind) {
    CompileOptions asked = compile;
    asked.assignment.storage = kind.str();
    OwningOpRef<ModuleOp> made = from.clone();
    PassManager passes(made->getContext());
    auto refuse = [](const llvm::Twine &message) {
      return failRun("--compile: " + message.str());
    };
    if (failed(buildCompile(passes, asked, refuse)) ||
        failed(passes.run(*made)))
      return failure();
    return made;
  }

  /// Runs the model as it was compiled in a kind, and compares it with the CPU.
  LogicalResult runKind(StringRef kind, OwningOpRef<ModuleOp> compiled) {
    int64_t conversions = 0;
    compiled->walk([&](ConvertStorageOp) { ++conversions; });
    FailureOr<Sides> sides =
        prepareSides(std::move(compiled), module.clone(), options);
    if (failed(sides) || failed(compileSides(*sides, options)))
      return failure();
    if (inputs.empty()) {
      LengthsOfRun lengths;
      if (!options.lengths.empty())
        lengths = options.lengths.runs.front();
      auto made = makeInputs(*sides, options, lengths);
      if (failed(made))
        return failure();
      inputs = std::move(*made);
    }
    if (failed(runSides(*sides, inputs, 1)))
      return failure();
    out << fmt::format(
        "{} against the CPU ({}):\n", kind.str(),
        conversions == 0
            ? std::string("no image")
            : fmt::format("tiles pack or unpack images {} times", conversions));
    for (unsigned i = 0; i < sides->own.results.size(); ++i) {
      out << "  ";
      Comparison comparison = reportResult(*sides, i, options, out);
      areEqual &= outcomeOf(comparison) != Outcome::Different;
      reportClasses(sides->own.results[i], sides->reference.results[i]);
    }
    if (cpuResults.empty())
      cpuResults = std::move(sides->reference.results);
    ran.push_back(kind.str());
    results.push_back(std::move(sides->own.results));
    return success();
  }

  /// Of results of integers, which an arg-max may have made; the share of those
  /// that are equal.
  double reportClasses(const HostTensor &got, const HostTensor &expected) {
    if (isFloat(got.spec.type) || isFloat(expected.spec.type))
      return 100.0;
    double agreement = apart(got, expected).agreement();
    out << fmt::format("    classes agree in {:.3f} %\n", agreement);
    return agreement;
  }

  /// Prints how two kinds differ; true where they do not.
  bool compareKinds(StringRef first, StringRef kind,
                    const std::vector<HostTensor> &got) {
    bool same = true;
    for (auto [a, b] : llvm::zip_equal(results.front(), got))
      same &= haveSameBits(a, b);
    out << fmt::format("{} against {}: {}\n", kind.str(), first.str(),
                       same ? "equal bits" : "different bits");
    areEqual &= same;
    return same;
  }

  /// Runs a module that returns all that it computes.
  FailureOr<std::vector<HostTensor>>
  runTraced(OwningOpRef<ModuleOp> traced, const std::vector<HostTensor> &given,
            bool isReference) {
    if (isReference && failed(toReference(*traced)))
      return failure();
    FailureOr<Sides> sides = prepareSides(std::move(traced), nullptr, options);
    if (failed(sides) || failed(compileSides(*sides, options)) ||
        failed(runSides(*sides, given, 1)))
      return failure();
    return std::move(sides->own.results);
  }

  /// The model with every tensor among its results, after the first phase.
  FailureOr<OwningOpRef<ModuleOp>> traced(ModuleOp from,
                                          std::vector<Step> &steps) {
    OwningOpRef<ModuleOp> made = from.clone();
    if (failed(lowerModel(*made)))
      return failure();
    FailureOr<func::FuncOp> function = findEntry(*made, entry);
    if (failed(function))
      return failure();
    for (Operation *op : returnAll(*function))
      steps.push_back(
          {op->getName().getStringRef().str(), nameOfLocation(op->getLoc())});
    return made;
  }

  /// Prints the first of the tensors that differ.
  void tellParting(ArrayRef<Step> steps, ArrayRef<HostTensor> a,
                   ArrayRef<HostTensor> b) {
    size_t own = a.size() - steps.size();
    for (auto [number, step] : llvm::enumerate(steps)) {
      Apart found = apart(a[own + number], b[own + number]);
      if (found.different == 0)
        continue;
      out << fmt::format("  they first part at '{}' at {}: {} of {} elements "
                         "differ, largest error {:g}\n",
                         step.name, step.location, found.different,
                         found.elements, found.largest);
      return;
    }
    out << "  where every tensor is kept, none differs\n";
  }

  LogicalResult findParting(StringRef first, StringRef kind) {
    std::vector<Step> steps;
    auto whole = traced(module, steps);
    if (failed(whole))
      return failure();
    std::vector<std::vector<HostTensor>> runs;
    for (StringRef each : {first, kind}) {
      auto compiled = compiledAs(**whole, each);
      if (failed(compiled))
        return failure();
      auto run = runTraced(std::move(*compiled), inputs, false);
      if (failed(run))
        return failure();
      runs.push_back(std::move(*run));
    }
    tellParting(steps, runs[0], runs[1]);
    return success();
  }

  /// The inputs as numbers of the other types.
  Result<std::vector<HostTensor>>
  inputsAs(const std::vector<TensorSpec> &specs) const {
    std::vector<HostTensor> cast;
    bool fits = specs.size() == inputs.size();
    for (size_t i = 0; fits && i < specs.size(); ++i) {
      fits = specs[i].shape == inputs[i].spec.shape;
      if (!fits)
        break;
      cast.emplace_back(specs[i]);
      for (int64_t k = 0, n = specs[i].elements(); k < n; ++k)
        setBitsAt(cast.back(), k,
                  specs[i].type == inputs[i].spec.type
                      ? bitsAt(inputs[i], k)
                      : bitsOf(specs[i].type, valueAt(inputs[i], k)));
    }
    if (fits)
      return cast;
    std::vector<TensorSpec> mine;
    for (const HostTensor &input : inputs)
      mine.push_back(input.spec);
    return Error{fmt::format("expected a reference that takes tensors of the "
                             "shapes of {}, got {}",
                             toString(mine), toString(specs))};
  }

  /// Compares the model with one in other element types, both on the CPU.
  LogicalResult compareTypes() {
    if (failed(takeEntry(reference, entry)))
      return failure();
    OwningOpRef<ModuleOp> other = reference.clone();
    if (failed(toReference(*other)))
      return failure();
    RunOptions plain = options;
    plain.entry = entry;
    FailureOr<Sides> sides = prepareSides(std::move(other), nullptr, plain);
    if (failed(sides) || failed(compileSides(*sides, plain)))
      return failure();
    Result<std::vector<HostTensor>> given =
        inputsAs(sides->own.function->inputs());
    if (!given)
      return failRun(given.error().message);
    if (failed(runSides(*sides, *given, 1)))
      return failure();
    const std::vector<HostTensor> &expected = sides->own.results;
    bool sameShapes = expected.size() == cpuResults.size();
    for (size_t i = 0; sameShapes && i < expected.size(); ++i)
      sameShapes = expected[i].spec.shape == cpuResults[i].spec.shape;
    if (!sameShapes)
      return failRun("expected a reference whose results have the shapes of "
                     "the model's");
    out << "the model against the reference, both on the CPU:\n";
    for (auto [i, got] : llvm::enumerate(cpuResults)) {
      Apart found = apart(got, expected[i]);
      out << fmt::format("  result #{} {} and {}: {} of {} elements differ, "
                         "largest error {:g}\n",
                         i, toString(got.spec), toString(expected[i].spec),
                         found.different, found.elements, found.largest);
      double agreement = reportClasses(got, expected[i]);
      if (agreement < leastAgreement) {
        out.flush();
        llvm::WithColor::warning(llvm::errs(), "npu-run")
            << fmt::format("result #{}: classes of the model and of the "
                           "reference agree in {:.3f} %, less than {} %\n",
                           i, agreement, leastAgreement);
      }
    }
    return findTypesParting(*given);
  }

  LogicalResult findTypesParting(const std::vector<HostTensor> &given) {
    std::vector<Step> steps, others;
    auto whole = traced(module, steps), other = traced(reference, others);
    if (failed(whole) || failed(other))
      return failure();
    bool alike = steps.size() == others.size();
    for (size_t i = 0; alike && i < steps.size(); ++i)
      alike = steps[i].name == others[i].name;
    if (!alike) {
      out << fmt::format("  where they first part is not known: {} and {} "
                         "operations, which are not the same ones\n",
                         steps.size(), others.size());
      return success();
    }
    auto a = runTraced(std::move(*whole), inputs, true),
         b = runTraced(std::move(*other), given, true);
    if (failed(a) || failed(b))
      return failure();
    tellParting(steps, *a, *b);
    return success();
  }

  ModuleOp module, reference;
  const CompileOptions &compile;
  const RunOptions &options;
  llvm::raw_ostream &out;
  std::string entry;
  std::vector<HostTensor> inputs;
  /// The kinds that were compiled and run, the results of each, and those of
  /// the CPU.
  std::vector<std::string> ran;
  std::vector<std::vector<HostTensor>> results;
  std::vector<HostTensor> cpuResults;
  bool areEqual = true;
};

} // namespace

LogicalResult checkStorage(OwningOpRef<ModuleOp> module,
                           OwningOpRef<ModuleOp> reference,
                           const CompileOptions &compile,
                           const RunOptions &options, llvm::raw_ostream &out) {
  return StorageCheck(*module, reference ? *reference : ModuleOp(), compile,
                      options, out)
      .run();
}

} // namespace npu
