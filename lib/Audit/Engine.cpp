// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"

#include "npu/Execution/Compare/RunSides.h"
#include "npu/Support/Naming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <fmt/format.h>

#include <limits>

using namespace mlir;

namespace npu {

LogicalResult Engine::run(std::vector<HostTensor> inputs) {
  findLastUses();
  if (failed(compileUnits()))
    return failure();
  for (auto [argument, input] : llvm::zip(function.getArguments(), inputs)) {
    known[argument].device =
        std::make_shared<const HostTensor>(std::move(input));
    if (observer)
      observer(argument, known[argument]);
  }
  for (auto [number, unit] : llvm::enumerate(units.all())) {
    tell(number, "", unit);
    if (failed(runUnit(unit, static_cast<int64_t>(number))))
      return failure();
    drop(static_cast<int64_t>(number));
  }
  return success();
}

/// Values are dropped after the last unit that needs them on either side.
void Engine::findLastUses() {
  llvm::DenseMap<Value, size_t> last;
  for (auto [number, unit] : llvm::enumerate(units.all())) {
    for (Value result : unit.results)
      last[result] = number;
    for (Value input : units.sliceOf(unit).inputs)
      last[input] = number;
    if (!images)
      continue;
    if (std::optional<Slice> slice = images->sliceOf(unit))
      for (Value input : slice->inputs)
        if (Value original = images->originalOf(input))
          last[original] = number;
  }
  lastUses.resize(units.all().size());
  for (auto [value, number] : last)
    lastUses[number].push_back(value);
}

void Engine::drop(int64_t number) {
  for (Value value : lastUses[static_cast<size_t>(number)])
    known.erase(value);
}

int64_t Engine::liveBytes() const {
  ByteSum sum;
  for (const auto &[value, what] : known)
    for (const SharedTensor &tensor : {what.device, what.reference, what.error})
      if (tensor)
        sum.add(tensor->spec.bytes());
  return sum.total();
}

FailureOr<std::vector<Known>> Engine::operandsOf(const Slice &slice,
                                                 bool areImages) {
  std::vector<Known> operands;
  for (Value input : slice.inputs) {
    Value value = areImages ? images->originalOf(input) : input;
    if (value && !known.contains(value)) {
      // A constant is read when it is used first, and dropped after its last
      // use.
      auto constant = value.getDefiningOp<arith::ConstantOp>();
      auto elements = constant ? dyn_cast<ElementsAttr>(constant.getValue())
                               : ElementsAttr();
      std::optional<HostTensor> tensor =
          elements ? elementsOf(elements) : std::nullopt;
      if (tensor)
        known[value].device =
            std::make_shared<const HostTensor>(std::move(*tensor));
    }
    auto it = known.find(value);
    if (it == known.end())
      return emitError(input.getLoc())
             << "--audit: expected a value of numbers, got " << input.getType();
    operands.push_back(it->second);
  }
  return operands;
}

/// Compiles all units before the first one runs: many functions at once take
/// less time than one after the other.
LogicalResult Engine::compileUnits() {
  llvm::DenseSet<Value> computed;
  for (const Unit &unit : units.all())
    computed.insert(unit.results.begin(), unit.results.end());
  for (auto [number, unit] : llvm::enumerate(units.all())) {
    tell(number, "compiling ", unit);
    Slice slice = units.sliceOf(unit);
    OwningOpRef<ModuleOp> module = cutOut(slice), changedModule;
    if (images) {
      std::optional<Slice> changed = images->sliceOf(unit);
      if (!changed)
        return unit.op->emitError()
               << "the changed function has nothing in place of this operation";
      changedModule = cutOut(*changed);
    }
    // Arguments and constants are given.
    SmallVector<int64_t> exact;
    for (auto [i, input] : llvm::enumerate(slice.inputs))
      if (!computed.contains(input))
        exact.push_back(static_cast<int64_t>(i));
    auto added =
        compiler.add(*module, changedModule.get(), exact, workOf(unit.op));
    if (failed(added))
      return failure();
    compiledUnits.push_back(*added);
  }
  return compiler.compile();
}

void Engine::tell(size_t number, StringRef what, const Unit &unit) const {
  if (progress)
    progress(static_cast<int64_t>(number) + 1,
             static_cast<int64_t>(units.all().size()),
             (what + unit.op->getName().getStringRef()).str());
}

LogicalResult Engine::runUnit(const Unit &unit, int64_t number) {
  CompiledUnit &compiled = *compiledUnits[static_cast<size_t>(number)];
  Slice slice = units.sliceOf(unit);
  FailureOr<std::vector<Known>> operands = operandsOf(slice, false);
  if (failed(operands))
    return failure();
  std::optional<Slice> changed;
  std::vector<Known> deviceOperands = *operands;
  if (images) {
    changed = images->sliceOf(unit);
    FailureOr<std::vector<Known>> others = operandsOf(*changed, true);
    if (failed(others))
      return failure();
    deviceOperands = std::move(*others);
  }
  ByteSum needed;
  compiled.device->addMemory(needed);
  if (compiled.tracked)
    compiled.tracked->addMemory(needed, /*times=*/3);
  if (Result<> error = checkMemory(needed); !error)
    return unit.op->emitError() << error.error().message;

  SmallVector<const HostTensor *> arguments;
  for (const Known &operand : deviceOperands)
    arguments.push_back(operand.device.get());
  auto results = compiled.device->runOn(arguments);
  if (failed(results))
    return failure();
  Finding finding;
  finding.number = number;
  finding.op = unit.op;
  finding.name = unit.op->getName().getStringRef().str();
  finding.location = nameOfLocation(unit.op->getLoc());
  finding.sums = sumsOf(unit.op);
  if (failed(measureResults(finding, unit, compiled, slice, *operands,
                            std::move(*results))))
    return failure();
  most = std::max(most, liveBytes());
  if (!kept || finding.kind < keptKind) {
    keptKind = finding.kind;
    kept = Kept{slice,
                changed.value_or(slice),
                std::move(*operands),
                std::move(deviceOperands),
                {}};
    if (finding.results.size() == 1 && finding.results[0].spec.elements() > 0)
      kept->worst =
          coordinatesOf(finding.results[0].spec, finding.results[0].worst);
  }
  found.push_back(std::move(finding));
  return success();
}

LogicalResult Engine::measureResults(Finding &finding, const Unit &unit,
                                     CompiledUnit &compiled, const Slice &slice,
                                     ArrayRef<Known> operands,
                                     std::vector<HostTensor> results) {
  std::vector<TensorSpec> specs;
  std::vector<SharedTensor> given;
  for (HostTensor &result : results) {
    specs.push_back(result.spec);
    given.push_back(std::make_shared<const HostTensor>(std::move(result)));
  }
  if (!compiled.tracked) {
    classify(finding, compiled);
    keepWhatItGives(unit, std::move(given), nullptr);
    return success();
  }
  // What the operation does by itself: the device's operands on both sides.
  std::vector<Known> own;
  bool isSame = true;
  for (const Known &operand : operands) {
    Known both = operand;
    if (!operand.isExact()) {
      isSame = false;
      both.reference =
          std::make_shared<const HostTensor>(toReference(*operand.device));
      both.error =
          std::make_shared<const HostTensor>(filled64(operand.device->spec, 0));
    }
    own.push_back(std::move(both));
  }
  auto local = runTracked(compiled, own, specs);
  own.clear();
  if (failed(local))
    return failure();
  std::vector<Tracked> *accumulated = &*local;
  FailureOr<std::vector<Tracked>> since;
  if (!isSame) {
    since = runTracked(compiled, operands, specs);
    if (failed(since))
      return failure();
    accumulated = &*since;
  }
  std::vector<std::vector<int64_t>> beyond(given.size());
  for (size_t i = 0; i < given.size(); ++i)
    finding.results.push_back(measure(*given[i], (*local)[i], (*accumulated)[i],
                                      finding.sums, &beyond[i]));
  classify(finding, compiled);
  if (finding.kind == FindingClass::Structural) {
    size_t worst = finding.worst;
    finding.hints = hintsOf(*given[worst], (*local)[worst], beyond[worst]);
    Value result = unit.results[worst];
    locate(finding, result.getType(), beyond[worst]);
  }
  keepWhatItGives(unit, std::move(given), accumulated);
  return success();
}

void Engine::keepWhatItGives(const Unit &unit,
                             std::vector<SharedTensor> results,
                             std::vector<Tracked> *accumulated) {
  for (auto [i, value] : llvm::enumerate(unit.results)) {
    Known &what = known[value];
    what.device = results[i];
    if (!accumulated) {
      // Nothing is known of how far the device is from the truth.
      what.reference =
          std::make_shared<const HostTensor>(toReference(*results[i]));
      what.error = std::make_shared<const HostTensor>(
          filled64(results[i]->spec, std::numeric_limits<double>::infinity()));
    } else {
      Tracked &tracked = (*accumulated)[i];
      what.error = std::make_shared<const HostTensor>(std::move(tracked.error));
      HostTensor &own = tracked.whole ? *tracked.whole : tracked.value;
      what.reference = std::make_shared<const HostTensor>(std::move(own));
    }
    if (observer)
      observer(value, what);
  }
}

} // namespace npu
