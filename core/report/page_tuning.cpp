#include "core/report/page_tuning.hpp"

#include <fmt/format.h>

#include "core/report/tuning.hpp"

namespace kernelbatch {
namespace {

/// A number in the shortest JSON form.
std::string short_number(double value) {
  std::string text = json_number(value);
  const std::size_t at = text.find("e-0");
  if (at != std::string::npos) text.erase(at + 2, 1);
  return text;
}

}  // namespace

void PageTuning::add(const ResultFile& file, std::size_t first) {
  const auto row_of_try = [&](const ResultRecord* record) {
    return fmt::format("{}", first + static_cast<std::size_t>(record - file.results.data()));
  };
  for (const Search& search : searches_of(file.results)) {
    const Tuned tuned = tuned_of(search);
    std::vector<std::string> names, shares, values, tries, times, ends;
    for (const ParameterShare& share : shares_of(search)) {
      names.push_back(json_text(share.name));
      shares.push_back(json_number(share.share));
      values.push_back(fmt::format("{}", share.values));
    }
    for (const ResultRecord* record : search.tries) {
      tries.push_back(row_of_try(record));
      times.push_back(short_number(time_of_try(*record)));
    }
    for (const double end : ends_of_tries(search)) ends.push_back(short_number(end));
    searches_.push_back(fmt::format(
        R"({{"names":{},"shares":{},"values":{},"best":{},"as_good":{},"tries":{},"times":{},)"
        R"("ends":{}}})",
        list_of(names), list_of(shares), list_of(values),
        tuned.best == nullptr ? "null" : row_of_try(tuned.best), tuned.as_good, list_of(tries),
        list_of(times), list_of(ends)));
  }
}

std::string PageTuning::member() const { return R"("tuning":)" + list_of(searches_); }

}  // namespace kernelbatch
