// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's alarm is a timer of the system. Setting it for each wait would
// cost short messages a part of their time; so it is left running from one wait
// to the next, and when it rings, the clock says whether the present wait has
// taken too long.

#include "Deadline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace npu::mpi {
namespace {

using Clock = std::chrono::steady_clock;

/// What a signal handler reads: it may be called between any two instructions.
char prefix[160];
double timeout = 0;
Awaited awaited;
Clock::time_point since;
std::atomic<bool> isWaiting = false, isRunning = false;

void start(double seconds) {
  isRunning = true;
  alarm(static_cast<unsigned>(std::max(1.0, std::ceil(seconds))));
}

/// Functions that format are not among those that a signal handler may call.
class Line {
public:
  void add(const char *text) {
    size_t count = std::min(std::strlen(text), sizeof bytes - length);
    std::memcpy(bytes + length, text, count);
    length += count;
  }
  void add(int number) {
    char digits[12];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do
      *--first = static_cast<char>('0' + number % 10);
    while (number /= 10);
    add(first);
  }
  void print() const {
    [[maybe_unused]] ssize_t written = write(2, bytes, length);
  }

private:
  char bytes[320];
  size_t length = 0;
};

void onAlarm(int) {
  if (!isWaiting) {
    isRunning = false;
    return;
  }
  double left =
      timeout - std::chrono::duration<double>(Clock::now() - since).count();
  if (left > 0)
    return start(left);
  Line line;
  line.add(prefix);
  if (awaited.text) {
    line.add(awaited.text);
  } else {
    line.add("message ");
    line.add(awaited.tag);
    line.add(awaited.receives ? " from rank " : " to rank ");
    line.add(awaited.other);
  }
  line.add("\n");
  line.print();
  _exit(1);
}

} // namespace

void Deadline::prepare(const char *begin, double seconds) {
  std::snprintf(prefix, sizeof prefix, "%swaited %.0f s for ", begin, seconds);
  timeout = seconds;
  std::signal(SIGALRM, onAlarm);
}

Deadline::Deadline(const Awaited &what) {
  awaited = what;
  since = Clock::now();
  isWaiting = true;
  if (!isRunning)
    start(timeout);
}

Deadline::~Deadline() { isWaiting = false; }

} // namespace npu::mpi
