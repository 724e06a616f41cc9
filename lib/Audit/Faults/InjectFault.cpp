// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which fault is meant, and where.

#include "npu/Audit/Faults/InjectFault.h"
#include "FaultsOf.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace npu {
namespace {

constexpr std::array kinds = {
    FaultKind::WrongScale, FaultKind::DroppedRow, FaultKind::SwappedOperands,
    FaultKind::OffByOneWindow, FaultKind::WrongBroadcast};

std::string listKinds() {
  std::string text;
  for (FaultKind kind : kinds)
    text += nameOf(kind).str() + ", ";
  return text + "random:SEED";
}

/// Whether one of the names or places of `loc` is `text`; a place may leave out
/// the folders of its file.
bool isAt(Location loc, StringRef text) {
  bool found = false;
  loc->walk([&](Location each) {
    if (auto name = dyn_cast<NameLoc>(each))
      found |= name.getName().getValue() == text;
    if (auto place = dyn_cast<FileLineColRange>(each)) {
      std::string where = ":" + std::to_string(place.getStartLine()) + ":" +
                          std::to_string(place.getStartColumn());
      StringRef file = place.getFilename().getValue();
      found |= (file + where).str() == text ||
               (llvm::sys::path::filename(file) + where).str() == text;
    }
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// A fault, and the number of its operation.
struct Place {
  PossibleFault fault;
  unsigned number;
};

SmallVector<Place> placesIn(func::FuncOp function, const FaultSpec &spec) {
  SmallVector<Place> places;
  unsigned number = 0;
  function.walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
    unsigned mine = number++;
    if ((spec.number && *spec.number != mine) ||
        (!spec.location.empty() && !isAt(op.getLoc(), spec.location)) ||
        !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        op->use_empty() || op.hasDynamicShape())
      return;
    for (const PossibleFault &fault : faultsOf(op))
      if (!spec.kind || fault.kind == *spec.kind)
        places.push_back({fault, mine});
  });
  return places;
}

/// One of the places. Kinds are as likely as each other, and so are the
/// operations of a kind, however many ways there are to spoil one of them.
Place choose(ArrayRef<Place> places, std::mt19937_64 &dice) {
  auto narrowed = [&](ArrayRef<Place> from, auto keyOf) {
    SmallVector<unsigned> keys;
    for (const Place &each : from)
      if (!llvm::is_contained(keys, keyOf(each)))
        keys.push_back(keyOf(each));
    unsigned key = keys[dice() % keys.size()];
    SmallVector<Place> left;
    llvm::copy_if(from, std::back_inserter(left),
                  [&](const Place &each) { return keyOf(each) == key; });
    return left;
  };
  SmallVector<Place> left = narrowed(places, [](const Place &each) {
    return static_cast<unsigned>(each.fault.kind);
  });
  left = narrowed(left, [](const Place &each) { return each.number; });
  return left[dice() % left.size()];
}

} // namespace

StringRef nameOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::WrongScale:
    return "wrong-scale";
  case FaultKind::DroppedRow:
    return "dropped-row";
  case FaultKind::SwappedOperands:
    return "swapped-operands";
  case FaultKind::OffByOneWindow:
    return "off-by-one-window";
  case FaultKind::WrongBroadcast:
    return "wrong-broadcast";
  }
  llvm_unreachable("every kind has a name");
}

Result<FaultSpec> parseFault(StringRef text) {
  FaultSpec spec;
  StringRef rest = text;
  if (rest.consume_front("random:")) {
    if (rest.getAsInteger(10, spec.seed))
      return Error{"expected a number after random:, got '" + rest.str() +
                   "'"};
    return spec;
  }
  StringRef name = rest.take_until([](char c) { return c == '@' || c == '#'; });
  rest = rest.drop_front(name.size());
  for (FaultKind kind : kinds)
    if (nameOf(kind) == name)
      spec.kind = kind;
  if (!spec.kind)
    return Error{"expected a fault (" + listKinds() + "), got '" + name.str() +
                 "'"};
  if (size_t hash = rest.rfind('#'); hash != StringRef::npos) {
    StringRef seed = rest.drop_front(hash + 1);
    if (seed.getAsInteger(10, spec.seed))
      return Error{"expected a number after #, got '" + seed.str() + "'"};
    rest = rest.take_front(hash);
  }
  if (!rest.consume_front("@"))
    return spec;
  unsigned number = 0;
  if (rest.empty())
    return Error{"expected a number, a place or a name after @"};
  if (rest.getAsInteger(10, number))
    spec.location = rest.str();
  else
    spec.number = number;
  return spec;
}

LogicalResult injectFault(func::FuncOp function, const FaultSpec &spec,
                          InjectedFault *injected) {
  SmallVector<Place> places = placesIn(function, spec);
  if (places.empty()) {
    InFlightDiagnostic error = mlir::emitError(function.getLoc())
                               << "'" << function.getName()
                               << "' has no structured operation ";
    if (spec.number)
      error << "#" << *spec.number << " ";
    if (!spec.location.empty())
      error << "at '" << spec.location << "' ";
    return error << "that can have the fault '"
                 << (spec.kind ? nameOf(*spec.kind) : "any") << "'";
  }
  std::mt19937_64 dice(spec.seed);
  Place place = choose(places, dice);
  InjectedFault done{place.fault.kind, place.fault.op->getLoc(),
                     place.fault.op->getName().getStringRef().str(),
                     place.number, ""};
  done.what = spoil(place.fault, dice);
  if (injected)
    *injected = std::move(done);
  return success();
}

} // namespace npu
