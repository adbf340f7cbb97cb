// Page data of the checks of outputs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/page/data/page_json.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// Rows for outputs that were compared with a reference: method, tolerance and error.
class PageChecks {
 public:
  /// `result`: the result's row in the page.
  void add(const ResultRecord& record, std::size_t result);

  /// Adds the page's members `check_columns`, `checks`, `checks_left_out`, and `check_names`, which
  /// the rows refer to.
  void write(PageJson& page) const;

 private:
  NameTable names_;
  PageJson rows_ = PageJson::array();
  std::size_t left_out_ = 0;
};

}  // namespace kernelbatch
