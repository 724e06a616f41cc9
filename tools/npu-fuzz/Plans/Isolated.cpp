// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each child has a pipe, into which it writes a header and a message for each
// case that it has finished. The case after the last of them is running, and
// has killed the child when the pipe ends early.

#include "npu-fuzz/Plans/Isolated.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <list>
#include <vector>

namespace npu {

const char *nameOf(Outcome outcome) {
  constexpr const char *kNames[] = {"fine", "different", "refused", "crashed"};
  return kNames[static_cast<int>(outcome)];
}

namespace {

using Clock = std::chrono::steady_clock;

struct Header {
  Outcome outcome;
  /// Bytes of the message, and of the step that follows it.
  uint32_t message;
  uint32_t step;
};

/// The cases [next, end).
struct Batch {
  uint64_t next;
  uint64_t end;
};

struct Child {
  Batch batch;
  pid_t process = -1;
  int pipe = -1;
  FILE *errors = nullptr;
  Clock::time_point deadline = {};
  std::string received = {};
};

bool writeAll(int file, const void *data, std::size_t size) {
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= written;
  }
  return true;
}

[[noreturn]] void runChild(Batch batch, int pipe, FILE *errors,
                           const std::function<CaseResult(uint64_t)> &run) {
  if (errors)
    dup2(fileno(errors), STDERR_FILENO);
  for (; batch.next < batch.end; ++batch.next) {
    CaseResult result = run(batch.next);
    Header header{result.outcome, static_cast<uint32_t>(result.message.size()),
                  static_cast<uint32_t>(result.step.size())};
    if (!writeAll(pipe, &header, sizeof(header)) ||
        !writeAll(pipe, result.message.data(), result.message.size()) ||
        !writeAll(pipe, result.step.data(), result.step.size()))
      _exit(1);
  }
  // Call _exit and not exit, because buffers and destructors belong to the
  // parent.
  _exit(0);
}

/// The last lines that the child printed.
std::string lastErrors(FILE *errors) {
  constexpr long kMost = 4000;
  if (!errors || fseek(errors, 0, SEEK_END) != 0)
    return "";
  long size = ftell(errors), begin = std::max(0L, size - kMost);
  std::string text(size - begin, '\0');
  if (fseek(errors, begin, SEEK_SET) != 0)
    return "";
  text.resize(fread(text.data(), 1, text.size(), errors));
  return text.empty() ? "" : "\n" + text;
}

std::string howItEnded(int status) {
  if (WIFSIGNALED(status))
    return "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

class Parent {
public:
  Parent(const IsolationOptions &options,
         const std::function<CaseResult(uint64_t)> &run,
         const std::function<void(uint64_t, CaseResult)> &report)
      : options(options), run(run), report(report) {}

  void all(Batch rest) {
    for (;;) {
      while (children.size() < options.jobs &&
             (rest.next < rest.end || !left.empty()))
        start(nextBatch(rest));
      if (children.empty())
        return;
      wait();
    }
  }

private:
  Batch nextBatch(Batch &rest) {
    if (!left.empty()) {
      Batch batch = left.front();
      left.pop_front();
      return batch;
    }
    uint64_t size = std::min(options.batch, rest.end - rest.next);
    Batch batch{rest.next, rest.next + size};
    rest.next += size;
    return batch;
  }

  void start(Batch batch) {
    Child child{batch};
    child.errors = tmpfile();
    int ends[2];
    if (pipe(ends) == 0) {
      child.process = fork();
      if (child.process == 0)
        runChild(batch, ends[1], child.errors, run);
      close(ends[1]);
      child.pipe = ends[0];
    }
    child.deadline = deadline();
    children.push_back(std::move(child));
    if (children.back().process < 0)
      finish(children.back(),
             "cannot start a process: " + std::string(strerror(errno)));
  }

  Clock::time_point deadline() const {
    return Clock::now() + std::chrono::seconds(options.secondsPerCase);
  }

  void wait() {
    std::vector<pollfd> polled;
    Clock::time_point first = Clock::time_point::max();
    for (const Child &child : children) {
      polled.push_back({child.pipe, POLLIN, 0});
      first = std::min(first, child.deadline);
    }
    auto time =
        std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now());
    poll(polled.data(), polled.size(),
         static_cast<int>(std::clamp<int64_t>(
             time.count(), 0, std::numeric_limits<int>::max())));
    std::size_t number = 0;
    for (auto it = children.begin(); it != children.end();) {
      Child &child = *it++;
      if (polled[number++].revents != 0)
        receive(child);
      else if (child.deadline <= Clock::now()) {
        kill(child.process, SIGKILL);
        finish(child, "not done within " +
                          std::to_string(options.secondsPerCase) + " s");
      }
    }
  }

  void receive(Child &child) {
    char bytes[65536];
    ssize_t count = read(child.pipe, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR)
      return;
    if (count <= 0)
      return finish(child, "");
    child.received.append(bytes, count);
    std::size_t at = 0;
    Header header;
    while (child.received.size() - at >= sizeof(header)) {
      std::memcpy(&header, child.received.data() + at, sizeof(header));
      std::size_t length = std::size_t{header.message} + header.step;
      if (child.received.size() - at - sizeof(header) < length)
        break;
      at += sizeof(header);
      report(child.batch.next++,
             {header.outcome, child.received.substr(at, header.message),
              child.received.substr(at + header.message, header.step)});
      at += length;
      child.deadline = deadline();
    }
    child.received.erase(0, at);
  }

  /// Handles the end of a child. Its remaining cases go to a new child, except
  /// the case that killed it.
  void finish(Child &child, const std::string &why) {
    int status = 0;
    if (child.process > 0)
      while (waitpid(child.process, &status, 0) < 0 && errno == EINTR)
        ;
    if (child.batch.next < child.batch.end) {
      uint64_t number = child.batch.next++;
      report(number,
             {Outcome::Crashed, (why.empty() ? howItEnded(status) : why) +
                                    lastErrors(child.errors)});
      if (child.batch.next < child.batch.end)
        left.push_back(child.batch);
    }
    if (child.errors)
      fclose(child.errors);
    if (child.pipe >= 0)
      close(child.pipe);
    children.remove_if([&](const Child &other) { return &other == &child; });
  }

  const IsolationOptions &options;
  const std::function<CaseResult(uint64_t)> &run;
  const std::function<void(uint64_t, CaseResult)> &report;
  std::list<Child> children;
  std::deque<Batch> left;
};

} // namespace

void runIsolated(uint64_t first, uint64_t count,
                 const IsolationOptions &options,
                 const std::function<CaseResult(uint64_t)> &run,
                 const std::function<void(uint64_t, CaseResult)> &report) {
  Parent(options, run, report).all({first, first + count});
}

} // namespace npu
