#include "core/report/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/statistics.hpp"
#include "core/base/text.hpp"
#include "core/report/rank_test.hpp"
#include "core/result/summarise.hpp"

namespace kernelbatch {
namespace {

using Key = std::pair<std::string, std::string>;  // case, variant

/// A result and its file, which describes the device.
struct Found {
  const ResultRecord* record;
  const ResultFile* file;
};
/// All results of each key, in file order.
struct Results {
  std::vector<std::pair<Key, std::vector<Found>>> rows;
  std::map<Key, std::size_t> places;

  const std::vector<Found>* find(const Key& key) const {
    const auto found = places.find(key);
    return found == places.end() ? nullptr : &rows[found->second].second;
  }
  std::vector<Found>& operator[](const Key& key) {
    const auto [place, is_new] = places.try_emplace(key, rows.size());
    if (is_new) rows.push_back({key, {}});
    return rows[place->second].second;
  }
};

std::vector<double> times_of(const ResultRecord& record) {
  std::vector<double> times;
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && !std::isnan(sample.time))
      times.push_back(sample.time);
  return times;
}

/// Mean clock during the ranked samples, Hz; NaN if it was not read.
double clock_of(const ResultRecord& record) {
  std::vector<double> clocks;
  for (const Sample& sample : record.samples)
    if (sample.kind == record.ranked_kind() && sample.sm_clock > 0)
      clocks.push_back(sample.sm_clock);
  return clocks.empty() ? kMissing : median_of(std::move(clocks));
}

RunTimes run_of(const Found& found, const std::vector<double>& times) {
  RunTimes run{.summary = found.record->ranked_summary(),
               .launches = std::max<std::int64_t>(found.record->kernel_launches, 1)};
  // The stored interval is for another run; the judgement accounts for that itself.
  if (found.record->processes > 0 && !times.empty()) run.summary = summarise(times);
  run.step = timer_step(times);
  run.clock = clock_of(*found.record);
  run.noise_floor = kMissing;
  for (const DeviceCalibration& calibration : found.file->calibration) {
    if (calibration.device != found.record->device) continue;
    if (calibration.noise_floor >= 0) run.noise_floor = calibration.noise_floor;
    if (calibration.launch_jitter > 0) run.launch_jitter = calibration.launch_jitter;
  }
  return run;
}

/// Each process that timed a result counts as a run, unless both sides have the same processes.
std::vector<RunTimes> runs_of(const std::vector<Found>& side, bool by_process) {
  std::vector<RunTimes> runs;
  for (const Found& found : side) {
    const ResultRecord& record = *found.record;
    const auto parts = by_process ? times_by_process(record, record.ranked_kind())
                                  : std::vector<std::vector<double>>{};
    const UsualDeviation usual = usual_deviation(record);
    if (parts.size() > 1) {
      for (const std::vector<double>& times : parts) {
        runs.push_back(run_of(found, times));
        runs.back().usual = usual.processes;
        runs.back().shared = std::isnan(runs.back().clock) ? usual.runs : usual.runs_at_one_clock;
      }
    } else {
      const double processes = static_cast<double>(std::max<std::int64_t>(record.processes, 1));
      runs.push_back(run_of(found, times_of(record)));
      runs.back().usual = std::hypot(usual.processes / std::sqrt(processes), usual.runs);
    }
  }
  return runs;
}

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

bool is_reference(const std::vector<Found>& side) {
  return !side.empty() && side.front().record->is_reference();
}

bool has_time(const ResultRecord& record) {
  const double time = record.ranked_time();
  return time > 0 && std::isfinite(time);
}

/// Reason why a side has no time to compare; empty if it has one.
std::string why_missing(const std::vector<Found>& side, std::size_t runs, std::string_view name) {
  if (side.empty()) return fmt::format("not in {}", name);
  for (const Found& found : side) {
    if (found.record->status != Status::kOk)
      return fmt::format("{} in {}", to_text(found.record->status), name);
    if (!has_time(*found.record)) return fmt::format("not timed in {}", name);
  }
  if (side.size() < runs) return fmt::format("in {} of {} runs of {}", side.size(), runs, name);
  return "";
}

bool was_not_run(const Found& found) { return found.record->status == Status::kSkipped; }

Loss loss_of(const std::vector<Found>& a, const std::vector<Found>& b, std::size_t runs_b) {
  const bool was_tried = std::ranges::any_of(a, [](const Found& f) { return !was_not_run(f); });
  const bool was_right = std::ranges::any_of(a, [](const Found& f) { return has_time(*f.record); });
  Loss loss = b.size() < runs_b && was_tried ? Loss::kAbsent : Loss::kNone;
  for (const Found& found : b) {
    if (found.record->status == Status::kVerificationFailed ||
        found.record->status == Status::kSuspect || found.record->status == Status::kUnsafe)
      return Loss::kWrong;
    // A search may try other configurations next time.
    if (found.record->status == Status::kDropped) continue;
    const bool is_lost = was_not_run(found) || found.record->status == Status::kOk
                             ? was_right && !has_time(*found.record)
                             : true;
    if (is_lost) loss = Loss::kFailed;
  }
  return loss;
}

/// Empty unless A's results were compared with a reference and one of B's was not.
std::string why_unverified(const std::vector<Found>& a, const std::vector<Found>& b) {
  const auto is_verified = [](const Found& found) { return found.record->verified; };
  return std::ranges::all_of(a, is_verified) && !std::ranges::all_of(b, is_verified)
             ? "verified in A, not in B"
             : "";
}

bool has_one_set(const std::vector<Found>& side) {
  return std::ranges::any_of(side, [](const Found& found) {
    return found.record->verification() == Verification::kOneSet;
  });
}

std::string one_set_text(const ComparedPair& pair) {
  if (!pair.is_one_set_a && !pair.is_one_set_b) return "";
  if (pair.is_one_set_a && pair.is_one_set_b) return "one set";
  return pair.is_one_set_a ? "one set in A" : "one set in B";
}

void check_devices(const ComparedPair& pair, const std::vector<Found>& a,
                   const std::vector<Found>& b) {
  for (const auto* side : {&a, &b})
    for (const Found& found : *side)
      if (found.record->device != pair.device_a)
        throw SpecError(fmt::format(
            "case '{}', variant '{}' ran on '{}' in {} and on '{}' in {}: times of different "
            "devices are not comparable (--different-devices compares them anyway)",
            pair.case_id, pair.variant, pair.device_a, "A", found.record->device,
            side == &a ? "another run of A" : "B"));
}

/// Empty if all runs have the same kind of times.
std::string different_kinds(const std::vector<Found>& a, const std::vector<Found>& b) {
  const SampleKind first = a.front().record->ranked_kind();
  for (const auto* side : {&a, &b})
    for (const Found& found : *side)
      if (const SampleKind kind = found.record->ranked_kind(); kind != first)
        return fmt::format("{} times in A, {} times in {}", name_of(first), name_of(kind),
                           side == &a ? "another run of A" : "B");
  return "";
}

double rank_test(const std::vector<Found>& a, const std::vector<Found>& b) {
  if (a.size() == 1 && b.size() == 1)
    return mann_whitney(times_of(*a.front().record), times_of(*b.front().record)).p;
  const auto medians = [](const std::vector<Found>& side) {
    std::vector<double> values;
    for (const Found& found : side) values.push_back(found.record->ranked_summary().median);
    return values;
  };
  return mann_whitney(medians(a), medians(b)).p;
}

bool is_host(const std::string& device) { return device == "host" || device.starts_with("host "); }

/// Differences in what two results were built from; empty if none are known.
std::string differences(const ResultRecord& a, const ResultRecord& b) {
  std::vector<std::string> what;
  if (a.case_id != b.case_id)
    what.push_back(a.workload_version != b.workload_version
                       ? fmt::format("version {} for {}", b.workload_version, a.workload_version)
                       : std::string("other inputs"));
  if (!a.kernel_hash.empty() && !b.kernel_hash.empty() && a.kernel_hash != b.kernel_hash)
    what.emplace_back("other kernel text");
  return join(what);
}

ComparedPair compare_pair(const std::vector<Found>& a, const std::vector<Found>& b,
                          std::pair<std::size_t, std::size_t> runs, const std::string& name,
                          const CompareOptions& options) {
  const ResultRecord& known = *(a.empty() ? b : a).front().record;
  ComparedPair pair;
  pair.case_id = known.case_id;
  pair.workload = known.workload;
  pair.variant = name;
  pair.params = known.params;
  if (!a.empty()) pair.device_a = a.front().record->device;
  if (!b.empty()) pair.device_b = b.front().record->device;
  pair.loss = loss_of(a, b, runs.second);
  const std::string of_a = why_missing(a, runs.first, "A"), of_b = why_missing(b, runs.second, "B");
  pair.note = of_a + (of_a.empty() || of_b.empty() ? "" : ", ") + of_b;
  if (!pair.note.empty()) return pair;
  if (!options.allows_different_devices) check_devices(pair, a, b);
  pair.runs_a = std::ssize(a);
  pair.runs_b = std::ssize(b);
  pair.note = different_kinds(a, b);
  if (!pair.note.empty()) {
    pair.judgement.verdict = Verdict::kUnsure;
    return pair;
  }
  const std::string what = differences(*a.front().record, *b.front().record);
  const bool is_same_run = a.front().file == b.front().file;
  const bool on_host = is_host(pair.device_a) || is_host(pair.device_b);
  // Processes of one run share most causes of variation, so they count as runs only if each side
  // has one run, and not on the host, whose times depend on the machine's other load.
  const bool by_process = !is_same_run && !on_host && a.size() == 1 && b.size() == 1;
  pair.judgement = judge(runs_of(a, by_process), runs_of(b, by_process),
                         {.gap = options.gap,
                          .is_host = on_host,
                          .is_by_process = by_process,
                          .is_same_run = is_same_run});
  const std::string unverified = why_unverified(a, b);
  if (!unverified.empty() && pair.judgement.verdict != Verdict::kSlower) {
    pair.judgement.verdict = Verdict::kUnsure;
    pair.judgement.note = unverified;
  }
  pair.is_one_set_a = has_one_set(a);
  pair.is_one_set_b = has_one_set(b);
  pair.note = join_nonempty({pair.judgement.note, what, one_set_text(pair)});
  pair.rank_p = rank_test(a, b);
  return pair;
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

int order_of(Verdict verdict) {
  constexpr std::array kOrder{Verdict::kSlower, Verdict::kAbsent, Verdict::kUnsure,
                              Verdict::kFaster, Verdict::kSame};
  return static_cast<int>(std::ranges::find(kOrder, verdict) - kOrder.begin());
}

void sort_worst_first(std::vector<ComparedPair>& pairs) {
  std::ranges::stable_sort(pairs, [](const ComparedPair& x, const ComparedPair& y) {
    const Judgement &of_x = x.judgement, &of_y = y.judgement;
    if (of_x.verdict != of_y.verdict) return order_of(of_x.verdict) < order_of(of_y.verdict);
    if (of_x.verdict == Verdict::kSame || std::isnan(of_x.ratio) || std::isnan(of_y.ratio))
      return false;
    return std::abs(std::log(of_x.ratio)) > std::abs(std::log(of_y.ratio));
  });
}

}  // namespace

ComparedResults compare_results(std::span<const ResultFile> a, std::span<const ResultFile> b,
                                const CompareOptions& options) {
  const bool has_names = !options.variant_a.empty();
  const std::string name = has_names ? options.variant_a + " → " + options.variant_b : "";
  const Results of_a = results_of(a, options.variant_a, name);
  const Results of_b = results_of(b, options.variant_b, name);
  ComparedResults compared;
  double logarithms = 0;
  std::int64_t ratios = 0;
  bool has_common = false;
  const auto add = [&](const Key& key, const std::vector<Found>& first,
                       const std::vector<Found>& second) {
    has_common = has_common || (!first.empty() && !second.empty());
    if (!options.includes_references && !has_names &&
        (is_reference(first) || is_reference(second))) {
      ++compared.references;
      return;
    }
    if (options.is_common && (first.empty() || second.empty())) {
      ++compared.one_sided;
      return;
    }
    compared.pairs.push_back(
        compare_pair(first, second, {a.size(), b.size()}, key.second, options));
    const Judgement& judgement = compared.pairs.back().judgement;
    ++compared.losses[static_cast<std::size_t>(compared.pairs.back().loss)];
    ++compared.counts[static_cast<std::size_t>(judgement.verdict)];
    if (std::isnan(judgement.ratio)) return;
    logarithms += std::log(judgement.ratio);
    ++ratios;
  };
  const auto partners = partners_of(of_a, of_b);
  std::vector<bool> is_paired(of_b.rows.size());
  for (std::size_t k = 0; k < of_a.rows.size(); ++k) {
    const auto& [key, found] = of_a.rows[k];
    if (!partners[k]) {
      add(key, found, {});
      continue;
    }
    is_paired[*partners[k]] = true;
    add(key, found, of_b.rows[*partners[k]].second);
  }
  for (std::size_t k = 0; k < of_b.rows.size(); ++k)
    if (!is_paired[k]) add(of_b.rows[k].first, {}, of_b.rows[k].second);
  compared.environment = environment_differences(a, b);
  if (!has_common)
    throw SpecError(fmt::format("'{}' and '{}' have no result of the same case and variant",
                                a.front().path.string(), b.front().path.string()));
  if (compared.pairs.empty())
    throw SpecError(fmt::format(
        "'{}' and '{}' have only references in common, which are left out (--references)",
        a.front().path.string(), b.front().path.string()));
  if (ratios > 0) compared.geometric_mean = std::exp(logarithms / static_cast<double>(ratios));
  sort_worst_first(compared.pairs);
  return compared;
}

}  // namespace kernelbatch
