// What the page says of searches over parameters.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/page_json.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// One object for each search, whose tries are columns. Configurations, intervals and reasons of
/// tries are those of the page's results.
class PageTuning {
 public:
  /// `first`: the row of the page that the file's first result stands in.
  void add(const ResultFile& file, std::size_t first);

  /// The member `tuning` of the page's object, without its braces.
  std::string member() const;

 private:
  std::vector<std::string> searches_;
};

}  // namespace kernelbatch
