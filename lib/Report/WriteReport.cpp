// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a report, all of them or none.

#include "npu/Report/Report.h"
#include "npu/Support/InputFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <vector>

namespace fs = llvm::sys::fs;

namespace npu {
namespace {

constexpr llvm::StringLiteral kSummary = "summary.txt", kLayers = "layers.csv",
                              kJson = "report.json";

std::string pathOf(const std::string &directory, llvm::StringRef name) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

/// A file that is written under a temporary name beside its own.
struct PendingFile {
  std::string path, content;
  std::optional<fs::TempFile> written;

  Result<> write() {
    llvm::Expected<fs::TempFile> made =
        fs::TempFile::create(path + ".%%%%%%%%");
    if (!made)
      return Error{path + ": " + llvm::toString(made.takeError())};
    written.emplace(std::move(*made));
    llvm::raw_fd_ostream out(written->FD, /*shouldClose=*/false);
    out << content;
    out.flush();
    if (!out.has_error())
      return Success();
    std::string why = out.error().message();
    // A stream that still has an error when it ends ends the process.
    out.clear_error();
    return Error{path + ": " + why};
  }

  Result<> keep() {
    if (llvm::Error error = written->keep(path))
      return Error{path + ": " + llvm::toString(std::move(error))};
    return Success();
  }
};

/// The files, which are gone again unless all of them are kept.
class PendingFiles {
public:
  PendingFiles(const Report &report, const std::string &directory) {
    auto add = [&](llvm::StringRef name, std::string content) {
      files.push_back(
          {pathOf(directory, name), std::move(content), std::nullopt});
    };
    add(kSummary, summaryOf(report));
    add(kLayers, layersCsv(report));
    add(kJson, reportJson(report));
  }
  PendingFiles(const PendingFiles &) = delete;
  ~PendingFiles() {
    for (PendingFile &file : files)
      if (file.written && !areKept)
        llvm::consumeError(file.written->discard());
  }

  Result<> check(const std::string &option) const {
    std::vector<NamedFile> outputs;
    for (const PendingFile &file : files)
      outputs.push_back({option, file.path});
    return checkOutputs(outputs);
  }

  Result<> write() {
    for (PendingFile &file : files)
      if (Result<> done = file.write(); !done)
        return done;
    for (size_t i = 0; i < files.size(); ++i)
      if (Result<> done = files[i].keep(); !done) {
        for (size_t kept = 0; kept < i; ++kept)
          fs::remove(files[kept].path);
        return done;
      }
    areKept = true;
    return Success();
  }

private:
  std::vector<PendingFile> files;
  bool areKept = false;
};

} // namespace

Result<> checkReportDirectory(const std::string &option,
                              const std::string &directory) {
  auto refuse = [&](const std::string &why) {
    return Error{option + ": " + why};
  };
  if (directory.empty())
    return refuse("expected a directory, got no name");
  if (Result<> checked = checkOutput(option, directory); !checked)
    return checked;
  if (!fs::exists(directory))
    return Success();
  if (!fs::is_directory(directory))
    return refuse(directory + ": expected a directory, got a file");
  if (std::error_code error = fs::access(directory, fs::AccessMode::Write))
    return refuse(directory + ": " + error.message());
  for (llvm::StringRef name : {kSummary, kLayers, kJson})
    if (std::string path = pathOf(directory, name); fs::is_directory(path))
      return refuse(path + ": expected a file, got a directory");
  return Success();
}

Result<> writeReportFiles(const Report &report, const std::string &option,
                          const std::string &directory) {
  if (!report.refusal.empty())
    return Error{option + ": there is nothing to report: " + report.refusal};
  if (Result<> checked = checkReportDirectory(option, directory); !checked)
    return checked;
  bool isNew = !fs::exists(directory);
  if (std::error_code error = fs::create_directories(
          directory, /*IgnoreExisting=*/true, fs::all_all))
    return Error{option + ": " + directory + ": " + error.message()};
  Result<> done = [&]() -> Result<> {
    PendingFiles files(report, directory);
    if (Result<> checked = files.check(option); !checked)
      return checked;
    if (Result<> written = files.write(); !written)
      return Error{option + ": " + written.error().message};
    return Success();
  }();
  if (!done && isNew)
    fs::remove(directory);
  return done;
}

} // namespace npu
