// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says what a compilation is at: on a terminal one line that changes, with the
// elapsed time, which a thread of its own keeps going; elsewhere nothing. The
// times of all steps can be asked for after it.

#ifndef NPU_COMPILATION_PROGRESS_H
#define NPU_COMPILATION_PROGRESS_H

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace npu {

class Progress {
public:
  /// `isTerminal` says whether to draw the line on `out`.
  Progress(llvm::raw_ostream &out, bool isTerminal);
  ~Progress();

  /// Begins a step: "legal". The step before ends.
  void begin(llvm::StringRef step);

  /// Says what the step is at: the name of a pass.
  void at(llvm::StringRef detail);

  /// Ends the last step and removes the line.
  void end();

  /// Removes the line, so that something else can be printed. It comes back a
  /// moment later.
  void clear();

  /// Lets the passes of `manager` tell what they are at, and the phases of
  /// npu-compile be steps.
  void attachTo(mlir::PassManager &manager);

  double seconds() const;

  /// "input 0.12 s, padded 0.00 s, ...": every step and what it took.
  std::string times() const;

private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    std::string name;
    double seconds = 0;
  };

  void draw();
  void erase();

  llvm::raw_ostream &out;
  bool isTerminal;
  Clock::time_point start = Clock::now(), stepStart = start;
  /// Guards what follows, which the thread reads.
  std::mutex mutex;
  std::vector<Step> steps;
  std::string detail;
  bool isRunning = false;
  bool isDrawn = false;
  Clock::time_point quietUntil = {};
  std::condition_variable_any ended;
  std::jthread clock;
};

} // namespace npu

#endif // NPU_COMPILATION_PROGRESS_H
