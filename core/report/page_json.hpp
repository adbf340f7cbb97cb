// Building blocks of the page's JSON.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kernelbatch {

std::string json_text(const std::string& text);
/// A number with five digits, more than a page shows; null if it is not finite.
std::string json_number(double value);
std::string list_of(const std::vector<std::string>& nodes);
/// A list without trailing nulls.
std::string row_of(std::vector<std::string> cells);

/// Escapes every "<" for a script element, which "</script>" and "<!--" would end.
std::string without_tags(const std::string& text);

/// Names, which rows refer to by position.
class NameTable {
 public:
  std::size_t of(const std::string& name) {
    const auto [found, is_new] = positions_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(json_text(name));
    return found->second;
  }
  std::string list() const { return list_of(names_); }
  std::size_t size() const noexcept { return names_.size(); }

 private:
  std::map<std::string, std::size_t> positions_;
  std::vector<std::string> names_;
};

}  // namespace kernelbatch
