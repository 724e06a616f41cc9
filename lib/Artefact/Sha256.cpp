// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Artefact/Sha256.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

namespace npu {

/// Hashes in pieces, because LLVM counts the bytes of one call in 32 bits.
static void update(llvm::SHA256 &state, llvm::StringRef bytes) {
  constexpr size_t most = size_t(1) << 30;
  for (; bytes.size() > most; bytes = bytes.drop_front(most))
    state.update(bytes.take_front(most));
  state.update(bytes);
}

std::string sha256(llvm::StringRef bytes) {
  llvm::SHA256 state;
  update(state, bytes);
  return llvm::toHex(state.final(), /*LowerCase=*/true);
}

Sha256Stream::~Sha256Stream() { flush(); }

std::string Sha256Stream::hash() {
  flush();
  return llvm::toHex(state.result(), /*LowerCase=*/true);
}

void Sha256Stream::write_impl(const char *data, size_t bytes) {
  update(state, {data, bytes});
  position += bytes;
}

} // namespace npu
