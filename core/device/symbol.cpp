#include "core/device/symbol.hpp"

#include <algorithm>

namespace kernelbatch {

std::string variable_symbol(std::string_view name) {
  if (name.find("::") == std::string_view::npos) return std::string(name);
  std::string symbol = "_ZN";
  while (!name.empty()) {
    const std::size_t end = std::min(name.find("::"), name.size());
    if (end > 0) symbol += std::to_string(end) + std::string(name.substr(0, end));
    name.remove_prefix(std::min(end + 2, name.size()));
  }
  return symbol + "E";
}

}  // namespace kernelbatch
