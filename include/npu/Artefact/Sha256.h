// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256, as text of 64 hexadecimal digits. LLVM computes it.

#ifndef NPU_ARTEFACT_SHA256_H
#define NPU_ARTEFACT_SHA256_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace npu {

/// Example: sha256("abc") begins with "ba7816bf".
std::string sha256(llvm::StringRef bytes);

/// A stream that keeps nothing of what is written to it but its hash.
class Sha256Stream : public llvm::raw_ostream {
public:
  ~Sha256Stream() override;

  /// The hash of everything written so far.
  std::string hash();

private:
  void write_impl(const char *data, size_t bytes) override;
  uint64_t current_pos() const override { return position; }

  llvm::SHA256 state;
  uint64_t position = 0;
};

} // namespace npu

#endif // NPU_ARTEFACT_SHA256_H
