// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model: what it was compiled from, for which device, for which
// inputs, and the parts that run. docs/artefacts.md describes it for users.

#ifndef NPU_ARTEFACT_ARTEFACT_H
#define NPU_ARTEFACT_ARTEFACT_H

#include "npu/Artefact/Container.h"
#include "npu/Host/GenerateInputs.h"
#include "npu/Host/HostTensor.h"
#include "npu/Host/PromptDimension.h"
#include "npu/Target/Target.h"

#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <memory>
#include <optional>

namespace npu {

/// The version of the interface between an artefact's object code and the
/// program that runs it: the order of arguments, memref descriptors, the
/// functions of the runtime, the constant of CodeNeeds.h, and how several
/// object files are one section (ObjectLibrary.h).
constexpr int64_t artefactAbi = 5;

/// The names of sections.
inline constexpr llvm::StringLiteral tilesSection = "tiles";
inline constexpr llvm::StringLiteral scheduleSection = "schedule";
inline constexpr llvm::StringLiteral scratchpadSection = "scratchpad";
inline constexpr llvm::StringLiteral placementSection = "placement";
inline constexpr llvm::StringLiteral reportSection = "report";
inline constexpr llvm::StringLiteral objectSection = "object";
inline constexpr llvm::StringLiteral weightsSection = "weights";

/// A dimension whose extent follows from the lengths of prompts. The object
/// code has memory for the largest.
struct ArtefactPromptDimension {
  int64_t dimension = 0;
  /// Of an input: the number of the prompt whose length it is. Of a result: the
  /// number, in the result of the object code after all others, an i64 tensor
  /// of rank 1, of its extent.
  int64_t number = 0;
};

/// An input or a result.
struct ArtefactTensor {
  /// The name that the model has for it; empty where it has none.
  std::string name;
  TensorSpec spec;
  /// What an input is used as, so that generated data is that of the model.
  InputRole role;
  std::vector<ArtefactPromptDimension> promptDimensions;
};

/// A scratchpad that a caller provides.
struct ArtefactArena {
  int64_t tile = 0;
  int64_t bytes = 0;
};

/// A constant whose bytes lie in the weights.
struct ArtefactWeight {
  /// The symbol that the object code refers to.
  std::string symbol;
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// Where the bytes of constants are.
struct ArtefactWeights {
  /// The name of the file beside the artefact; empty: they are the section
  /// "weights".
  std::string file;
  int64_t bytes = 0;
  std::string sha256;
  std::vector<ArtefactWeight> entries;
};

/// A cache of keys or values that an input holds.
struct ArtefactCache {
  int64_t input = 0;
  int64_t dimension = 0;
  /// The number of positions that there is memory for.
  int64_t length = 0;
  /// The number of positions that it can hold (CacheCapacity.h).
  int64_t capacity = 0;
  /// The result that has the cache with the rows of the run; nothing where none
  /// is known.
  std::optional<int64_t> result;
  /// Whether that result is the input's memory, to which the code adds the
  /// rows.
  bool isInPlace = false;
  /// The number of rows that a prompt of static length writes; 0: it is not
  /// known, or it is the prompt's length.
  int64_t rows = 0;
  /// The input that says at which position the prompt begins; nothing where
  /// none does.
  std::optional<int64_t> offsetInput;
};

/// The machine that the object code is for.
struct ArtefactHost {
  std::string triple;
  std::string processor;
  /// LLVM's names of processor features that the code may use, sorted.
  std::vector<std::string> features;
};

struct ArtefactHeader {
  int64_t abi = artefactAbi;
  /// "Tilewright 0.3.0, LLVM 22.1.8"
  std::string compiler;
  /// The key under which a cache keeps it: a hash of all that it depends on.
  std::string key;
  /// The hash of the model and of all its weights.
  std::string modelHash;
  /// Without a name where everything is for the CPU.
  Target target;
  /// The device as it was asked for, "HETERO:NPU,CPU".
  std::string device;
  /// What computes: "NPU", "CPU", "NPU and CPU", or "nothing".
  std::string computesOn;
  /// Options of the compiler that were given, by name.
  std::vector<std::pair<std::string, std::string>> options;
  std::string entry;
  std::vector<ArtefactTensor> inputs, results;
  std::vector<ArtefactArena> arenas;
  int64_t temporaryBytes = 0;
  int64_t operations = 0;
  int64_t optLevel = 0;
  /// Whether tiles run at the same time, on MLIR's async runtime.
  bool parallel = false;
  /// The smallest and the largest prompt that a run may have; a largest of 0:
  /// the model has no prompt.
  int64_t smallestPrompt = 0, largestPrompt = 0;
  /// The names of the prompts, the first of which may be empty. The last inputs
  /// are their lengths.
  std::vector<std::string> prompts;
  /// The lengths that prompts are padded to.
  std::vector<int64_t> promptLengths;
  std::vector<ArtefactCache> caches;
  ArtefactHost host;
  ArtefactWeights weights;
};

/// A header and sections. The weights' bytes are `weights`, whether they were a
/// section or a file.
struct Artefact {
  ArtefactHeader header;
  std::vector<Section> sections;
  llvm::StringRef weights;
  /// The memory that sections refer to.
  std::vector<std::shared_ptr<llvm::MemoryBuffer>> memory;

  /// The bytes of a section, or nothing.
  llvm::StringRef section(llvm::StringRef name) const;

  /// The sections of its file: the weights are the last of them where they are
  /// inside.
  std::vector<Section> sectionsOfFile() const;
};

/// The prompt dimensions of all inputs and results.
PromptDimensions promptDimensionsOf(const ArtefactHeader &header);

llvm::json::Object toJson(const ArtefactHeader &header);
Result<ArtefactHeader> headerFromJson(const llvm::json::Object &object);

/// Reads the parts of an artefact from the bytes of a file, which `memory`
/// keeps alive, but no weights from a file of their own. Errors as of
/// readContainer, or of the header: "expected ABI version 5, got 4: ...".
Result<Artefact> readArtefact(std::shared_ptr<llvm::MemoryBuffer> memory);

/// Reads an artefact's file, but no weights from a file of their own. Every
/// error begins with the file's name.
Result<Artefact> readArtefactFile(const std::string &path);

/// Reads an artefact and, where they are apart, its weights, whose size and
/// hash have to be those of the header. Every error begins with the name of the
/// file that is wrong. Both files are noted as inputs.
Result<Artefact> openArtefact(const std::string &path);

/// Writes an artefact. Its weights become a section where the header names no
/// file for them.
void writeArtefact(const Artefact &artefact, llvm::raw_ostream &out);

/// Reads a whole file into memory of this process, so that what is checked
/// stays what is used while others write to the file.
Result<std::shared_ptr<llvm::MemoryBuffer>> readFile(const std::string &path);

class PendingFile;

/// A file to write: its path, and what writes it, or the file itself where it
/// is written and only lacks its name (PendingFile.h).
struct FileToWrite {
  std::string path;
  std::function<void(llvm::raw_ostream &out)> write;
  std::shared_ptr<PendingFile> written = nullptr;
};

/// Whether a path is written to by giving a new file its name, and not
/// directly, as a device such as /dev/null or - (standard output) is.
bool becomesFile(const std::string &path);

/// Writes files under temporary names and renames them when all are written:
/// there is never a part of one, or of them, under its own name. A device such
/// as /dev/null, and - (standard output), are written to directly. An input
/// (InputFiles.h) is an error.
Result<> writeFilesAtomically(const std::vector<FileToWrite> &files);

/// Writes one file in that way.
Result<>
writeFileAtomically(const std::string &path,
                    llvm::function_ref<void(llvm::raw_ostream &out)> write);

} // namespace npu

#endif // NPU_ARTEFACT_ARTEFACT_H
