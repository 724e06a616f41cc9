// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Artefact/Container.h"

#include "npu/Support/ModelKind.h"

#include "npu/Artefact/Sha256.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

namespace json = llvm::json;

namespace npu {
namespace {

constexpr uint64_t kTableStart = 56;

/// A table has some hundred bytes for each section; what is beyond this is
/// none.
constexpr uint64_t kMostTableBytes = uint64_t(1) << 28;

json::Object toJson(const SectionEntry &entry) {
  return json::Object{{"name", entry.name},
                      {"offset", static_cast<int64_t>(entry.offset)},
                      {"bytes", static_cast<int64_t>(entry.bytes)},
                      {"sha256", entry.sha256}};
}

/// The table's text, where sections begin after a table of `tableBytes`.
std::string tableText(const json::Object &description,
                      llvm::ArrayRef<Section> sections,
                      llvm::ArrayRef<std::string> hashes,
                      std::vector<uint64_t> &offsets, uint64_t tableBytes) {
  json::Array entries;
  uint64_t end = kTableStart + tableBytes;
  offsets.clear();
  for (auto [section, hash] : llvm::zip(sections, hashes)) {
    offsets.push_back(llvm::alignTo(end, sectionAlignment));
    end = offsets.back() + section.bytes.size();
    entries.push_back(
        toJson({section.name, offsets.back(), section.bytes.size(), hash}));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  json::Object table{{"sections", std::move(entries)},
                     {"description", json::Object(description)}};
  os << json::Value(std::move(table));
  return text;
}

Error wrong(std::string message) { return Error{std::move(message)}; }

Result<SectionEntry> readEntry(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return wrong("expected an object for each section of the table");
  auto name = object->getString("name");
  auto offset = object->getInteger("offset");
  auto bytes = object->getInteger("bytes");
  auto hash = object->getString("sha256");
  if (!name || !offset || !bytes || !hash || *offset < 0 || *bytes < 0 ||
      object->size() != 4)
    return wrong("expected name, offset, bytes and sha256 of each section");
  return SectionEntry{name->str(), static_cast<uint64_t>(*offset),
                      static_cast<uint64_t>(*bytes), hash->str()};
}

/// Nothing wrong where the section lies after `end`, with zeros between, and
/// has its hash.
Result<> checkSection(llvm::StringRef file, uint64_t end,
                      const SectionEntry &entry) {
  if (entry.offset != llvm::alignTo(end, sectionAlignment))
    return Error{fmt::format(
        "section '{}': expected its offset to be {}, got {}", entry.name,
        llvm::alignTo(end, sectionAlignment), entry.offset)};
  if (entry.offset > file.size() || entry.bytes > file.size() - entry.offset)
    return Error{fmt::format("section '{}': expected {} bytes at offset {}, "
                             "got a file of {}: it is cut off",
                             entry.name, entry.bytes, entry.offset,
                             file.size())};
  llvm::StringRef gap = file.slice(end, entry.offset);
  if (gap.find_first_not_of('\0') != llvm::StringRef::npos)
    return Error{
        fmt::format("expected zeros in front of section '{}'", entry.name)};
  std::string hash = sha256(file.substr(entry.offset, entry.bytes));
  if (hash == entry.sha256)
    return Success();
  return Error{fmt::format("section '{}': expected SHA-256 {}, got {}",
                           entry.name, entry.sha256, hash)};
}

/// The table of a file, after its hash was compared.
Result<llvm::StringRef> readTableText(llvm::StringRef file) {
  if (!isContainer(file))
    return wrong("expected an artefact, which npu-compile writes, and which "
                 "begins with NPUBIN");
  if (file.size() < kTableStart)
    return wrong(fmt::format("expected at least {} bytes, got {}: the file is "
                             "cut off",
                             kTableStart, file.size()));
  const char *data = file.data();
  if (uint32_t version = llvm::support::endian::read32le(data + 8);
      version != containerVersion)
    return wrong(fmt::format("expected format version {}, got {}",
                             containerVersion, version));
  if (llvm::support::endian::read32le(data + 12) != 0)
    return wrong("expected 0 after the format version");
  uint64_t bytes = llvm::support::endian::read64le(data + 16);
  if (bytes > kMostTableBytes)
    return wrong(fmt::format("expected a table of at most {} bytes, got {}",
                             kMostTableBytes, bytes));
  if (bytes > file.size() - kTableStart)
    return wrong(fmt::format("expected a table of {} bytes, got a file of {}: "
                             "it is cut off",
                             bytes, file.size()));
  llvm::StringRef text = file.substr(kTableStart, bytes);
  if (llvm::toHex(file.substr(24, 32), /*LowerCase=*/true) != sha256(text))
    return wrong("expected the SHA-256 of the table that the file has");
  return text;
}

} // namespace

Result<json::Object> parseJsonObject(llvm::StringRef text) {
  constexpr int most = 64;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > most)
      return wrong(fmt::format("expected JSON of at most {} levels", most));
  }
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value)
    return wrong("expected JSON, got: " + llvm::toString(value.takeError()));
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return wrong("expected a JSON object");
}

const Section *Container::find(llvm::StringRef name) const {
  for (const Section &section : sections)
    if (section.name == name)
      return &section;
  return nullptr;
}

bool isContainer(llvm::StringRef bytes) {
  return bytes.starts_with(artefactMagic);
}

void writeContainer(json::Object description, llvm::ArrayRef<Section> sections,
                    llvm::raw_ostream &out) {
  std::vector<std::string> hashes;
  hashes.reserve(sections.size());
  for (const Section &section : sections)
    hashes.push_back(sha256(section.bytes));
  // The table says where sections begin, and its own size decides that. It
  // only grows with the numbers in it, so that this comes to an end.
  std::vector<uint64_t> offsets;
  std::string table;
  for (uint64_t bytes = 0;; bytes = table.size()) {
    table = tableText(description, sections, hashes, offsets, bytes);
    if (table.size() == bytes)
      break;
  }
  char front[kTableStart] = {};
  llvm::copy(artefactMagic, front);
  llvm::support::endian::write32le(front + 8, containerVersion);
  llvm::support::endian::write64le(front + 16, table.size());
  llvm::SHA256 state;
  state.update(table);
  llvm::copy(state.final(), front + 24);
  out.write(front, sizeof(front));
  out << table;
  uint64_t end = kTableStart + table.size();
  for (auto [section, offset] : llvm::zip(sections, offsets)) {
    out.write_zeros(offset - end);
    out << section.bytes;
    end = offset + section.bytes.size();
  }
}

Result<Container> readContainer(llvm::StringRef file) {
  Result<llvm::StringRef> text = readTableText(file);
  if (!text)
    return wrong(text.error().message);
  Result<json::Object> table = parseJsonObject(*text);
  if (!table)
    return wrong("table: " + table.error().message);
  json::Array *entries = table->getArray("sections");
  json::Object *description = table->getObject("description");
  if (!entries || !description || table->size() != 2)
    return wrong("expected sections and description in the table");
  Container container;
  uint64_t end = kTableStart + text->size();
  for (const json::Value &value : *entries) {
    Result<SectionEntry> entry = readEntry(value);
    if (!entry)
      return wrong(entry.error().message);
    if (container.find(entry->name))
      return wrong(
          fmt::format("expected one section '{}', got two", entry->name));
    if (Result<> error = checkSection(file, end, *entry); !error)
      return error.error();
    end = entry->offset + entry->bytes;
    container.sections.push_back(
        {entry->name, file.substr(entry->offset, entry->bytes)});
    container.entries.push_back(std::move(*entry));
  }
  if (end != file.size())
    return wrong(fmt::format("expected {} bytes, got {}: something stands "
                             "after the last section",
                             end, file.size()));
  container.description = std::move(*description);
  return container;
}

} // namespace npu
