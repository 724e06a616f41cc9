// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in a process of its own.

#include "ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace npu {
namespace {

bool writeAll(int file, const std::string &bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    ssize_t count = write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR)
      return false;
    if (count > 0)
      written += static_cast<std::size_t>(count);
  }
  return true;
}

std::string readAll(int file) {
  std::string bytes;
  char buffer[1 << 16];
  while (true) {
    ssize_t count = read(file, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

/// Lets this process have `bytes` beside what it has. Where it asks for more,
/// an exception is thrown.
void limitMemory(std::size_t bytes) {
  std::size_t pages = 0;
  if (std::FILE *status = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(status, "%zu", &pages) != 1)
      pages = 0;
    std::fclose(status);
  }
  if (pages == 0)
    return;
  std::size_t all =
      pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
  struct rlimit memory;
  if (getrlimit(RLIMIT_AS, &memory) == 0 && all < memory.rlim_cur) {
    memory.rlim_cur = all;
    setrlimit(RLIMIT_AS, &memory);
  }
  std::set_new_handler(nullptr);
}

/// The child's part, which does not return.
[[noreturn]] void runChild(int file, const std::function<std::string()> &work,
                           unsigned seconds, std::size_t bytes) {
  // Who ends the parent wants no child to go on.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A crash here is an answer: nobody prints a stack or writes a core file.
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU})
    std::signal(number, SIG_DFL);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  struct rlimit processor = {seconds, seconds};
  setrlimit(RLIMIT_CPU, &processor);
  limitMemory(bytes);
  bool isWritten = false;
  try {
    isWritten = writeAll(file, work());
  } catch (...) {
    isWritten = false;
  }
  _exit(isWritten ? 0 : 1);
}

} // namespace

Result<std::string> runInChildProcess(const std::function<std::string()> &work,
                                      unsigned seconds, std::size_t bytes) {
  int ends[2];
  if (pipe(ends) != 0)
    return Error{std::string("cannot make a pipe: ") + std::strerror(errno)};
  pid_t child = fork();
  if (child < 0) {
    Error error{std::string("cannot start a process: ") + std::strerror(errno)};
    close(ends[0]);
    close(ends[1]);
    return error;
  }
  if (child == 0) {
    close(ends[0]);
    runChild(ends[1], work, seconds, bytes);
  }
  close(ends[1]);
  std::string answer = readAll(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return answer;
  // Where the hard limit is the soft one, the system may kill at once.
  if (WIFSIGNALED(status) &&
      (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return Error{"it takes more than " + std::to_string(seconds) + " seconds"};
  if (WIFSIGNALED(status))
    return Error{strsignal(WTERMSIG(status))};
  return Error{"it takes more than " + std::to_string(bytes >> 20) +
               " MiB of memory"};
}

} // namespace npu
