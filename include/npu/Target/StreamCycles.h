// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a stream takes: loops whose steps load slices from DDR, work on
// them, and store what is done, where the loads and stores of other steps run
// under the work of one.
//
// Buffers of two slots let it: while tiles work on step k, the slices of step
// k + 1 arrive in the other slots, and what step k - 1 made is stored. So the
// period of step k is
//
//   max(work of k, loads of k + 1 + stores of k - 1)
//
// and a stream takes its first loads (filling), the periods of all steps, and
// its last stores (draining). Loads and stores of a loop whose buffers have one
// slot run alone: they are added.
//
// Example: 10 steps that load for 100 cycles and work for 80 take
// 100 + 9 * 100 + 80 = 1,080 cycles; with one slot 10 * 180 = 1,800.

#ifndef NPU_TARGET_STREAMCYCLES_H
#define NPU_TARGET_STREAMCYCLES_H

#include "npu/Target/Count.h"

#include <vector>

namespace npu {

/// The periods of steps in a row, as far as they are known: those of the first
/// and of the last step depend on what comes before and after. Time and memory
/// do not depend on the number of steps.
class StreamSteps {
public:
  /// One step.
  StreamSteps(Count load, Count work);
  StreamSteps() = default;

  bool isEmpty() const { return count == Counted::None; }

  void append(const StreamSteps &next);
  /// All of these steps so many times. Takes the logarithm of `rounds` steps.
  StreamSteps repeated(int64_t rounds) const;

  /// What the first step loads and does before its own, and the last one does
  /// and stores after it. Precondition: there are steps.
  void prepend(Count load, Count work);
  void appendWork(Count work) { lastWork() += work; }
  void appendStore(Count store) { lastStore() += store; }
  /// The loads of the first step run alone.
  void loadAlone();
  /// Cycles of something that runs alone.
  void add(Count cycles) { sum += cycles; }

  Count total() const;

private:
  enum class Counted { None, One, Several };

  /// Of a single step, the first is the last.
  Count &lastWork() { return count == Counted::One ? firstWork : otherWork; }
  Count &lastStore() { return count == Counted::One ? firstStore : otherStore; }

  Counted count = Counted::None;
  /// Of the first step, and what the second one loads.
  Count firstLoad, firstWork, firstStore, secondLoad;
  /// Of the last of several steps, and what the one before it stores.
  Count otherWork, otherStore, storeBefore;
  /// The periods of the steps between, and what runs alone.
  Count sum;
};

/// Counts the cycles of loads, work, stores and loops that are told in program
/// order. Outside of loops everything runs alone. What takes no cycles is
/// nothing.
class StreamClock {
public:
  StreamClock() { open.emplace_back(); }

  /// A load, and what tiles do with it before it is of use.
  void load(int64_t cycles, int64_t work = 0);
  void work(int64_t cycles);
  /// What tiles do with what they have made before it is stored, and the store.
  void store(int64_t cycles, int64_t work = 0);

  /// A loop of so many rounds begins, in whose rounds buffers have so many
  /// slots.
  void enterLoop(int64_t rounds, int64_t slots);
  void leaveLoop();

  /// Precondition: every loop has ended.
  int64_t total() const { return open.front().steps.total().value; }

private:
  struct Loop {
    int64_t rounds = 1;
    int64_t slots = 1;
    StreamSteps steps;
    /// What has been loaded and done of a step of which the rest is to come.
    Count load, work;
    bool isBegun = false;
    bool isAlone = false;
  };

  bool isOutside() const { return open.size() == 1; }
  /// Makes a step of what has been loaded, so that it may work and store.
  void endLoads();

  std::vector<Loop> open;
};

} // namespace npu

#endif // NPU_TARGET_STREAMCYCLES_H
