// Page data of searches over parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/page/data/page_json.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// One object for each search; its tries are stored as columns. Configurations, intervals and
/// reasons of tries are those of the page's results.
class PageTuning {
 public:
  /// `first`: the page row of the file's first result.
  void add(const ResultFile& file, std::size_t first);

  /// The page's member `tuning`.
  const PageJson& searches() const noexcept { return searches_; }

 private:
  PageJson searches_ = PageJson::array();
};

}  // namespace kernelbatch
