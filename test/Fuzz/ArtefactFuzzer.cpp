// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arbitrary bytes as an artefact: as they are, with the hash of the table put
// right, so that what lies after it is reached, and as the JSON of a header
// alone. What is read must be written and read again as the same.

#include "npu/Artefact/PrintArtefact.h"
#include "npu/Artefact/Sha256.h"

#include "llvm/Support/Endian.h"

#include <cstdio>
#include <cstdlib>

using namespace npu;

static void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "expected %s\n", what);
  std::abort();
}

static std::string written(const Artefact &artefact) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writeArtefact(artefact, os);
  return bytes;
}

static void read(const std::string &bytes) {
  Result<Artefact> artefact =
      readArtefact(llvm::MemoryBuffer::getMemBufferCopy(bytes));
  if (!artefact) {
    require(!artefact.error().empty(), "a reason");
    return;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  printText(*artefact, os);
  printJson(*artefact, os);
  std::string once = written(*artefact);
  Result<Artefact> again =
      readArtefact(llvm::MemoryBuffer::getMemBufferCopy(once));
  require(bool(again), "what was written to be read");
  require(written(*again) == once, "the same bytes");
}

/// Puts the hash of the table right, if there is a table.
static void repair(std::string &bytes) {
  constexpr size_t front = 56;
  if (bytes.size() < front)
    return;
  uint64_t table = llvm::support::endian::read64le(bytes.data() + 16);
  if (table > bytes.size() - front)
    return;
  llvm::SHA256 state;
  state.update(llvm::StringRef(bytes).substr(front, table));
  llvm::copy(state.final(), bytes.begin() + 24);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  read(bytes);
  repair(bytes);
  read(bytes);
  if (Result<llvm::json::Object> object = parseJsonObject(bytes))
    if (Result<ArtefactHeader> header = headerFromJson(*object)) {
      Artefact artefact;
      artefact.header = std::move(*header);
      std::string weights(
          std::min<int64_t>(artefact.header.weights.bytes, 1 << 16), 'w');
      artefact.weights = weights;
      read(written(artefact));
    }
  return 0;
}
