// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/EmitBundle.h"

#include "CompileCommandLine.h"
#include "TarFile.h"
#include "npu/Artefact/Artefact.h"
#include "npu/Artefact/Sha256.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Placement/Result.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/ModelKind.h"
#include "npu/Support/QuotedForShell.h"
#include "npu/Target/DeviceChoice.h"
#include "npu/Tools/Version.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace npu {

static constexpr llvm::StringLiteral kEmitBundle = "emit-bundle";
static constexpr llvm::StringLiteral kBundleWeights = "bundle-weights";

void addBundleOptions(cl::OptionCategory &category) {
  static cl::opt<std::string> file(
      llvm::StringRef(kEmitBundle),
      cl::desc(
          "Pack the inputs, the command, what it prints, and the IR before "
          "the pass that fails into one file, from which others run it "
          "again"),
      cl::value_desc("FILE.tar"), cl::cat(category));
  static cl::opt<std::string> weights(
      llvm::StringRef(kBundleWeights),
      cl::desc("Weights of a bundle's IR: kept (default), or elided, which are "
               "zeros"),
      cl::value_desc("which"), cl::cat(category));
}

namespace {

/// An absolute path without links, also of a file that is not there.
std::string absolute(llvm::StringRef file) {
  llvm::SmallString<256> real;
  if (!fs::real_path(file, real))
    return real.str().str();
  real = file;
  (void)fs::make_absolute(real);
  path::remove_dots(real, /*remove_dot_dot=*/true);
  return real.str().str();
}

std::string contentsOf(llvm::StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

Result<> write(llvm::StringRef file, llvm::StringRef text) {
  (void)fs::create_directories(path::parent_path(file));
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return Error{
        fmt::format("cannot write '{}': {}", file.str(), error.message())};
  return Success();
}

/// The IR with zeros for every constant of more than a few elements.
Result<std::string> withoutWeights(llvm::StringRef name, llvm::StringRef text) {
  constexpr int64_t few = 16;
  ModelKind kind = kindOfModel(text, name);
  auto refuse = [&](const std::string &why) {
    return Error{fmt::format("--{}=elided: {}: {}", kBundleWeights.str(),
                             name.str(), why)};
  };
  if (kind != ModelKind::Text && kind != ModelKind::Bytecode)
    return refuse("expected IR, got " + std::string(describe(kind)));
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  std::string why = "it does not parse";
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          why = diagnostic.str();
                                          return mlir::success();
                                        });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return refuse(why);
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](mlir::ElementsAttr values) -> std::optional<mlir::Attribute> {
        mlir::ShapedType type = values.getShapedType();
        mlir::Attribute zero;
        if (type.getNumElements() > few && !values.isSplat() &&
            type.getElementType().isIntOrIndexOrFloat())
          zero = mlir::Builder(&context).getZeroAttr(type);
        return zero ? std::optional(zero) : std::nullopt;
      });
  replacer.recursivelyReplaceElementsIn(*module);
  std::string elided;
  llvm::raw_string_ostream os(elided);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return elided + "\n";
}

/// A reproducer without options that have no value, as `target=`: they are
/// printed where they were not given, and some passes refuse them.
std::string withoutEmptyOptions(llvm::StringRef reproducer) {
  auto [ir, rest] = reproducer.split("mlir_reproducer:");
  if (rest.empty())
    return reproducer.str();
  std::string result = (ir + "mlir_reproducer:").str();
  auto ends = [](llvm::StringRef text) {
    return text.starts_with(" ") || text.starts_with("}");
  };
  while (!rest.empty()) {
    llvm::StringRef word = rest.take_until(
        [](char c) { return c == ' ' || c == '{' || c == '}'; });
    rest = rest.drop_front(word.size());
    if (!word.ends_with("=") || !ends(rest))
      result += word;
    result += rest.take_front(1);
    rest = rest.drop_front(std::min<std::size_t>(1, rest.size()));
  }
  return result;
}

/// A folder that is gone at the end.
struct TemporaryFolder {
  llvm::SmallString<128> name;

  std::error_code make() {
    std::error_code error = fs::createUniqueDirectory("npu-bundle", name);
    made = !error;
    return error;
  }
  ~TemporaryFolder() {
    if (made)
      (void)fs::remove_directories(name);
  }
  std::string operator/(llvm::StringRef file) const {
    llvm::SmallString<256> whole(name);
    path::append(whole, file);
    return whole.str().str();
  }

private:
  bool made = false;
};

/// The process that runs for a bundle, and the signal that was to end it.
volatile std::sig_atomic_t running = 0, interruption = 0;

/// Hands a signal on to that process, because whoever ends a command still
/// wants its bundle. An alarm ends a process that takes too long.
void handOn(int signal) {
  if (signal != SIGALRM)
    interruption = signal;
  if (running)
    (void)kill(running, signal == SIGALRM ? SIGKILL : signal);
}

void handSignalsOn() {
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGALRM}) {
    struct sigaction action = {};
    // What is ignored, as under nohup, stays so.
    if (sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_handler = handOn;
    (void)sigaction(signal, &action, nullptr);
  }
}

/// Runs a program, for at most so many seconds if there is a limit. The exit
/// code, or 128 and the number of the signal that has ended it, as shells have
/// it.
Result<int> runProgram(llvm::StringRef program,
                       llvm::ArrayRef<llvm::StringRef> line,
                       llvm::ArrayRef<std::optional<llvm::StringRef>> streams,
                       unsigned limit = 0) {
  std::string message;
  bool failed = false;
  llvm::sys::ProcessInfo process = llvm::sys::ExecuteNoWait(
      program, line, std::nullopt, streams, 0, &message, &failed);
  if (failed)
    return Error{fmt::format("'{}' does not run: {}", program.str(), message)};
  running = process.Pid;
  alarm(limit);
  int status = 0;
  while (waitpid(process.Pid, &status, 0) == -1 && errno == EINTR) {
  }
  alarm(0);
  running = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Writes a file of the bundle, which can be run where that from which it was
/// made can.
Result<> write(llvm::StringRef file, llvm::StringRef text, bool isProgram) {
  Result<> written = write(file, text);
  if (written && isProgram)
    (void)fs::setPermissions(file,
                             fs::all_read | fs::owner_write | fs::all_exe);
  return written;
}

class Bundle {
public:
  Bundle(llvm::StringRef tool, int argc, char **argv)
      : tool(tool), executable(fs::getMainExecutable(
                        argv[0], reinterpret_cast<void *>(&runWithBundle))),
        arguments(argv + 1, argv + argc) {}

  /// Takes the options of bundles out of the arguments; whether there is one.
  Result<bool> takeOptions() {
    bool isAsked = false;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      llvm::StringRef argument = arguments[i];
      llvm::StringRef option = argument.ltrim('-');
      std::string *value = nullptr;
      for (auto [name, to] :
           {std::pair(kEmitBundle, &file), std::pair(kBundleWeights, &weights)})
        if (argument.starts_with("-") &&
            (option == name || option.starts_with((name + "=").str())))
          value = to;
      if (!value) {
        others.push_back(arguments[i]);
        continue;
      }
      isAsked |= value == &file;
      if (option.contains('='))
        *value = option.split('=').second.str();
      else if (i + 1 < arguments.size())
        *value = arguments[++i];
    }
    if (!weights.empty() && weights != "kept" && weights != "elided")
      return Error{fmt::format("--{}: expected kept or elided, got '{}'",
                               kBundleWeights.str(), weights)};
    if (!isAsked && !weights.empty())
      return Error{fmt::format("--{}: expected --{} beside it",
                               kBundleWeights.str(), kEmitBundle.str())};
    if (isAsked && file.empty())
      return Error{fmt::format("--{}: expected a file's name, got none",
                               kEmitBundle.str())};
    arguments = std::move(others);
    return isAsked;
  }

  /// Whether the bundle can be written; hours of a command do not end with a
  /// wrong name.
  Result<> checkFile() const {
    llvm::StringRef folder = path::parent_path(file);
    llvm::StringRef written = fs::exists(file) ? llvm::StringRef(file)
                              : folder.empty() ? "."
                                               : folder;
    std::error_code error = fs::access(written, fs::AccessMode::Write);
    if (!error && fs::is_directory(file))
      error = std::make_error_code(std::errc::is_a_directory);
    if (error)
      return Error{fmt::format("--{}: {}: {}", kEmitBundle.str(), file,
                               error.message())};
    return Success();
  }

  /// Runs, packs, and returns the exit code of the command.
  Result<int> run() {
    if (Result<> checked = checkFile(); !checked)
      return checked.error();
    handSignalsOn();
    if (std::error_code error = folder.make())
      return Error{"cannot make a folder for the bundle: " + error.message()};
    if (Result<> taken = takeStandardInput(); !taken)
      return taken.error();
    Result<int> code = runAsAsked();
    if (!code)
      return code;
    if (inputs.count(absolute(file)))
      return Error{fmt::format("--{}: expected another file than an input, "
                               "got '{}'",
                               kEmitBundle.str(), file)};
    if (Result<> copied = copyInputs(); !copied)
      return copied.error();
    if (Result<> written =
            write(folder / "replay.sh", replayScript(), /*isProgram=*/true);
        !written)
      return written.error();
    Result<int> again = replay("log/stdout", "log/stderr");
    if (!again)
      return again;
    if (*again != *code && !interruption)
      llvm::WithColor::warning(llvm::errs(), tool)
          << "the bundle ends with exit code " << *again
          << ", and the command with " << *code << "\n";
    if (Result<> kept = keepState(*code); !kept)
      return kept.error();
    if (Result<> packed = pack(interruption ? *code : *again); !packed)
      return packed.error();
    return code;
  }

private:
  /// Where "-" stands for standard input, keeps what is there.
  Result<> takeStandardInput() {
    if (!llvm::is_contained(arguments, "-"))
      return Success();
    auto buffer = llvm::MemoryBuffer::getSTDIN();
    if (!buffer)
      return Error{"cannot read standard input: " +
                   buffer.getError().message()};
    hasStandardInput = true;
    Result<std::string> text = asAsked("-", (*buffer)->getBuffer().str());
    if (!text)
      return text.error();
    return write(folder / "inputs/stdin", *text);
  }

  /// An input as the bundle has it, with or without weights.
  Result<std::string> asAsked(llvm::StringRef name, std::string text) {
    if (weights != "elided")
      return text;
    hasElided = true;
    return withoutWeights(name, text);
  }

  /// Runs the tool where it is, and learns which files it reads and writes.
  /// What ends it is a case, or what a server was asked, as the tool says.
  Result<int> runAsAsked() {
    std::string notes = folder / "notes", input = folder / "inputs/stdin";
    (void)fs::create_directories(path::parent_path(input));
    setenv(kBundleFiles.data(), notes.c_str(), 1);
    setenv(kBundleConversation.data(), input.c_str(), 1);
    llvm::SmallVector<llvm::StringRef> line{executable};
    llvm::append_range(line, arguments);
    std::optional<llvm::StringRef> streams[3];
    if (hasStandardInput)
      streams[0] = input;
    auto begin = std::chrono::steady_clock::now();
    Result<int> code = runProgram(executable, line, streams);
    seconds =
        static_cast<unsigned>(std::chrono::duration_cast<std::chrono::seconds>(
                                  std::chrono::steady_clock::now() - begin)
                                  .count());
    unsetenv(kBundleFiles.data());
    unsetenv(kBundleConversation.data());
    if (!code)
      return code;
    std::vector<std::string> caseArguments;
    std::string lines = contentsOf(notes);
    for (llvm::StringRef note : llvm::split(lines, '\n')) {
      auto [kind, name] = note.split(' ');
      if (kind == "in" && name == "-" && !hasStandardInput)
        return Error{fmt::format("--{}: expected a file, or - for standard "
                                 "input, on the command line",
                                 kEmitBundle.str())};
      if (name == "-" || name.empty())
        continue;
      if (kind == "again") {
        caseArguments.push_back(name.str());
        continue;
      }
      if (kind == "program")
        programs.insert(absolute(name));
      (kind == "out" ? outputs : inputs)[absolute(name)] = "";
    }
    isConversation = !hasStandardInput && fs::exists(input);
    isCase = !caseArguments.empty();
    if (isConversation) {
      hasStandardInput = true;
      // A conversation has many orders otherwise.
      if (!llvm::is_contained(arguments, "--sequential"))
        arguments.push_back("--sequential");
    }
    if (isCase) {
      arguments = std::move(caseArguments);
      outputs.clear();
    }
    return code;
  }

  /// Keeps the IR before the pass that fails, and the documents that are open
  /// at the end of a conversation, by one more run.
  Result<> keepState(int code) {
    bool failed = code != 0 && !interruption;
    if (isCase || !(failed || isConversation))
      return Success();
    std::string ir = folder / "before.mlir", documents = folder / "documents";
    (void)fs::create_directories(documents);
    setenv(kBundleIr.data(), ir.c_str(), 1);
    setenv(kBundleDocuments.data(), documents.c_str(), 1);
    Result<int> done = replay("unused/stdout", "unused/stderr");
    unsetenv(kBundleIr.data());
    unsetenv(kBundleDocuments.data());
    return done ? Result<>(Success()) : Result<>(done.error());
  }

  /// Copies inputs as they lie to each other, because some name others.
  Result<> copyInputs() {
    llvm::StringRef common;
    for (auto &[from, to] : inputs) {
      llvm::StringRef parent = path::parent_path(from);
      if (common.empty())
        common = parent;
      while (!(parent + "/").str().starts_with((common + "/").str()))
        common = path::parent_path(common);
    }
    std::string prefix = common.str();
    for (auto &[from, to] : inputs) {
      llvm::StringRef rest = llvm::StringRef(from).drop_front(prefix.size());
      to = ("inputs/" + rest.ltrim('/')).str();
      fs::file_status status;
      // What is not there, and what is no file, is an error in the bundle, too.
      if (fs::status(from, status) || fs::is_directory(status))
        continue;
      if (status.type() == fs::file_type::fifo_file ||
          status.type() == fs::file_type::socket_file)
        return Error{fmt::format("--{}: expected files as inputs, got '{}', "
                                 "which can be read once",
                                 kEmitBundle.str(), from)};
      bool isProgram = programs.count(from);
      Result<std::string> text =
          isProgram ? contentsOf(from) : asAsked(from, contentsOf(from));
      if (!text)
        return text.error();
      if (Result<> written = write(folder / to, *text, isProgram); !written)
        return written;
    }
    if (weights == "elided" && !hasElided)
      return Error{fmt::format("--{}=elided: expected a command that reads "
                               "IR, got one that reads none",
                               kBundleWeights.str())};
    std::set<std::string> taken;
    for (auto &[from, to] : outputs) {
      std::string name = path::filename(from).str();
      to = "outputs/" + name;
      // Files of one name in several folders.
      for (unsigned i = 2; !taken.insert(to).second; ++i)
        to = fmt::format("outputs/{}-{}", i, name);
    }
    for (std::string &argument : arguments)
      argument = rewritten(argument);
    return Success();
  }

  /// The name of a file inside of the bundle, if it is one of the command's.
  std::optional<std::string> insideName(llvm::StringRef name) const {
    if (name.empty() || name == "-")
      return std::nullopt;
    std::string from = absolute(name);
    for (const auto *files : {&inputs, &outputs})
      if (auto found = files->find(from); found != files->end())
        return found->second;
    return std::nullopt;
  }

  /// The argument with the files' names inside of the bundle: of the whole, of
  /// an option's value, and of each word of one.
  std::string rewritten(llvm::StringRef argument) const {
    if (auto whole = insideName(argument))
      return *whole;
    auto [option, value] = argument.split('=');
    if (auto whole = insideName(value))
      return (option + "=" + *whole).str();
    constexpr llvm::StringLiteral between = " \t\n{}(),='\"";
    std::string result;
    while (!argument.empty()) {
      llvm::StringRef word =
          argument.take_until([&](char c) { return between.contains(c); });
      std::optional<std::string> inside = insideName(word);
      result += inside ? *inside : word.str();
      argument = argument.drop_front(word.size());
      if (!argument.empty())
        result += argument.front();
      argument = argument.drop_front(std::min<std::size_t>(1, argument.size()));
    }
    return result;
  }

  std::string commandLine() const {
    std::string line = tool.str();
    for (const std::string &argument : arguments)
      line += " " + quotedForShell(argument);
    return line + (hasStandardInput ? " < inputs/stdin" : "");
  }

  /// What the script does with the variables that commands read: which device
  /// counts is an input, and where artefacts are cached is nobody else's.
  static std::string environment() {
    std::string device(deviceVariable);
    const char *value = std::getenv(device.c_str());
    return fmt::format(
        "unset {}\n{}\nexport {}=1\n", cacheVariable,
        value ? fmt::format("export {}={}", device, quotedForShell(value))
              : "unset " + device,
        kWithoutTimes.str());
  }

  std::string replayScript() const {
    return fmt::format("#!/bin/sh\n"
                       "# Runs the command of this bundle again, in this "
                       "folder. NPU_BIN names\n"
                       "# the folder of the tools where they are not in PATH.\n"
                       "cd \"$(dirname \"$0\")\" || exit 2\n"
                       "[ -z \"$NPU_BIN\" ] || PATH=\"$NPU_BIN:$PATH\"\n"
                       "{}"
                       "mkdir -p outputs\n"
                       "exec {}\n",
                       environment(), commandLine());
  }

  /// Runs the bundle's own script. Where the command was ended, nobody may be
  /// there to end this: it may take somewhat longer.
  Result<int> replay(llvm::StringRef standardOutput,
                     llvm::StringRef standardError) {
    std::string script = folder / "replay.sh", out = folder / standardOutput,
                error = folder / standardError;
    (void)fs::create_directories(path::parent_path(out));
    setenv("NPU_BIN", path::parent_path(executable).str().c_str(), 1);
    std::optional<llvm::StringRef> streams[] = {
        llvm::StringRef(""), llvm::StringRef(out), llvm::StringRef(error)};
    constexpr unsigned least = 10;
    return runProgram("/bin/sh", {"sh", script}, streams,
                      interruption ? std::max(least, 2 * seconds) : 0);
  }

  /// What the options say of the target: the values of "target=" in them.
  llvm::json::Array targets() const {
    llvm::json::Array found;
    for (llvm::StringRef argument : arguments)
      for (std::size_t at = argument.find("target="); at != argument.npos;
           at = argument.find("target=", at + 1))
        found.push_back(argument.substr(at + 7).take_until(
            [](char c) { return llvm::StringRef(" ,}\"'").contains(c); }));
    return found;
  }

  /// The files below a folder of the bundle, by their names in it, sorted.
  std::vector<std::string> filesBelow(llvm::StringRef below) const {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder / below, error), end;
         !error && at != end; at.increment(error))
      if (fs::is_regular_file(at->path()))
        files.push_back(llvm::StringRef(at->path())
                            .drop_front(folder.name.size() + 1)
                            .str());
    llvm::sort(files);
    return files;
  }

  Result<> pack(int code) {
    std::string before =
        withoutEmptyOptions(contentsOf(folder / "before.mlir"));
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os, /*IndentSize=*/1);
    json.object([&] {
      json.attribute("tool", tool);
      json.attribute("version", compilerVersion());
      json.attributeArray("arguments", [&] {
        for (const std::string &argument : arguments)
          json.value(llvm::json::fixUTF8(argument));
      });
      json.attribute("target", targets());
      json.attribute("exit_code", code);
      json.attribute("weights", weights.empty() ? "kept" : weights);
      json.attribute("ir_before_failure", !before.empty());
      for (llvm::StringRef kind : {"inputs", "outputs"})
        json.attributeArray(kind, [&] {
          for (const std::string &each : filesBelow(kind))
            json.object([&] {
              std::string bytes = contentsOf(folder / each);
              json.attribute("file", each);
              json.attribute("bytes", static_cast<int64_t>(bytes.size()));
              json.attribute("sha256", sha256(bytes));
            });
        });
    });
    json.flush();
    text += '\n';
    std::string base = path::stem(file).str() + "/";
    Result<> written = writeFileAtomically(file, [&](llvm::raw_ostream &os) {
      writeTarFile(os, base + "README",
                   fmt::format("A command of Tilewright and what it read.\n\n"
                               "    sh replay.sh\n\n"
                               "runs it again: {}\nIts exit code was {}; what "
                               "it printed is in log.\n",
                               commandLine(), code),
                   /*isProgram=*/false);
      writeTarFile(os, base + "manifest.json", text, /*isProgram=*/false);
      writeTarFile(os, base + "replay.sh", replayScript(), /*isProgram=*/true);
      if (!before.empty())
        writeTarFile(os, base + "before.mlir", before, /*isProgram=*/false);
      for (llvm::StringRef kind : {"inputs", "documents", "log"})
        for (const std::string &each : filesBelow(kind))
          writeTarFile(os, base + each, contentsOf(folder / each),
                       fs::can_execute(folder / each));
      // A program that was made up is what a reader wants to see first.
      if (isCase)
        for (const std::string &each : filesBelow("outputs"))
          writeTarFile(os, base + "case/" + path::filename(each).str(),
                       contentsOf(folder / each), /*isProgram=*/false);
      endTar(os);
    });
    if (!written)
      return Error{
          fmt::format("--{}: {}", kEmitBundle.str(), written.error().message)};
    return Success();
  }

  llvm::StringRef tool;
  std::string executable;
  std::vector<std::string> arguments;
  std::string file, weights;
  bool hasStandardInput = false, isConversation = false, isCase = false,
       hasElided = false;
  /// How long the command took.
  unsigned seconds = 0;
  TemporaryFolder folder;
  /// The command's files, by their absolute paths, and their names inside.
  std::map<std::string, std::string> inputs, outputs;
  /// Which of the inputs are run.
  std::set<std::string> programs;
};

} // namespace

std::optional<int> runWithBundle(llvm::StringRef tool, int argc, char **argv) {
  auto fail = [&](const Error &error) {
    llvm::WithColor::error(llvm::errs(), tool) << error.message << "\n";
    return 1;
  };
  // Third parties have tools of other names.
  std::string name = path::filename(argv[0]).str();
  Bundle bundle(name.empty() ? tool : name, argc, argv);
  Result<bool> isAsked = bundle.takeOptions();
  if (!isAsked)
    return fail(isAsked.error());
  if (!*isAsked)
    return std::nullopt;
  Result<int> code = bundle.run();
  return code ? *code : fail(code.error());
}

} // namespace npu
