// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Artefact/PrintArtefact.h"

#include "npu/Artefact/Sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace json = llvm::json;

namespace npu {
namespace {

/// One line: what, and what it is.
void line(llvm::raw_ostream &out, const char *what, const std::string &value) {
  out << fmt::format("{:<16} {}\n", what, value);
}

std::string describe(const ArtefactTensor &tensor) {
  std::string type = toString(tensor.spec);
  return tensor.name.empty() ? type
                             : fmt::format("{} \"{}\"", type, tensor.name);
}

std::string describe(const ArtefactCache &cache) {
  std::string text = fmt::format("input #{}, {} positions in dimension {}",
                                 cache.input, cache.capacity, cache.dimension);
  if (cache.length != cache.capacity)
    text += fmt::format(", with memory for {}", cache.length);
  if (cache.result)
    text += fmt::format(", continued by result #{}{}", *cache.result,
                        cache.isInPlace ? " in place" : ", which is all of it");
  return text;
}

std::string describeTarget(const Target &target) {
  return target.name.empty()
             ? "none"
             : fmt::format("{}, {} tiles of {} bytes", target.name,
                           target.tiles, target.scratchpadBytes);
}

std::string describeWeights(const ArtefactHeader &header) {
  const ArtefactWeights &weights = header.weights;
  if (weights.bytes == 0)
    return "none";
  return fmt::format(
      "{} bytes in {} constants, {}", weights.bytes, weights.entries.size(),
      weights.file.empty() ? "inside" : "apart in " + weights.file);
}

std::string describePrompt(const ArtefactHeader &header) {
  if (header.largestPrompt == 0)
    return "none";
  std::string names;
  for (const std::string &name : header.prompts)
    if (!name.empty())
      names += (names.empty() ? "" : ", ") + name;
  return fmt::format("{}{} to {}, padded to {}",
                     names.empty() ? "" : names + ": ", header.smallestPrompt,
                     header.largestPrompt,
                     fmt::join(header.promptLengths, ", "));
}

void printTensors(llvm::raw_ostream &out, const char *what,
                  const std::vector<ArtefactTensor> &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    line(out, fmt::format("{} #{}", what, i).c_str(), describe(tensors[i]));
}

} // namespace

void printText(const Artefact &artefact, llvm::raw_ostream &out) {
  const ArtefactHeader &header = artefact.header;
  line(out, "format version", std::to_string(containerVersion));
  line(out, "ABI version", std::to_string(header.abi));
  line(out, "compiler", header.compiler);
  line(out, "target", describeTarget(header.target));
  line(out, "device",
       fmt::format("{}, computes on {}", header.device, header.computesOn));
  line(out, "entry", header.entry);
  printTensors(out, "input", header.inputs);
  printTensors(out, "result", header.results);
  line(out, "prompt", describePrompt(header));
  for (const ArtefactCache &cache : header.caches)
    line(out, "cache", describe(cache));
  for (const ArtefactArena &arena : header.arenas)
    line(out, "scratchpad",
         fmt::format("tile {}: {} bytes", arena.tile, arena.bytes));
  line(out, "weights", describeWeights(header));
  if (header.weights.bytes > 0)
    line(out, "weights SHA-256", header.weights.sha256);
  line(out, "runs",
       fmt::format("{} operations at -O{}, tiles {}", header.operations,
                   header.optLevel,
                   header.parallel ? "in parallel" : "in sequence"));
  line(out, "host",
       fmt::format("{}, {}", header.host.triple, header.host.processor));
  for (const auto &[name, value] : header.options)
    line(out, "option", fmt::format("{}={}", name, value));
  line(out, "model SHA-256", header.modelHash);
  line(out, "key", header.key);
  for (const Section &section : artefact.sectionsOfFile())
    line(out, "section",
         fmt::format("{:<10} {:>10} bytes  {}", section.name,
                     section.bytes.size(), sha256(section.bytes)));
}

void printJson(const Artefact &artefact, llvm::raw_ostream &out) {
  json::Array sections;
  for (const Section &section : artefact.sectionsOfFile())
    sections.push_back(
        json::Object{{"name", section.name},
                     {"bytes", static_cast<int64_t>(section.bytes.size())},
                     {"sha256", sha256(section.bytes)}});
  json::Value all = json::Object{{"header", toJson(artefact.header)},
                                 {"sections", std::move(sections)}};
  out << llvm::formatv("{0:2}\n", all);
}

Result<> printSection(const Artefact &artefact, llvm::StringRef name,
                      llvm::raw_ostream &out) {
  std::vector<std::string> names;
  if (name == weightsSection && artefact.header.weights.bytes > 0) {
    out << artefact.weights;
    return Success();
  }
  for (const Section &section : artefact.sectionsOfFile()) {
    if (section.name == name) {
      out << section.bytes;
      return Success();
    }
    names.push_back(section.name);
  }
  return Error{fmt::format("expected one of the sections {}, got '{}'",
                           fmt::join(names, ", "), name.str())};
}

} // namespace npu
