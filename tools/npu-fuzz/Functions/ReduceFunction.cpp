// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simplifies how a function is to be run; the function itself is reduced as any
// module is.

#include "npu-fuzz/Functions/ReduceFunction.h"

#include "npu-fuzz/Functions/FunctionMaker.h"

#include "npu/Reduce/ReduceModule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace npu {
namespace {

class Reducer {
public:
  Reducer(MadeFunction function,
          const std::function<bool(const MadeFunction &)> &fails,
          unsigned mostTries)
      : best(std::move(function)), fails(fails),
        module(parseSourceString<ModuleOp>(best.text, &makingContext())) {
    options.triesLeft = mostTries;
    // A function to be run in chunks has to return its caches.
    options.changesSignatures = !best.prompt || !best.prompt->prefill;
    options.dropsFunctions = false;
  }

  MadeFunction run() {
    bool changed = static_cast<bool>(module);
    while (changed && options.triesLeft > 0) {
      changed = simplifyTask();
      changed |= reduceModule(
          module,
          [&](ModuleOp candidate) {
            return isWellFormed(candidate) && stillFails(best, candidate);
          },
          options);
    }
    return std::move(best);
  }

private:
  using Change = llvm::function_ref<bool(MadeFunction &, ModuleOp)>;

  /// Whether the task with that module fails; then it is the best one.
  bool stillFails(MadeFunction made, ModuleOp candidate) {
    made.text = textOf(candidate);
    if (!fails(made))
      return false;
    best = std::move(made);
    return true;
  }

  /// Whether the task can be changed so and still fails.
  bool attempt(Change change) {
    OwningOpRef<ModuleOp> candidate = module->clone();
    MadeFunction made = best;
    if (options.triesLeft == 0 || !change(made, *candidate) ||
        !isWellFormed(*candidate))
      return false;
    --options.triesLeft;
    if (!stillFails(std::move(made), *candidate))
      return false;
    module = std::move(candidate);
    return true;
  }

  /// Runs tiles in turn, assigns layouts without sums in parts, for a device
  /// with fewer figures of its own or fewer tiles; shortens the prompt.
  bool simplifyTask() {
    bool changed = attempt([](MadeFunction &made, ModuleOp) {
      return std::exchange(made.parallelTiles, false);
    });
    auto assign = [&](llvm::function_ref<bool(AssignTask &)> change) {
      return attempt([&](MadeFunction &made, ModuleOp module) {
        if (!made.assign || made.tosa || !change(*made.assign))
          return false;
        module->setAttr(
            "dlti.target_system_spec",
            parseAttribute(describe(*made.assign), module.getContext()));
        return true;
      });
    };
    changed |= assign([](AssignTask &task) {
      return std::exchange(task.splitReductions, false);
    });
    for (std::size_t i = best.assign ? best.assign->figures.size() : 0;
         i-- > 0;)
      changed |= assign([&](AssignTask &task) {
        task.figures.erase(task.figures.begin() +
                           static_cast<std::ptrdiff_t>(i));
        return true;
      });
    while (assign([](AssignTask &task) {
      return task.tiles > 1 && (task.tiles /= 2) > 0;
    }))
      changed = true;
    for (int64_t length = 2; best.prompt && length < best.prompt->longest;
         ++length)
      changed |= attempt([&](MadeFunction &made, ModuleOp) {
        made.prompt->longest = length;
        return true;
      });
    return changed;
  }

  MadeFunction best;
  const std::function<bool(const MadeFunction &)> &fails;
  ReduceOptions options;
  OwningOpRef<ModuleOp> module;
};

} // namespace

MadeFunction
reduceFunction(MadeFunction function,
               const std::function<bool(const MadeFunction &)> &fails,
               unsigned mostTries) {
  return Reducer(std::move(function), fails, mostTries).run();
}

std::size_t operationCount(const MadeFunction &function) {
  auto module = parseSourceString<ModuleOp>(function.text, &makingContext());
  return module ? countOperations(*module) : 0;
}

} // namespace npu
