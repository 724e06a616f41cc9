// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artefact of a few hundred bytes that no compiler has written.

#ifndef NPU_TEST_UNIT_ARTEFACT_SMALLARTEFACT_H
#define NPU_TEST_UNIT_ARTEFACT_SMALLARTEFACT_H

#include "npu/Artefact/Artefact.h"
#include "npu/Artefact/Sha256.h"

namespace npu {

inline const std::string kSmallWeights(100, 'w');

inline Artefact smallArtefact() {
  Artefact artefact;
  ArtefactHeader &header = artefact.header;
  header.compiler = "Tilewright 1.2.3, LLVM 22.1.8";
  header.key = std::string(64, 'a');
  header.modelHash = std::string(64, 'b');
  header.target = *findBuiltinTarget("npu4000");
  header.device = "NPU";
  header.computesOn = "NPU";
  header.options = {{"target", "npu4000"}};
  header.entry = "main";
  header.inputs = {{"x", {ElementType::F16, {2, 8}}, {16, false}, {{0, 0}}},
                   {"past", {ElementType::F16, {4, 8}}, {}, {}},
                   {"offset", {ElementType::I64, {}}, {}, {}}};
  header.results = {{"y", {ElementType::F32, {2, 8}}, {}, {{0, 0}}}};
  header.arenas = {{0, 128}, {1, 64}};
  header.smallestPrompt = 1;
  header.largestPrompt = 2;
  header.prompts = {"S"};
  header.promptLengths = {2};
  header.caches = {{.input = 1,
                    .dimension = 0,
                    .length = 4,
                    .capacity = 3,
                    .result = 0,
                    .offsetInput = 2}};
  header.host = {"x86_64-pc-linux-gnu", "generic", {"sse2"}};
  header.weights = {"",
                    static_cast<int64_t>(kSmallWeights.size()),
                    sha256(kSmallWeights),
                    {{"w", 0, 64}, {"v", 64, 36}}};
  artefact.sections = {{tilesSection.str(), "module {}"},
                       {objectSection.str(), "code"}};
  artefact.weights = kSmallWeights;
  return artefact;
}

inline std::string bytesOf(const Artefact &artefact) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  writeArtefact(artefact, os);
  return bytes;
}

inline Result<Artefact> readBytes(const std::string &bytes) {
  return readArtefact(llvm::MemoryBuffer::getMemBufferCopy(bytes));
}

} // namespace npu

#endif // NPU_TEST_UNIT_ARTEFACT_SMALLARTEFACT_H
