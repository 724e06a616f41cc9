// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Compilation/CompilationKey.h"

#include "npu/Artefact/Sha256.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <link.h>

using namespace mlir;

namespace npu {

void dropDirectories(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FileLineColRange location) -> LocationAttr {
    StringRef file = llvm::sys::path::filename(location.getFilename());
    return FileLineColRange::get(
        StringAttr::get(location.getContext(), file), location.getStartLine(),
        location.getStartColumn(), location.getEndLine(),
        location.getEndColumn());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

std::string hashOfModel(ModuleOp module, bool withFolders) {
  OwningOpRef<ModuleOp> copy = module.clone();
  if (!withFolders)
    dropDirectories(*copy);
  Sha256Stream stream;
  // Bytecode is one spelling of what text may spell in many ways, and has the
  // data of all constants. Writing it to memory fails on no version that is
  // not asked for.
  (void)writeBytecodeToFile(*copy, stream);
  return stream.hash();
}

namespace {

/// Writes parts so that their bytes say where one ends and the next begins.
class KeyWriter {
public:
  void add(StringRef text) { stream << text.size() << ':' << text; }
  void add(int64_t number) { add(StringRef(std::to_string(number))); }
  void add(const std::map<std::string, std::string> &texts) {
    add(static_cast<int64_t>(texts.size()));
    for (const auto &[name, value] : texts) {
      add(StringRef(name));
      add(StringRef(value));
    }
  }
  std::string hash() { return stream.hash(); }

private:
  Sha256Stream stream;
};

} // namespace

std::string keyOf(const KeyParts &parts) {
  KeyWriter writer;
  writer.add(StringRef(parts.model));
  writer.add(StringRef(parts.target.name));
  for (const TargetField &field : targetFields()) {
    writer.add(StringRef(field.name));
    writer.add(parts.target.*field.value);
  }
  for (const CostField &field : costFields()) {
    writer.add(StringRef(field.name));
    writer.add(field.of(parts.target.costs));
  }
  for (const std::string *text :
       {&parts.device, &parts.entry, &parts.compiler, &parts.build})
    writer.add(StringRef(*text));
  writer.add(parts.options);
  writer.add(parts.files);
  writer.add(static_cast<int64_t>(parts.host.size()));
  for (const std::string &text : parts.host)
    writer.add(StringRef(text));
  writer.add(static_cast<int64_t>(parts.format));
  writer.add(parts.abi);
  return writer.hash();
}

/// Appends the build ID of a program or library to the text at `data`.
static int addBuildId(dl_phdr_info *info, size_t, void *data) {
  auto &text = *static_cast<std::string *>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const char *note =
        reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
    const char *end = note + header.p_memsz;
    uint64_t alignment = header.p_align == 8 ? 8 : 4;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const auto *head = reinterpret_cast<const ElfW(Nhdr) *>(note);
      size_t nameBytes = llvm::alignTo(head->n_namesz, alignment);
      const char *content = note + sizeof(*head) + nameBytes;
      if (head->n_type == NT_GNU_BUILD_ID)
        text += StringRef(content, head->n_descsz);
      note = content + llvm::alignTo(head->n_descsz, alignment);
    }
  }
  return 0;
}

std::string compilerBuild() {
  std::string ids;
  dl_iterate_phdr(addBuildId, &ids);
  if (!ids.empty())
    return sha256(ids);
  // A program that was linked without a build ID is known by its bytes.
  auto program = readFile("/proc/self/exe");
  return sha256(program ? (*program)->getBuffer() : StringRef());
}

} // namespace npu
