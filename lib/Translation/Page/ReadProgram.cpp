// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a file of any kind to the stages of its view.

#include "ProgramView.h"

#include "npu/Analysis/TargetOf.h"
#include "npu/Artefact/Artefact.h"
#include "npu/Conversion/Compile/Pipeline.h"
#include "npu/Conversion/Phases.h"
#include "npu/Dialect/NPU/Transforms/Legalize/Passes.h"
#include "npu/Dialect/NPU/Transforms/Verify/Passes.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/ModelKind.h"
#include "npu/Support/ParseModule.h"
#include "npu/Translation/Dump/NpuDumpTranslation.h"
#include "npu/Translation/Log/NpuLog.h"
#include "npu/Translation/Log/NpuLogTranslation.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

/// Keeps the decisions that passes tell, while it lives.
class DecisionsOf {
public:
  DecisionsOf(MLIRContext *context, std::vector<ViewDecision> &decisions)
      : context(context) {
    remark::RemarkCategories categories;
    categories.all = categories.passed = categories.missed =
        categories.analysis = categories.failed = "npu";
    auto engine = std::make_unique<remark::detail::RemarkEngine>(
        /*printAsEmitRemarks=*/false, categories);
    std::string message;
    if (succeeded(engine->initialize(
            std::make_unique<Streamer>(decisions),
            std::make_unique<remark::RemarkEmittingPolicyAll>(), &message)))
      context->setRemarkEngine(std::move(engine));
  }
  ~DecisionsOf() { context->setRemarkEngine(nullptr); }

private:
  struct Streamer : remark::detail::MLIRRemarkStreamerBase {
    explicit Streamer(std::vector<ViewDecision> &decisions)
        : decisions(decisions) {}
    void
    streamOptimizationRemark(const remark::detail::Remark &remark) override {
      ViewDecision decision{remark.getRemarkName().str(),
                            remark.getFunction().str(),
                            "",
                            placeOf(remark.getLocation()),
                            {}};
      for (const auto &argument : remark.getArgs())
        if (argument.key == "Reason")
          decision.reason = argument.val;
        else
          decision.figures.emplace_back(argument.key, argument.val);
      decisions.push_back(std::move(decision));
    }
    std::vector<ViewDecision> &decisions;
  };

  MLIRContext *context;
};

StringRef nameOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Warning:
    return "warning";
  default:
    return "remark";
  }
}

class ProgramReader {
public:
  ProgramReader(const ViewOptions &options, MLIRContext *context)
      : options(options), context(context) {}

  FailureOr<ViewedProgram> read(StringRef bytes, StringRef fileName) {
    viewed.view.file = llvm::sys::path::filename(fileName).str();
    if (failed(addFile(bytes, fileName)))
      return failure();
    for (const std::string &path : options.later) {
      std::string message;
      std::unique_ptr<llvm::MemoryBuffer> buffer =
          openInputFile(path, &message);
      if (!buffer)
        return emitError(UnknownLoc::get(context)) << message;
      noteInput("a later stage", path);
      // Locations refer to the names of files and not to their bytes.
      if (failed(addFile(buffer->getBuffer(), path)))
        return failure();
    }
    if (!options.dumpDevice.empty() && !hasReadDump)
      return emitError(FileLineColLoc::get(context, fileName, 0, 0))
             << "--npu-dump-device: expected a dump of the field compiler, got "
                "another kind of file";
    if (options.compile && !hasCompiled)
      return emitError(FileLineColLoc::get(context, fileName, 0, 0))
             << "--npu-page-compile: expected a model, a log or a dump, got an "
                "artefact, which is compiled";
    if (llvm::all_of(viewed.view.stages, [](const ViewStage &stage) {
          return stage.functions.empty();
        }))
      return emitError(FileLineColLoc::get(context, fileName, 0, 0))
             << "expected a function with a body, got none";
    return std::move(viewed);
  }

private:
  LogicalResult addFile(StringRef bytes, StringRef fileName) {
    std::string name = llvm::sys::path::filename(fileName).str();
    switch (ModelKind kind = kindOfModel(bytes, fileName)) {
    case ModelKind::Onnx:
    case ModelKind::OpenVino:
      return emitError(FileLineColLoc::get(context, fileName, 0, 0))
             << "expected IR, a log or a dump of the field compiler, or an "
                "artefact, got "
             << describe(kind);
    case ModelKind::Artefact:
      setKind("artefact");
      return addArtefact(bytes, fileName);
    case ModelKind::Bytecode:
      setKind("ir");
      return addIr(bytes, fileName, name);
    case ModelKind::Text:
      break;
    }
    // This project's IR may quote either of the others in names and comments.
    bool isIr = bytes.contains("npu.");
    if (!isIr && bytes.contains(StringRef(kIncompatibleSentence.data(),
                                          kIncompatibleSentence.size()))) {
      setKind("log");
      explainLog(bytes, fileName);
      if (failed(addRepaired(
              importNpuLog(bytes, fileName, {}, context), "As logged",
              "the casts of " + name + " that the field compiler refused")))
        return failure();
      return addCompiledRepair();
    }
    if (!isIr && (bytes.contains("VPU.") || bytes.contains("VPUIP."))) {
      setKind("dump");
      hasReadDump = true;
      explainDump(bytes, fileName);
      badEdges.clear();
      if (failed(addRepaired(importNpuDump(bytes, fileName, context, &badEdges,
                                           options.dumpDevice),
                             "As dumped", "the functions of " + name)))
        return failure();
      return addCompiledRepair();
    }
    setKind("ir");
    return addIr(bytes, fileName, name);
  }

  /// Of a log, what is remarked is part of the words; errors come again when it
  /// is imported.
  void explainLog(StringRef bytes, StringRef fileName) {
    ScopedDiagnosticHandler quiet(context,
                                  [](Diagnostic &) { return success(); });
    FailureOr<std::string> words =
        explainNpuLog(bytes, llvm::sys::path::filename(fileName), {}, context);
    if (succeeded(words) && viewed.view.words.empty())
      viewed.view.words = std::move(*words);
  }

  void explainDump(StringRef bytes, StringRef fileName) {
    std::string words;
    llvm::raw_string_ostream os(words);
    DumpOptions asked;
    asked.device = options.dumpDevice;
    explainNpuDump(bytes, llvm::sys::path::filename(fileName), asked, os,
                   context);
    if (viewed.view.words.empty())
      viewed.view.words = std::move(words);
  }

  /// What the page is of is its first file.
  void setKind(StringRef kind) {
    if (viewed.view.kind.empty())
      viewed.view.kind = kind.str();
  }

  LogicalResult addIr(StringRef bytes, StringRef fileName,
                      const std::string &name) {
    auto module = parse(bytes, fileName);
    if (!module)
      return failure();
    CompilePhase phase = phaseOf(*module);
    // Later files are stages of their own.
    if (options.compile && !std::exchange(hasCompiled, true))
      return addCompiled(std::move(module), name);
    if (hasLayouts(*module) && phase < CompilePhase::Tiles)
      return addRepaired(std::move(module), name, "the file as it is");
    return addStage(std::move(module), name, "the file as it is");
  }

  OwningOpRef<ModuleOp> parse(StringRef bytes, StringRef fileName) {
    llvm::SourceMgr sources;
    return parseModule(llvm::MemoryBuffer::getMemBufferCopy(bytes, fileName),
                       sources, context);
  }

  static bool hasLayouts(ModuleOp module) {
    return module
        ->walk([](Operation *op) {
          return anyType(op, [](Type type) { return isDistributed(type); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The tile program of an artefact, and its schedule.
  LogicalResult addArtefact(StringRef bytes, StringRef fileName) {
    std::shared_ptr<llvm::MemoryBuffer> memory =
        llvm::MemoryBuffer::getMemBufferCopy(bytes, fileName);
    Result<Artefact> artefact = readArtefact(memory);
    if (!artefact)
      return emitError(FileLineColLoc::get(context, fileName, 0, 0))
             << artefact.error().message;
    auto module = parse(artefact->section(tilesSection), fileName);
    if (!module)
      return failure();
    CompileOptions toScratchpad;
    toScratchpad.from = nameOfPhase(CompilePhase::Tiles).str();
    toScratchpad.to = nameOfPhase(CompilePhase::Scratchpad).str();
    OwningOpRef<ModuleOp> program = module->clone();
    if (failed(addStage(std::move(module), "Tile program",
                        "what every tile does, and every transfer")))
      return failure();
    viewed.view.stages.back().missing.push_back(
        "there is no stage with tensors over tiles, as an artefact keeps what "
        "each tile does and not the model: --npu-to-html with the model and "
        "--npu-page-compile=OPTIONS, those of npu-compile, shows it");
    return addPhase(std::move(program), toScratchpad, "Schedule",
                    "buffers at their places, and when every engine works");
  }

  /// What --npu-page-compile asks for, which is checked before anything runs.
  FailureOr<CompileOptions> compileOptions(ModuleOp module) {
    auto fail = [&](const Twine &message) -> LogicalResult {
      return emitError(module->getLoc()) << "--npu-page-compile: " << message;
    };
    FailureOr<CompileOptions> compile =
        parseCompileOptions(*options.compile, fail);
    PassManager whole(context);
    if (succeeded(compile) && failed(buildCompile(whole, *compile, fail)))
      return failure();
    return compile;
  }

  /// The model, its legal form and its program.
  LogicalResult addCompiled(OwningOpRef<ModuleOp> module,
                            const std::string &name) {
    FailureOr<CompileOptions> compile = compileOptions(*module);
    if (failed(compile))
      return failure();
    OwningOpRef<ModuleOp> legal = module->clone();
    if (failed(addStage(std::move(module), name, "the file as it is")))
      return failure();
    CompilePhase from = findPhase(compile->from).value_or(CompilePhase::Start);
    CompilePhase to = findPhase(compile->to).value_or(CompilePhase::Scratchpad);
    if (to <= CompilePhase::Legal)
      return addPhase(std::move(legal), *compile, "Compiled",
                      "what the phase " + compile->to + " leaves");
    OwningOpRef<ModuleOp> program;
    CompileOptions rest = *compile;
    if (from < CompilePhase::Legal) {
      CompileOptions first = *compile;
      first.to = rest.from = nameOfPhase(CompilePhase::Legal).str();
      if (failed(addPhase(std::move(legal), first, "Distributed",
                          "every tile holds what it reads", &program)))
        return failure();
    } else {
      program = std::move(legal);
    }
    return addTileProgram(std::move(program), rest);
  }

  /// What the field compiler refused, repaired, as a program of tiles.
  LogicalResult addCompiledRepair() {
    if (!options.compile || std::exchange(hasCompiled, true))
      return success();
    OwningOpRef<ModuleOp> repaired = viewed.modules.back()->clone();
    FailureOr<CompileOptions> compile = compileOptions(*repaired);
    if (failed(compile))
      return failure();
    compile->from = nameOfPhase(CompilePhase::Legal).str();
    return addTileProgram(std::move(repaired), *compile);
  }

  LogicalResult addTileProgram(OwningOpRef<ModuleOp> program,
                               CompileOptions compile) {
    if (findPhase(compile.to) == CompilePhase::Tiles)
      return addPhase(std::move(program), compile, "Tile program",
                      "what every tile does, and every transfer");
    // Later phases have no buffers to show.
    compile.to = nameOfPhase(CompilePhase::Scratchpad).str();
    return addPhase(std::move(program), compile, "Schedule",
                    "buffers at their places, and when every engine works");
  }

  /// Runs phases of npu-compile and adds what they leave.
  LogicalResult addPhase(OwningOpRef<ModuleOp> module,
                         const CompileOptions &compile, StringRef title,
                         const std::string &explanation,
                         OwningOpRef<ModuleOp> *copy = nullptr) {
    auto fail = [&](const Twine &message) -> LogicalResult {
      return emitError(module->getLoc()) << message;
    };
    std::vector<ViewDecision> decisions;
    {
      PassManager passes(context);
      if (failed(buildCompile(passes, compile, fail)))
        return failure();
      passes.enableVerifier(false);
      DecisionsOf told(context, decisions);
      if (failed(passes.run(*module)))
        return failure();
    }
    if (copy)
      *copy = module->clone();
    std::string target = compile.target.value_or("");
    if (failed(addStage(std::move(module), title, explanation, target)))
      return failure();
    viewed.view.stages.back().decisions = std::move(decisions);
    return success();
  }

  /// The module as it is, and as legalization repairs it where that changes
  /// anything.
  LogicalResult addRepaired(OwningOpRef<ModuleOp> module, StringRef title,
                            const std::string &explanation) {
    if (!module)
      return failure();
    OwningOpRef<ModuleOp> repaired = module->clone();
    std::vector<WrongOperand> wrong = takeWrongOperands();
    if (failed(addStage(std::move(module), title, explanation, "", wrong)))
      return failure();
    size_t stage = viewed.view.stages.size() - 1;
    std::vector<ViewDecision> decisions;
    std::vector<ViewProblem> problems;
    LegalizeDistributionsOptions quiet;
    quiet.quiet = true;
    bool done = run(*repaired, createLegalizeDistributions(quiet), problems,
                    &decisions);
    if (!done) {
      for (ViewProblem &problem : problems)
        viewed.view.stages[stage].problems.push_back(std::move(problem));
      viewed.view.stages[stage].missing.push_back(
          "there is no stage after it: it cannot be repaired");
      return success();
    }
    bool changes = llvm::any_of(decisions, [](const ViewDecision &decision) {
      return decision.name != "left-alone" && decision.name != "total";
    });
    if (!changes) {
      viewed.view.stages[stage].decisions = std::move(decisions);
      return success();
    }
    // What is only declared stays as it is; of others, it is known what they
    // read.
    llvm::erase_if(wrong, [](const WrongOperand &each) {
      return each.kind.getStringRef() != func::CallOp::getOperationName();
    });
    if (failed(addStage(std::move(repaired), "Repaired",
                        "what npu-legalize-distributions makes of it: both "
                        "sides of every edge agree",
                        "", wrong)))
      return failure();
    ViewStage &last = viewed.view.stages.back();
    last.decisions = std::move(decisions);
    int64_t left = 0;
    for (const ViewFunction &function : last.functions)
      for (const ViewOperation &op : function.operations)
        left += static_cast<int64_t>(op.wrong.size());
    if (left > 0) {
      last.explanation = "what npu-legalize-distributions makes of it";
      last.missing.push_back(fmt::format(
          "{} into operations that are known by name only {} wrong as before: "
          "the words at the end of the page have the repair",
          left == 1 ? "1 edge" : fmt::format("{} edges", left),
          left == 1 ? "is as" : "are as"));
    }
    return success();
  }

  /// Bad edges as stages have them, and as problems of the next one.
  std::vector<WrongOperand> takeWrongOperands() {
    std::vector<WrongOperand> wrong;
    for (BadDumpEdge &edge : std::exchange(badEdges, {})) {
      Operation *op = edge.op;
      wrong.push_back({op->getLoc(), op->getName(), edge.operand,
                       op->getOperand(edge.operand).getType(),
                       SmallVector<Type>(op->getResultTypes()), edge.reason,
                       edge.bytes});
      toldByDump.push_back({"error", edge.name + ": " + edge.reason,
                            placeOf(op->getLoc()), std::move(edge.repair)});
    }
    return wrong;
  }

  /// Adds the bad edges of a dump as problems: each place is told once.
  void addToldByDump(ViewStage &stage) {
    constexpr size_t most = 200;
    llvm::StringSet<> places;
    for (const ViewProblem &problem : stage.problems)
      if (problem.severity == "error")
        places.insert(problem.place.place);
    size_t added = 0, leftOut = 0;
    for (ViewProblem &problem : std::exchange(toldByDump, {})) {
      if (!places.insert(problem.place.place).second)
        continue;
      if (added == most) {
        ++leftOut;
        continue;
      }
      ++added;
      stage.problems.push_back(std::move(problem));
    }
    if (leftOut > 0)
      stage.missing.push_back(fmt::format(
          "{} more operations that are wrong are marked in the graph and not "
          "listed: --explain-npu-dump has them",
          leftOut));
  }

  /// Runs a pass, with what it says as data instead of on the screen.
  bool run(ModuleOp module, std::unique_ptr<Pass> pass,
           std::vector<ViewProblem> &problems,
           std::vector<ViewDecision> *decisions = nullptr) {
    std::vector<ViewDecision> dropped;
    DecisionsOf told(context, decisions ? *decisions : dropped);
    ScopedDiagnosticHandler said(context, [&](Diagnostic &diagnostic) {
      ViewProblem problem{nameOf(diagnostic.getSeverity()).str(),
                          diagnostic.str(),
                          placeOf(diagnostic.getLocation()),
                          {}};
      for (Diagnostic &note : diagnostic.getNotes())
        problem.notes.push_back(note.str());
      problems.push_back(std::move(problem));
      return success();
    });
    PassManager passes(context);
    passes.enableVerifier(false);
    passes.addPass(std::move(pass));
    return succeeded(passes.run(module));
  }

  LogicalResult addStage(OwningOpRef<ModuleOp> module, StringRef title,
                         const std::string &explanation,
                         StringRef targetName = "",
                         ArrayRef<WrongOperand> wrong = {}) {
    ViewStage stage;
    stage.title = title.str();
    stage.explanation = explanation;
    FailureOr<std::optional<Target>> target =
        targetWithCosts(*module, targetName);
    if (failed(target))
      return failure();
    CompilePhase phase = phaseOf(*module);
    bool isLegal = false;
    if (phase < CompilePhase::Tiles && hasLayouts(*module)) {
      VerifyDistributionsOptions verify;
      // The rules of the field compiler for what is of it.
      verify.strict = viewed.view.kind == "log" || viewed.view.kind == "dump";
      isLegal = run(*module, createVerifyDistributions(verify), stage.problems);
      llvm::erase_if(stage.problems, [](const ViewProblem &problem) {
        return problem.severity == "remark";
      });
    }
    addToldByDump(stage);
    stage.functions = functionsOf(
        *module, isLegal && *target ? *target : std::optional<Target>(), wrong);
    if (phase == CompilePhase::Scratchpad &&
        failed(addRuns(*module, stage, *target)))
      return failure();
    viewed.view.stages.push_back(std::move(stage));
    viewed.modules.push_back(std::move(module));
    return success();
  }

  static LogicalResult addRuns(ModuleOp module, ViewStage &stage,
                               const std::optional<Target> &target) {
    if (!target) {
      stage.missing.push_back("there is no timeline: the module names no "
                              "target whose figures are known");
      return success();
    }
    for (ViewFunction &function : stage.functions) {
      auto op = module.lookupSymbol<func::FuncOp>(function.name);
      if (!op)
        continue;
      FailureOr<RowsOfRun> run = rowsOfRun(op, *target);
      if (failed(run))
        return failure();
      function.run = std::move(*run);
      function.scratchpadBytes = target->scratchpadBytes;
      function.target = target->name;
    }
    return success();
  }

  const ViewOptions &options;
  MLIRContext *context;
  bool hasCompiled = false, hasReadDump = false;
  /// Of the dump that was read last.
  std::vector<BadDumpEdge> badEdges;
  std::vector<ViewProblem> toldByDump;
  ViewedProgram viewed;
};

} // namespace

FailureOr<ViewedProgram> readProgram(StringRef bytes, StringRef fileName,
                                     const ViewOptions &options,
                                     MLIRContext *context) {
  return ProgramReader(options, context).read(bytes, fileName);
}

} // namespace npu
