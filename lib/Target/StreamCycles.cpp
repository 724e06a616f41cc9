// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Target/StreamCycles.h"

#include <algorithm>
#include <cassert>

namespace npu {

StreamSteps::StreamSteps(Count load, Count work)
    : count(Counted::One), firstLoad(load), firstWork(work) {}

void StreamSteps::append(const StreamSteps &next) {
  if (next.isEmpty() || isEmpty()) {
    Count alone = sum + next.sum;
    if (isEmpty())
      *this = next;
    sum = alone;
    return;
  }
  StreamSteps last = next;
  sum += last.sum;
  if (count == Counted::One)
    secondLoad = last.firstLoad;
  else
    sum += std::max(otherWork, last.firstLoad + storeBefore);
  if (last.count == Counted::Several) {
    sum += std::max(last.firstWork, last.secondLoad + lastStore());
    storeBefore = last.storeBefore;
  } else {
    storeBefore = lastStore();
  }
  otherWork = last.lastWork();
  otherStore = last.lastStore();
  count = Counted::Several;
}

StreamSteps StreamSteps::repeated(int64_t rounds) const {
  if (rounds < 1)
    return {};
  StreamSteps all = repeated(rounds / 2);
  StreamSteps half = all;
  all.append(half);
  if (rounds % 2)
    all.append(*this);
  return all;
}

void StreamSteps::prepend(Count load, Count work) {
  assert(!isEmpty() && "there is a first step");
  firstLoad += load;
  firstWork += work;
}

void StreamSteps::loadAlone() {
  sum += firstLoad;
  firstLoad = {};
}

Count StreamSteps::total() const {
  switch (count) {
  case Counted::None:
    return sum;
  case Counted::One:
    return sum + firstLoad + firstWork + firstStore;
  case Counted::Several:
    return sum + firstLoad + std::max(firstWork, secondLoad) +
           std::max(otherWork, storeBefore) + otherStore;
  }
  return sum;
}

void StreamClock::load(int64_t cycles, int64_t work) {
  Loop &loop = open.back();
  if (cycles == 0 && work == 0)
    return;
  if (isOutside())
    return loop.steps.add(Count{cycles} + Count{work});
  loop.load += Count{cycles};
  loop.work += Count{work};
  loop.isBegun = true;
  loop.isAlone |= loop.slots < 2;
}

void StreamClock::endLoads() {
  Loop &loop = open.back();
  if (!loop.isBegun && !loop.steps.isEmpty())
    return;
  StreamSteps step(loop.load, loop.work);
  if (loop.isAlone)
    step.loadAlone();
  loop.steps.append(step);
  loop.load = loop.work = {};
  loop.isBegun = loop.isAlone = false;
}

void StreamClock::work(int64_t cycles) {
  Loop &loop = open.back();
  if (cycles == 0)
    return;
  if (isOutside())
    return loop.steps.add({cycles});
  endLoads();
  loop.steps.appendWork({cycles});
}

void StreamClock::store(int64_t cycles, int64_t work) {
  Loop &loop = open.back();
  if (cycles == 0 && work == 0)
    return;
  if (isOutside())
    return loop.steps.add(Count{cycles} + Count{work});
  endLoads();
  loop.steps.appendWork({work});
  if (loop.slots < 2)
    loop.steps.add({cycles});
  else
    loop.steps.appendStore({cycles});
}

void StreamClock::enterLoop(int64_t rounds, int64_t slots) {
  open.emplace_back();
  open.back().rounds = rounds;
  open.back().slots = slots;
}

void StreamClock::leaveLoop() {
  assert(open.size() > 1 && "a loop has begun");
  if (open.back().isBegun)
    endLoads();
  StreamSteps steps = open.back().steps.repeated(open.back().rounds);
  open.pop_back();
  if (isOutside())
    return open.back().steps.add(steps.total());
  Loop &around = open.back();
  if (around.isBegun && !steps.isEmpty()) {
    steps.prepend(around.load, around.work);
    if (around.isAlone)
      steps.loadAlone();
    around.load = around.work = {};
    around.isBegun = around.isAlone = false;
  }
  around.steps.append(steps);
}

} // namespace npu
