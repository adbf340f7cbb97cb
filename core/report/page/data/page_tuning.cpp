#include "core/report/page/data/page_tuning.hpp"

#include "core/report/tuning.hpp"

namespace kernelbatch {

void PageTuning::add(const ResultFile& file, std::size_t first) {
  const auto row_of_try = [&](const ResultRecord* record) {
    return first + static_cast<std::size_t>(record - file.results.data());
  };
  for (const Search& search : searches_of(file.results)) {
    const Tuned tuned = tuned_of(search);
    const PageJson none = PageJson::array();
    PageJson names = none, shares = none, values = none, tries = none, times = none, ends = none;
    for (const ParameterShare& share : shares_of(search)) {
      names.push_back(share.name);
      shares.push_back(page_number(share.share));
      values.push_back(share.values);
    }
    for (const ResultRecord* record : search.tries) {
      tries.push_back(row_of_try(record));
      times.push_back(page_number(time_of_try(*record)));
    }
    for (const double end : ends_of_tries(search)) ends.push_back(page_number(end));
    searches_.push_back(
        {{"names", std::move(names)},
         {"shares", std::move(shares)},
         {"values", std::move(values)},
         {"best", tuned.best == nullptr ? PageJson() : PageJson(row_of_try(tuned.best))},
         {"as_good", tuned.as_good},
         {"tries", std::move(tries)},
         {"times", std::move(times)},
         {"ends", std::move(ends)}});
  }
}

}  // namespace kernelbatch
