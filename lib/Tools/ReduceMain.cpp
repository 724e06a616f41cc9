// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-reduce: makes a file that shows something as small as it can be and still
// show it, which a test decides, as for mlir-reduce.

#include "PendingOutput.h"
#include "ReadModel.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Reduce/ReduceModule.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/InputFiles.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/Mains.h"
#include "npu/Tools/Version.h"

#include "mlir/InitAllDialects.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

#include <map>

namespace cl = llvm::cl;
using namespace mlir;

namespace npu {
namespace {

cl::OptionCategory category("npu-reduce options");
cl::opt<std::string> file(cl::Positional, cl::desc("FILE, IR or a model"),
                          cl::Required, cl::cat(category));
cl::opt<std::string>
    test("test",
         cl::desc("Program that gets a file of IR as its last argument, and "
                  "exits with 1 where the file shows what is looked for, with "
                  "0 where it does not"),
         cl::value_desc("program"), cl::Required, cl::cat(category));
cl::list<std::string>
    testArguments("test-arg",
                  cl::desc("Argument of the program before the "
                           "file; any number of times"),
                  cl::value_desc("argument"), cl::cat(category));
cl::opt<std::string> output("o",
                            cl::desc("File for the reduced IR (default: "
                                     "standard output)"),
                            cl::value_desc("file"), cl::init("-"),
                            cl::cat(category));
cl::opt<unsigned> tries("tries",
                        cl::desc("Candidates that are tested at most (default "
                                 "10000)"),
                        cl::value_desc("N"), cl::init(10000),
                        cl::cat(category));
cl::opt<unsigned> timeout(
    "timeout",
    cl::desc("Seconds that a test may take; one that takes longer counts as 0 "
             "(default 60)"),
    cl::value_desc("N"), cl::init(60), cl::cat(category));
cl::opt<bool>
    keepSignatures("keep-signatures",
                   cl::desc("Let functions take and return what they do"),
                   cl::cat(category));

int fail(const std::string &message) {
  llvm::WithColor::error(llvm::errs(), "npu-reduce") << message << "\n";
  return 1;
}

/// The program that decides, and a file for candidates.
class Test {
public:
  Result<> open() {
    auto found = llvm::sys::findProgramByName(test.getValue());
    if (!found)
      return Error{fmt::format("--test: expected a program, got '{}': {}",
                               test.getValue(), found.getError().message())};
    if (!llvm::sys::fs::can_execute(*found))
      return Error{fmt::format("--test: expected a program, got '{}', which "
                               "cannot be executed",
                               test.getValue())};
    program = *found;
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("npu-reduce", "mlir", path))
      return Error{"cannot write a candidate: " + error.message()};
    remover.setFile(path);
    return Success();
  }

  bool isInteresting(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, OpPrintingFlags().useLocalScope());
    text += '\n';
    // Changes in two orders come to one candidate.
    auto [known, isNew] = answers.try_emplace(text, false);
    if (!isNew)
      return known->second;
    std::error_code error;
    {
      llvm::raw_fd_ostream candidate(path, error);
      if (!error) {
        candidate << text;
        candidate.close();
        error = candidate.error();
        candidate.clear_error();
      }
    }
    if (error) {
      problem = "cannot write a candidate: " + error.message();
      return false;
    }
    llvm::SmallVector<llvm::StringRef> arguments{program};
    llvm::append_range(arguments, testArguments);
    arguments.push_back(path);
    // What a test says of each candidate would be said hundreds of times.
    std::optional<llvm::StringRef> silent[] = {
        llvm::StringRef(""), llvm::StringRef(""), llvm::StringRef("")};
    std::string message;
    bool failed = false;
    int code = llvm::sys::ExecuteAndWait(program, arguments, std::nullopt,
                                         silent, timeout, 0, &message, &failed);
    if (failed || code == -1)
      problem = fmt::format("--test: '{}' does not run: {}", program, message);
    ++runs;
    return known->second = code == 1;
  }

  /// What keeps the test from running; empty where it runs.
  std::string problem;
  unsigned runs = 0;

private:
  std::string program;
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
  std::map<std::string, bool> answers;
};

} // namespace

/// Notes the test for a bundle. What is found in PATH is there on other
/// machines, too; an argument may be a script.
static void noteTest() {
  if (llvm::StringRef(test).contains('/'))
    noteForBundle("program", test);
  for (const std::string &argument : testArguments)
    if (llvm::sys::fs::is_regular_file(argument))
      noteForBundle("program", argument);
}

int reduceMain(int argc, char **argv, RegisterMore more) {
  if (std::optional<int> code = runWithBundle("npu-reduce", argc, argv))
    return *code;
  addBundleOptions(category);
  cl::HideUnrelatedOptions(category);
  setFatalErrorHandlers("npu-reduce");
  setVersionPrinter("npu-reduce");
  ModelReader reader("npu-reduce", category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Makes IR that shows something as small as it "
                              "can be and still show it\n");
  if (tries == 0 || timeout == 0)
    return fail(fmt::format("expected at least 1, got --{}=0",
                            tries == 0 ? "tries" : "timeout"));
  DialectRegistry registry;
  registerAllDialects(registry);
  registerDialects(registry);
  registerReductionPatterns(registry);
  more(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  noteInput("the input", file);
  noteTest();
  OwningOpRef<ModuleOp> module;
  {
    SourceMgrDiagnosticHandler handler(sources, &context);
    module = reader.read(file, sources, context);
    if (!module || failed(reader.verifyOptions()))
      return 1;
  }
  if (Result<> checked = checkOutputs({{"-o", output}}); !checked)
    return fail(checked.error().message);
  Test decides;
  if (Result<> opened = decides.open(); !opened)
    return fail(opened.error().message);
  bool shows = decides.isInteresting(*module);
  if (!decides.problem.empty())
    return fail(decides.problem);
  if (!shows)
    return fail(fmt::format("{}: expected a file that shows what is looked "
                            "for, for which '{}' exits with 1, got one for "
                            "which it does not",
                            file.getValue(), test.getValue()));
  std::size_t before = countOperations(*module);
  ReduceOptions options;
  options.triesLeft = tries;
  options.changesSignatures = !keepSignatures;
  reduceModule(
      module,
      [&](ModuleOp candidate) {
        return decides.problem.empty() && decides.isInteresting(candidate);
      },
      options);
  if (!decides.problem.empty())
    return fail(decides.problem);
  PendingOutput pending(output);
  std::error_code error;
  llvm::raw_fd_ostream os(pending.name(), error);
  if (error)
    return fail(fmt::format("cannot write '{}': {}", output.getValue(),
                            error.message()));
  module->print(os);
  os << "\n";
  os.close();
  if (Result<> kept = pending.keep(); !kept)
    return fail(kept.error().message);
  llvm::errs() << fmt::format(
      "npu-reduce: reduced from {} operation{} to {} in {} tests{}\n", before,
      before == 1 ? "" : "s", countOperations(*module), decides.runs,
      options.triesLeft == 0 ? "; --tries ended it" : "");
  return 0;
}

} // namespace npu
