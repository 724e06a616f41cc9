// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links object code into this process with LLVM's ORC.

#include "npu/Execution/Jit/LinkedCode.h"

#include "JitRuntime.h"

#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"

namespace orc = llvm::orc;

namespace npu {
namespace {

/// The conversions between f16, bf16 and f32 for processors without them.
/// Loading their library takes longer than most programs run: it is loaded
/// where object code refers to something that is found nowhere else.
class HalfConversions : public orc::DefinitionGenerator {
public:
  explicit HalfConversions(char prefix) : prefix(prefix) {}

  llvm::Error tryToGenerate(orc::LookupState &state, orc::LookupKind kind,
                            orc::JITDylib &library,
                            orc::JITDylibLookupFlags flags,
                            const orc::SymbolLookupSet &symbols) override {
    if (!llvm::sys::fs::exists(NPU_FLOAT16_LIBRARY))
      return llvm::Error::success();
    if (!loaded) {
      auto found =
          orc::DynamicLibrarySearchGenerator::Load(NPU_FLOAT16_LIBRARY, prefix);
      if (!found)
        return found.takeError();
      loaded = std::move(*found);
    }
    return loaded->tryToGenerate(state, kind, library, flags, symbols);
  }

private:
  char prefix;
  std::unique_ptr<orc::DefinitionGenerator> loaded;
};

} // namespace

/// Adds what object code may refer to: the functions of the runtime and of
/// libraries.
static llvm::Error addRuntime(orc::LLJIT &linker, bool parallel) {
  orc::MangleAndInterner interner(linker.getExecutionSession(),
                                  linker.getDataLayout());
  orc::JITDylib &library = linker.getMainJITDylib();
  if (llvm::Error error =
          library.define(orc::absoluteSymbols(jitRuntimeSymbols(interner))))
    return error;
  char prefix = linker.getDataLayout().getGlobalPrefix();
  // Load the async runtime into the process, and not into the linker: its end
  // would end the threads of all other functions of this process.
  std::string why;
  if (parallel && llvm::sys::DynamicLibrary::LoadLibraryPermanently(
                      NPU_ASYNC_LIBRARY, &why))
    return llvm::createStringError(why);
  auto process =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  library.addGenerator(std::make_unique<HalfConversions>(prefix));
  return llvm::Error::success();
}

static llvm::Error addData(orc::LLJIT &linker, const LinkedCode::Data &data) {
  orc::SymbolMap symbols;
  for (const auto &[symbol, address] : data)
    symbols[linker.mangleAndIntern(symbol)] = {
        orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  return linker.getMainJITDylib().define(
      orc::absoluteSymbols(std::move(symbols)));
}

LinkedCode::LinkedCode(std::unique_ptr<orc::LLJIT> linker, bool parallel)
    : linker(std::move(linker)), parallel(parallel) {}

LinkedCode::~LinkedCode() {
  // A task that has signalled its end still returns through the code, and there
  // is no signal for that: the code is kept until the process ends.
  static auto &kept = *new std::vector<std::unique_ptr<orc::LLJIT>>;
  if (parallel)
    kept.push_back(std::move(linker));
}

llvm::Expected<std::unique_ptr<LinkedCode>>
LinkedCode::link(ObjectFiles objects, const Data &data, bool parallel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto created = orc::LLJITBuilder().create();
  if (!created)
    return created.takeError();
  std::unique_ptr<LinkedCode> code(
      new LinkedCode(std::move(*created), parallel));
  if (llvm::Error error = addRuntime(*code->linker, parallel))
    return error;
  if (llvm::Error error = addData(*code->linker, data))
    return error;
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects)
    if (llvm::Error error = code->linker->addObjectFile(std::move(object)))
      return error;
  return code;
}

llvm::Expected<void *> LinkedCode::lookup(llvm::StringRef symbol) {
  auto found = linker->lookup(symbol);
  if (!found)
    return found.takeError();
  return found->toPtr<void *>();
}

} // namespace npu
