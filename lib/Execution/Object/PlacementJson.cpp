// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/Execution/Object/PlacementJson.h"

#include "npu/Artefact/Container.h"
#include "npu/Artefact/JsonFields.h"

namespace json = llvm::json;
using json::Path;

namespace npu {

/// What a site is, without its count.
struct SiteText {
  std::optional<int64_t> row;
  std::vector<std::optional<int64_t>> devices;
  std::string name, location;
};

template <typename Fields>
static bool mapFields(Fields &fields, DeviceRow &row) {
  return fields.map("function", row.function) && fields.map("op", row.name) &&
         fields.map("location", row.location) && fields.map("tile", row.tile) &&
         fields.map("kernel", row.kernel) && fields.map("reason", row.reason) &&
         fields.map("computes", row.computes) &&
         fields.map("bytes_from_tiles", row.bytesFromTiles) &&
         fields.map("bytes_to_tiles", row.bytesToTiles) &&
         fields.map("runs_at_least", row.executions.least) &&
         fields.map("runs_at_most", row.executions.most);
}

template <typename Fields>
static bool mapFields(Fields &fields, SiteText &site) {
  return fields.map("row", site.row) && fields.map("devices", site.devices) &&
         fields.map("name", site.name) && fields.map("location", site.location);
}

std::string placementToJson(const DeviceTable &table,
                            const ExecutionRecord &record) {
  std::vector<SiteText> sites;
  for (const ExecutionSite &site : record.sites)
    sites.push_back({site.row,
                     {site.devices.begin(), site.devices.end()},
                     site.name,
                     site.location});
  std::string text;
  llvm::raw_string_ostream os(text);
  json::Value all = json::Object{{"rows", table.rows}, {"sites", sites}};
  os << llvm::formatv("{0:2}\n", all);
  return text;
}

Result<> placementFromJson(llvm::StringRef text, DeviceTable &table,
                           ExecutionRecord &record) {
  Result<json::Object> object = parseJsonObject(text);
  if (!object)
    return Error{"placement: " + object.error().message};
  Path::Root root("placement");
  json::Value value = std::move(*object);
  JsonReader fields(value, root);
  std::vector<SiteText> sites;
  if (!fields.map("rows", table.rows) || !fields.map("sites", sites))
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
