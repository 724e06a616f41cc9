// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// npu-inspect: prints what an artefact says of itself, or one of its parts.

#include "npu/Artefact/Artefact.h"
#include "npu/Artefact/PrintArtefact.h"
#include "npu/Report/Report.h"
#include "npu/Support/InputFiles.h"
#include "npu/Support/OptionReaders.h"
#include "npu/Tools/EmitBundle.h"
#include "npu/Tools/FatalErrors.h"
#include "npu/Tools/Mains.h"
#include "npu/Tools/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("npu-inspect options");
static cl::opt<std::string> file(cl::Positional, cl::desc("model.npub"),
                                 cl::Required, cl::cat(category));
static cl::opt<std::string> format("format", cl::desc("text (default) or json"),
                                   cl::value_desc("format"), cl::init("text"),
                                   cl::cat(category));
static cl::opt<std::string>
    section("section",
            cl::desc("Print this section alone, as it is: tiles, schedule, "
                     "scratchpad, placement, report, object, weights"),
            cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    report("report",
           cl::desc("Write summary.txt, layers.csv and report.json into this "
                    "directory: how long a run takes on the device, as it is "
                    "modelled, and which layers take it"),
           cl::value_desc("DIR"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("File for what is printed"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));

static int fail(const std::string &message) {
  llvm::WithColor::error(llvm::errs(), "npu-inspect") << message << "\n";
  return 1;
}

int npu::inspectMain(int argc, char **argv) {
  if (std::optional<int> code = runWithBundle("npu-inspect", argc, argv))
    return *code;
  addBundleOptions(category);
  cl::HideUnrelatedOptions(category);
  setFatalErrorHandlers("npu-inspect");
  setVersionPrinter("npu-inspect");
  cl::ParseCommandLineOptions(argc, argv,
                              "Prints what an artefact says of itself\n");
  const OptionReaders readers[] = {{"format", {}, {"section", "report"}},
                                   {"o", {}, {"report"}},
                                   {"section", {}, {"report"}}};
  if (Result<> read = checkOptionReaders(readers, GivenOptions(argc, argv));
      !read)
    return fail(read.error().message);
  if (format != "text" && format != "json")
    return fail("--format: expected text or json, got '" + format + "'");
  Result<Artefact> artefact = openArtefact(file);
  if (!artefact)
    return fail(artefact.error().message);
  if (Result<> error = checkOutput("-o", output); !error)
    return fail(error.error().message);
  if (report.getNumOccurrences() > 0) {
    if (artefact->section(reportSection).empty())
      return fail(file + ": expected an artefact with a report, got one of an "
                         "earlier npu-compile: compile the model again");
    Result<Report> read = readReport(artefact->section(reportSection));
    if (!read)
      return fail(file + ": " + read.error().message);
    if (Result<> error = writeReportFiles(*read, "--report", report); !error)
      return fail(error.error().message);
    return 0;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (section.getNumOccurrences() > 0) {
    if (Result<> error = printSection(*artefact, section, os); !error)
      return fail(file + ": " + error.error().message);
  } else if (format == "json") {
    printJson(*artefact, os);
  } else {
    printText(*artefact, os);
  }
  if (Result<> error = writeFileAtomically(
          output, [&](llvm::raw_ostream &out) { out << text; });
      !error)
    return fail(error.error().message);
  return 0;
}
