// Page data explaining the times of results.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/explain/explain.hpp"
#include "core/report/page/data/page_json.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// Rows from explain_results() for whole cases, limited to the number of results that a reader
/// inspects: computing a result's facts takes longer than all of its other page data.
class PageReasons {
 public:
  /// `first`: the page row of the file's first result.
  void add(const ResultFile& file, std::size_t first);

  /// Adds the page's members `reasons` (of results), `gaps` (of a slower result and the fastest of
  /// its case), and the names and units that they refer to.
  void write(PageJson& page) const;

 private:
  void add_result(const ExplainedResult& result, std::size_t row);
  void add_gap(const ExplainedPair& pair, std::size_t slow, std::size_t fast);

  NameTable classes_, notes_;
  PageJson reasons_ = PageJson::array(), gaps_ = PageJson::array();
  std::size_t cases_left_out_ = 0;
  bool has_evidence_ = false;
};

}  // namespace kernelbatch
