// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Object/ObjectLibrary.h"

#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"

#include <fmt/format.h>

using llvm::object::Archive;

namespace npu {

llvm::Expected<std::string> writeLibrary(const ObjectFiles &objects) {
  std::vector<std::string> names;
  for (size_t i = 0; i < objects.size(); ++i)
    names.push_back(fmt::format("{}.o", i));
  std::vector<llvm::NewArchiveMember> members;
  for (auto [name, object] : llvm::zip_equal(names, objects))
    members.emplace_back(llvm::MemoryBufferRef(object->getBuffer(), name));
  auto library = llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NormalSymtab, Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!library)
    return library.takeError();
  return (*library)->getBuffer().str();
}

llvm::Expected<ObjectFiles> readLibrary(llvm::StringRef library) {
  auto archive = Archive::create({library, "object code"});
  if (!archive)
    return archive.takeError();
  ObjectFiles objects;
  llvm::Error error = llvm::Error::success();
  for (const Archive::Child &member : (*archive)->children(error)) {
    auto bytes = member.getMemoryBufferRef();
    if (!bytes)
      return llvm::joinErrors(std::move(error), bytes.takeError());
    objects.push_back(llvm::MemoryBuffer::getMemBufferCopy(
        bytes->getBuffer(), bytes->getBufferIdentifier()));
  }
  if (error)
    return error;
  return objects;
}

} // namespace npu
