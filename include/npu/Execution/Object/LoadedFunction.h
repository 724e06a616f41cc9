// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function whose object code was loaded from an artefact.

#ifndef NPU_EXECUTION_OBJECT_LOADEDFUNCTION_H
#define NPU_EXECUTION_OBJECT_LOADEDFUNCTION_H

#include "npu/Artefact/Artefact.h"
#include "npu/Execution/Jit/ExecutionRecord.h"
#include "npu/Execution/Jit/LinkedCode.h"
#include "npu/Execution/Jit/RunnableFunction.h"

namespace npu {

class LoadedFunction : public RunnableFunction {
public:
  /// Loads the object code of an artefact and gives it its weights, which are
  /// kept as long as the function. An error where this machine lacks something
  /// that the code was compiled for, where the header is not the one that it
  /// was compiled for (CodeNeeds.h), or where the code refers to something that
  /// is not there.
  static Result<std::unique_ptr<LoadedFunction>> load(Artefact artefact);
  ~LoadedFunction() override;

  /// Counts executions in `record` from now on, which has to outlive the
  /// function; an error where the code counts none.
  Result<> noteExecutions(ExecutionRecord &record);

  const ArtefactHeader &header() const { return artefact.header; }
  const Artefact &parts() const { return artefact; }

  bool isMachineCode() const override { return true; }

  /// Does nothing: the code is what it is.
  mlir::LogicalResult compile(unsigned) override { return mlir::success(); }

private:
  explicit LoadedFunction(Artefact artefact);
  Result<> link();
  mlir::FailureOr<PackedFunction> address() override { return function; }

  Artefact artefact;
  /// The weights, at a multiple of 64 bytes.
  HostBuffer weights;
  std::unique_ptr<LinkedCode> code;
  PackedFunction function = nullptr;
};

} // namespace npu

#endif // NPU_EXECUTION_OBJECT_LOADEDFUNCTION_H
