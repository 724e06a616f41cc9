// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process as one rank of several that run one program (MPI).

#ifndef NPU_EXECUTION_RANKS_RANKSESSION_H
#define NPU_EXECUTION_RANKS_RANKSESSION_H

#include "npu/Host/HostTensor.h"
#include "npu/Mpi/Mpi.h"
#include "npu/Placement/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace npu {

struct RankOptions {
  /// How many seconds a rank waits for a message before it ends.
  double timeout = 300;
  /// The fault to plant (npu_mpi_open), or an empty text.
  std::string fault;
};

class RankSession {
public:
  /// Joins the job that mpirun has begun; without mpirun it is a job of one
  /// rank. The error says that this build has no MPI, or that its library
  /// cannot be loaded.
  static Result<std::unique_ptr<RankSession>> open(llvm::StringRef tool,
                                                   const RankOptions &options);
  ~RankSession();

  int rank() const;
  int count() const;
  /// Whether this is the rank that has the results, compares and prints.
  bool isFirst() const { return rank() == 0; }

  /// Whether all ranks have the same options, as `options` spells those on
  /// which it depends what ranks send to each other. The error names a rank
  /// that has others.
  Result<> agreeOnOptions(llvm::StringRef options);
  /// Whether all ranks have the same program, on buffers, without regard to
  /// locations; an error at the module where they have not.
  mlir::LogicalResult agreeOnProgram(mlir::ModuleOp program);
  /// Whether all ranks have the same inputs. The error names a rank that has
  /// others.
  Result<> agreeOnInputs(const std::vector<HostTensor> &inputs);

  /// Prints how many messages and bytes the ranks have sent, and how long the
  /// slowest was in exchanges; with `each`, also a line for each exchange and
  /// for each rank. To be called on every rank; the first prints.
  void printFigures(llvm::raw_ostream &out, bool each);

  /// Ends the session: to be called once, with the exit code of this rank.
  /// Returns 0 where it is 0 on every rank; otherwise the process ends with 1.
  int close(int code);

private:
  struct Library;
  explicit RankSession(std::unique_ptr<Library> library);
  /// A line for each rank: what it has sent, its processor time and memory.
  void printEachRank(llvm::raw_ostream &out, const NpuMpiFigures &own);
  /// The sums of what all ranks have sent, and the time of the slowest.
  NpuMpiFigures ofAllRanks(const NpuMpiFigures &own);
  /// The words of all ranks.
  std::vector<uint64_t> share(uint64_t word);
  /// A rank whose word is not that of this one.
  std::optional<int> findOther(uint64_t word);

  std::unique_ptr<Library> library;
};

} // namespace npu

#endif // NPU_EXECUTION_RANKS_RANKSESSION_H
