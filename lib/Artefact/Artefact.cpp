// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Artefact/Artefact.h"

#include "npu/Artefact/Sha256.h"
#include "npu/Support/InputFiles.h"

#include "llvm/Support/Path.h"

#include <fmt/format.h>

namespace npu {

PromptDimensions promptDimensionsOf(const ArtefactHeader &header) {
  PromptDimensions all;
  auto add = [](const std::vector<ArtefactTensor> &tensors,
                std::vector<PromptDimension> &to) {
    for (size_t i = 0; i < tensors.size(); ++i)
      for (const ArtefactPromptDimension &each : tensors[i].promptDimensions)
        to.push_back({static_cast<int64_t>(i), each.dimension, each.number});
  };
  add(header.inputs, all.inputs);
  add(header.results, all.results);
  return all;
}

llvm::StringRef Artefact::section(llvm::StringRef name) const {
  for (const Section &section : sections)
    if (section.name == name)
      return section.bytes;
  return {};
}

std::vector<Section> Artefact::sectionsOfFile() const {
  std::vector<Section> all = sections;
  if (header.weights.file.empty() && header.weights.bytes > 0)
    all.push_back({weightsSection.str(), weights});
  return all;
}

Result<Artefact> readArtefact(std::shared_ptr<llvm::MemoryBuffer> memory) {
  Result<Container> container = readContainer(memory->getBuffer());
  if (!container)
    return container.error();
  Result<ArtefactHeader> header = headerFromJson(container->description);
  if (!header)
    return header.error();
  Artefact artefact;
  artefact.header = std::move(*header);
  for (Section &section : container->sections) {
    if (section.name == weightsSection)
      artefact.weights = section.bytes;
    else
      artefact.sections.push_back(std::move(section));
  }
  const ArtefactWeights &weights = artefact.header.weights;
  auto bytes = static_cast<int64_t>(artefact.weights.size());
  if (int64_t expected = weights.file.empty() ? weights.bytes : 0;
      bytes != expected)
    return Error{fmt::format("expected {} bytes of weights inside, got {}",
                             expected, bytes)};
  for (const SectionEntry &entry : container->entries)
    if (entry.name == weightsSection && entry.sha256 != weights.sha256)
      return Error{fmt::format("expected weights inside of SHA-256 {}, got {}",
                               weights.sha256, entry.sha256)};
  artefact.memory.push_back(std::move(memory));
  return artefact;
}

/// The weights that lie in a file beside the artefact.
static Result<std::shared_ptr<llvm::MemoryBuffer>>
readWeights(const ArtefactWeights &weights, const std::string &artefact) {
  if (weights.file != llvm::sys::path::filename(weights.file))
    return Error{fmt::format("{}: expected the name of a file beside it for "
                             "the weights, got '{}'",
                             artefact, weights.file)};
  llvm::SmallString<128> path = llvm::sys::path::parent_path(artefact);
  llvm::sys::path::append(path, weights.file);
  std::string name = path.str().str();
  noteInput("the weights of the artefact", name);
  auto memory = readFile(name);
  if (!memory)
    return Error{fmt::format("{} (the weights of {})", memory.error().message,
                             artefact)};
  llvm::StringRef bytes = (*memory)->getBuffer();
  if (static_cast<int64_t>(bytes.size()) != weights.bytes)
    return Error{fmt::format("{}: expected {} bytes, the weights of {}, got {}",
                             name, weights.bytes, artefact, bytes.size())};
  if (std::string hash = sha256(bytes); hash != weights.sha256)
    return Error{fmt::format("{}: expected SHA-256 {}, the weights of {}, got "
                             "{}",
                             name, weights.sha256, artefact, hash)};
  return memory;
}

Result<Artefact> readArtefactFile(const std::string &path) {
  auto memory = readFile(path);
  if (!memory)
    return memory.error();
  Result<Artefact> artefact = readArtefact(std::move(*memory));
  if (!artefact)
    return Error{path + ": " + artefact.error().message};
  return artefact;
}

Result<Artefact> openArtefact(const std::string &path) {
  noteInput("the artefact", path);
  Result<Artefact> artefact = readArtefactFile(path);
  if (!artefact || artefact->header.weights.file.empty())
    return artefact;
  auto weights = readWeights(artefact->header.weights, path);
  if (!weights)
    return weights.error();
  artefact->weights = (*weights)->getBuffer();
  artefact->memory.push_back(std::move(*weights));
  return artefact;
}

void writeArtefact(const Artefact &artefact, llvm::raw_ostream &out) {
  writeContainer(toJson(artefact.header), artefact.sectionsOfFile(), out);
}

} // namespace npu
