// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Compilation/Progress.h"

#include "npu/Conversion/Phases.h"
#include "npu/Support/BundleNotes.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <fmt/format.h>

using namespace mlir;

namespace npu {
namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Tells the progress what passes begin. After every phase of npu-compile
/// stands npu-verify-phase, also after the one that nothing has to be done
/// for.
class Watch : public PassInstrumentation {
public:
  explicit Watch(Progress &progress) : progress(progress) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty())
      progress.at(pass->getArgument());
  }

  void runAfterPass(Pass *pass, Operation *) override {
    if (pass->getArgument() != "npu-verify-phase")
      return;
    ++ended;
    if (ended < compilePhases().size())
      progress.begin(nameOfPhase(compilePhases()[ended]));
  }

private:
  Progress &progress;
  size_t ended = 0;
};

} // namespace

Progress::Progress(llvm::raw_ostream &out, bool isTerminal)
    : out(out), isTerminal(isTerminal) {
  if (!isTerminal)
    return;
  clock = std::jthread([this](const std::stop_token &stop) {
    constexpr auto interval = std::chrono::milliseconds(100);
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      draw();
      ended.wait_for(lock, stop, interval, [] { return false; });
    }
  });
}

Progress::~Progress() { end(); }

void Progress::begin(StringRef step) {
  std::lock_guard lock(mutex);
  if (isRunning && steps.back().name == step)
    return;
  if (isRunning)
    steps.back().seconds = secondsSince(stepStart);
  steps.push_back({step.str()});
  detail.clear();
  stepStart = Clock::now();
  isRunning = true;
}

void Progress::at(StringRef name) {
  std::lock_guard lock(mutex);
  detail = name.str();
}

void Progress::end() {
  std::lock_guard lock(mutex);
  if (isRunning)
    steps.back().seconds = secondsSince(stepStart);
  isRunning = false;
  erase();
}

void Progress::clear() {
  std::lock_guard lock(mutex);
  erase();
  quietUntil = Clock::now() + std::chrono::milliseconds(300);
}

void Progress::attachTo(PassManager &manager) {
  manager.addInstrumentation(std::make_unique<Watch>(*this));
}

double Progress::seconds() const { return secondsSince(start); }

std::string Progress::times() const {
  std::string text;
  for (const Step &step : steps)
    text += fmt::format("{}{} {} s", text.empty() ? "" : ", ", step.name,
                        spellTime(step.seconds, 2));
  return text;
}

/// Draws the line, with the mutex locked.
void Progress::draw() {
  if (!isRunning || Clock::now() < quietUntil)
    return;
  isDrawn = true;
  out << fmt::format("\r\033[K[{:6.1f} s] {}{}{}", seconds(), steps.back().name,
                     detail.empty() ? "" : ": ", detail);
  out.flush();
}

void Progress::erase() {
  if (isDrawn)
    out << "\r\033[K";
  isDrawn = false;
}

} // namespace npu
