#include "core/app/capture/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "core/app/capture/triton_cache.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/device/fatbin.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Dim3 extent_of(const Json& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(),
          json.at(2).get<std::uint32_t>()};
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + k, hex.data() + k + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::vector<double> seconds_of(const Json& times_ns) {
  std::vector<double> times;
  for (const Json& ns : times_ns) times.push_back(1e-9 * ns.get<double>());
  return times;
}

/// PTX of the program's image; empty if there is none that can be read.
std::string ptx_of(const Json& json, const fs::path& folder, const std::string& kernel) {
  std::vector<std::string> stored;
  for (const Json& each : json) stored.push_back(read_file(folder / each.at("file")));
  std::vector<fatbin::Part> parts;
  for (const Json& each : json)
    parts.push_back({.is_ptx = true,
                     .capability = each.at("capability"),
                     .compression = each.at("compression"),
                     .bytes = each.at("bytes"),
                     .stored = stored[parts.size()]});
  return fatbin::ptx_with(std::move(parts), {kernel}).value_or("");
}

LaunchRecord read_launch(const fs::path& folder) {
  const Json json = Json::parse(read_file(folder / "launch.json"));
  LaunchRecord record{.folder = folder,
                      .kernel = json.at("kernel"),
                      .name = json.at("name"),
                      .device = json.at("device"),
                      .reason = json.at("reason"),
                      .bytes = bytes_of(json.at("bytes")),
                      .image = json.value("image", ""),
                      .images_of_name = json.at("images_of_name"),
                      .pointers = json.at("pointers"),
                      .carveout = json.value("carveout", -1),
                      .attributes = json.value("attributes", std::vector<unsigned>())};
  record.shape = {.grid = extent_of(json.at("grid")),
                  .block = extent_of(json.at("block")),
                  .shared_bytes = json.at("shared_bytes"),
                  .cooperative = json.at("cooperative"),
                  .cluster = extent_of(json.at("cluster"))};
  const std::string image = record.image.empty() ? "" : read_file(folder / record.image);
  record.code_use = machine_code_use(image, record.kernel);
  record.ptx = ptx_of(json.value("ptx", Json::array()), folder, record.kernel);
  if (record.ptx.empty()) record.ptx = ptx_in_triton_cache(record.kernel, image);
  if (const fs::path times = folder / "times.json"; fs::exists(times)) {
    const Json by_kind = Json::parse(read_file(times));
    record.cold_s = seconds_of(by_kind.at("cold"));
    record.warm_s = seconds_of(by_kind.at("warm"));
    record.later_s = seconds_of(by_kind.at("later"));
  }
  for (const Json& each : json.at("parameters"))
    record.parameters.push_back({each.at("offset"), each.at("size")});
  for (const Json& each : json.at("memory"))
    record.memory.push_back(
        {each.at("address"), each.at("bytes"), each.at("before"), each.value("after", "")});
  for (const Json& each : json.value("variables", Json::array()))
    record.memory.push_back({each.at("address"), each.at("bytes"), each.at("before"),
                             each.value("after", ""), each.at("name")});
  return record;
}

}  // namespace

std::vector<LaunchRecord> read_launches(const fs::path& folder) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".launch") folders.push_back(entry.path());
  std::ranges::sort(folders, {}, [](const fs::path& path) {
    return std::pair(fs::last_write_time(path), path.string());
  });
  std::vector<LaunchRecord> records;
  for (const fs::path& each : folders) try {
      records.push_back(read_launch(each));
    } catch (const Json::exception& error) {
      throw RunError(fmt::format("{}: {}", each.string(), error.what()));
    }
  return records;
}

std::vector<SeenKernelRecord> read_seen(const fs::path& folder) {
  std::map<std::string, SeenKernelRecord> seen;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().ends_with("-seen.json")) continue;
    const Json kernels = Json::parse(read_file(entry.path()), nullptr, false);
    if (!kernels.is_array()) continue;
    for (const Json& each : kernels) {
      SeenKernelRecord& kernel = seen[each.value("kernel", "")];
      kernel.name = each.value("name", "");
      kernel.launches += each.value("launches", std::uint64_t{0});
      kernel.in_graphs += each.value("in_graphs", std::uint64_t{0});
    }
  }
  std::vector<SeenKernelRecord> list;
  for (auto& [name, kernel] : seen) list.push_back(std::move(kernel));
  std::ranges::stable_sort(list, std::ranges::greater{}, [](const SeenKernelRecord& kernel) {
    return kernel.launches + kernel.in_graphs;
  });
  return list;
}

}  // namespace kernelbatch::app
