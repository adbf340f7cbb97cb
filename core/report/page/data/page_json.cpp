#include "core/report/page/data/page_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace kernelbatch {

PageJson page_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double rounded = std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
  constexpr double kMostWhole = 1e15;
  if (rounded == std::trunc(rounded) && std::abs(rounded) < kMostWhole)
    return static_cast<std::int64_t>(rounded);
  return rounded;
}

PageJson page_count(std::int64_t value) { return value < 0 ? PageJson() : PageJson(value); }

PageJson page_row(PageJson::array_t cells) {
  while (!cells.empty() && cells.back().is_null()) cells.pop_back();
  return cells;
}

std::string page_text(const PageJson& json) {
  return without_tags(json.dump(-1, ' ', false, PageJson::error_handler_t::replace));
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
