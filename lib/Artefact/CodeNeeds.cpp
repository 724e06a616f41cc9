// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Artefact/CodeNeeds.h"

#include "npu/Artefact/Sha256.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace npu {
namespace {

/// Texts up to this length are shown as they are.
constexpr size_t kMostShown = 200;

std::string shown(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << value;
  return text.size() <= kMostShown ? text : "SHA-256 " + sha256(text);
}

/// The text of each part by its name.
std::map<std::string, std::string> partsOf(const Artefact &artefact) {
  std::map<std::string, std::string> parts;
  json::Object header = toJson(artefact.header);
  // Where it came from, which is known only later; nothing runs by it.
  for (llvm::StringRef name : {"compiler", "key", "model_sha256", "options"})
    header.erase(name);
  // Users choose where weights lie, and rename the file.
  header.getObject("weights")->erase("file");
  for (const auto &[name, value] : header)
    parts["header with " + name.str()] = shown(value);
  for (const Section &section : artefact.sections)
    if (section.name != objectSection)
      parts["section " + section.name] = "SHA-256 " + sha256(section.bytes);
  return parts;
}

} // namespace

std::string codeNeeds(const Artefact &artefact) {
  json::Object needs;
  for (const auto &[name, text] : partsOf(artefact))
    needs[name] = text;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << json::Value(std::move(needs));
  return text;
}

Result<> checkCodeNeeds(const Artefact &artefact, llvm::StringRef needs) {
  Result<json::Object> object = parseJsonObject(needs);
  if (!object)
    return Error{"what the object code needs: " + object.error().message};
  std::map<std::string, std::string> parts = partsOf(artefact);
  for (const auto &[name, value] : *object)
    parts.try_emplace(name.str(), "none");
  for (const auto &[name, text] : parts) {
    std::string needed =
        object->getString(name).value_or(llvm::StringRef("none")).str();
    if (needed != text)
      return Error{fmt::format("expected a {} = {}, for which its object code "
                               "was compiled, got {}",
                               name, needed, text)};
  }
  return Success();
}

} // namespace npu
