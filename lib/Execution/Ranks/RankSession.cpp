// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the library of messages, in which compiled programs find its functions,
// too.

#include "npu/Execution/Ranks/RankSession.h"

#include "npu/Mpi/Mpi.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_sha1_ostream.h"
#include "llvm/Support/xxhash.h"

#include <fmt/format.h>

#include <sys/resource.h>

using namespace mlir;

namespace npu {

/// The functions of npu/Mpi/Mpi.h that tools call.
struct RankSession::Library {
  decltype(&npu_mpi_open) open = nullptr;
  decltype(&npu_mpi_rank) rank = nullptr;
  decltype(&npu_mpi_size) size = nullptr;
  decltype(&npu_mpi_share) share = nullptr;
  decltype(&npu_mpi_exchange_count) exchangeCount = nullptr;
  decltype(&npu_mpi_exchange) exchange = nullptr;
  decltype(&npu_mpi_close) close = nullptr;
};

/// The library beside this tool: of a build or of an installation.
static std::string findLibrary() {
  static int anchor;
  llvm::SmallString<256> path(
      llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", NPU_LIBRARY_DIR, "libNPUMpi.so");
  return llvm::sys::fs::exists(path) ? path.str().str() : "";
}

Result<std::unique_ptr<RankSession>>
RankSession::open(llvm::StringRef tool, const RankOptions &options) {
  std::string file = findLibrary();
  if (file.empty())
    return Error{"this build has no MPI; with libopenmpi-dev installed, "
                 "configure and build again"};
  std::string why;
  // For the process, where compiled code finds it, and so that Open MPI's own
  // plug-ins find Open MPI.
  if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(file.c_str(), &why))
    return Error{"cannot load " + file + ": " + why};
  auto library = std::make_unique<Library>();
  auto find = [](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name));
    return function != nullptr;
  };
  if (!find(library->open, "npu_mpi_open") ||
      !find(library->rank, "npu_mpi_rank") ||
      !find(library->size, "npu_mpi_size") ||
      !find(library->share, "npu_mpi_share") ||
      !find(library->exchangeCount, "npu_mpi_exchange_count") ||
      !find(library->exchange, "npu_mpi_exchange") ||
      !find(library->close, "npu_mpi_close"))
    return Error{file + " lacks functions that are expected: it is of another "
                        "version"};
  library->open(tool.str().c_str(), options.timeout, options.fault.c_str());
  return std::unique_ptr<RankSession>(new RankSession(std::move(library)));
}

RankSession::RankSession(std::unique_ptr<Library> library)
    : library(std::move(library)) {}

RankSession::~RankSession() = default;

int RankSession::rank() const { return library->rank(); }
int RankSession::count() const { return library->size(); }

std::vector<uint64_t> RankSession::share(uint64_t word) {
  std::vector<uint64_t> words(count());
  library->share(word, words.data());
  return words;
}

std::optional<int> RankSession::findOther(uint64_t word) {
  std::vector<uint64_t> words = share(word);
  for (int other = 0; other < count(); ++other)
    if (words[other] != word)
      return other;
  return std::nullopt;
}

Result<> RankSession::agreeOnOptions(llvm::StringRef options) {
  std::optional<int> other = findOther(llvm::xxh3_64bits(options));
  if (!other)
    return Success();
  return Error{fmt::format("rank {}: expected one number of runs, one set of "
                           "lengths and a report or none on all ranks, got "
                           "others on rank {}",
                           rank(), *other)};
}

LogicalResult RankSession::agreeOnProgram(ModuleOp program) {
  OwningOpRef<ModuleOp> copy = program.clone();
  PassManager passes(program.getContext());
  passes.addPass(createStripDebugInfoPass());
  llvm::raw_sha1_ostream hash;
  if (failed(passes.run(*copy)) || failed(writeBytecodeToFile(*copy, hash)))
    return failure();
  hash.flush();
  std::optional<int> other = findOther(llvm::xxh3_64bits(hash.sha1()));
  if (!other)
    return success();
  return mlir::emitError(program.getLoc())
         << "rank " << rank() << ": expected one program on all ranks, got "
         << "another one on rank " << *other;
}

Result<> RankSession::agreeOnInputs(const std::vector<HostTensor> &inputs) {
  uint64_t word = 0;
  for (const HostTensor &input : inputs) {
    auto bytes =
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(input.buffer.data()),
                       static_cast<size_t>(input.buffer.size()));
    uint64_t both[] = {word, llvm::xxh3_64bits(bytes)};
    word = llvm::xxh3_64bits(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(both), sizeof both));
  }
  std::optional<int> other = findOther(word);
  if (!other)
    return Success();
  return Error{fmt::format("rank {}: expected one set of inputs on all ranks, "
                           "got others on rank {}",
                           rank(), *other)};
}

static uint64_t nanoseconds(double seconds) {
  return static_cast<uint64_t>(seconds * 1e9);
}

NpuMpiFigures RankSession::ofAllRanks(const NpuMpiFigures &own) {
  auto sum = [](const std::vector<uint64_t> &words) {
    return std::accumulate(words.begin(), words.end(), int64_t(0));
  };
  auto most = [&](double seconds) {
    return static_cast<double>(
               *llvm::max_element(share(nanoseconds(seconds)))) /
           1e9;
  };
  return {own.runs, sum(share(own.messages)), sum(share(own.bytes)),
          most(own.seconds), most(own.waited)};
}

void RankSession::printEachRank(llvm::raw_ostream &out,
                                const NpuMpiFigures &own) {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  auto microseconds = [](const timeval &time) {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + time.tv_usec;
  };
  std::vector<uint64_t> messages = share(own.messages),
                        bytes = share(own.bytes),
                        waited = share(nanoseconds(own.waited)),
                        processor = share(microseconds(usage.ru_utime) +
                                          microseconds(usage.ru_stime)),
                        kibibytes = share(usage.ru_maxrss);
  for (int each = 0; isFirst() && each < count(); ++each)
    out << fmt::format("rank {}: sends {} messages, {} bytes, {:.3f} ms in "
                       "exchanges; {:.2f} s of processor time, {:.0f} MB of "
                       "memory at most\n",
                       each, messages[each], bytes[each], waited[each] / 1e6,
                       processor[each] / 1e6, kibibytes[each] * 1024 / 1e6);
}

void RankSession::printFigures(llvm::raw_ostream &out, bool each) {
  NpuMpiFigures total = {};
  // All ranks come to all exchanges.
  for (int64_t i = 0; i < library->exchangeCount(); ++i) {
    NpuMpiFigures own = library->exchange(i);
    total = {total.runs + own.runs, total.messages + own.messages,
             total.bytes + own.bytes, total.seconds + own.seconds,
             total.waited + own.waited};
    if (!each || own.runs == 0)
      continue;
    NpuMpiFigures all = ofAllRanks(own);
    if (isFirst())
      out << fmt::format("exchange {}: {} times, {} messages, {} bytes, under "
                         "way for {:.3f} ms, waited for {:.3f} ms\n",
                         i, all.runs, all.messages, all.bytes,
                         all.seconds * 1e3, all.waited * 1e3);
  }
  if (each)
    printEachRank(out, total);
  total = ofAllRanks(total);
  if (isFirst())
    out << fmt::format("{} ranks: {} messages, {} bytes, {:.3f} ms in {} "
                       "exchanges (the slowest rank)\n",
                       count(), total.messages, total.bytes, total.waited * 1e3,
                       total.runs);
}

int RankSession::close(int code) { return library->close(code); }

} // namespace npu
