// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FitScratchpads.h"

#include "ApplyAssignment.h"
#include "npu/Analysis/Choices/HostFallback.h"
#include "npu/Analysis/Choices/OperationSteps.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Dialect/NPU/IR/ScratchpadLowering.h"
#include "npu/Dialect/NPU/Transforms/Assign/Passes.h"
#include "npu/Dialect/NPU/Transforms/Steps/Passes.h"
#include "npu/ExternalModels/Tensor/ExpandReshapes.h"
#include "npu/ExternalModels/Tensor/ReadThroughCopies.h"
#include "npu/Placement/Scratchpad/PackBuffers.h"
#include "npu/Support/Naming.h"
#include "npu/Support/NoteNode.h"
#include "npu/Support/RefusalKind.h"

#include "mlir/Analysis/CallGraph.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace mlir;

namespace npu {
namespace {

/// The bytes of a function's arena on each tile that has one.
using ArenaBytes = std::map<int64_t, int64_t>;

/// The largest of them; 0 where there are none.
int64_t mostBytes(const ArenaBytes &arenas) {
  int64_t most = 0;
  for (auto [tile, bytes] : arenas)
    most = std::max(most, bytes);
  return most;
}

/// Lowers `module`, all of whose functions have layouts, to planned buffers and
/// returns the arenas of the function `name`. What the host runs is outlined
/// with `usesHost`. Nothing where the module cannot be lowered: the phase that
/// does it for the user says why. The module is not to be used any more.
std::optional<ArenaBytes> measureScratchpads(ModuleOp module, StringRef name,
                                             bool usesHost) {
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  // Whatever is taken is measured, also beyond what the device has.
  module->removeAttr(DLTIDialect::kTargetSystemDescAttrName);
  auto *lowering = module.getContext()
                       ->getLoadedDialect<NPUDialect>()
                       ->getRegisteredInterface<ScratchpadLowering>();
  if (!lowering)
    return std::nullopt;
  PassManager passes(module.getContext());
  // The IR goes away: what is taken in the end is lowered again, and verified.
  passes.enableVerifier(false);
  if (usesHost)
    passes.addPass(createOutlineHost());
  passes.addPass(createRunInSteps());
  lowering->build(passes);
  if (failed(passes.run(module)))
    return std::nullopt;
  ArenaBytes arenas;
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return std::nullopt;
  for (BlockArgument argument : function.getArguments()) {
    auto tile = function.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), NPUDialect::ArenaAttrHelper::getNameStr());
    if (tile)
      arenas[tile.getInt()] =
          cast<MemRefType>(argument.getType()).getNumElements();
  }
  return arenas;
}

/// Of functions that are not small, only those solutions are tried whose
/// capacity rows count at least a sixteenth less than those of the one before;
/// then, where operations times tiles are no more than this, all others as
/// well.
constexpr size_t kTriedOnTiles = 512;
/// The most answers of one search.
constexpr int kMostAnswers = 256;

/// An answer, the arenas that its program has, and what it is an answer of.
struct Measured {
  FunctionPlan plan;
  ArenaBytes arenas;
  std::shared_ptr<FunctionPlans> plans;
};

class Fitting {
public:
  Fitting(ModuleOp module, ArrayRef<FunctionOpInterface> functions,
          const AssignSettings &settings)
      : module(module), functions(functions), settings(settings) {}

  FailureOr<std::deque<SolvedFunction>> run() {
    sortByCalls();
    for (size_t number : order)
      if (failed(assign(number)))
        return failure();
    std::deque<SolvedFunction> solved;
    for (Entry &entry : entries)
      solved.push_back(std::move(*entry.solved));
    return solved;
  }

private:
  struct Entry {
    std::optional<SolvedFunction> solved;
    ArenaBytes arenas;
    /// Whether this is the answer that takes the least bytes.
    bool isLeastBytes = false;
  };

  int64_t capacity() const { return settings.target.scratchpadBytes; }

  /// Puts functions after those that they call; those that call each other
  /// stay in some order, and are refused where they have buffers on tiles.
  void sortByCalls() {
    entries.resize(functions.size());
    for (auto [number, function] : llvm::enumerate(functions))
      numbers[FunctionOpInterface(function)] = number;
    for (FunctionOpInterface function : functions)
      function->walk([&](Operation *op) {
        if (auto callee = calleeOf(op))
          called.insert(*callee);
      });
    std::vector<bool> isOrdered(functions.size());
    CallGraph graph(module);
    const CallGraph *root = &graph;
    for (auto it = llvm::scc_begin(root); !it.isAtEnd(); ++it)
      for (CallGraphNode *node : *it) {
        if (node->isExternal())
          continue;
        auto found = numbers.find(node->getCallableRegion()->getParentOp());
        if (found == numbers.end() || isOrdered[found->second])
          continue;
        isOrdered[found->second] = true;
        order.push_back(found->second);
      }
    for (size_t number = 0; number < functions.size(); ++number)
      if (!isOrdered[number])
        order.push_back(number);
  }

  std::optional<size_t> calleeOf(Operation *op) const {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call)
      return std::nullopt;
    auto found = numbers.find(
        SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }

  /// The functions that a function calls, also through others.
  llvm::SetVector<size_t> calleesOf(size_t number) const {
    llvm::SetVector<size_t> callees;
    auto add = [&](size_t caller) {
      FunctionOpInterface(functions[caller])->walk([&](Operation *op) {
        if (auto callee = calleeOf(op); callee && *callee != number)
          callees.insert(*callee);
      });
    };
    add(number);
    // The list grows while it is walked.
    for (size_t next = 0; next < callees.size(); ++next)
      add(callees[next]);
    return callees;
  }

  /// What calls of the function take on each tile.
  std::map<int, std::vector<int64_t>>
  bytesCalled(const FunctionProblem &problem) const {
    std::map<int, std::vector<int64_t>> called;
    for (auto [number, op] : llvm::enumerate(problem.operations))
      if (auto callee = calleeOf(op);
          callee && !entries[*callee].arenas.empty()) {
        std::vector<int64_t> &bytes = called[static_cast<int>(number)];
        bytes.resize(settings.options.tiles);
        for (auto [tile, size] : entries[*callee].arenas)
          if (tile < static_cast<int64_t>(bytes.size()))
            bytes[tile] = size;
      }
    return called;
  }

  /// Says why a function has no assignment; nothing where it has one.
  using Refusal = std::function<void()>;

  LogicalResult assign(size_t number) {
    if (failed(assignOnDevices(number)))
      return failure();
    if (!usesHost.contains(number))
      return success();
    SolvedFunction &solved = *entries[number].solved;
    if (fitsByHost(number))
      FunctionOpInterface(functions[number]).emitWarning()
          << "no assignment of layouts fits the scratchpads of "
          << settings.target.name << ", " << capacity()
          << " bytes each: the host runs " << solved.onHost << " of "
          << solved.function.operations.size() << " operations";
    return success();
  }

  LogicalResult assignOnDevices(size_t number) {
    if (settings.host && hasIslands(functions[number]))
      usesHost.insert(number);
    Refusal refusal = assignOnce(number);
    // An image takes more than a linear tensor, while an operation works on it.
    if (refusal && !settings.options.storage.option && prefersImages() &&
        avoidsImages.insert(number).second) {
      Refusal other = assignOnce(number);
      if (other)
        avoidsImages.erase(number);
      else
        refusal = nullptr;
    }
    // What does not fit runs in steps; also where the host could run it.
    if (settings.inSteps && !runsInSteps.contains(number) &&
        (refusal || (usesHost.contains(number) && fitsByHost(number))))
      refusal = assignInSteps(number);
    if (!refusal)
      return success();
    // Called functions may have answers that take fewer bytes.
    bool areCalleesSmaller = false;
    for (size_t callee : calleesOf(number))
      areCalleesSmaller |= takeLeastBytes(callee);
    if (areCalleesSmaller)
      refusal = assignOnce(number);
    // What does not fit on tiles, the host may run.
    if (refusal && settings.host && usesHost.insert(number).second)
      refusal = assignOnce(number);
    if (!refusal)
      return success();
    refusal();
    return failure();
  }

  /// Assigns with operations in steps; without them where nothing fits so, or
  /// where the answer that the function has costs less.
  Refusal assignInSteps(size_t number) {
    std::optional<SolvedFunction> &solved = entries[number].solved;
    std::optional<int64_t> before;
    if (solved)
      before = solved->assignment.cost;
    // It knows operations that may be replaced.
    solved.reset();
    runsInSteps.insert(number);
    // Numbers of reductions that are split are those of the operations.
    if (!settings.options.splitReductions) {
      readThroughCopies(functions[number]);
      expandReshapes(functions[number]);
      writeTransposed(functions[number]);
    }
    Refusal refusal = assignOnce(number);
    if (!before || (!refusal && solved->assignment.cost <= *before))
      return refusal;
    runsInSteps.erase(number);
    return assignOnce(number);
  }

  /// Whether the host runs operations of a function because nothing else fits.
  bool fitsByHost(size_t number) {
    SolvedFunction &solved = *entries[number].solved;
    // What was noted of an answer once stays.
    if (solved.onHost == 0)
      noteHost(number, solved);
    return solved.onHost > 0 && !solved.costOnTiles;
  }

  /// Whether the host has to run an operation of the function that moves
  /// anything.
  static bool hasIslands(FunctionOpInterface function) {
    return function
        ->walk([](Operation *op) {
          std::optional<HostFallback> fallback = hostFallbackInDdr(op);
          return fallback && !isa<RegionBranchOpInterface>(op)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Notes what the host runs by choice, and what the function costs without.
  void noteHost(size_t number, SolvedFunction &solved) {
    for (auto [candidates, chosen] : llvm::zip_equal(
             solved.function.candidates, solved.assignment.candidates))
      solved.onHost += candidates[chosen]->isOnHost;
    if (solved.onHost == 0)
      return;
    FunctionPlans plans(functions[number], settings.target, optionsOf(number),
                        settings.strategy);
    plans.setCalled(bytesCalled(plans.problem()));
    if (!plans.checked())
      return;
    if (auto within = plans.within(capacity()))
      solved.costOnTiles = within->assignment.cost;
  }

  Refusal assignOnce(size_t number) {
    FunctionOpInterface function = functions[number];
    std::shared_ptr<FunctionPlans> plans =
        plansOf(number, /*loadsAgain=*/stepsLoadAgain(number));
    if (!plans->checked())
      return [=]() mutable {
        function.emitError() << "no assignment of layouts can be searched: "
                             << plans->checked().error().message;
      };
    // Where an operation is too large by itself, nothing has to be searched.
    bool mayRunInSteps = settings.inSteps && !runsInSteps.contains(number);
    if (mayRunInSteps && !plans->isSmall() &&
        plans->largestAlone().bytes > capacity())
      return tooLarge(number, plans);
    Result<FunctionPlan, NoAssignment> within = plans->within(capacity());
    if (within && !within->memory.empty() && plans->isSmall())
      within = plans->smallestLike(std::move(*within), capacity());
    Entry &entry = entries[number];
    if (within) {
      bool isSure = within->memory.empty() && !called.contains(number) &&
                    !hasBranches(function) && !hasImages(plans->problem());
      std::optional<ArenaBytes> arenas;
      if (!isSure)
        arenas = measure(number, plans->problem(), within->assignment);
      if (!arenas || mostBytes(*arenas) <= capacity()) {
        entry.solved = plans->take(std::move(*within));
        entry.arenas = arenas.value_or(ArenaBytes());
        return nullptr;
      }
    }
    isProved = !within || within->assignment.isProved();
    FunctionPlans::LargestOperation largest = plans->largestAlone();
    if (largest.bytes > capacity())
      return tooLarge(number, plans);
    std::optional<Measured> best = searchAll(number, plans, capacity());
    if (best && mostBytes(best->arenas) <= capacity()) {
      entry.solved = best->plans->take(std::move(best->plan), capacity());
      entry.arenas = std::move(best->arenas);
      return nullptr;
    }
    std::optional<int64_t> least;
    if (best)
      least = mostBytes(best->arenas);
    return [=, this, isProved = isProved,
            why = within ? NoAssignment() : within.error()] {
      reportNothingFits(number, why, least, *plans, largest, isProved);
    };
  }

  /// The refusal of a function in which an operation is too large by itself.
  Refusal tooLarge(size_t number, std::shared_ptr<FunctionPlans> plans) const {
    return [=, this] {
      std::vector<FunctionPlans::LargestOperation> large = plans->leastAlone();
      llvm::erase_if(
          large, [&](const auto &each) { return each.bytes <= capacity(); });
      std::ranges::stable_sort(large, [](const auto &a, const auto &b) {
        return a.bytes > b.bytes;
      });
      reportTooLarge(number, plans->problem(), large);
    };
  }

  /// Whether tensors may be images. Capacity rows do not know what an image is
  /// unpacked into while an operation works on it.
  static bool hasImages(const FunctionProblem &problem) {
    return llvm::any_of(
        problem.layouts, [](ArrayRef<RankedTensorType> layouts) {
          return llvm::any_of(layouts, [](RankedTensorType type) {
            return getStorage(type) != Storage::Linear;
          });
        });
  }

  /// Whether operations with regions of control flow stand in the function.
  /// Capacity rows know one region at a time, while a plan of buffers can hold
  /// those of several.
  static bool hasBranches(FunctionOpInterface function) {
    return function
        ->walk([](RegionBranchOpInterface) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// The options of a function, all of whose operations tiles run.
  ProblemOptions optionsOf(size_t number) const {
    ProblemOptions options = settings.options;
    options.storage.avoidsImages = avoidsImages.contains(number);
    options.runsInSteps = runsInSteps.contains(number);
    return options;
  }

  bool prefersImages() const {
    return settings.options.kernels->storageRules().preferred() ==
           Storage::Tiled2d;
  }

  /// Whether readers of a tensor may load it for themselves from the beginning:
  /// where steps load slices, what is on tiles need not wait for its last
  /// reader.
  bool stepsLoadAgain(size_t number) const {
    return runsInSteps.contains(number) && settings.strategy.name == "least";
  }

  /// The answers to the problem of a function.
  std::shared_ptr<FunctionPlans> plansOf(size_t number,
                                         bool loadsAgain = false) {
    ProblemOptions options = optionsOf(number);
    options.loadsAgain = loadsAgain;
    options.mayUseHost = usesHost.contains(number);
    auto plans = std::make_shared<FunctionPlans>(
        functions[number], settings.target, options, settings.strategy);
    plans->setCalled(bytesCalled(plans->problem()));
    return plans;
  }

  /// As search(), and where nothing is within the limit, also among the answers
  /// that load a tensor for some of its readers once more: what readers share
  /// is held from the first of them to the last.
  std::optional<Measured> searchAll(size_t number,
                                    std::shared_ptr<FunctionPlans> plans,
                                    int64_t limit) {
    std::optional<Measured> least;
    auto fits = [&] { return least && mostBytes(least->arenas) <= limit; };
    auto searchOnce = [&](std::shared_ptr<FunctionPlans> among, Steps steps) {
      std::optional<Measured> found = search(number, among, limit, steps);
      if (found &&
          (!least || mostBytes(found->arenas) < mostBytes(least->arenas)))
        least = std::move(found);
    };
    auto searchIn = [&](std::shared_ptr<FunctionPlans> among) {
      if (!among->isSmall())
        searchOnce(among, Steps::Sixteenths);
      if (triesAll(*among) && !fits())
        searchOnce(among, Steps::All);
      // Of as many bytes by the rows, another answer may take fewer as buffers.
      if (among->isSmall() && !fits())
        searchOnce(among, Steps::AllGreedy);
    };
    searchIn(plans);
    if (!fits() && settings.strategy.name == "least" &&
        !stepsLoadAgain(number) && mayLoadAgain(plans->problem()))
      searchIn(plansOf(number, /*loadsAgain=*/true));
    return least;
  }

  /// Whether all answers are looked for where nothing else fits.
  bool triesAll(const FunctionPlans &plans) const {
    return plans.isSmall() ||
           plans.problem().operations.size() * settings.options.tiles <=
               kTriedOnTiles;
  }

  /// By how much the rows of one answer count less than those of the one
  /// before, and how each is found.
  enum class Steps { All, AllGreedy, Sixteenths };

  /// The first of all answers, from the cheapest on, whose program takes at
  /// most `limit` bytes; where there is none, the one that takes least; nothing
  /// where none can be measured.
  std::optional<Measured> search(size_t number,
                                 std::shared_ptr<FunctionPlans> found,
                                 int64_t limit, Steps steps) {
    FunctionPlans &plans = *found;
    std::optional<Measured> least;
    auto measured = [&](FunctionPlan &plan) {
      auto arenas = measure(number, plans.problem(), plan.assignment);
      if (arenas && (!least || mostBytes(*arenas) < mostBytes(least->arenas)))
        least = Measured{std::move(plan), std::move(*arenas), found};
    };
    // Answers that surely take more than the limit, and what they take at
    // least.
    std::vector<std::pair<int64_t, FunctionPlan>> larger;
    std::vector<int> last;
    auto tryOnce = [&](FunctionPlan plan) {
      if (plan.assignment.candidates == last)
        return;
      last = plan.assignment.candidates;
      int64_t alone = plans.bytesAlone(plan);
      if (alone > limit)
        larger.emplace_back(alone, std::move(plan));
      else
        measured(plan);
    };
    auto fits = [&] { return least && mostBytes(least->arenas) <= limit; };
    bool isGreedy = steps == Steps::AllGreedy;
    auto within = [&](int64_t bytes, int64_t bound) {
      return isGreedy ? plans.withinGreedily(bytes)
                      : plans.withinQuickly(bytes, bound);
    };
    int64_t bytes = FunctionPlans::kUnlimited;
    Result<FunctionPlan, NoAssignment> plan = within(bytes, /*bound=*/0);
    for (int tries = 0; tries < kMostAnswers && plan && !fits(); ++tries) {
      int64_t counted = std::min(bytes, plans.bytesCounted(*plan));
      int64_t before = bytes, bound = plan->bound;
      int64_t cost = plan->assignment.cost;
      isProved &= isGreedy || bound == cost;
      tryOnce(std::move(*plan));
      bytes = counted - 1;
      if (steps == Steps::Sixteenths)
        bytes -= bytes / 16;
      plan = within(bytes, bound);
      // The last of the answers of one cost is what smallestLike() gives.
      bool isLast = !plan || plan->assignment.cost != cost;
      if (plans.isSmall() && isLast && counted < before && !fits())
        if (Result<FunctionPlan, NoAssignment> last = within(counted, bound))
          tryOnce(std::move(*last));
    }
    if (fits())
      return least;
    std::ranges::stable_sort(larger, {},
                             [](const auto &each) { return each.first; });
    for (auto &[alone, plan] : larger)
      if (!least || alone < mostBytes(least->arenas))
        measured(plan);
    return least;
  }

  /// Gives the function the answer that takes the least bytes of all; whether
  /// that is another one than it has.
  bool takeLeastBytes(size_t number) {
    Entry &entry = entries[number];
    if (!entry.solved || entry.isLeastBytes)
      return false;
    entry.isLeastBytes = true;
    std::optional<Measured> least =
        searchAll(number, plansOf(number), /*limit=*/0);
    if (!least || mostBytes(least->arenas) >= mostBytes(entry.arenas))
      return false;
    entry.solved = least->plans->take(std::move(least->plan), capacity());
    entry.arenas = std::move(least->arenas);
    return true;
  }

  /// The arenas of a function with this answer, in a copy of the module with
  /// nothing else but what it calls.
  std::optional<ArenaBytes> measure(size_t number,
                                    const FunctionProblem &problem,
                                    const Assignment &assignment) {
    llvm::SetVector<size_t> needed = calleesOf(number);
    IRMapping copies;
    OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->clone(copies)));
    auto copyOf = [&](size_t other) {
      return copies.lookup(
          FunctionOpInterface(functions[other]).getOperation());
    };
    for (size_t other = 0; other < functions.size(); ++other)
      if (other != number && !needed.contains(other))
        copyOf(other)->erase();
    for (size_t other : needed)
      if (entries[other].solved)
        applyAssignmentToCopy(entries[other].solved->function,
                              entries[other].solved->assignment, copies);
    applyAssignmentToCopy(problem, assignment, copies);
    return measureScratchpads(
        *copy, FunctionOpInterface(functions[number]).getName(), settings.host);
  }

  /// The beginning of what is said where nothing fits.
  InFlightDiagnostic refuse(Operation *op, bool isSure) const {
    InFlightDiagnostic error = mlir::emitError(op->getLoc());
    if (settings.strategy.name != "least")
      error << "with strategy=" << settings.strategy.name << " ";
    error << "no assignment of layouts "
          << (isSure ? "fits" : "was found that fits") << " the scratchpads of "
          << settings.target.name << ", " << nameOfBytes(capacity())
          << " each: ";
    return error;
  }

  /// Adds what would let a function fit that takes `bytes` of a scratchpad:
  /// `operations` are those that are too large by themselves, if any are.
  void advise(InFlightDiagnostic &error, size_t number, int64_t bytes,
              ArrayRef<Operation *> operations) const {
    FunctionOpInterface function = functions[number];
    std::vector<std::string> advice;
    if (bytes > 0)
      advice.push_back(fmt::format("scratchpads of {}", nameOfBytes(bytes)));
    if (int64_t tiles = settings.target.maxTiles;
        settings.options.tiles < tiles &&
        (operations.empty() || fitsAlone(number, tiles)))
      advice.push_back(
          fmt::format("tiles={}, which {} has", tiles, settings.target.name));
    if (std::optional<int64_t> bits = narrowerBits(operations, bytes))
      advice.push_back(fmt::format("elements of {} bits", *bits));
    if (settings.options.storage.option == Storage::Tiled2d)
      advice.push_back("storage=linear, which needs no room for images");
    StringRef padding = NPUDialect::PaddingAttrHelper::getNameStr();
    for (unsigned argument = 0; argument < function.getNumArguments();
         ++argument)
      if (function.getArgAttr(argument, padding)) {
        advice.push_back("a shorter prompt");
        break;
      }
    if (!advice.empty())
      error.attachNote() << "what would help: " << llvm::join(advice, "; ");
  }

  /// Whether every operation of the function fits by itself on so many tiles.
  bool fitsAlone(size_t number, int64_t tiles) const {
    ProblemOptions options = optionsOf(number);
    options.tiles = tiles;
    return FunctionPlans(functions[number], settings.target, options,
                         settings.strategy)
               .largestAlone()
               .bytes <= capacity();
  }

  /// The width of elements with which operations would fit that take `bytes`,
  /// where all of their tensors have elements of one width; nothing where none
  /// of at least 8 bits would do.
  std::optional<int64_t> narrowerBits(ArrayRef<Operation *> operations,
                                      int64_t bytes) const {
    llvm::SmallSet<int64_t, 2> widths;
    for (Operation *op : operations)
      for (TypeRange types :
           {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
        for (Type type : types)
          if (auto tensor = dyn_cast<RankedTensorType>(type))
            widths.insert(elementBits(tensor.getElementType()).value_or(0));
    if (widths.size() != 1)
      return std::nullopt;
    int64_t bits = *widths.begin(),
            factor =
                llvm::divideCeilSigned(bytes, std::max<int64_t>(capacity(), 1));
    int64_t narrower = bits;
    while (narrower > 8 && bits / narrower < factor)
      narrower /= 2;
    return narrower < bits && bits / narrower >= factor
               ? std::optional(narrower)
               : std::nullopt;
  }

  /// "d0 of 64, d1 of 4096 (reduces)"
  static std::string nameOfLoops(const OpAccess &access) {
    std::vector<std::string> loops;
    for (auto [loop, range] : llvm::enumerate(access.domain().loops))
      loops.push_back(fmt::format(
          "d{} of {}{}", loop, range.extent(),
          llvm::is_contained(access.reductions(), loop) ? " (reduces)" : ""));
    return llvm::join(loops, ", ");
  }

  /// Says why an operation does not run in steps, if it cannot.
  static void noteWhyWhole(InFlightDiagnostic &error, Operation *op) {
    std::string why = "it has no body of scalars, as linalg.generic has, that "
                      "steps could run fewer times";
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      Result<> mayRun = mayRunInSteps(structured);
      if (mayRun)
        return;
      why = mayRun.error().message;
    }
    if (std::optional<OpAccess> access = OpAccess::get(op);
        access && !access->domain().loops.empty())
      why += "; its loops: " + nameOfLoops(*access);
    error.attachNote(op->getLoc())
        << "'" << op->getName() << "' cannot run in steps: " << why;
  }

  /// Names every operation that is too large by itself, the largest first.
  void reportTooLarge(size_t number, const FunctionProblem &problem,
                      ArrayRef<FunctionPlans::LargestOperation> large) const {
    constexpr size_t most = 20;
    auto tell = [&](const FunctionPlans::LargestOperation &each) {
      return fmt::format(
          "'{}' takes at least {} of one ({}), whatever else is in use",
          problem.operations[each.number]->getName().getStringRef().str(),
          nameOfBytes(each.bytes),
          problem.candidates[each.number][each.candidate]->what);
    };
    const FunctionPlans::LargestOperation &largest = large.front();
    Operation *op = problem.operations[largest.number];
    InFlightDiagnostic error = refuse(op, /*isSure=*/true);
    error << tell(largest);
    noteNode(error, op);
    mark(error, RefusalKind::OperationTooLarge, {largest.bytes});
    for (const auto &each : large.drop_front().take_front(most - 1))
      error.attachNote(problem.operations[each.number]->getLoc()) << tell(each);
    if (large.size() > most)
      error.attachNote() << large.size() - most
                         << " more operations are too large by themselves";
    for (const auto &each : large)
      noteWhyWhole(error, problem.operations[each.number]);
    SmallVector<Operation *> operations;
    for (const auto &each : large)
      operations.push_back(problem.operations[each.number]);
    advise(error, number, largest.bytes, operations);
  }

  /// `why` is the solver's error, where capacity rows allow nothing, `least`
  /// the bytes of the smallest program that was found, and `largest` the
  /// operation whose bytes bound those of all programs.
  void reportNothingFits(size_t number, const NoAssignment &why,
                         std::optional<int64_t> least,
                         const FunctionPlans &plans,
                         const FunctionPlans::LargestOperation &largest,
                         bool isProved) const {
    const FunctionProblem &problem = plans.problem();
    FunctionOpInterface function = functions[number];
    Operation *op = function;
    if (why.operation)
      op = problem.operations[*why.operation];
    InFlightDiagnostic error = refuse(op, /*isSure=*/false);
    if (least)
      error << "'" << function.getName() << "' takes " << nameOfBytes(*least)
            << " of one in the smallest program that was found";
    else
      error << "'" << op->getName() << "' is beside too much else";
    noteNode(error, op);
    bool isSampled = !plans.isSmall(),
         isCutShort =
             !isSampled && !isProved && settings.strategy.name == "least";
    bool hasSteps = runsInSteps.contains(number);
    mark(error, RefusalKind::NoAssignmentFound,
         {least.value_or(0), isSampled || isCutShort || hasSteps},
         StringAttr::get(function.getContext(), function.getName()));
    // What lies between is what nobody knows.
    if (largest.bytes > 0)
      error.attachNote(problem.operations[largest.number]->getLoc())
          << "no program takes less than " << nameOfBytes(largest.bytes)
          << " of one, which '" << problem.operations[largest.number]->getName()
          << "' takes by itself";
    if (why.isLimited)
      error.attachNote() << "there may be one: states=N, now "
                         << settings.strategy.states << ", looks further";
    if (isSampled)
      error.attachNote() << "not all assignments of so many operations to so "
                            "many tiles are tried: one between two that were "
                            "may fit";
    else if (isCutShort)
      error.attachNote() << "not all assignments were searched to the end: one "
                            "that was not found may fit; states=N, now "
                         << settings.strategy.states << ", looks further";
    if (hasSteps)
      error.attachNote() << "not all sizes of steps were tried: some may fit";
    advise(error, number, least.value_or(0), {});
  }

  ModuleOp module;
  ArrayRef<FunctionOpInterface> functions;
  const AssignSettings &settings;
  llvm::DenseMap<Operation *, size_t> numbers;
  /// The functions that are called.
  llvm::DenseSet<size_t> called;
  /// The functions in which images do not fit that the device prefers.
  llvm::DenseSet<size_t> avoidsImages;
  /// The functions in which operations may run in steps, because nothing fits
  /// without.
  std::set<size_t> runsInSteps;
  /// The functions of which the host may run what tiles can.
  std::set<size_t> usesHost;
  std::deque<Entry> entries;
  std::vector<size_t> order;
  /// Whether each answer of the last function that was searched is proved to be
  /// the cheapest within its bytes.
  bool isProved = true;
};

} // namespace

FailureOr<std::deque<SolvedFunction>>
assignFunctions(ModuleOp module, ArrayRef<FunctionOpInterface> functions,
                const AssignSettings &settings) {
  return Fitting(module, functions, settings).run();
}

} // namespace npu
