// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of processes that share one terminal.

#ifndef NPU_SUPPORT_ONEPIECE_H
#define NPU_SUPPORT_ONEPIECE_H

#include "llvm/Support/raw_ostream.h"

namespace npu {

/// What is written to standard error while one of these lives leaves the
/// process in one piece, up to 64 KiB, and no other process writes into it.
class OnePiece {
public:
  OnePiece() { llvm::errs().SetBufferSize(size_t{1} << 16); }
  ~OnePiece() { llvm::errs().SetUnbuffered(); }
  OnePiece(const OnePiece &) = delete;
  OnePiece &operator=(const OnePiece &) = delete;
};

} // namespace npu

#endif // NPU_SUPPORT_ONEPIECE_H
