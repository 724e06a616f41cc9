// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compiled.h"

#include "npu/Audit/TrackErrors/Passes.h"
#include "npu/Execution/Jit/ToExecutable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"

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
  constexpr int64_t many = 200000;
  return work > many ? 2 : 0;
}

} // namespace

LogicalResult Compiler::compileDevice(CompiledUnit &unit, ModuleOp module,
                                      unsigned level) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(toExecutable(*copy)))
    return failure();
  auto compiled = CompiledFunction::bufferize(std::move(copy), kUnit);
  if (failed(compiled) || failed((*compiled)->compile(level)))
    return failure();
  unit.device = std::move(*compiled);
  return success();
}

void Compiler::compileTracked(CompiledUnit &unit, ModuleOp module,
                              ArrayRef<int64_t> exact, unsigned level) {
  // What cannot be bounded is said in the report, at the operation.
  ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &d) {
    if (unit.whyNot.empty())
      unit.whyNot = d.str();
    return success();
  });
  OwningOpRef<ModuleOp> copy = module.clone();
  TrackRoundingErrorsOptions options;
  options.exact.assign(exact.begin(), exact.end());
  PassManager passes(module.getContext());
  passes.addPass(createTrackRoundingErrors(options));
  if (failed(toReference(*copy)) || failed(passes.run(*copy)))
    return;
  if (auto names =
          copy->lookupSymbol<func::FuncOp>(kUnit)->getAttrOfType<ArrayAttr>(
              notTrackedAttrName))
    for (auto name : names.getAsRange<StringAttr>())
      unit.unknown.push_back(name.str());
  auto compiled = CompiledFunction::bufferize(std::move(copy), kUnit);
  if (failed(compiled) || failed((*compiled)->compile(level)))
    return;
  unit.tracked = std::move(*compiled);
}

FailureOr<CompiledUnit *> Compiler::compile(ModuleOp cut, ModuleOp changed,
                                            ArrayRef<int64_t> exact,
                                            int64_t work) {
  std::string key = textOf(cut) + textOf(exact);
  if (changed)
    key += textOf(changed);
  std::unique_ptr<CompiledUnit> &unit = units[key];
  if (unit)
    return unit.get();
  unsigned level = optLevel.value_or(levelFor(work));
  auto made = std::make_unique<CompiledUnit>();
  if (failed(compileDevice(*made, changed ? changed : cut, level)))
    return failure();
  compileTracked(*made, cut, exact, level);
  if (!made->tracked && made->whyNot.empty())
    made->whyNot = "its f64 reference cannot be compiled";
  unit = std::move(made);
  return unit.get();
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
