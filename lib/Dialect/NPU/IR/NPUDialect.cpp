// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect: what it registers, how its attributes are parsed, and their
// aliases.

#include "npu/Dialect/NPU/IR/NPUDialect.h"

#include "npu/Dialect/NPU/IR/ReportedOnce.h"
#include "npu/Dialect/NPU/IR/TensorPlacement.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/RWMutex.h"

#include <atomic>
#include <unordered_map>

using namespace mlir;

#include "npu/Dialect/NPU/IR/NPUDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "npu/Dialect/NPU/IR/NPUAttributes.cpp.inc"

namespace npu {

// Placements by (layout, shape). Encodings are verified at every textual use of
// a type, and every pass asks for boxes again: each pair is computed once per
// context. The placement of a type is found without a lock.

/// A hash table of addresses that grows and never forgets. Reading it takes no
/// lock, and mostly one probe.
class PlacementIndex {
public:
  PlacementIndex() { publish(std::make_unique<Table>(64)); }

  /// The placement of a type; null if it has not been inserted.
  const Result<Placement> *lookup(const void *type) const;

  /// Inserts the placement of a type. Precondition: one thread at a time calls
  /// this.
  void insert(const void *type, const Result<Placement> *placement);

private:
  /// A slot whose `type` is set does not change any more.
  struct Slot {
    std::atomic<const void *> type = nullptr;
    const Result<Placement> *placement = nullptr;
  };
  /// The number of slots is a power of two, at most half of them taken.
  struct Table {
    explicit Table(std::size_t size) : size(size), slots(new Slot[size]) {}
    Slot &find(const void *type) const;

    std::size_t size;
    std::size_t taken = 0;
    std::unique_ptr<Slot[]> slots;
  };

  void publish(std::unique_ptr<Table> table);

  std::atomic<const Table *> current;
  /// All tables: the last one is `current`, and older ones are kept for threads
  /// that still read them.
  std::vector<std::unique_ptr<Table>> tables;
};

class PlacementCache {
public:
  const Result<Placement> &get(LayoutAttr layout, const Extents &shape);
  const Result<Placement> &get(RankedTensorType type);

private:
  struct Key {
    LayoutAttr layout;
    Extents shape;
    bool operator==(const Key &other) const {
      return layout == other.layout && shape == other.shape;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key &key) const {
      return llvm::hash_combine(
          key.layout,
          llvm::hash_combine_range(key.shape.begin(), key.shape.end()));
    }
  };

  llvm::sys::RWMutex mutex;
  /// This map is node-based, so that references stay valid while it grows.
  std::unordered_map<Key, Result<Placement>, KeyHash> placements;
  PlacementIndex ofTypes;
};

PlacementIndex::Slot &PlacementIndex::Table::find(const void *type) const {
  for (std::size_t i = llvm::hash_value(type);; ++i) {
    Slot &slot = slots[i & (size - 1)];
    const void *found = slot.type.load(std::memory_order_acquire);
    if (!found || found == type)
      return slot;
  }
}

const Result<Placement> *PlacementIndex::lookup(const void *type) const {
  Slot &slot = current.load(std::memory_order_acquire)->find(type);
  // Another thread may have filled an empty slot with another type meanwhile.
  return slot.type.load(std::memory_order_acquire) == type ? slot.placement
                                                           : nullptr;
}

void PlacementIndex::insert(const void *type,
                            const Result<Placement> *placement) {
  auto put = [](Table &table, const void *type,
                const Result<Placement> *placement) {
    Slot &slot = table.find(type);
    if (slot.type.load(std::memory_order_relaxed))
      return;
    slot.placement = placement;
    slot.type.store(type, std::memory_order_release);
    ++table.taken;
  };
  Table *table = tables.back().get();
  if (table->taken * 2 < table->size)
    return put(*table, type, placement);
  auto larger = std::make_unique<Table>(table->size * 2);
  for (std::size_t i = 0; i < table->size; ++i)
    if (const Slot &slot = table->slots[i];
        const void *known = slot.type.load(std::memory_order_relaxed))
      put(*larger, known, slot.placement);
  put(*larger, type, placement);
  publish(std::move(larger));
}

void PlacementIndex::publish(std::unique_ptr<Table> table) {
  current.store(table.get(), std::memory_order_release);
  tables.push_back(std::move(table));
}

const Result<Placement> &PlacementCache::get(LayoutAttr layout,
                                             const Extents &shape) {
  Key key{layout, shape};
  {
    llvm::sys::ScopedReader lock(mutex);
    if (auto it = placements.find(key); it != placements.end())
      return it->second;
  }
  // Compute outside of the lock; of two threads that race, the first one's
  // result is kept, and both results are equal.
  Result<Placement> placement = place(layout.getDistribution(), shape);
  llvm::sys::ScopedWriter lock(mutex);
  return placements.try_emplace(key, std::move(placement)).first->second;
}

const Result<Placement> &PlacementCache::get(RankedTensorType type) {
  if (const Result<Placement> *placement =
          ofTypes.lookup(type.getAsOpaquePointer()))
    return *placement;
  Key key{getLayout(type), toExtents(type.getShape())};
  {
    // The encoding of a type that was parsed has been placed already: one lock
    // for looking and for remembering.
    llvm::sys::ScopedWriter lock(mutex);
    if (auto it = placements.find(key); it != placements.end()) {
      ofTypes.insert(type.getAsOpaquePointer(), &it->second);
      return it->second;
    }
  }
  const Result<Placement> &placement = get(key.layout, key.shape);
  llvm::sys::ScopedWriter lock(mutex);
  ofTypes.insert(type.getAsOpaquePointer(), &placement);
  return placement;
}

const Result<Placement> &NPUDialect::getPlacement(LayoutAttr layout,
                                                  const Extents &shape) {
  return placements->get(layout, shape);
}

const Result<Placement> &NPUDialect::getPlacement(RankedTensorType type) {
  return placements->get(type);
}

// A memo of parsed layouts by their text. A layout that is written inline,
// rather than as an alias, occurs with every use of a value, and one of
// explicit boxes has thousands of characters.

/// The memo of a context, which is freed with the context. Safe to use from
/// several threads.
class ParsedLayouts {
public:
  /// The attribute that `text` was parsed to, or null.
  Attribute lookup(StringRef text) {
    llvm::sys::ScopedReader lock(mutex);
    return layouts.lookup(text);
  }

  /// Remembers the attribute of a text. Precondition: the text determines the
  /// attribute; it names no alias or other attribute, which could be another
  /// one in the next file.
  void remember(StringRef text, Attribute attribute) {
    llvm::sys::ScopedWriter lock(mutex);
    layouts.try_emplace(text, attribute);
  }

private:
  llvm::sys::RWMutex mutex;
  llvm::StringMap<Attribute> layouts;
};

namespace {

/// Layouts print as #segmented, #overlapped, ... so that the dump of a whole
/// model stays readable; MLIR numbers them.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    auto layout = dyn_cast<LayoutAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    if (layout.isDistributed()) {
      for (char c : toString(layout.getDistribution().mode))
        os << (c == '|' ? '_' : llvm::toLower(c));
    } else if (auto name = orderName(layout.getOrder())) {
      os << StringRef(*name).lower();
    } else {
      os << "ordered";
    }
    return AliasResult::OverridableAlias;
  }
};

/// Allows inlining everywhere: no operation of the dialect depends on the
/// function that it is in.
struct InlineAnywhere : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
};

} // namespace

void NPUDialect::initialize() {
  placements = std::make_shared<PlacementCache>();
  parsedLayouts = std::make_shared<ParsedLayouts>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "npu/Dialect/NPU/IR/NPUAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "npu/Dialect/NPU/IR/NPUOps.cpp.inc"
      >();
  declarePromisedInterface<bufferization::BufferizableOpInterface,
                           TransferOp>();
  addInterfaces<LayoutAliases, InlineAnywhere, ReportedOnce>();
}

Attribute NPUDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  // The parser continues after this text, whether or not it is parsed here.
  StringRef text = parser.getFullSymbolSpec();
  if (Attribute parsed = parsedLayouts->lookup(text))
    return parsed;
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  if (!generatedAttributeParser(parser, &mnemonic, type, attr).has_value()) {
    parser.emitError(loc) << "unknown attribute `" << mnemonic
                          << "` in dialect `" << getNamespace() << "`";
    return {};
  }
  // The text of a layout names no other attribute, and no type follows it.
  if (isa_and_nonnull<LayoutAttr>(attr))
    parsedLayouts->remember(text, attr);
  return attr;
}

void NPUDialect::printAttribute(Attribute attr,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

} // namespace npu
