// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function in machine code that this process can call: one that was compiled
// here (CompiledFunction.h) or one that was loaded (LoadedFunction.h). All
// memory that it writes is poisoned before: results, tiles' arenas, temporary
// buffers.

#ifndef NPU_EXECUTION_JIT_RUNNABLEFUNCTION_H
#define NPU_EXECUTION_JIT_RUNNABLEFUNCTION_H

#include "npu/Host/HostTensor.h"
#include "npu/Host/MemoryBudget.h"
#include "npu/Host/PromptDimension.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/LogicalResult.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace npu {

/// The scratchpad memory of one tile, in which npu-plan-scratchpad has placed
/// buffers.
struct Arena {
  int64_t tile = 0;
  int64_t bytes = 0;

  bool operator==(const Arena &) const = default;
};

/// A result that the function leaves in the memory of an input: a cache with
/// the rows of this run.
struct ResultInPlace {
  size_t result = 0;
  size_t input = 0;

  bool operator==(const ResultInPlace &) const = default;
};

/// What a caller has to know of a function: its arguments in their order
/// (inputs, results, arenas), and what it allocates.
struct FunctionSignature {
  std::vector<TensorSpec> inputs, results;
  /// The results that are no arguments of their own.
  std::vector<ResultInPlace> inPlace;
  /// The inputs that it may write to, beside those that results are left in: a
  /// program on buffers that somebody wrote may.
  std::set<size_t> written;
  /// The results that other ranks have, and that are empty here.
  std::set<size_t> elsewhere;
  /// The extents that follow from the lengths of prompts. Where results have
  /// some, the function writes them to one more result after the others.
  PromptDimensions prompts;
  std::vector<Arena> arenas;
  /// The most bytes that temporary buffers take at one time.
  int64_t temporaryBytes = 0;
  /// The number of operations on buffers of the function and all that it calls,
  /// which says how long LLVM takes.
  int64_t operations = 0;
};

/// How hard LLVM optimizes where nothing else is asked for.
inline constexpr unsigned defaultOptLevel = 2;

class RunnableFunction {
public:
  virtual ~RunnableFunction();

  const std::vector<TensorSpec> &inputs() const { return signature.inputs; }
  const std::vector<TensorSpec> &results() const { return signature.results; }
  const PromptDimensions &prompts() const { return signature.prompts; }
  const std::vector<ResultInPlace> &resultsInPlace() const {
    return signature.inPlace;
  }
  const std::vector<Arena> &arenas() const { return signature.arenas; }

  /// Whether it needs no compilation.
  virtual bool isMachineCode() const { return false; }

  /// Makes the function ready to run; `optLevel`, 0 to 3, counts for functions
  /// that are compiled in this process.
  virtual mlir::LogicalResult compile(unsigned optLevel) = 0;

  /// Adds the bytes that a run takes: copies of the inputs that it writes to,
  /// results, arenas, and the most that temporary buffers take at one time,
  /// `times` times.
  void addMemory(ByteSum &sum, int64_t times = 1) const;

  /// Runs the function on the inputs, which stay as they are: those that it
  /// writes to are copied before. Results have the extents that the function
  /// says, where it says them. Precondition: `compile` has succeeded, and
  /// `inputs` have the specs of inputs().
  mlir::FailureOr<std::vector<HostTensor>>
  run(const std::vector<HostTensor> &inputs);
  /// The same of inputs that others keep.
  mlir::FailureOr<std::vector<HostTensor>>
  runOn(llvm::ArrayRef<const HostTensor *> inputs);
  /// Runs the function on the inputs themselves, which are gone afterwards:
  /// what it leaves in the memory of one of them becomes a result, with all
  /// entries for which there is memory. Nothing of such a tensor is copied.
  mlir::FailureOr<std::vector<HostTensor>>
  runInPlace(std::vector<HostTensor> inputs);

  /// Makes the memory of results, poisoned, by their number and spec.
  using PlaceResult = std::function<HostTensor(size_t, const TensorSpec &)>;
  /// Results of later runs lie where `place` says; null: in new memory.
  void placeResults(PlaceResult place) { placeResult = std::move(place); }

  /// Wall time of the last run without preparation.
  double milliseconds() const { return lastMilliseconds; }

protected:
  /// Takes an array of pointers, one for each argument, each to a pointer to a
  /// memref descriptor.
  using PackedFunction = void (*)(void **);

  /// The address of the function; an error is reported.
  virtual mlir::FailureOr<PackedFunction> address() = 0;

  FunctionSignature signature;

private:
  /// The input in whose memory the function leaves a result; nothing where the
  /// result has memory of its own.
  std::optional<size_t> inputOfResult(size_t result) const;
  /// Whether the function may write to the memory of an input.
  bool mayWrite(size_t input) const;
  /// What a call gives: the results that are arguments of their own, with all
  /// entries for which there is memory, and the extents that the function says.
  struct Returned {
    std::vector<HostTensor> results;
    std::optional<HostTensor> extents;
  };
  mlir::FailureOr<Returned> call(llvm::ArrayRef<const HostTensor *> inputs);
  /// All results; `take` gives the memory of an input.
  std::vector<HostTensor>
  gather(Returned &returned, llvm::function_ref<HostTensor(size_t)> take) const;

  PlaceResult placeResult;
  double lastMilliseconds = 0;
};

} // namespace npu

#endif // NPU_EXECUTION_JIT_RUNNABLEFUNCTION_H
