#include "core/report/page_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"

namespace kernelbatch {

std::string json_text(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "null";
}

std::string list_of(const std::vector<std::string>& nodes) { return "[" + join(nodes, ",") + "]"; }

std::string row_of(std::vector<std::string> cells) {
  while (!cells.empty() && cells.back() == "null") cells.pop_back();
  return list_of(cells);
}

std::string without_tags(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

}  // namespace kernelbatch
