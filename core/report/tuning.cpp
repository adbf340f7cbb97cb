#include "core/report/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/text.hpp"
#include "core/report/table.hpp"

namespace kernelbatch {
namespace {

/// The parameters that were searched, or the others.
std::string params_of(const ResultRecord& record, bool is_searched) {
  const std::vector<std::string> names = split(record.tuned, ' ');
  NamedValues chosen;
  for (const auto& value : record.params)
    if ((std::ranges::find(names, value.first) != names.end()) == is_searched)
      chosen.push_back(value);
  return to_text(chosen);
}

bool overlap(const Summary& a, const Summary& b) {
  // Without an interval only the medians speak.
  const auto low = [](const Summary& s) { return std::isnan(s.ci95_low) ? s.median : s.ci95_low; };
  const auto high = [](const Summary& s) {
    return std::isnan(s.ci95_high) ? s.median : s.ci95_high;
  };
  return low(a) <= high(b) && low(b) <= high(a);
}

std::string range_text(const Summary& summary) {
  if (std::isnan(summary.ci95_low) || std::isnan(summary.ci95_high)) return "";
  return format_seconds(summary.ci95_low) + " … " + format_seconds(summary.ci95_high);
}

}  // namespace

std::vector<Tuned> tuned_of(const std::vector<ResultRecord>& results) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, std::vector<const ResultRecord*>> groups;
  for (const ResultRecord& record : results)
    // The reference does not know what is tuned.
    if (!record.tuned.empty() && record.kind != "reference")
      groups[{record.workload, params_of(record, false), record.variant}].push_back(&record);
  std::vector<Tuned> all;
  for (const auto& [key, records] : groups) {
    Tuned tuned;
    std::tie(tuned.workload, tuned.params, tuned.variant) = key;
    tuned.tried = records.size();
    for (const ResultRecord* record : records) {
      const double time = record->ranked_time();
      if (std::isnan(time)) {
        ++tuned.failed;
        continue;
      }
      if (tuned.best == nullptr || time < tuned.best->ranked_time()) tuned.best = record;
      if (tuned.slowest == nullptr || time > tuned.slowest->ranked_time()) tuned.slowest = record;
    }
    if (tuned.best == nullptr) continue;
    tuned.as_good =
        static_cast<std::size_t>(std::ranges::count_if(records, [&](const ResultRecord* record) {
          return !std::isnan(record->ranked_time()) && overlap(record->cold, tuned.best->cold);
        }));
    all.push_back(std::move(tuned));
  }
  return all;
}

std::string tuning_table(const std::vector<ResultRecord>& results, const TextFormat& format) {
  TextTable table({"workload", "case", "variant", "best", "median", "95 %", "against slowest",
                   "as good", "tried", "failed"});
  for (const Tuned& tuned : tuned_of(results))
    table.add({tuned.workload, tuned.params, tuned.variant, params_of(*tuned.best, true),
               format_seconds(tuned.best->ranked_time()), range_text(tuned.best->cold),
               speedup_text(tuned.slowest->ranked_time() / tuned.best->ranked_time()),
               std::to_string(tuned.as_good), std::to_string(tuned.tried),
               std::to_string(tuned.failed)});
  if (table.empty()) return "";
  return "Best of what was tuned:\n" + table.to_text({4, 6, 7, 8, 9}, format) + "\n";
}

}  // namespace kernelbatch
