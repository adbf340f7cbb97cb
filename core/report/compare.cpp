#include "core/report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/rank_test.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kFewestSamples = 6;  // below, a summary's interval is only the range

using Key = std::pair<std::string, std::string>;  // case, variant

/// The samples' kind that is ranked, as ResultRecord::ranked_time() has it.
std::pair<const Summary*, std::string_view> ranked(const ResultRecord& record) {
  if (!std::isnan(record.cold.median)) return {&record.cold, "cold"};
  if (!std::isnan(record.hot.median)) return {&record.hot, "hot"};
  return {&record.host, "host"};
}

std::vector<double> times_of(const ResultRecord& record, std::string_view kind) {
  std::vector<double> times;
  for (const Sample& sample : record.samples)
    if (sample.kind == kind && !std::isnan(sample.time)) times.push_back(sample.time);
  return times;
}

/// The noise that calibration found on a device; 0 where it found none.
double noise_of(const ResultFile& file, const std::string& device) {
  for (const DeviceCalibration& calibration : file.calibration)
    if (calibration.device == device && calibration.noise_floor > 0) return calibration.noise_floor;
  return 0;
}

std::map<Key, const ResultRecord*> results_of(const ResultFile& file, const std::string& variant,
                                              const std::string& name) {
  std::map<Key, const ResultRecord*> results;
  for (const ResultRecord& record : file.results)
    if (variant.empty() || record.variant == variant)
      results[{record.case_id, variant.empty() ? record.variant : name}] = &record;
  return results;
}

std::string why_missing(const ResultRecord* record, std::string_view side) {
  if (record == nullptr) return fmt::format("not in {}", side);
  return fmt::format("{} in {}", to_text(record->status), side);
}

bool has_time(const ResultRecord* record) {
  return record != nullptr && !std::isnan(record->ranked_time());
}

ComparedPair compare_pair(const ResultFile& file_a, const ResultRecord* a, const ResultFile& file_b,
                          const ResultRecord* b, const std::string& name,
                          const CompareOptions& options) {
  const ResultRecord& known = a != nullptr ? *a : *b;
  ComparedPair pair;
  pair.case_id = known.case_id;
  pair.workload = known.workload;
  pair.variant = name;
  pair.params = known.params;
  if (a != nullptr) pair.device_a = a->device;
  if (b != nullptr) pair.device_b = b->device;
  if (!has_time(a) || !has_time(b)) {
    pair.note = !has_time(a) ? why_missing(a, "A") : why_missing(b, "B");
    if (a != nullptr && b != nullptr && a->status == Status::kOk && b->status == Status::kOk)
      pair.note = "not timed";
    return pair;
  }
  if (a->device != b->device && !options.allows_different_devices)
    throw SpecError(fmt::format(
        "case '{}', variant '{}' ran on '{}' in A and on '{}' in B: times of different devices say "
        "nothing about the code (--different-devices compares them all the same)",
        pair.case_id, pair.variant, a->device, b->device));
  const auto [summary_a, kind_a] = ranked(*a);
  const auto [summary_b, kind_b] = ranked(*b);
  pair.a = *summary_a;
  pair.b = *summary_b;
  if (kind_a != kind_b) {
    pair.note = fmt::format("{} times in A, {} times in B", kind_a, kind_b);
    return pair;
  }
  pair.gap = std::max({options.gap, noise_of(file_a, a->device), noise_of(file_b, b->device)});
  pair.ratio = pair.b.median / pair.a.median;
  pair.ratio_low = pair.b.ci95_low / pair.a.ci95_high;
  pair.ratio_high = pair.b.ci95_high / pair.a.ci95_low;
  pair.p = mann_whitney(times_of(*a, kind_a), times_of(*b, kind_b)).p;
  pair.verdict = verdict_of(pair.a, pair.b, pair.gap);
  if (std::min(pair.a.samples, pair.b.samples) < kFewestSamples) pair.note = "too few samples";
  return pair;
}

int order_of(Verdict verdict) {
  constexpr std::array kOrder{Verdict::kSlower, Verdict::kAbsent, Verdict::kUnsure,
                              Verdict::kFaster, Verdict::kSame};
  return static_cast<int>(std::ranges::find(kOrder, verdict) - kOrder.begin());
}

TextStyle style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFaster:
      return TextStyle::kGood;
    case Verdict::kSlower:
    case Verdict::kAbsent:
      return TextStyle::kBad;
    case Verdict::kUnsure:
      return TextStyle::kWarning;
    case Verdict::kSame:
      break;
  }
  return TextStyle::kPlain;
}

std::string percent(double ratio) { return fmt::format("{:+.2f} %", 100 * (ratio - 1)); }

std::string p_text(double p) {
  if (std::isnan(p)) return "";
  return p < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", p);
}

/// Real numbers as JSON has them: no NaN.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  constexpr std::array<std::string_view, kVerdictCount> kNames{"FASTER", "SLOWER", "SAME", "UNSURE",
                                                               "MISSING"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Verdict verdict_of(const Summary& a, const Summary& b, double gap) {
  if (std::min(a.samples, b.samples) < kFewestSamples) return Verdict::kUnsure;
  const double ratio = b.median / a.median;
  const bool are_apart = b.ci95_low > a.ci95_high || b.ci95_high < a.ci95_low;
  if (are_apart && ratio > 1 + gap) return Verdict::kSlower;
  if (are_apart && ratio < 1 / (1 + gap)) return Verdict::kFaster;
  const bool is_within =
      b.ci95_high / a.ci95_low <= 1 + gap && b.ci95_low / a.ci95_high >= 1 / (1 + gap);
  return is_within ? Verdict::kSame : Verdict::kUnsure;
}

ComparedResults compare_results(const ResultFile& a, const ResultFile& b,
                                const CompareOptions& options) {
  const std::string name =
      options.variant_a.empty() ? "" : options.variant_a + " → " + options.variant_b;
  const auto of_a = results_of(a, options.variant_a, name);
  const auto of_b = results_of(b, options.variant_b, name);
  ComparedResults compared;
  double logarithms = 0;
  std::int64_t ratios = 0;
  bool has_common = false;
  const auto add = [&](const Key& key, const ResultRecord* of_first,
                       const ResultRecord* of_second) {
    has_common = has_common || (of_first != nullptr && of_second != nullptr);
    compared.pairs.push_back(compare_pair(a, of_first, b, of_second, key.second, options));
    const ComparedPair& pair = compared.pairs.back();
    ++compared.counts[static_cast<std::size_t>(pair.verdict)];
    if (std::isnan(pair.ratio)) return;
    logarithms += std::log(pair.ratio);
    ++ratios;
  };
  for (const auto& [key, record] : of_a) {
    const auto other = of_b.find(key);
    add(key, record, other == of_b.end() ? nullptr : other->second);
  }
  for (const auto& [key, record] : of_b)
    if (!of_a.contains(key)) add(key, nullptr, record);
  if (!has_common)
    throw SpecError(fmt::format("'{}' and '{}' have no result of the same case and variant",
                                a.path.string(), b.path.string()));
  if (ratios > 0) compared.geometric_mean = std::exp(logarithms / static_cast<double>(ratios));
  std::ranges::stable_sort(compared.pairs, [](const ComparedPair& x, const ComparedPair& y) {
    if (x.verdict != y.verdict) return order_of(x.verdict) < order_of(y.verdict);
    if (x.verdict == Verdict::kSame || std::isnan(x.ratio) || std::isnan(y.ratio)) return false;
    return std::abs(std::log(x.ratio)) > std::abs(std::log(y.ratio));
  });
  return compared;
}

std::string compared_table(const ComparedResults& compared, const TextFormat& format,
                           std::size_t most_same) {
  TextTable table({"verdict", "B/A", "95 %", "p", "A", "B", "workload", "variant", "parameters",
                   "case", "note"});
  std::size_t same = 0;
  for (const ComparedPair& pair : compared.pairs) {
    if (pair.verdict == Verdict::kSame && ++same > most_same) continue;
    const bool has_ratio = !std::isnan(pair.ratio);
    table.add(
        {std::string(to_text(pair.verdict)), has_ratio ? percent(pair.ratio) : "",
         has_ratio ? fmt::format("{} … {}", percent(pair.ratio_low), percent(pair.ratio_high)) : "",
         p_text(pair.p), has_ratio ? format_seconds(pair.a.median) : "",
         has_ratio ? format_seconds(pair.b.median) : "", pair.workload, pair.variant,
         to_text(pair.params), pair.case_id, pair.note},
        {style_of(pair.verdict)});
  }
  for (const std::size_t column : {1u, 2u, 3u, 4u, 5u, 10u}) table.drop_when_empty(column);
  table.drop_when_narrow({9, 3, 4, 5, 2, 10});
  std::string text = table.to_text({1, 2, 3, 4, 5}, format);
  if (same > most_same)
    text += fmt::format("and {} more that are SAME (--all shows them)\n", same - most_same);
  text += "\n";
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    text += fmt::format("{}{} {}", k == 0 ? "" : ", ", compared.counts[k],
                        to_text(static_cast<Verdict>(k)));
  if (!std::isnan(compared.geometric_mean))
    text += fmt::format("; geometric mean of B/A {:.4f} ({})", compared.geometric_mean,
                        percent(compared.geometric_mean));
  return text + "\n";
}

std::string to_json(const ComparedResults& compared) {
  nlohmann::ordered_json json;
  auto& counts = json["counts"];
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    counts[std::string(to_text(static_cast<Verdict>(k)))] = compared.counts[k];
  json["geometric_mean"] = number(compared.geometric_mean);
  auto& pairs = json["pairs"] = nlohmann::ordered_json::array();
  for (const ComparedPair& pair : compared.pairs)
    pairs.push_back({{"case_id", pair.case_id},
                     {"workload", pair.workload},
                     {"params", nlohmann::ordered_json::parse(to_json(pair.params))},
                     {"variant", pair.variant},
                     {"device_a", pair.device_a},
                     {"device_b", pair.device_b},
                     {"median_a", number(pair.a.median)},
                     {"median_b", number(pair.b.median)},
                     {"ratio", number(pair.ratio)},
                     {"ratio_low", number(pair.ratio_low)},
                     {"ratio_high", number(pair.ratio_high)},
                     {"gap", pair.gap},
                     {"p", number(pair.p)},
                     {"verdict", to_text(pair.verdict)},
                     {"note", pair.note}});
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kernelbatch
