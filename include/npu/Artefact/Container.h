// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container of an artefact: named sections of bytes after a description in
// JSON. Every byte of a file is either compared or covered by a hash, so that
// nothing of a file that is cut off or damaged is ever used.
//
// A file, with numbers in little-endian order:
//
//   offset  bytes
//        0      8  "NPUBIN\r\n"
//        8      4  version of the format
//       12      4  0
//       16      8  number of bytes of the table
//       24     32  SHA-256 of the table
//       56      -  the table: {"sections": [{"name", "offset", "bytes",
//                  "sha256"}, ...], "description": {...}}
//        -      -  the sections in the order of the table, each at the next
//                  multiple of 64 bytes, with zeros in front of it; the file
//                  ends with the last of them

#ifndef NPU_ARTEFACT_CONTAINER_H
#define NPU_ARTEFACT_CONTAINER_H

#include "npu/Placement/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace npu {

/// The version that this compiler writes, and the only one that it reads.
constexpr uint32_t containerVersion = 1;

/// Sections begin at multiples of this many bytes of the file.
constexpr uint64_t sectionAlignment = 64;

/// A part of a container. Its bytes belong to somebody else.
struct Section {
  std::string name;
  llvm::StringRef bytes;
};

/// A section's place in a file, as the table has it.
struct SectionEntry {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  std::string sha256;
};

/// A container in memory, whose sections refer to the bytes that it was read
/// from.
struct Container {
  llvm::json::Object description;
  std::vector<SectionEntry> entries;
  std::vector<Section> sections;

  /// The section of that name, or null.
  const Section *find(llvm::StringRef name) const;
};

/// Whether a file that begins with these bytes is a container.
bool isContainer(llvm::StringRef bytes);

/// Writes a container. The same description and sections give the same bytes.
void writeContainer(llvm::json::Object description,
                    llvm::ArrayRef<Section> sections, llvm::raw_ostream &out);

/// Reads a container and compares every hash. Errors say which part is wrong:
/// "expected 4096 bytes, got 1000: the file is cut off",
/// "section 'object': expected SHA-256 ba78..., got 1234...".
Result<Container> readContainer(llvm::StringRef bytes);

/// Parses a JSON object of limited depth, where llvm::json would use up the
/// stack on text that is nested without end.
Result<llvm::json::Object> parseJsonObject(llvm::StringRef text);

} // namespace npu

#endif // NPU_ARTEFACT_CONTAINER_H
