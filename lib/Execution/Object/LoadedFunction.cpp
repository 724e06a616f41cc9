// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what an artefact has, and links its object code into this process.

#include "npu/Execution/Object/LoadedFunction.h"

#include "npu/Artefact/CodeNeeds.h"
#include "npu/Execution/Jit/EmitObjects.h"
#include "npu/Execution/Jit/NoteExecutions.h"
#include "npu/Execution/Object/ObjectLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ObjectFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

namespace npu {
namespace {

/// Nothing wrong where this machine can run what was compiled for `host`.
Result<> checkHost(const ArtefactHost &host) {
  HostMachine machine = thisMachine();
  if (host.triple != machine.triple)
    return Error{fmt::format("expected code for {}, this machine, got code for "
                             "{}",
                             machine.triple, host.triple)};
  std::vector<std::string> missing;
  for (const std::string &feature : host.features)
    if (!llvm::is_contained(machine.features, feature))
      missing.push_back(feature);
  if (missing.empty())
    return Success();
  return Error{
      fmt::format("expected code for {}, this machine's processor, got "
                  "code for {}, which has {} beside what this one has",
                  machine.processor, host.processor, fmt::join(missing, ", "))};
}

/// The text of a constant in an object file; nothing where it has none of that
/// name.
llvm::Expected<std::optional<std::string>> textIn(llvm::MemoryBufferRef code,
                                                  llvm::StringRef constant) {
  auto object = llvm::object::ObjectFile::createObjectFile(code);
  if (!object)
    return object.takeError();
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    // Some formats write a '_' in front of every name.
    if (name->ltrim('_') != constant)
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    auto address = symbol.getAddress();
    if (!address)
      return address.takeError();
    if (*section == (*object)->section_end())
      break;
    auto bytes = (*section)->getContents();
    if (!bytes)
      return bytes.takeError();
    uint64_t offset = *address - (*section)->getAddress();
    return bytes->substr(offset).split('\0').first.str();
  }
  return std::nullopt;
}

/// What object code needs, read from it before it is linked.
llvm::Expected<std::string> needsOf(llvm::StringRef library) {
  auto objects = readLibrary(library);
  if (!objects)
    return objects.takeError();
  for (const std::unique_ptr<llvm::MemoryBuffer> &object : *objects) {
    auto text = textIn(*object, needsSymbol);
    if (!text)
      return text.takeError();
    if (*text)
      return **text;
  }
  return llvm::createStringError(
      fmt::format("expected the constant '{}', which says what the code needs, "
                  "got none",
                  needsSymbol.str()));
}

/// Nothing wrong where the parts beside the code are those that it needs.
Result<> checkNeeds(const Artefact &artefact) {
  llvm::Expected<std::string> needs = needsOf(artefact.section(objectSection));
  if (!needs)
    return Error{"object code: " + llvm::toString(needs.takeError())};
  return checkCodeNeeds(artefact, *needs);
}

} // namespace

LoadedFunction::LoadedFunction(Artefact parts) : artefact(std::move(parts)) {
  const ArtefactHeader &header = artefact.header;
  for (const ArtefactTensor &tensor : header.inputs)
    signature.inputs.push_back(tensor.spec);
  for (const ArtefactTensor &tensor : header.results)
    signature.results.push_back(tensor.spec);
  signature.prompts = promptDimensionsOf(header);
  for (const ArtefactCache &cache : header.caches)
    if (cache.isInPlace)
      signature.inPlace.push_back({static_cast<size_t>(*cache.result),
                                   static_cast<size_t>(cache.input)});
  for (const ArtefactArena &arena : header.arenas)
    signature.arenas.push_back({arena.tile, arena.bytes});
  signature.temporaryBytes = header.temporaryBytes;
  signature.operations = header.operations;
}

LoadedFunction::~LoadedFunction() = default;

Result<> LoadedFunction::link() {
  auto failed = [](llvm::Error error) {
    return Error{"object code: " + llvm::toString(std::move(error))};
  };
  auto objects = readLibrary(artefact.section(objectSection));
  if (!objects)
    return failed(objects.takeError());
  LinkedCode::Data data;
  for (const ArtefactWeight &weight : artefact.header.weights.entries)
    data.emplace_back(weight.symbol, weights.data() + weight.offset);
  auto linked =
      LinkedCode::link(std::move(*objects), data, artefact.header.parallel);
  if (!linked)
    return failed(linked.takeError());
  code = std::move(*linked);
  auto found = code->lookup(objectEntry);
  if (!found)
    return failed(found.takeError());
  function = reinterpret_cast<PackedFunction>(*found);
  return Success();
}

Result<> LoadedFunction::noteExecutions(ExecutionRecord &record) {
  if (record.sites.empty())
    return Success();
  auto place = code->lookup(recordName);
  if (!place)
    return Error{"object code: " + llvm::toString(place.takeError())};
  *static_cast<int64_t *>(*place) = reinterpret_cast<intptr_t>(&record);
  return Success();
}

Result<std::unique_ptr<LoadedFunction>>
LoadedFunction::load(Artefact artefact) {
  if (Result<> error = checkHost(artefact.header.host); !error)
    return error.error();
  if (Result<> error = checkNeeds(artefact); !error)
    return error.error();
  ByteSum needed;
  needed.add(artefact.header.weights.bytes);
  if (Result<> error = checkMemory(needed); !error)
    return error.error();
  std::unique_ptr<LoadedFunction> loaded(
      new LoadedFunction(std::move(artefact)));
  llvm::StringRef bytes = loaded->artefact.weights;
  loaded->weights = HostBuffer(static_cast<int64_t>(bytes.size()));
  llvm::copy(std::as_bytes(std::span(bytes)), loaded->weights.data());
  if (Result<> error = loaded->link(); !error)
    return error.error();
  return loaded;
}

} // namespace npu
