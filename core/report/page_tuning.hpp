// Page data of searches over parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/page_json.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// One object for each search; its tries are stored as columns. Configurations, intervals and
/// reasons of tries are those of the page's results.
class PageTuning {
 public:
  /// `first`: the page row of the file's first result.
  void add(const ResultFile& file, std::size_t first);

  /// The member `tuning` of the page's object, without its braces.
  std::string member() const;

 private:
  std::vector<std::string> searches_;
};

}  // namespace kernelbatch
