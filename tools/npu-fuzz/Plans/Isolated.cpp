// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each child writes the result of every case that it has finished to a
// temporary file, which the parent reads when the child has ended. The case
// after the last of them is the one that ended the child.

#include "npu-fuzz/Plans/Isolated.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>

namespace npu {

const char *nameOf(Outcome outcome) {
  constexpr const char *kNames[] = {"fine", "different", "refused", "crashed"};
  return kNames[static_cast<int>(outcome)];
}

namespace {

/// The cases [next, end).
struct Batch {
  uint64_t next;
  uint64_t end;
};

struct Child {
  Batch batch;
  FILE *results = nullptr, *errors = nullptr;
  pid_t process = -1;
};

void write(FILE *file, const CaseResult &result) {
  fprintf(file, "%d %zu %zu\n", static_cast<int>(result.outcome),
          result.message.size(), result.step.size());
  fwrite(result.message.data(), 1, result.message.size(), file);
  fwrite(result.step.data(), 1, result.step.size(), file);
  fflush(file);
}

/// Reads a result; false where none has been written whole.
bool read(FILE *file, CaseResult &result) {
  int outcome = 0;
  std::size_t message = 0, step = 0;
  if (fscanf(file, "%d %zu %zu", &outcome, &message, &step) != 3 ||
      fgetc(file) != '\n')
    return false;
  result.outcome = static_cast<Outcome>(outcome);
  result.message.resize(message);
  result.step.resize(step);
  return fread(result.message.data(), 1, message, file) == message &&
         fread(result.step.data(), 1, step, file) == step;
}

/// The last lines that the child printed.
std::string lastErrors(FILE *errors) {
  constexpr long kMost = 4000;
  if (fseek(errors, 0, SEEK_END) != 0)
    return "";
  long size = ftell(errors), begin = std::max(0L, size - kMost);
  std::string text(size - begin, '\0');
  if (fseek(errors, begin, SEEK_SET) != 0)
    return "";
  text.resize(fread(text.data(), 1, text.size(), errors));
  return text.empty() ? "" : "\n" + text;
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
      // Wait for the oldest by its number: `report` may run cases, too, whose
      // children are not those of this call.
      Child child = children.front();
      children.pop_front();
      int status = 0;
      while (waitpid(child.process, &status, 0) < 0 && errno == EINTR)
        ;
      finish(child, howItEnded(status));
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
    Child child{batch, tmpfile(), tmpfile()};
    if (child.results && child.errors)
      child.process = fork();
    if (child.process == 0)
      runChild(child);
    if (child.process > 0)
      children.push_back(child);
    else
      finish(child, "cannot start a process: " + std::string(strerror(errno)));
  }

  [[noreturn]] void runChild(const Child &child) {
    dup2(fileno(child.errors), STDERR_FILENO);
    for (uint64_t number = child.batch.next; number < child.batch.end;
         ++number) {
      // The signal ends the process.
      alarm(options.secondsPerCase);
      write(child.results, run(number));
    }
    // Call _exit and not exit, because buffers and destructors belong to the
    // parent.
    _exit(0);
  }

  std::string howItEnded(int status) const {
    if (!WIFSIGNALED(status))
      return "ended with exit code " + std::to_string(WEXITSTATUS(status));
    if (WTERMSIG(status) == SIGALRM)
      return "not done within " + std::to_string(options.secondsPerCase) + " s";
    return "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  }

  /// Handles the end of a child. Its remaining cases go to a new child, except
  /// the case that ended it.
  void finish(Child &child, const std::string &why) {
    if (child.results)
      rewind(child.results);
    CaseResult result;
    while (child.batch.next < child.batch.end && child.results &&
           read(child.results, result))
      report(child.batch.next++, result);
    if (child.batch.next < child.batch.end) {
      report(child.batch.next++,
             {Outcome::Crashed,
              why + (child.errors ? lastErrors(child.errors) : "")});
      if (child.batch.next < child.batch.end)
        left.push_back(child.batch);
    }
    for (FILE *file : {child.results, child.errors})
      if (file)
        fclose(file);
  }

  const IsolationOptions &options;
  const std::function<CaseResult(uint64_t)> &run;
  const std::function<void(uint64_t, CaseResult)> &report;
  std::deque<Child> children;
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
