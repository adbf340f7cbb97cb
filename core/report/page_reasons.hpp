// What the page says of why results take the time they take.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/report/explain/explain.hpp"
#include "core/report/page_json.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// Rows of what explain_results() says: of whole cases, until they are as many results as a reader
/// looks at. Facts of one result take longer than all the rest that the page has of it.
class PageReasons {
 public:
  /// `first`: the row of the page that the file's first result stands in.
  void add(const ResultFile& file, std::size_t first);

  /// Members of the page's object, without its braces: `reasons` (of results), `gaps` (of a slower
  /// result and the fastest of its case), the names and units that they refer to.
  std::string members() const;

 private:
  void add_result(const ExplainedResult& result, std::size_t row);
  void add_gap(const ExplainedPair& pair, std::size_t slow, std::size_t fast);

  NameTable classes_, notes_;
  std::vector<std::string> reasons_, gaps_;
  std::size_t cases_left_out_ = 0;
  bool has_evidence_ = false;
};

}  // namespace kernelbatch
