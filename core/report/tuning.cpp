#include "core/report/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/text.hpp"
#include "core/report/shown_columns.hpp"
#include "core/report/table.hpp"

namespace kernelbatch {
namespace {

/// The searched parameters, or the others.
std::string params_of(const ResultRecord& record, bool is_searched) {
  const std::vector<std::string> names = split(record.tuned, ' ');
  NamedValues chosen;
  for (const auto& value : record.params)
    if ((std::ranges::find(names, value.first) != names.end()) == is_searched)
      chosen.push_back(value);
  return to_text(chosen);
}

/// Digests of the sources of the variant's kernels. Times of an earlier version of a kernel do not
/// apply to it.
std::string code_of(const ResultRecord& record) {
  const auto made_of = nlohmann::json::parse(record.made_of, nullptr, false);
  if (!made_of.is_object()) return "";
  std::string code;
  for (const auto& [name, digest] : made_of.items())
    if (name == "plugin" || name == "kernel " + record.variant || name.starts_with("header "))
      code += fmt::format("{} {}\n", name, digest.dump());
  return code;
}

bool overlap(const Summary& a, const Summary& b) {
  // Without an interval, only the medians are compared.
  const auto low = [](const Summary& s) { return std::isnan(s.ci95_low) ? s.median : s.ci95_low; };
  const auto high = [](const Summary& s) {
    return std::isnan(s.ci95_high) ? s.median : s.ci95_high;
  };
  return low(a) <= high(b) && low(b) <= high(a);
}

bool is_wrong(Status status) {
  return status == Status::kVerificationFailed || status == Status::kSuspect ||
         status == Status::kUnsafe;
}

std::string range_text(const Summary& summary) {
  if (std::isnan(summary.ci95_low) || std::isnan(summary.ci95_high)) return "";
  return format_seconds(summary.ci95_low) + " … " + format_seconds(summary.ci95_high);
}

/// Tries with an unknown start come last.
bool began_earlier(const ResultRecord* a, const ResultRecord* b) {
  const auto key = [](const ResultRecord* record) {
    return std::tuple(record->start_ns < 0, record->start_ns, record->plan_index);
  };
  return key(a) < key(b);
}

/// Values of a parameter among the timed tries, and the logarithms of their times.
using TimesByValue = std::map<std::string, std::vector<double>>;

double square(double x) { return x * x; }

double adjusted_share(const TimesByValue& values) {
  double count = 0, sum = 0;
  for (const auto& [value, logs] : values)
    for (const double log : logs) {
      ++count;
      sum += log;
    }
  const double groups = static_cast<double>(values.size());
  if (count < 2 || count <= groups) return kMissing;
  double between = 0, total = 0;
  for (const auto& [value, logs] : values) {
    double of_value = 0;
    for (const double log : logs) {
      of_value += log;
      total += square(log - sum / count);
    }
    const double size = static_cast<double>(logs.size());
    between += size * square(of_value / size - sum / count);
  }
  // Equal times differ only by rounding.
  if (total <= 1e-24 * count) return 0;
  const double within = std::max(0.0, total - between) / (count - groups);
  return std::clamp(1 - within / (total / (count - 1)), 0.0, 1.0);
}

}  // namespace

std::vector<Search> searches_of(const std::vector<ResultRecord>& results) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, std::vector<const ResultRecord*>> groups;
  for (const ResultRecord& record : results)
    // The reference does not depend on tuned parameters.
    if (!record.tuned.empty() && !record.is_reference())
      groups[{record.workload, params_of(record, false), record.variant}].push_back(&record);
  std::vector<Search> all;
  for (auto& [key, records] : groups) {
    const auto later = [](const ResultRecord* a, const ResultRecord* b) { return a->run < b->run; };
    const std::string code = code_of(**std::ranges::max_element(records, later));
    std::erase_if(records, [&](const ResultRecord* record) { return code_of(*record) != code; });
    std::ranges::stable_sort(records, began_earlier);
    Search search;
    std::tie(search.workload, search.params, search.variant) = key;
    search.names = split(records.front()->tuned, ' ');
    search.tries = std::move(records);
    all.push_back(std::move(search));
  }
  return all;
}

double time_of_try(const ResultRecord& record) noexcept {
  const double time = record.status == Status::kDropped ? record.cold.median : record.ranked_time();
  return std::isfinite(time) && time > 0 ? time : kMissing;
}

std::vector<double> ends_of_tries(const Search& search) {
  std::vector<double> ends;
  std::int64_t first = -1, latest = -1, between = 0, run = -1;
  for (const ResultRecord* record : search.tries) {
    if (record->start_ns < 0 || record->end_ns < record->start_ns) {
      ends.push_back(kMissing);
      continue;
    }
    if (first < 0)
      first = latest = record->start_ns;
    else if (record->run != run && record->start_ns > latest)
      between += record->start_ns - latest;
    run = record->run;
    latest = std::max(latest, record->end_ns);
    ends.push_back(1e-9 * static_cast<double>(record->end_ns - first - between));
  }
  return ends;
}

std::vector<ParameterShare> shares_of(const Search& search) {
  std::vector<ParameterShare> shares;
  for (const std::string& name : search.names) {
    TimesByValue values;
    for (const ResultRecord* record : search.tries) {
      const double time = time_of_try(*record);
      const Value* const value = find_value(record->params, name);
      if (!std::isnan(time))
        values[value == nullptr ? "" : to_text(*value)].push_back(std::log(time));
    }
    shares.push_back({name, adjusted_share(values), values.size()});
  }
  return shares;
}

Tuned tuned_of(const Search& search) {
  Tuned tuned{search.workload, search.params, search.variant};
  tuned.tried = search.tries.size();
  for (const ResultRecord* record : search.tries) {
    const double time = record->ranked_time();
    if (std::isnan(time)) {
      ++(record->status == Status::kDropped ? tuned.dropped : tuned.failed);
      continue;
    }
    if (tuned.best == nullptr || time < tuned.best->ranked_time()) tuned.best = record;
    if (tuned.slowest == nullptr || time > tuned.slowest->ranked_time()) tuned.slowest = record;
  }
  if (tuned.best != nullptr)
    tuned.as_good = static_cast<std::size_t>(
        std::ranges::count_if(search.tries, [&](const ResultRecord* record) {
          return !std::isnan(record->ranked_time()) && overlap(record->cold, tuned.best->cold);
        }));
  return tuned;
}

std::vector<Tuned> tuned_of(const std::vector<ResultRecord>& results) {
  std::vector<Tuned> all;
  for (const Search& search : searches_of(results)) {
    Tuned tuned = tuned_of(search);
    if (tuned.best != nullptr) all.push_back(std::move(tuned));
  }
  return all;
}

std::vector<ResultRecord> without_tries(const std::vector<ResultRecord>& results) {
  std::vector<const ResultRecord*> best;
  for (const Tuned& tuned : tuned_of(results)) best.push_back(tuned.best);
  std::vector<ResultRecord> kept;
  for (const ResultRecord& record : results)
    if (record.tuned.empty() || record.is_reference() || is_wrong(record.status) ||
        std::ranges::find(best, &record) != best.end())
      kept.push_back(record);
  return kept;
}

std::string tuning_table(const std::vector<ResultRecord>& results, const TextFormat& format) {
  TextTable table({"workload", "case", "variant", "best", "median", "95 %", "against slowest",
                   "as good", "tried", "dropped", "failed"});
  for (const Tuned& tuned : tuned_of(results))
    table.add({tuned.workload, tuned.params, tuned.variant, params_of(*tuned.best, true),
               format_seconds(tuned.best->ranked_time()), range_text(tuned.best->cold),
               speedup_text(tuned.slowest->ranked_time() / tuned.best->ranked_time()),
               std::to_string(tuned.as_good), std::to_string(tuned.tried),
               std::to_string(tuned.dropped), std::to_string(tuned.failed)});
  if (table.empty()) return "";
  table.drop_when_narrow({6, 9, 10, 7, 0, 8});
  table.wrap({3, 1});
  return "Best of what was tuned:\n" + table.to_text({4, 6, 7, 8, 9, 10}, format) + "\n";
}

}  // namespace kernelbatch
