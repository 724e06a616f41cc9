// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links object code into this process with LLVM's ORC.

#include "npu/Execution/Object/LoadedFunction.h"

#include "../Jit/JitRuntime.h"
#include "npu/Artefact/CodeNeeds.h"
#include "npu/Execution/Jit/NoteExecutions.h"
#include "npu/Execution/Object/EmitObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

namespace orc = llvm::orc;

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

/// What object code needs, read from it before it is linked.
llvm::Expected<std::string> needsOf(llvm::StringRef code) {
  auto object =
      llvm::object::ObjectFile::createObjectFile({code, objectSection});
  if (!object)
    return object.takeError();
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    // Some formats write a '_' in front of every name.
    if (name->ltrim('_') != needsSymbol)
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

/// Adds what object code may refer to: the functions of the runtime and of
/// libraries.
llvm::Error addRuntime(orc::LLJIT &linker, bool parallel) {
  orc::MangleAndInterner interner(linker.getExecutionSession(),
                                  linker.getDataLayout());
  orc::JITDylib &library = linker.getMainJITDylib();
  if (llvm::Error error =
          library.define(orc::absoluteSymbols(jitRuntimeSymbols(interner))))
    return error;
  char prefix = linker.getDataLayout().getGlobalPrefix();
  std::string why;
  if (parallel && llvm::sys::DynamicLibrary::LoadLibraryPermanently(
                      NPU_ASYNC_LIBRARY, &why))
    return llvm::createStringError(why);
  auto process =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  if (!llvm::sys::fs::exists(NPU_FLOAT16_LIBRARY))
    return llvm::Error::success();
  auto halves =
      orc::DynamicLibrarySearchGenerator::Load(NPU_FLOAT16_LIBRARY, prefix);
  if (!halves)
    return halves.takeError();
  library.addGenerator(std::move(*halves));
  return llvm::Error::success();
}

} // namespace

LoadedFunction::LoadedFunction(Artefact parts) : artefact(std::move(parts)) {
  const ArtefactHeader &header = artefact.header;
  for (const ArtefactTensor &tensor : header.inputs)
    signature.inputs.push_back(tensor.spec);
  for (const ArtefactTensor &tensor : header.results)
    signature.results.push_back(tensor.spec);
  for (const ArtefactArena &arena : header.arenas)
    signature.arenas.push_back({arena.tile, arena.bytes});
  signature.temporaryBytes = header.temporaryBytes;
  signature.operations = header.operations;
}

LoadedFunction::~LoadedFunction() {
  // A task that has signalled its end still returns through the code.
  static auto &kept = *new std::vector<std::unique_ptr<orc::LLJIT>>;
  if (artefact.header.parallel && linker)
    kept.push_back(std::move(linker));
}

Result<> LoadedFunction::link() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto failed = [](llvm::Error error) {
    return Error{"object code: " + llvm::toString(std::move(error))};
  };
  auto created = orc::LLJITBuilder().create();
  if (!created)
    return failed(created.takeError());
  linker = std::move(*created);
  if (llvm::Error error = addRuntime(*linker, artefact.header.parallel))
    return failed(std::move(error));
  orc::SymbolMap symbols;
  for (const ArtefactWeight &weight : artefact.header.weights.entries)
    symbols[linker->mangleAndIntern(weight.symbol)] = {
        orc::ExecutorAddr::fromPtr(weights.data() + weight.offset),
        llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = linker->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(symbols))))
    return failed(std::move(error));
  if (llvm::Error error =
          linker->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(
              artefact.section(objectSection), artefact.header.entry)))
    return failed(std::move(error));
  auto found = linker->lookup(objectEntry);
  if (!found)
    return failed(found.takeError());
  function = found->toPtr<PackedFunction>();
  return Success();
}

Result<> LoadedFunction::noteExecutions(ExecutionRecord &record) {
  if (record.sites.empty())
    return Success();
  auto place = linker->lookup(recordName);
  if (!place)
    return Error{"object code: " + llvm::toString(place.takeError())};
  *place->toPtr<int64_t *>() = reinterpret_cast<intptr_t>(&record);
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
