// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Object/PlacementJson.h"

#include "npu/Artefact/Container.h"

namespace json = llvm::json;
using json::ObjectMapper;
using json::Path;
using json::Value;

namespace npu {

/// What a site is, without its count.
struct SiteText {
  std::optional<int64_t> row;
  std::vector<std::optional<int64_t>> devices;
  std::string name, location;
};

namespace {

Value numberOrNull(std::optional<int64_t> number) {
  return number ? Value(*number) : Value(nullptr);
}

json::Object toJson(const DeviceRow &row) {
  return json::Object{{"function", row.function},
                      {"op", row.name},
                      {"location", row.location},
                      {"tile", numberOrNull(row.tile)},
                      {"kernel", row.kernel},
                      {"reason", row.reason},
                      {"computes", row.computes},
                      {"bytes_from_tiles", numberOrNull(row.bytesFromTiles)},
                      {"bytes_to_tiles", numberOrNull(row.bytesToTiles)},
                      {"runs_at_least", row.executions.least},
                      {"runs_at_most", numberOrNull(row.executions.most)}};
}

json::Object toJson(const ExecutionSite &site) {
  json::Array devices;
  for (std::optional<int64_t> tile : site.devices)
    devices.push_back(numberOrNull(tile));
  std::optional<int64_t> row;
  if (site.row)
    row = static_cast<int64_t>(*site.row);
  return json::Object{{"row", numberOrNull(row)},
                      {"devices", std::move(devices)},
                      {"name", site.name},
                      {"location", site.location}};
}

} // namespace

// llvm::json finds these by the namespace of their arguments.

static bool fromJSON(const Value &value, DeviceRow &row, Path path) {
  ObjectMapper object(value, path);
  return object && object.map("function", row.function) &&
         object.map("op", row.name) && object.map("location", row.location) &&
         object.map("tile", row.tile) && object.map("kernel", row.kernel) &&
         object.map("reason", row.reason) &&
         object.map("computes", row.computes) &&
         object.map("bytes_from_tiles", row.bytesFromTiles) &&
         object.map("bytes_to_tiles", row.bytesToTiles) &&
         object.map("runs_at_least", row.executions.least) &&
         object.map("runs_at_most", row.executions.most);
}

static bool fromJSON(const Value &value, SiteText &site, Path path) {
  ObjectMapper object(value, path);
  return object && object.map("row", site.row) &&
         object.map("devices", site.devices) && object.map("name", site.name) &&
         object.map("location", site.location);
}

std::string placementToJson(const DeviceTable &table,
                            const ExecutionRecord &record) {
  json::Array rows, sites;
  for (const DeviceRow &row : table.rows)
    rows.push_back(toJson(row));
  for (const ExecutionSite &site : record.sites)
    sites.push_back(toJson(site));
  std::string text;
  llvm::raw_string_ostream os(text);
  Value all =
      json::Object{{"rows", std::move(rows)}, {"sites", std::move(sites)}};
  os << llvm::formatv("{0:2}\n", all);
  return text;
}

Result<> placementFromJson(llvm::StringRef text, DeviceTable &table,
                        ExecutionRecord &record) {
  Result<json::Object> object = parseJsonObject(text);
  if (!object)
    return Error{"placement: " + object.error().message};
  Path::Root root("placement");
  Value value = std::move(*object);
  ObjectMapper mapper(value, root);
  std::vector<SiteText> sites;
  if (!mapper || !mapper.map("rows", table.rows) || !mapper.map("sites", sites))
    return Error{llvm::toString(root.getError())};
  for (SiteText &text : sites) {
    ExecutionSite &site = record.sites.emplace_back();
    if (text.row)
      site.row = static_cast<size_t>(*text.row);
    site.devices.insert(text.devices.begin(), text.devices.end());
    site.name = std::move(text.name);
    site.location = std::move(text.location);
  }
  return Success();
}

} // namespace npu
