// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares a function, runs the engine on it, and writes the report.

#include "npu/Audit/Audit.h"

#include "Engine.h"
#include "Known.h"
#include "Report.h"
#include "npu/Artefact/Artefact.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"
#include "npu/Dialect/NPU/IR/TensorSizes.h"
#include "npu/Execution/Compare/RunSides.h"
#include "npu/Execution/Jit/Signature.h"
#include "npu/Execution/Jit/ToExecutable.h"
#include "npu/Execution/Prepare/ArgumentRoles.h"
#include "npu/Execution/Prepare/PrepareEntry.h"
#include "npu/Host/MemoryBudget.h"
#include "npu/Host/Npy.h"
#include "npu/Support/Report.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

using namespace mlir;

namespace npu {
namespace {

/// The part of a tensor at one place of some dimensions; -1: all of a
/// dimension.
struct Part {
  SmallVector<int64_t> places;

  SmallVector<int64_t> shapeOf(ArrayRef<int64_t> whole) const {
    SmallVector<int64_t> shape;
    for (auto [place, extent] : llvm::zip(places, whole))
      shape.push_back(place < 0 ? extent : 1);
    return shape;
  }
};

SharedTensor cut(const SharedTensor &tensor, const Part &part) {
  if (!tensor)
    return nullptr;
  TensorSpec spec = tensor->spec;
  SmallVector<int64_t> shape = part.shapeOf(spec.shape);
  spec.shape.assign(shape.begin(), shape.end());
  HostTensor result(spec);
  for (int64_t i = 0, end = spec.elements(); i < end; ++i) {
    int64_t from = 0;
    std::vector<int64_t> at = coordinatesOf(spec, i);
    for (size_t dim = 0; dim < at.size(); ++dim)
      from = from * tensor->spec.shape[dim] +
             (part.places[dim] < 0 ? at[dim] : part.places[dim]);
    setBitsAt(result, i, bitsAt(*tensor, from));
  }
  return std::make_shared<const HostTensor>(std::move(result));
}

/// Where each loop stands for the element; nothing where that is not known.
std::optional<SmallVector<int64_t>> loopsFor(linalg::LinalgOp op,
                                             const std::vector<int64_t> &at) {
  if (op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  for (Value operand : op->getOperands())
    if (hasLayout(operand.getType()))
      return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  SmallVector<int64_t> loops(op.getNumLoops(), -1);
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    loops[map.getDimPosition(i)] = at[i];
  return loops;
}

/// Rewrites a function around one structured operation, whose result it
/// returns, to compute the element at `at` alone, and takes the same parts of
/// `operands`. Changes nothing where a map is more than a choice of loops, or
/// the body asks for positions. Returns whether it has. Example: of a matmul,
/// one row of the left and one column of the right operand are left.
bool shrinkTo(func::FuncOp function, const std::vector<int64_t> &at,
              std::vector<Known> &operands) {
  Operation *terminator = function.front().getTerminator();
  if (terminator->getNumOperands() != 1)
    return false;
  auto op = terminator->getOperand(0).getDefiningOp<linalg::LinalgOp>();
  std::optional<SmallVector<int64_t>> loops =
      op ? loopsFor(op, at) : std::nullopt;
  if (!loops)
    return false;
  // An argument that is read in two ways would need two parts.
  for (BlockArgument argument : function.getArguments())
    if (!argument.hasOneUse() || *argument.user_begin() != op)
      return false;
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Part part;
    SmallVector<OpFoldResult> offsets, sizes;
    SmallVector<int64_t> shape;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      part.places.push_back((*loops)[map.getDimPosition(i)]);
    shape = part.shapeOf(type.getShape());
    auto small = RankedTensorType::get(shape, type.getElementType());
    if (auto argument = dyn_cast<BlockArgument>(operand.get())) {
      Known &known = operands[argument.getArgNumber()];
      known = {cut(known.device, part), cut(known.reference, part),
               cut(known.error, part)};
      argument.setType(small);
      continue;
    }
    for (auto [place, extent] : llvm::zip(part.places, shape)) {
      offsets.push_back(builder.getIndexAttr(std::max<int64_t>(place, 0)));
      sizes.push_back(builder.getIndexAttr(extent));
    }
    SmallVector<OpFoldResult> strides(shape.size(), builder.getIndexAttr(1));
    operand.set(tensor::ExtractSliceOp::create(
        builder, op.getLoc(), small, operand.get(), offsets, sizes, strides));
  }
  op->getResult(0).setType(op.getDpsInits()[0].getType());
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           terminator->getOperandTypes()));
  return true;
}

/// Operands of more bytes than this are files, with all others.
constexpr int64_t kMostBytes = 64 << 10;

int64_t bytesOf(ArrayRef<Known> operands) {
  ByteSum sum;
  for (const Known &operand : operands)
    sum.add(operand.device->spec.bytes());
  return sum.total();
}

/// Makes constants of the function's arguments.
void foldOperands(func::FuncOp function, ArrayRef<Known> operands) {
  Block &body = function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), operands)) {
    Type type = argument.getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto values = toAttribute(
        *operand.device, tensor ? tensor : RankedTensorType::get({}, type));
    Value constant;
    if (tensor)
      constant = arith::ConstantOp::create(builder, function.getLoc(), values);
    else
      constant = arith::ConstantOp::create(
          builder, function.getLoc(),
          cast<TypedAttr>(*values.getValues<Attribute>().begin()));
    argument.replaceAllUsesWith(constant);
  }
  body.eraseArguments([](BlockArgument) { return true; });
  function.setType(
      builder.getFunctionType({}, function.getFunctionType().getResults()));
}

/// One side as the function @main.
OwningOpRef<ModuleOp> sideOf(const Slice &slice) {
  OwningOpRef<ModuleOp> module = cutOut(slice);
  module->lookupSymbol<func::FuncOp>("unit").setName("main");
  return module;
}

func::FuncOp mainOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("main");
}

LogicalResult writeSide(ModuleOp module, ArrayRef<Known> operands, bool fold,
                        const std::string &path) {
  if (fold)
    foldOperands(mainOf(module), operands);
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().useLocalScope());
  return writeReport(module, "--emit-reproducer", path, text + "\n");
}

/// A word of a shell's command.
std::string quoted(const std::string &word) {
  if (StringRef(word).find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") ==
      StringRef::npos)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string beside(StringRef path, const std::string &ending) {
  path.consume_back(".mlir");
  return path.str() + ending;
}

/// Writes the operation as a function of its own, with the operands that it had
/// on the device as constants or, where they are large, in .npy files beside
/// `path`. Returns the command that runs it.
FailureOr<std::string> writeReproducer(const Engine::Kept &kept,
                                       const std::string &path) {
  OwningOpRef<ModuleOp> device = sideOf(kept.deviceSlice);
  std::vector<Known> operands = kept.deviceOperands;
  bool isChanged = kept.slice.ops != kept.deviceSlice.ops;
  if (!isChanged && !kept.worst.empty())
    (void)shrinkTo(mainOf(*device), kept.worst, operands);
  bool fold = bytesOf(operands) <= kMostBytes;
  if (failed(writeSide(*device, operands, fold, path)))
    return failure();
  std::string command = "npu-run " + quoted(path) + " --audit";
  if (isChanged) {
    std::string reference = beside(path, ".reference.mlir");
    if (failed(writeSide(*sideOf(kept.slice), kept.operands, fold, reference)))
      return failure();
    command += " --reference=" + quoted(reference);
  }
  if (fold)
    return command;
  std::vector<std::string> files;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    files.push_back(beside(path, fmt::format(".{}.npy", i)));
    Result<> written =
        writeFileAtomically(files.back(), [&](llvm::raw_ostream &out) {
          writeNpy(out, *operand.device);
        });
    if (!written)
      return failRun(written.error().message);
  }
  return command +
         " --inputs=" + quoted(fmt::format("{}", fmt::join(files, ",")));
}

/// A function that is ready to be cut into its operations.
struct Prepared {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  bool wasLowered = false;
};

FailureOr<func::FuncOp> entryOf(ModuleOp module, const std::string &entry) {
  return takeEntry(module, entry);
}

/// Operations are run for their results: what has none, as an assertion, is
/// passed over, and the user is told.
void warnOfWhatGivesNothing(func::FuncOp function) {
  for (Operation &op : function.front().without_terminator())
    if (op.getNumResults() == 0 && !isMemoryEffectFree(&op))
      op.emitWarning() << "--audit runs operations for their results: '"
                       << op.getName() << "' has none and is passed over";
}

FailureOr<Prepared> prepare(OwningOpRef<ModuleOp> module,
                            const RunOptions &run) {
  FailureOr<func::FuncOp> function = entryOf(*module, run.entry);
  if (failed(function))
    return failure();
  std::string entry = function->getName().str();
  if (failed(keepReachable(*module, *function)) ||
      failed(checkTensorSizes(*module)) || failed(checkConstants(*module)))
    return failure();
  CompilePhase phase = phaseOf(*module);
  if (phase == CompilePhase::Tiles || phase == CompilePhase::Scratchpad)
    return function->emitError()
           << "--audit: expected a function on whole tensors, with or without "
              "layouts, got "
           << (phase == CompilePhase::Scratchpad ? "a program on buffers"
                                                 : "a tile program")
           << ", whose operations are parts of others";
  Prepared prepared;
  if (phase == CompilePhase::Legal && hasTosa(*module))
    return function->emitError()
           << "--audit: expected a function without TOSA where tensors have "
              "layouts; npu-compile lowers TOSA before it gives them";
  if (phase == CompilePhase::Start && hasTosa(*module)) {
    prepared.wasLowered = true;
    if (failed(lowerModel(*module)))
      return failure();
  }
  if (failed(inlineCalls(*module)))
    return failure();
  function = findEntry(*module, entry);
  if (failed(function))
    return failure();
  if (!function->getBody().hasOneBlock())
    return function->emitError()
           << "--audit: expected a function of one block, got "
           << function->getBody().getBlocks().size();
  WalkResult walk = function->walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto shaped = dyn_cast<ShapedType>(type);
          shaped && !shaped.hasStaticShape())
        return op->emitError()
               << "--audit: expected tensors of static shape, got " << type
               << "; npu-pad-to-max-prompt-len and npu-compile make shapes "
                  "static";
    if (isa<func::CallOp>(op))
      return op->emitError()
             << "--audit: expected calls that can be inlined, got a call of a "
                "function that calls itself or may not be inlined";
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  warnOfWhatGivesNothing(*function);
  prepared.module = std::move(module);
  prepared.function = *function;
  return prepared;
}

/// The inputs of the function, which the audit keeps `times` times.
FailureOr<std::vector<HostTensor>> inputsOf(func::FuncOp function,
                                            const RunOptions &run,
                                            const std::vector<InputRole> &roles,
                                            int64_t times = 1) {
  std::vector<TensorSpec> specs;
  for (BlockArgument argument : function.getArguments()) {
    Type type = argument.getType();
    auto shaped = dyn_cast<RankedTensorType>(type);
    auto element = elementTypeOf(getElementTypeOrSelf(type));
    if (!element || (shaped && !shaped.hasStaticShape()) ||
        (!shaped && isa<ShapedType>(type)))
      return function.emitError()
             << "--audit: expected tensors of static shape and numbers as "
                "arguments, got "
             << type;
    TensorSpec spec{*element, {}};
    if (shaped)
      spec.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
    specs.push_back(spec);
  }
  ByteSum needed;
  for (const TensorSpec &spec : specs)
    needed.add(spec.bytes(), times);
  if (Result<> error = checkMemory(needed); !error)
    return function.emitError() << "--audit: " << error.error().message;
  return makeInputs(specs, roles, run);
}

/// Shows on a terminal which operation runs.
class TerminalProgress {
public:
  void operator()(int64_t number, int64_t of, StringRef what) {
    using namespace std::chrono;
    double seconds = duration<double>(steady_clock::now() - start).count();
    llvm::errs() << fmt::format("\r\033[Koperation {} of {}, {}, {:.1f} s",
                                number, of, what.str(), seconds)
                 << (number == of ? "\r\033[K" : "");
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// The values that a function returns, which are kept while it runs.
class Results {
public:
  explicit Results(func::FuncOp function)
      : values(function.front().getTerminator()->operand_begin(),
               function.front().getTerminator()->operand_end()),
        kept(values.size()) {}

  void see(Value value, const Known &known) {
    for (auto [i, result] : llvm::enumerate(values))
      if (result == value)
        kept[i] = known;
  }

  SmallVector<Value> values;
  std::vector<Known> kept;
};

/// Runs the original in f64 and holds the function against it.
FailureOr<Comparison64> compareWith(OwningOpRef<ModuleOp> module,
                                    const RunOptions &run, const Engine &engine,
                                    const Fingerprints &values,
                                    const Results &results,
                                    std::vector<HostTensor> inputs) {
  FailureOr<Prepared> prepared = prepare(std::move(module), run);
  if (failed(prepared))
    return failure();
  func::FuncOp function = prepared->function;
  Engine original(function, run.optLevel);
  Fingerprints theirs;
  Results theirResults(function);
  original.setObserver([&](Value value, const Known &known) {
    theirs.add(value, known);
    theirResults.see(value, known);
  });
  std::vector<TensorSpec> ours;
  for (const HostTensor &input : inputs)
    ours.push_back(input.spec);
  auto specs = inputsOf(function, run, {});
  if (failed(specs))
    return failure();
  std::vector<TensorSpec> theirSpecs;
  for (const HostTensor &input : *specs)
    theirSpecs.push_back(input.spec);
  if (ours != theirSpecs || results.values.size() != theirResults.values.size())
    return failRun(fmt::format("--reference: expected arguments {}, got {}",
                               toString(ours), toString(theirSpecs)));
  if (failed(original.run(std::move(inputs))))
    return failure();
  for (auto [i, a, b] : llvm::enumerate(results.kept, theirResults.kept))
    if (!a.device || !b.device || a.device->spec.shape != b.device->spec.shape)
      return failRun(fmt::format("--reference: expected one shape of result "
                                 "#{} on both sides",
                                 i));
  return holdAgainst(engine.getUnits(), values, results.kept,
                     original.getUnits(), theirs, theirResults.kept);
}

std::string inputsName(const RunOptions &run) {
  if (!run.inputFiles.empty())
    return "from files";
  return fmt::format("{} (seed {})", nameOf(run.inputs), run.seed);
}

/// For each returned value the measurement of the operation that computes it.
std::vector<const Measurement *>
measurementsOf(const Results &results, const Engine &engine,
               const std::vector<Finding> &findings) {
  std::vector<const Measurement *> found(results.values.size());
  for (const Finding &finding : findings) {
    const Unit &unit =
        engine.getUnits().all()[static_cast<size_t>(finding.number)];
    for (auto [i, value] : llvm::enumerate(unit.results))
      for (auto [number, result] : llvm::enumerate(results.values))
        if (result == value && i < finding.results.size())
          found[number] = &finding.results[i];
  }
  return found;
}

} // namespace

std::vector<std::string> filesOfReproducer(const std::string &path) {
  std::vector<std::string> files{path, beside(path, ".reference.mlir")};
  // More operands than operations have.
  constexpr int most = 64;
  for (int i = 0; i < most; ++i)
    files.push_back(beside(path, fmt::format(".{}.npy", i)));
  return files;
}

LogicalResult audit(OwningOpRef<ModuleOp> module,
                    OwningOpRef<ModuleOp> original, const RunOptions &run,
                    const AuditOptions &options, llvm::raw_ostream &out) {
  FailureOr<Prepared> prepared = prepare(std::move(module), run);
  if (failed(prepared))
    return failure();
  func::FuncOp function = prepared->function;
  auto inputs =
      inputsOf(function, run, argumentRoles(function), original ? 3 : 1);
  if (failed(inputs))
    return failure();
  std::vector<HostTensor> again;
  for (const HostTensor &input : *inputs)
    if (original)
      again.push_back(clone(input));
  numberOperations(function);
  OwningOpRef<ModuleOp> device;
  Engine engine(function, run.optLevel);
  if (options.changeDevice) {
    device = prepared->module->clone();
    auto copy = device->lookupSymbol<func::FuncOp>(function.getName());
    if (failed(options.changeDevice(copy)) || failed(verify(*device)))
      return failure();
    engine.setDevice(copy);
  }
  if (llvm::sys::Process::StandardErrIsDisplayed())
    engine.setProgress(TerminalProgress());
  Fingerprints values;
  Results results(function);
  engine.setObserver([&](Value value, const Known &known) {
    if (original)
      values.add(value, known);
    results.see(value, known);
  });
  if (failed(engine.run(std::move(*inputs))))
    return failure();

  AuditReport report;
  report.entry = function.getName().str();
  report.inputs = inputsName(run);
  report.seed = run.seed;
  report.operations = static_cast<int64_t>(engine.findings().size());
  report.compiled = engine.compiled();
  report.mostBytes = engine.mostBytes();
  report.wasLowered = prepared->wasLowered;
  report.findings = engine.findings();
  sortFindings(report.findings);
  report.results = measurementsOf(results, engine, report.findings);
  if (original) {
    auto comparison = compareWith(std::move(original), run, engine, values,
                                  results, std::move(again));
    if (failed(comparison))
      return failure();
    report.original = std::move(*comparison);
  }
  if (!options.reproducer.empty() && engine.worst()) {
    auto written = writeReproducer(*engine.worst(), options.reproducer);
    if (failed(written))
      return failure();
    report.reproducer = std::move(*written);
  }
  std::string text = options.json ? toJson(report) : toText(report);
  if (options.outputFile == "-")
    out << text;
  else if (failed(writeReport(function, "--output-file", options.outputFile,
                              text)))
    return failure();
  return failure(report.isWrong());
}

} // namespace npu
