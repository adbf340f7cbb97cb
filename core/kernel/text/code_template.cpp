#include "core/kernel/text/code_template.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

namespace kernelbatch {

std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  std::set<std::string> used;
  for (std::size_t at = 0;;) {
    const std::size_t hole = text.find("${", at);
    result.append(text.substr(at, hole - at));
    if (hole == std::string_view::npos) break;
    const std::size_t end = text.find('}', hole);
    if (end == std::string_view::npos) throw std::logic_error("a template's hole has no end");
    const std::string name(text.substr(hole + 2, end - hole - 2));
    const auto value = values.find(name);
    if (value == values.end())
      throw std::logic_error(fmt::format("the template's hole ${{{}}} has no value", name));
    result += value->second;
    used.insert(name);
    at = end + 1;
  }
  for (const auto& [name, value] : values)
    if (!used.contains(name))
      throw std::logic_error(fmt::format("the template has no hole ${{{}}}", name));
  return result;
}

}  // namespace kernelbatch
