// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compiled.h"

#include "npu/Audit/TrackErrors/Passes.h"
#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

#include <map>

using namespace mlir;

namespace npu {
namespace {

constexpr const char *kUnit = "unit";

/// The text of a module without places in files: equal texts compute the same.
std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope().enableDebugInfo(false));
  return text;
}

/// Text that says which arguments are exact.
std::string textOf(ArrayRef<int64_t> exact) {
  std::string text;
  for (int64_t number : exact)
    text += std::to_string(number) + ",";
  return text;
}

/// The level at which compiling and running together take least: bodies that
/// run often are worth optimizing. No level changes a bit.
unsigned levelFor(int64_t work) {
  constexpr int64_t many = 5000000;
  return work > many ? 2 : 0;
}

} // namespace

LogicalResult Compiler::lowerDevice(CompiledUnit &unit, ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(toExecutable(*copy)))
    return failure();
  auto lowered = CompiledFunction::bufferize(std::move(copy), kUnit);
  if (failed(lowered) || failed((*lowered)->lowerForMachine()))
    return failure();
  unit.device = std::move(*lowered);
  return success();
}

/// Calls `make`, whose errors are why a unit has no reference: what cannot be
/// bounded is said in the report, at the operation.
static void makeReference(CompiledUnit &unit, MLIRContext *context,
                          llvm::function_ref<LogicalResult()> make) {
  ScopedDiagnosticHandler quiet(context, [&](Diagnostic &d) {
    if (unit.whyNot.empty())
      unit.whyNot = d.str();
    return success();
  });
  if (succeeded(make()))
    return;
  unit.tracked = nullptr;
  if (unit.whyNot.empty())
    unit.whyNot = "its f64 reference cannot be compiled";
}

LogicalResult Compiler::lowerTracked(CompiledUnit &unit, ModuleOp module,
                                     ArrayRef<int64_t> exact) {
  OwningOpRef<ModuleOp> copy = module.clone();
  TrackRoundingErrorsOptions options;
  options.exact.assign(exact.begin(), exact.end());
  PassManager passes(module.getContext());
  passes.addPass(createTrackRoundingErrors(options));
  if (failed(toReference(*copy)) || failed(passes.run(*copy)))
    return failure();
  if (auto names =
          copy->lookupSymbol<func::FuncOp>(kUnit)->getAttrOfType<ArrayAttr>(
              notTrackedAttrName))
    for (auto name : names.getAsRange<StringAttr>())
      unit.unknown.push_back(name.str());
  auto lowered = CompiledFunction::bufferize(std::move(copy), kUnit);
  if (failed(lowered) || failed((*lowered)->lowerForMachine()))
    return failure();
  unit.tracked = std::move(*lowered);
  return success();
}

FailureOr<CompiledUnit *> Compiler::add(ModuleOp cut, ModuleOp changed,
                                        ArrayRef<int64_t> exact, int64_t work) {
  std::string key = textOf(cut) + textOf(exact);
  if (changed)
    key += textOf(changed);
  std::unique_ptr<CompiledUnit> &unit = units[key];
  if (unit)
    return unit.get();
  auto made = std::make_unique<CompiledUnit>();
  if (failed(lowerDevice(*made, changed ? changed : cut)))
    return failure();
  makeReference(*made, cut.getContext(),
                [&] { return lowerTracked(*made, cut, exact); });
  made->level = optLevel.value_or(levelFor(work));
  unit = std::move(made);
  lowered.push_back(unit.get());
  return unit.get();
}

LogicalResult Compiler::compile() {
  std::map<unsigned, SmallVector<CompiledFunction *>> byLevel;
  for (CompiledUnit *unit : lowered)
    for (CompiledFunction *side : {unit->device.get(), unit->tracked.get()})
      if (side)
        byLevel[unit->level].push_back(side);
  bool isDone = llvm::all_of(byLevel, [](const auto &group) {
    return succeeded(
        CompiledFunction::compileTogether(group.second, group.first));
  });
  // One that cannot be compiled must not take the others along.
  for (CompiledUnit *unit : lowered) {
    if (isDone)
      break;
    if (failed(unit->device->compile(unit->level)))
      return failure();
    if (unit->tracked)
      makeReference(*unit, unit->tracked->program().getContext(),
                    [&] { return unit->tracked->compile(unit->level); });
  }
  lowered.clear();
  return success();
}

FailureOr<std::vector<Tracked>> runTracked(CompiledUnit &unit,
                                           ArrayRef<Known> operands,
                                           ArrayRef<TensorSpec> results) {
  std::vector<const HostTensor *> arguments;
  for (const Known &operand : operands) {
    if (operand.isExact()) {
      arguments.push_back(operand.device.get());
      continue;
    }
    arguments.push_back(operand.reference.get());
    arguments.push_back(operand.error.get());
  }
  auto given = unit.tracked->runOn(arguments);
  if (failed(given))
    return failure();
  std::vector<Tracked> tracked;
  size_t next = 0;
  auto take = [&] { return std::move((*given)[next++]); };
  for (const TensorSpec &spec : results) {
    if (isFloat(spec.type)) {
      HostTensor value = take(), error = take(), mass = take();
      tracked.push_back(
          {std::move(value), std::move(error), std::move(mass), std::nullopt});
      continue;
    }
    HostTensor whole = take(), value = take(), error = take();
    tracked.push_back(
        {std::move(value), std::move(error), std::nullopt, std::move(whole)});
  }
  return tracked;
}

} // namespace npu
