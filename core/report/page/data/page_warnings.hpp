// Page warnings: limits of the measurements.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/page/data/page_json.hpp"
#include "core/result/reader.hpp"

namespace kernelbatch {

/// Distinct warnings of all files with the number of results affected. They are derived from the
/// files only: devices, calibration, suspect results, shares of ceilings, and notes of results.
class PageWarnings {
 public:
  void add(const ResultFile& file);

  /// A list of [kind, text], most serious first. Kinds: simulation, noise, suspect, ceiling, and
  /// note.
  PageJson list() const;

 private:
  /// Results with the same warning.
  struct Said {
    std::string text;                ///< of the first of them
    std::vector<std::string> names;  ///< "mse raw", each once
    std::size_t results = 0;
  };
  /// Distinct texts in order of appearance; texts that differ only in numbers are equal.
  class Texts {
   public:
    void add(std::string_view text, const ResultRecord& record);
    const std::vector<Said>& all() const noexcept { return all_; }

   private:
    std::vector<Said> all_;
    std::map<std::string, std::size_t> places_;
  };

  std::vector<std::string> noise_, simulated_devices_;
  Texts suspects_, notes_, beyond_;
  std::size_t timed_ = 0, simulated_ = 0;
  double highest_share_ = 0;
};

}  // namespace kernelbatch
