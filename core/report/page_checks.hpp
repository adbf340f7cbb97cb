// What the page says of how outputs were checked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/page_json.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Rows of the outputs of results that were held against a reference: how, with which tolerance,
/// and how far off they were.
class PageChecks {
 public:
  /// `result`: the row of the page that the result stands in.
  void add(const ResultRecord& record, std::size_t result);

  /// Members of the page's object, without its braces: `check_columns`, `checks`,
  /// `checks_left_out`, and the names that the rows refer to, `check_names`.
  std::string members() const;

 private:
  NameTable names_;
  std::vector<std::string> rows_;
  std::size_t left_out_ = 0;
};

}  // namespace kernelbatch
