#include "core/report/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
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

/// Digests of what the variant's kernels are made from. What an edited kernel took before says
/// nothing about it.
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
  // Without an interval only the medians speak.
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

}  // namespace

std::vector<Tuned> tuned_of(const std::vector<ResultRecord>& results) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, std::vector<const ResultRecord*>> groups;
  for (const ResultRecord& record : results)
    // The reference does not know what is tuned.
    if (!record.tuned.empty() && record.kind != "reference")
      groups[{record.workload, params_of(record, false), record.variant}].push_back(&record);
  std::vector<Tuned> all;
  for (auto& [key, records] : groups) {
    const auto later = [](const ResultRecord* a, const ResultRecord* b) { return a->run < b->run; };
    const std::string code = code_of(**std::ranges::max_element(records, later));
    std::erase_if(records, [&](const ResultRecord* record) { return code_of(*record) != code; });
    Tuned tuned;
    std::tie(tuned.workload, tuned.params, tuned.variant) = key;
    tuned.tried = records.size();
    for (const ResultRecord* record : records) {
      const double time = record->ranked_time();
      if (std::isnan(time)) {
        ++(record->status == Status::kDropped ? tuned.dropped : tuned.failed);
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

std::vector<ResultRecord> without_tries(const std::vector<ResultRecord>& results) {
  std::vector<const ResultRecord*> best;
  for (const Tuned& tuned : tuned_of(results)) best.push_back(tuned.best);
  std::vector<ResultRecord> kept;
  for (const ResultRecord& record : results)
    if (record.tuned.empty() || record.kind == "reference" || is_wrong(record.status) ||
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
  return "Best of what was tuned:\n" + table.to_text({4, 6, 7, 8, 9, 10}, format) + "\n";
}

}  // namespace kernelbatch
