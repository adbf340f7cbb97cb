#include "core/report/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/compare_pair.hpp"

namespace kernelbatch {
namespace {

using Key = std::pair<std::string, std::string>;  // case, variant

/// All results of each key, in file order.
struct Results {
  std::vector<std::pair<Key, std::vector<FoundResult>>> rows;
  std::map<Key, std::size_t> places;

  std::vector<FoundResult>& operator[](const Key& key) {
    const auto [place, is_new] = places.try_emplace(key, rows.size());
    if (is_new) rows.push_back({key, {}});
    return rows[place->second].second;
  }
};

Results results_of(std::span<const ResultFile> files, const std::string& variant,
                   const std::string& name) {
  Results results;
  for (const ResultFile& file : files)
    for (const ResultRecord& record : file.results)
      if (variant.empty() || record.variant == variant)
        results[{record.case_id, variant.empty() ? record.variant : name}].push_back(
            {&record, &file});
  return results;
}

bool is_reference(const std::vector<FoundResult>& side) {
  return !side.empty() && side.front().record->is_reference();
}

/// Identity of a result without its case ID: workload, parameters, variant, and its number among
/// equal ones.
using Meaning = std::tuple<std::string, std::string, std::string, int>;

/// Numbers of the remaining rows; equal ones are counted among these rows only.
std::map<Meaning, std::size_t> meanings_of(const Results& results,
                                           const std::function<bool(std::size_t)>& is_left) {
  std::map<std::tuple<std::string, std::string, std::string>, int> seen;
  std::map<Meaning, std::size_t> meanings;
  for (std::size_t k = 0; k < results.rows.size(); ++k) {
    if (!is_left(k)) continue;
    const auto& [key, found] = results.rows[k];
    const ResultRecord& record = *found.front().record;
    const auto alike = std::tuple(record.workload, to_text(record.params), key.second);
    meanings.emplace(std::tuple_cat(alike, std::tuple(seen[alike]++)), k);
  }
  return meanings;
}

/// The matching row of B for each row of A, if any.
std::vector<std::optional<std::size_t>> partners_of(const Results& a, const Results& b) {
  std::vector<std::optional<std::size_t>> partners(a.rows.size());
  std::vector<bool> is_taken(b.rows.size());
  for (std::size_t k = 0; k < a.rows.size(); ++k)
    if (const auto found = b.places.find(a.rows[k].first); found != b.places.end()) {
      partners[k] = found->second;
      is_taken[found->second] = true;
    }
  const auto of_b = meanings_of(b, [&](std::size_t k) { return !is_taken[k]; });
  for (const auto& [meaning, k] : meanings_of(a, [&](std::size_t row) { return !partners[row]; }))
    if (const auto found = of_b.find(meaning); found != of_b.end()) partners[k] = found->second;
  return partners;
}

/// True for environment values that differ between any two runs and do not affect times.
bool is_of_one_run(std::string_view name) {
  constexpr std::string_view kNames[] = {"slurm_job_id",        "slurm_array_job_id",
                                         "slurm_array_task_id", "slurm_step_id",
                                         "slurm_restart_count", "argv"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::vector<EnvironmentDifference> environment_differences(std::span<const ResultFile> a,
                                                           std::span<const ResultFile> b) {
  // Names in stored order.
  std::vector<std::string> names;
  const auto values_of = [&](std::span<const ResultFile> side) {
    std::map<std::string, std::set<std::string>> values;
    for (const ResultFile& file : side)
      for (const EnvironmentRecord& environment : file.environments)
        for (const auto& [name, value] : environment.values) {
          if (std::ranges::find(names, name) == names.end()) names.push_back(name);
          values[name].insert(to_text(value));
        }
    return values;
  };
  auto of_a = values_of(a), of_b = values_of(b);
  std::vector<EnvironmentDifference> differ;
  for (const std::string& name : names)
    if (!is_of_one_run(name) && of_a[name] != of_b[name])
      differ.push_back({name, fmt::format("{}", fmt::join(of_a[name], ", ")),
                        fmt::format("{}", fmt::join(of_b[name], ", "))});
  return differ;
}

void sort_worst_first(std::vector<ComparedPair>& pairs) {
  std::ranges::stable_sort(pairs, [](const ComparedPair& x, const ComparedPair& y) {
    const Judgement &of_x = x.judgement, &of_y = y.judgement;
    if (of_x.verdict != of_y.verdict) return of_x.verdict < of_y.verdict;
    if (of_x.verdict == Verdict::kSame || std::isnan(of_x.ratio) || std::isnan(of_y.ratio))
      return false;
    return std::abs(std::log(of_x.ratio)) > std::abs(std::log(of_y.ratio));
  });
}

/// Collects the pairs, their counts and the mean of their ratios.
class Comparison {
 public:
  Comparison(std::size_t runs_a, std::size_t runs_b, const CompareOptions& options)
      : runs_a_(runs_a), runs_b_(runs_b), options_(options) {}

  void add(const std::string& variant, const std::vector<FoundResult>& a,
           const std::vector<FoundResult>& b) {
    const bool is_of_both = !a.empty() && !b.empty();
    has_common_ = has_common_ || is_of_both;
    if (!options_.includes_references && options_.variant_a.empty() &&
        (is_reference(a) || is_reference(b))) {
      ++compared_.references;
      return;
    }
    if (options_.is_common && !is_of_both) {
      ++compared_.one_sided;
      return;
    }
    compared_.pairs.push_back(compare_pair({a, runs_a_}, {b, runs_b_}, variant, options_));
    const Judgement& judgement = compared_.pairs.back().judgement;
    ++compared_.losses[static_cast<std::size_t>(compared_.pairs.back().loss)];
    ++compared_.counts[static_cast<std::size_t>(judgement.verdict)];
    if (compared_.pairs.back().is_not_compared) ++compared_.not_compared;
    if (std::isnan(judgement.ratio)) return;
    logarithms_ += std::log(judgement.ratio);
    ++ratios_;
  }

  /// All that the sides have in common, if it cannot be compared; else empty.
  std::string why_empty() const {
    if (!has_common_) return "no result of the same case and variant";
    return compared_.pairs.empty() ? "only references in common, which are left out (--references)"
                                   : "";
  }

  ComparedResults results() {
    if (ratios_ > 0)
      compared_.geometric_mean = std::exp(logarithms_ / static_cast<double>(ratios_));
    sort_worst_first(compared_.pairs);
    return std::move(compared_);
  }

 private:
  std::size_t runs_a_, runs_b_;
  const CompareOptions& options_;
  ComparedResults compared_;
  double logarithms_ = 0;
  std::int64_t ratios_ = 0;
  bool has_common_ = false;
};

}  // namespace

ComparedResults compare_results(std::span<const ResultFile> a, std::span<const ResultFile> b,
                                const CompareOptions& options) {
  const bool has_names = !options.variant_a.empty();
  const std::string name = has_names ? options.variant_a + " → " + options.variant_b : "";
  const Results of_a = results_of(a, options.variant_a, name);
  const Results of_b = results_of(b, options.variant_b, name);
  Comparison comparison(a.size(), b.size(), options);
  const auto partners = partners_of(of_a, of_b);
  std::vector<bool> is_paired(of_b.rows.size());
  for (std::size_t k = 0; k < of_a.rows.size(); ++k) {
    const auto& [key, found] = of_a.rows[k];
    if (partners[k]) is_paired[*partners[k]] = true;
    comparison.add(key.second, found,
                   partners[k] ? of_b.rows[*partners[k]].second : std::vector<FoundResult>{});
  }
  for (std::size_t k = 0; k < of_b.rows.size(); ++k)
    if (!is_paired[k]) comparison.add(of_b.rows[k].first.second, {}, of_b.rows[k].second);
  const std::string what = comparison.why_empty();
  if (!what.empty())
    throw SpecError(fmt::format("'{}' and '{}' have {}", a.front().path.string(),
                                b.front().path.string(), what));
  ComparedResults compared = comparison.results();
  compared.environment = environment_differences(a, b);
  return compared;
}

}  // namespace kernelbatch
