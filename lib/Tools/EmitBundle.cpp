// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Tools/EmitBundle.h"

#include "npu/Artefact/Sha256.h"
#include "npu/ExternalModels/RegisterAll.h"
#include "npu/Placement/Result.h"
#include "npu/Support/BundleNotes.h"
#include "npu/Support/ModelKind.h"
#include "npu/Support/QuotedForShell.h"
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
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TarWriter.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

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

  /// Runs, packs, and returns the exit code of the command.
  Result<int> run() {
    if (std::error_code error = folder.make())
      return Error{"cannot make a folder for the bundle: " + error.message()};
    if (Result<> taken = takeStandardInput(); !taken)
      return taken.error();
    Result<int> asked = runAsAsked();
    if (!asked)
      return asked;
    if (inputs.count(absolute(file)))
      return Error{fmt::format("--{}: expected another file than an input, "
                               "got '{}'",
                               kEmitBundle.str(), file)};
    if (Result<> copied = copyInputs(); !copied)
      return copied.error();
    if (Result<> written = write(folder / "replay.sh", replayScript());
        !written)
      return written.error();
    int again = replay("log/stdout", "log/stderr");
    // A crash has no exit code but the shell's.
    int code = *asked < 0 ? again : *asked;
    if (again != code)
      llvm::WithColor::warning(llvm::errs(), tool)
          << "the bundle ends with exit code " << again
          << ", and the command with " << code << "\n";
    if (code != 0) {
      setenv(kBundleIr.data(), (folder / "before.mlir").c_str(), 1);
      replay("unused/stdout", "unused/stderr");
      unsetenv(kBundleIr.data());
    }
    if (Result<> packed = pack(again); !packed)
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
    return write(folder / "inputs/stdin", (*buffer)->getBuffer());
  }

  /// Runs the tool where it is, and learns which files it reads and writes. The
  /// exit code, or a negative number after a crash.
  Result<int> runAsAsked() {
    std::string notes = folder / "notes", input = folder / "inputs/stdin";
    setenv(kBundleFiles.data(), notes.c_str(), 1);
    llvm::SmallVector<llvm::StringRef> line{executable};
    llvm::append_range(line, arguments);
    std::optional<llvm::StringRef> streams[3];
    if (hasStandardInput)
      streams[0] = input;
    std::string message;
    int code = llvm::sys::ExecuteAndWait(executable, line, std::nullopt,
                                         streams, 0, 0, &message);
    unsetenv(kBundleFiles.data());
    if (code == -1)
      return Error{fmt::format("'{}' does not run: {}", executable, message)};
    for (llvm::StringRef note : llvm::split(contentsOf(notes), '\n')) {
      auto [kind, name] = note.split(' ');
      if (kind == "in" && name == "-" && !hasStandardInput)
        return Error{fmt::format("--{}: expected a file, or - for standard "
                                 "input, on the command line",
                                 kEmitBundle.str())};
      if (name == "-" || name.empty())
        continue;
      (kind == "in" ? inputs : outputs)[absolute(name)] = "";
    }
    return code;
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
      std::string text = contentsOf(from);
      if (weights == "elided") {
        Result<std::string> elided = withoutWeights(from, text);
        if (!elided)
          return elided.error();
        text = std::move(*elided);
      }
      if (Result<> written = write(folder / to, text); !written)
        return written;
    }
    for (auto &[from, to] : outputs)
      to = ("outputs/" + path::filename(from)).str();
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

  std::string replayScript() const {
    return fmt::format("#!/bin/sh\n"
                       "# Runs the command of this bundle again, in this "
                       "folder. NPU_BIN names\n"
                       "# the folder of the tools where they are not in PATH.\n"
                       "cd \"$(dirname \"$0\")\" || exit 2\n"
                       "[ -z \"$NPU_BIN\" ] || PATH=\"$NPU_BIN:$PATH\"\n"
                       "mkdir -p outputs\n"
                       "exec {}\n",
                       commandLine());
  }

  /// Runs the bundle's own script; the exit code of the shell.
  int replay(llvm::StringRef standardOutput, llvm::StringRef standardError) {
    std::string script = folder / "replay.sh", out = folder / standardOutput,
                error = folder / standardError;
    (void)fs::create_directories(path::parent_path(out));
    setenv("NPU_BIN", path::parent_path(executable).str().c_str(), 1);
    std::optional<llvm::StringRef> streams[] = {
        llvm::StringRef(""), llvm::StringRef(out), llvm::StringRef(error)};
    return llvm::sys::ExecuteAndWait("/bin/sh", {"sh", script}, std::nullopt,
                                     streams);
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
    llvm::StringRef base = path::stem(file);
    auto tar = llvm::TarWriter::create(file, base);
    if (!tar)
      return Error{
          fmt::format("--{}: cannot write '{}': {}", kEmitBundle.str(), file,
                      llvm::errorToErrorCode(tar.takeError()).message())};
    (*tar)->append("README",
                   fmt::format("A command of Tilewright and what it read.\n\n"
                               "    sh replay.sh\n\n"
                               "runs it again: {}\nIts exit code was {}; what "
                               "it printed is in log.\n",
                               commandLine(), code));
    (*tar)->append("manifest.json", text);
    (*tar)->append("replay.sh", replayScript());
    if (!before.empty())
      (*tar)->append("before.mlir", before);
    for (llvm::StringRef kind : {"inputs", "log"})
      for (const std::string &each : filesBelow(kind))
        (*tar)->append(each, contentsOf(folder / each));
    return Success();
  }

  llvm::StringRef tool;
  std::string executable;
  std::vector<std::string> arguments;
  std::string file, weights;
  bool hasStandardInput = false;
  TemporaryFolder folder;
  /// The command's files, by their absolute paths, and their names inside.
  std::map<std::string, std::string> inputs, outputs;
};

} // namespace

std::optional<int> runWithBundle(llvm::StringRef tool, int argc, char **argv) {
  auto fail = [&](const Error &error) {
    llvm::WithColor::error(llvm::errs(), tool) << error.message << "\n";
    return 1;
  };
  Bundle bundle(tool, argc, argv);
  Result<bool> isAsked = bundle.takeOptions();
  if (!isAsked)
    return fail(isAsked.error());
  if (!*isAsked)
    return std::nullopt;
  Result<int> code = bundle.run();
  return code ? *code : fail(code.error());
}

} // namespace npu
