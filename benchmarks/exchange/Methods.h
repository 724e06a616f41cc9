// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to carry out a redistribution that are compared. To compare another
// one, derive from Method and add it to `methodsFor` in exchange.cpp.

#ifndef NPU_BENCHMARKS_EXCHANGE_METHODS_H
#define NPU_BENCHMARKS_EXCHANGE_METHODS_H

#include "Case.h"

#include <memory>
#include <mpi.h>

namespace exchange {

/// Before a run `source` has this rank's part in the old placement; afterwards
/// `target` must have its part in the new one.
struct Memory {
  char *source = nullptr;
  char *target = nullptr;
};

/// Made once for a case, which is not measured; `run` is. All ranks call it.
struct Method {
  virtual ~Method() = default;
  virtual const char *name() const = 0;
  virtual void run() = 0;
};

std::unique_ptr<Method> makeMemcpy(const Case &, const Memory &);
/// One MPI_Alltoallw with subarray types.
std::unique_ptr<Method> makeAlltoallw(const Case &, const Memory &);
/// ScaLAPACK's pdgemr2d, for cases that have blocks; else nothing.
std::unique_ptr<Method> makePdgemr2d(const Case &, const Memory &);
/// Ours: the messages of npu/Mpi/Mpi.h, in rounds.
std::unique_ptr<Method> makeOurs(const Case &, const Memory &);

} // namespace exchange

#endif // NPU_BENCHMARKS_EXCHANGE_METHODS_H
