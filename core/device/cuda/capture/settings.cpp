#include "core/device/cuda/capture/settings.hpp"

#include <nlohmann/json.hpp>

namespace kernelbatch::capture {

std::string to_json(const Settings& settings) {
  return nlohmann::json{{"folder", settings.folder},        {"kernel", settings.kernel},
                        {"cupti", settings.cupti},          {"nth", settings.nth},
                        {"count", settings.count},          {"limit", settings.limit},
                        {"distinct", settings.is_distinct}, {"range", settings.has_range},
                        {"graphs", settings.has_graphs},    {"deep", settings.is_deep}}
      .dump();
}

Settings settings_of(const std::string& json) {
  const auto read = nlohmann::json::parse(json);
  Settings settings;
  read.at("folder").get_to(settings.folder);
  read.at("kernel").get_to(settings.kernel);
  read.at("cupti").get_to(settings.cupti);
  read.at("nth").get_to(settings.nth);
  read.at("count").get_to(settings.count);
  read.at("limit").get_to(settings.limit);
  read.at("distinct").get_to(settings.is_distinct);
  read.at("range").get_to(settings.has_range);
  read.at("graphs").get_to(settings.has_graphs);
  read.at("deep").get_to(settings.is_deep);
  return settings;
}

}  // namespace kernelbatch::capture
