// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DecodeState.h"

#include "npu/Artefact/JsonFields.h"
#include "npu/Support/InputFiles.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

namespace json = llvm::json;

namespace npu {

/// The version of the description in a file of a state.
static constexpr int64_t kStateVersion = 1;

/// A tensor of a state in a file: a section of that name has its bytes.
struct StoredTensor {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
};

struct StoredState {
  int64_t version = kStateVersion;
  int64_t position = 0;
  std::vector<int64_t> next;
  std::vector<StoredTensor> caches, rows;
};

template <typename Fields>
static bool mapFields(Fields &fields, StoredTensor &tensor) {
  return fields.map("name", tensor.name) && fields.map("type", tensor.type) &&
         fields.map("shape", tensor.shape);
}

template <typename Fields>
static bool mapFields(Fields &fields, StoredState &state) {
  return fields.count("state", state.version) &&
         fields.count("position", state.position) &&
         fields.map("next", state.next) && fields.map("caches", state.caches) &&
         fields.map("rows", state.rows);
}

namespace {

/// Calls `visit` with the index in `whole` of each entry of a tensor of `shape`
/// that begins there at `offsets`.
void forEachEntry(const TensorSpec &whole, llvm::ArrayRef<int64_t> offsets,
                  const std::vector<int64_t> &shape,
                  llvm::function_ref<void(int64_t, int64_t)> visit) {
  TensorSpec part{whole.type, shape};
  llvm::SmallVector<int64_t> strides = mlir::computeStrides(whole.shape);
  for (int64_t i = 0; i < part.elements(); ++i) {
    int64_t at = 0;
    for (auto [dim, index] : llvm::enumerate(coordinatesOf(part, i)))
      at += (offsets[dim] + index) * strides[dim];
    visit(at, i);
  }
}

std::string nameOfTensor(const ArtefactTensor &tensor, int64_t number) {
  return tensor.name.empty() ? fmt::format("#{}", number) : tensor.name;
}

/// The type of a cache of `position` positions.
TensorSpec specOf(const ArtefactCache &cache, const ArtefactHeader &header,
                  int64_t position) {
  TensorSpec spec = header.inputs[cache.input].spec;
  if (grows(cache, header))
    spec.shape[cache.dimension] = position;
  return spec;
}

llvm::StringRef bytesOf(const HostTensor &tensor) {
  return {reinterpret_cast<const char *>(tensor.buffer.data()),
          static_cast<size_t>(*tensor.spec.bytes())};
}

/// A tensor of a file; an error where its bytes are not as many as it has.
Result<HostTensor> readTensor(const Container &container,
                              const std::string &section,
                              const TensorSpec &spec) {
  const Section *found = container.find(section);
  std::optional<int64_t> bytes = spec.bytes();
  if (!found || !bytes || static_cast<int64_t>(found->bytes.size()) != *bytes)
    return Error{fmt::format("expected {} bytes of {} as section '{}', got {}",
                             bytes.value_or(0), toString(spec), section,
                             found ? found->bytes.size() : 0)};
  HostTensor tensor(spec);
  std::memcpy(tensor.buffer.data(), found->bytes.data(), found->bytes.size());
  return tensor;
}

Result<StoredState> readDescription(const Container &container) {
  json::Value value = json::Object(container.description);
  const auto *version = value.getAsObject()->get("state");
  if (!version)
    return Error{"expected a state that npu-run has saved, got an artefact"};
  if (version->getAsInteger() != kStateVersion)
    return Error{fmt::format("expected version {} of a state, got {}: save it "
                             "again with this npu-run",
                             kStateVersion,
                             version->getAsInteger().value_or(0))};
  StoredState stored;
  json::Path::Root root("state");
  if (!fromJSON(value, stored, root))
    return Error{llvm::toString(root.getError())};
  return stored;
}

} // namespace

HostTensor sliceOf(const HostTensor &whole, llvm::ArrayRef<int64_t> offsets,
                   const std::vector<int64_t> &shape) {
  HostTensor part(TensorSpec{whole.spec.type, shape});
  forEachEntry(whole.spec, offsets, shape, [&](int64_t from, int64_t to) {
    setBitsAt(part, to, bitsAt(whole, from));
  });
  return part;
}

void putInto(HostTensor &whole, llvm::ArrayRef<int64_t> offsets,
             const HostTensor &part) {
  forEachEntry(whole.spec, offsets, part.spec.shape,
               [&](int64_t to, int64_t from) {
                 setBitsAt(whole, to, bitsAt(part, from));
               });
}

HostTensor resized(const HostTensor &tensor, const TensorSpec &spec) {
  HostTensor made(spec);
  copyCommon(tensor, made);
  return made;
}

std::string nameOf(const ArtefactCache &cache, const ArtefactHeader &header) {
  return fmt::format("cache '{}' (input #{})",
                     nameOfTensor(header.inputs[cache.input], cache.input),
                     cache.input);
}

bool grows(const ArtefactCache &cache, const ArtefactHeader &header) {
  return llvm::any_of(header.inputs[cache.input].promptDimensions,
                      [&](const ArtefactPromptDimension &each) {
                        return each.dimension == cache.dimension;
                      });
}

DecodeState DecodeState::empty(const ArtefactHeader &header) {
  DecodeState state;
  for (const ArtefactCache &cache : header.caches) {
    HostTensor &tensor =
        state.caches.emplace_back(header.inputs[cache.input].spec);
    if (!grows(cache, header))
      std::memset(tensor.buffer.data(), 0,
                  static_cast<size_t>(*tensor.spec.bytes()));
  }
  return state;
}

DecodeState DecodeState::copy() const {
  DecodeState made;
  made.position = position;
  made.next = next;
  for (const HostTensor &cache : caches)
    made.caches.push_back(clone(cache));
  for (const auto &[input, tensor] : rows)
    made.rows.emplace(input, clone(tensor));
  return made;
}

Result<> DecodeState::save(const std::string &path,
                           const ArtefactHeader &header) const {
  StoredState stored;
  stored.position = position;
  stored.next = next;
  std::vector<HostTensor> kept;
  std::vector<Section> sections;
  // Of a cache, only what it holds: another artefact may have other memory.
  for (auto [cache, tensor] : llvm::zip_equal(header.caches, caches)) {
    TensorSpec spec = specOf(cache, header, position);
    stored.caches.push_back(
        {nameOfTensor(header.inputs[cache.input], cache.input),
         nameOf(spec.type), spec.shape});
    kept.push_back(resized(tensor, spec));
    sections.push_back({fmt::format("cache {}", sections.size()), {}});
  }
  for (const auto &[input, tensor] : rows) {
    sections.push_back({fmt::format("rows {}", stored.rows.size()), {}});
    stored.rows.push_back({nameOfTensor(header.inputs[input], input),
                           nameOf(tensor.spec.type), tensor.spec.shape});
    kept.push_back(clone(tensor));
  }
  for (auto [section, tensor] : llvm::zip_equal(sections, kept))
    section.bytes = bytesOf(tensor);
  if (Result<> checked = checkOutput("--save-state", path); !checked)
    return checked;
  return writeFileAtomically(path, [&](llvm::raw_ostream &out) {
    writeContainer(std::move(*json::Value(toJSON(stored)).getAsObject()),
                   sections, out);
  });
}

Result<DecodeState> DecodeState::load(const std::string &path,
                                      const ArtefactHeader &header) {
  auto fail = [&](const std::string &message) {
    return Error{path + ": " + message};
  };
  auto memory = readFile(path);
  if (!memory)
    return memory.error();
  noteInput("--load-state", path);
  auto container = readContainer((*memory)->getBuffer());
  if (!container)
    return fail(container.error().message);
  auto stored = readDescription(*container);
  if (!stored)
    return fail(stored.error().message);
  if (stored->caches.size() != header.caches.size())
    return fail(fmt::format("expected a state of {} caches, got one of {}",
                            header.caches.size(), stored->caches.size()));
  DecodeState state;
  state.position = stored->position;
  state.next = stored->next;
  for (auto [number, cache] : llvm::enumerate(header.caches)) {
    const StoredTensor &got = stored->caches[number];
    const ArtefactTensor &input = header.inputs[cache.input];
    if (state.position > cache.capacity)
      return fail(
          fmt::format("expected at most {} positions, as many as {} can "
                      "hold, got {}",
                      cache.capacity, nameOf(cache, header), state.position));
    TensorSpec spec = specOf(cache, header, state.position);
    if (got.name != nameOfTensor(input, cache.input) ||
        got.type != nameOf(spec.type) || got.shape != spec.shape)
      return fail(fmt::format("expected '{}' of {} for {}, got '{}' of {}{}",
                              nameOfTensor(input, cache.input), toString(spec),
                              nameOf(cache, header), got.name,
                              fmt::format("{}", fmt::join(got.shape, "x")),
                              "x" + got.type));
    auto tensor = readTensor(*container, fmt::format("cache {}", number), spec);
    if (!tensor)
      return fail(tensor.error().message);
    state.caches.push_back(resized(*tensor, input.spec));
  }
  for (auto [number, got] : llvm::enumerate(stored->rows)) {
    size_t at = 0;
    while (at < header.inputs.size() &&
           nameOfTensor(header.inputs[at], static_cast<int64_t>(at)) !=
               got.name)
      ++at;
    if (at == header.inputs.size())
      return fail(fmt::format("expected rows of an input of the artefact, got "
                              "those of '{}'",
                              got.name));
    const ArtefactTensor &input = header.inputs[at];
    TensorSpec spec{input.spec.type, got.shape};
    // Rows of all positions so far, or what does not grow with them.
    bool isAsInput = nameOf(spec.type) == got.type &&
                     got.shape.size() == input.spec.shape.size();
    for (size_t dim = 0; isAsInput && dim < got.shape.size(); ++dim)
      isAsInput = got.shape[dim] == state.position ||
                  got.shape[dim] == input.spec.shape[dim];
    if (!isAsInput)
      return fail(fmt::format("expected rows of {} for input '{}', got {}x{}",
                              toString(input.spec), got.name,
                              fmt::join(got.shape, "x"), got.type));
    auto tensor = readTensor(*container, fmt::format("rows {}", number), spec);
    if (!tensor)
      return fail(tensor.error().message);
    state.rows.emplace(static_cast<int64_t>(at), std::move(*tensor));
  }
  return state;
}

} // namespace npu
