// Building blocks of the page's JSON.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace kernelbatch {

using PageJson = nlohmann::ordered_json;

/// A number with five digits, more than a page shows; null if it is not finite.
PageJson page_number(double value);
/// Null if it is negative.
PageJson page_count(std::int64_t value);
/// A list without trailing nulls.
PageJson page_row(PageJson::array_t cells);

/// In one line. Every "<" is escaped for a script element, which "</script>" and "<!--" would end.
std::string page_text(const PageJson& json);
std::string without_tags(const std::string& text);

/// Names, which rows refer to by position.
class NameTable {
 public:
  std::size_t of(const std::string& name) {
    const auto [found, is_new] = positions_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const PageJson& list() const noexcept { return names_; }
  std::size_t size() const noexcept { return names_.size(); }

 private:
  std::map<std::string, std::size_t> positions_;
  PageJson names_ = PageJson::array();
};

}  // namespace kernelbatch
