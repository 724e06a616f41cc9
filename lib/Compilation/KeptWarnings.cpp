// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Compilation/KeptWarnings.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace npu {

/// A message and its place, by the name of the file without its folder, which
/// says nothing of what is compiled.
static llvm::json::Object asJson(Diagnostic &diagnostic) {
  llvm::json::Object object{{"message", llvm::json::fixUTF8(diagnostic.str())}};
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    object["file"] = llvm::json::fixUTF8(
        llvm::sys::path::filename(place.getFilename().getValue()));
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
  }
  return object;
}

KeptWarnings::KeptWarnings(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
        if (isRemark ||
            diagnostic.getSeverity() == DiagnosticSeverity::Warning) {
          llvm::json::Object warning = asJson(diagnostic);
          warning["remark"] = isRemark;
          llvm::json::Array notes;
          for (Diagnostic &note : diagnostic.getNotes())
            notes.push_back(asJson(note));
          warning["notes"] = std::move(notes);
          warnings.push_back(std::move(warning));
        }
        return failure();
      }) {}

std::string KeptWarnings::section() const {
  if (warnings.empty())
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(llvm::json::Array(warnings)) << "\n";
  return text;
}

static Location placeOf(const llvm::json::Object &object, ModuleOp module,
                        llvm::StringRef model) {
  auto file = object.getString("file");
  auto line = object.getInteger("line"), column = object.getInteger("column");
  if (!file || !line || !column)
    return module.getLoc();
  llvm::StringRef name =
      *file == llvm::sys::path::filename(model) ? model : *file;
  return FileLineColLoc::get(module.getContext(), name, *line, *column);
}

void repeatWarnings(const Artefact &artefact, ModuleOp module,
                    llvm::StringRef file) {
  auto parsed = llvm::json::parse(artefact.section(warningsSection));
  if (!parsed) {
    // Most artefacts have none.
    llvm::consumeError(parsed.takeError());
    return;
  }
  const llvm::json::Array *warnings = parsed->getAsArray();
  for (const llvm::json::Value &value :
       warnings ? *warnings : llvm::json::Array()) {
    const llvm::json::Object *warning = value.getAsObject();
    if (!warning)
      continue;
    auto messageOf = [](const llvm::json::Object &object) {
      return object.getString("message").value_or("");
    };
    Location place = placeOf(*warning, module, file);
    InFlightDiagnostic diagnostic =
        warning->getBoolean("remark").value_or(false)
            ? mlir::emitRemark(place)
            : mlir::emitWarning(place);
    diagnostic << messageOf(*warning);
    if (const llvm::json::Array *notes = warning->getArray("notes"))
      for (const llvm::json::Value &note : *notes)
        if (const llvm::json::Object *object = note.getAsObject())
          diagnostic.attachNote(placeOf(*object, module, file))
              << messageOf(*object);
  }
}

} // namespace npu
