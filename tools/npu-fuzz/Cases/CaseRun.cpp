// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu-fuzz/Cases/CaseRun.h"

#include "npu-fuzz/Plans/RandomPlacements.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

constexpr const char *kLegalize = "npu-legalize-distributions";

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

/// Splits the first dimension of that extent of every tensor.
void splitOverTiles(ModuleOp module, int64_t extent, int64_t tiles) {
  auto split = [&](RankedTensorType type) -> RankedTensorType {
    auto found = llvm::find(type.getShape(), extent);
    if (!type.hasStaticShape() || found == type.getShape().end())
      return type;
    Layout layout;
    layout.distribution.emplace();
    layout.distribution->mode = Mode::Segmented;
    layout.distribution->tiles = Extents(type.getRank(), 1);
    layout.distribution->tiles[found - type.getShape().begin()] = tiles;
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 LayoutAttr::get(type.getContext(), layout));
  };
  module->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        result.setType(split(type));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            elements.reshape(cast<ShapedType>(constant.getType())));
  });
}

/// Whether some tensor of the module has more elements than tiles that run in
/// turn would take.
bool mayRace(ModuleOp module) {
  constexpr int64_t kMayTakeTurns = 2000;
  return module
      .walk([&](Operation *op) {
        return llvm::any_of(op->getResultTypes(),
                            [](Type type) {
                              auto tensor = dyn_cast<RankedTensorType>(type);
                              return tensor && tensor.hasStaticShape() &&
                                     tensor.getNumElements() > kMayTakeTurns;
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Erases one of the transfers that move elements, chosen by the seed.
void dropOneTransfer(ModuleOp program, uint64_t seed) {
  SmallVector<TransferOp> transfers;
  program.walk([&](TransferOp transfer) { transfers.push_back(transfer); });
  if (transfers.empty())
    return;
  TransferOp dropped = transfers[seed % transfers.size()];
  dropped->replaceAllUsesWith(dropped.getDests());
  dropped.erase();
}

/// Every choice of lengths up to the longest. The first name has the length of
/// all dimensions without one of the others.
PromptLengths lengthsOfNames(const PromptTask &task) {
  PromptLengths lengths;
  lengths.names.assign(task.names.begin() + 1, task.names.end());
  lengths.runs = {{}};
  for (size_t each = 0; each < task.names.size(); ++each) {
    auto all = llvm::seq_inclusive<int64_t>(each == 0 ? 1 : task.shortestCache,
                                            task.longest);
    lengths.chooseNext({all.begin(), all.end()});
  }
  return lengths;
}

} // namespace

CaseRun::CaseRun(const MadeFunction &function, const CaseOptions &options) {
  run.inputs = function.exact     ? InputKind::Integers
               : function.special ? InputKind::Special
                                  : InputKind::Random;
  run.seed = options.seed;
  // Special inputs are there to spread.
  run.allowNonFinite = true;
  run.optLevel = options.optLevel;
  run.verifiesTileProgram = options.broken != Break::DropTransfer;
  if (function.parallelTiles)
    run.threads = TileThreads::Many;

  RandomNumbers random(options.seed, 0);
  const char *side = random.oneIn(2) ? " side=left" : "";
  bool drops = options.broken == Break::DropMask;
  auto padTo = [&](const std::string &lengths) {
    return fmt::format("max-prompt-len={}{} poison{}", lengths, side,
                       drops ? " without-mask=0" : "");
  };
  auto lengths = [&](int64_t shortest, int64_t longest) {
    for (int64_t length = shortest; length <= longest; ++length)
      run.lengths.add(length);
  };
  if (drops)
    mayRefuse = {RefusalKind::NoSuchMask};

  if (const auto &task = function.prompt) {
    constexpr InputKind kKinds[] = {InputKind::Special, InputKind::Special,
                                    InputKind::Random, InputKind::Integers};
    run.inputs = kKinds[random.below(std::size(kKinds))];
    // Generate inputs for which the assumption about rows and caches holds.
    if (task->prefill && task->assumesFinite)
      run.inputs = random.oneIn(2) ? InputKind::Random : InputKind::Integers;
    if (task->names.empty())
      lengths(1, task->longest);
    else
      run.lengths = lengthsOfNames(*task);
    if (!task->isImported)
      mayRefuse.insert(mayRefuse.end(),
                       {RefusalKind::NotPadded, RefusalKind::PaddingConflicts,
                        RefusalKind::NotChunked});
    std::string longest = std::to_string(task->longest);
    if (task->prefill) {
      step = "cutting into chunks";
      passes = {
          {"npu-chunk-prefill",
           fmt::format("chunk-len={}{} poison{}", random.between(1, 5), side,
                       task->assumesFinite ? "" : " assume-finite=false")}};
    } else if (task->isCompiled && task->lastExtent == LastExtent::Same &&
               !drops) {
      step = "compiling";
      // Padding leaves tensors dynamic whose extents are no expressions of the
      // length; such a function runs, and npu-compile refuses it.
      mayRefuse.insert(mayRefuse.end(), {RefusalKind::DynamicShape,
                                         RefusalKind::OperationTooLarge,
                                         RefusalKind::NoAssignmentFound,
                                         RefusalKind::BuffersTooLarge});
      if (task->longest > 2 && random.oneIn(3))
        longest = fmt::format("{},{}", task->longest / 2, longest);
      constexpr const char *kStrategies[] = {"rows", "greedy", "duplicate"};
      const char *strategy = kStrategies[random.below(std::size(kStrategies))];
      std::string shared = fmt::format(
          "{} tiles={} strategy={} split-reductions=false compile-to=",
          padTo(longest), random.between(1, 4), strategy);
      passes = {{"npu-compile", shared + "legal"}};
      toBuffers = {"npu-compile", shared + "scratchpad"};
    } else {
      step = "padding";
      passes = {{"npu-pad-to-max-prompt-len", padTo(longest)}};
    }
    return;
  }
  if (const auto &task = function.assign) {
    if (function.tosa) {
      step = "compiling";
      mayRefuse = {RefusalKind::TosaNotLowered};
      passes = {{"npu-compile", fmt::format("compile-to=legal strategy={} "
                                            "split-reductions=false "
                                            "gather=allow",
                                            task->strategy)}};
      return;
    }
    step = "assignment";
    std::string states =
        task->strategy == "least" && task->states != AssignTask().states
            ? fmt::format(" states={}", task->states)
            : "";
    bool isHetero = !task->kernels.empty();
    std::string storage =
        task->storage == "auto" ? "" : " storage=" + task->storage;
    PassCall assign = {
        "npu-assign-distributions",
        fmt::format(
            "strategy={}{}{}{}{}{}", task->strategy, states,
            task->bytePrice > 0 ? fmt::format(" byte-price={}", task->bytePrice)
                                : "",
            task->splitReductions && !isHetero ? " split-reductions" : "",
            isHetero ? " host" : "", storage)};
    passes = {assign};
    // Also without a table of kernels, tiles load rows that positions name.
    if (isHetero || random.oneIn(2))
      passes = {{"npu-select-kernels"}, assign};
    return;
  }
  if (function.paddedTo == 0) {
    passes = {{kLegalize}};
    return;
  }
  // Float sums are split where the reference can add up in the same parts. It
  // cannot where a prompt is padded in front: parts then begin elsewhere at
  // every length.
  std::string sums = function.exact ? "" : "split-reductions=false";
  if (function.lengths) {
    lengths(function.lengths->first, function.lengths->second);
    extent = function.paddedTo;
    if (function.maySplitPadded)
      tiles = random.between(1, 4);
    mayRefuse.insert(mayRefuse.end(),
                     {RefusalKind::NotPadded, RefusalKind::PaddingConflicts});
  }
  std::string padding = padTo(std::to_string(function.paddedTo));
  // Legalization can neither split tensors over tiles nor leave out a mask.
  if (tiles > 1 || drops)
    passes = {{"npu-pad-to-max-prompt-len", padding}, {kLegalize, sums}};
  else
    passes = {{kLegalize, padding + (sums.empty() ? "" : " " + sums)}};
}

LogicalResult CaseRun::legalize(ModuleOp module) const {
  for (const PassCall &pass : passes) {
    if (failed(npu::run(module, pass)))
      return failure();
    if (tiles > 1 && &pass == &passes.front())
      splitOverTiles(module, extent, tiles);
  }
  return success();
}

CaseCommands CaseRun::commands() const {
  CaseCommands commands;
  for (const PassCall &pass : passes) {
    commands.legalize +=
        (commands.legalize.empty() ? "" : " ") + pass.asOption();
    if (tiles > 1 && &pass == &passes.front())
      commands.legalize +=
          fmt::format(" | python3 test/Execution/Inputs/split_over_tiles.py {} "
                      "{} | npu-opt",
                      extent, tiles);
  }
  commands.run =
      fmt::format("--inputs={} --seed={} -O{}{}", nameOf(run.inputs), run.seed,
                  *run.optLevel,
                  run.threads == TileThreads::Many ? " --tiles=parallel" : "");
  if (run.lengths.empty())
    return commands;
  const LengthsOfRun &first = run.lengths.runs.front(),
                     &last = run.lengths.runs.back();
  commands.run += fmt::format(" --length={}..{}", first.front(), last.front());
  for (auto [number, name] : llvm::enumerate(run.lengths.names))
    commands.run += fmt::format(" --length={}={}..{}", name, first[number + 1],
                                last[number + 1]);
  return commands;
}

std::optional<CaseResult> checkLegal(const Session &session, ModuleOp module) {
  if (failed(run(module, {"npu-verify-distributions", "strict"})))
    return session.refused("strict verification");
  OwningOpRef<ModuleOp> again = module.clone();
  if (failed(run(*again, {kLegalize})))
    return session.refused("second legalization");
  if (print(*again) != print(module))
    return CaseResult{Outcome::Different,
                      "another legalization changes the function",
                      "second legalization"};
  return std::nullopt;
}

std::optional<CaseResult>
legalizeCase(Session &session, const MadeFunction &function, const CaseRun &how,
             OwningOpRef<ModuleOp> &original, OwningOpRef<ModuleOp> &module) {
  original = session.parse(function.text);
  if (!original)
    return session.refused("parsing");
  module = original->clone();
  if (succeeded(how.legalize(*module)))
    return std::nullopt;
  if (!session.hasAny(how.mayRefuse))
    return session.refused(how.step);
  // What TOSA is not lowered to is said in a note.
  const auto *reason = session.find(RefusalKind::TosaNotLowered);
  if (reason && reason->note.empty())
    return session.refused(how.step);
  return CaseResult{Outcome::Fine, reason ? reason->note : session.text()};
}

CaseResult runAgainst(const Session &session, ModuleOp module,
                      ModuleOp original, const CaseRun &how,
                      const CaseOptions &options, const std::string &before) {
  if (options.broken == Break::DropTransfer)
    dropOneTransfer(module, options.seed);
  std::string report;
  llvm::raw_string_ostream stream(report);
  // Run large parallel programs several times, because races depend on timing.
  bool again = how.run.threads == TileThreads::Many && mayRace(original);
  bool equal = true;
  for (int times = again ? 3 : 1; equal && times > 0; --times)
    equal = succeeded(
        runAndCompare(module.clone(), original.clone(), how.run, stream));
  if (equal)
    return {};
  if (report.empty())
    return session.refused("compiling and running");
  return {Outcome::Different, before + report};
}

} // namespace npu
