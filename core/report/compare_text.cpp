// Output of `compare` as a table and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "core/report/compare.hpp"

namespace kernelbatch {
namespace {

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

std::string percent(double ratio) {
  if (std::isinf(ratio)) return "∞";
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string p_text(double p) {
  if (std::isnan(p)) return "";
  return p < 1e-4 ? "<0.0001" : fmt::format("{:.4f}", p);
}

/// JSON number; null for NaN and infinities, which JSON lacks.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Text for an absent environment value.
std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string_view name_of(Loss loss) {
  constexpr std::array<std::string_view, kLossCount> kNames{"", "missing", "wrong", "failed"};
  return kNames[static_cast<std::size_t>(loss)];
}

}  // namespace

std::string compared_table(const ComparedResults& compared, const TextFormat& format,
                           std::size_t most_same) {
  // The deciding columns come first and are kept at every width. Shared parameters go above the
  // table.
  const SharedParameters shared(compared.pairs);
  TextTable table({"verdict", "A", "B", "B/A", "95 %", "variant", "workload", "parameters", "p",
                   "note", "case"});
  std::size_t same = 0;
  for (const ComparedPair& pair : compared.pairs) {
    const Judgement& judgement = pair.judgement;
    if (judgement.verdict == Verdict::kSame && ++same > most_same) continue;
    const bool has_ratio = !std::isnan(judgement.ratio);
    table.add({std::string(to_text(judgement.verdict)),
               has_ratio ? format_seconds(judgement.median_a) : "",
               has_ratio ? format_seconds(judgement.median_b) : "",
               has_ratio ? percent(judgement.ratio) : "",
               has_ratio ? fmt::format("{} … {}", percent(judgement.ratio_low),
                                       percent(judgement.ratio_high))
                         : "",
               pair.variant, pair.workload, shared.others(pair.params), p_text(judgement.p),
               pair.note, pair.case_id},
              {style_of(judgement.verdict)});
  }
  for (const std::size_t column : {1u, 2u, 3u, 4u, 7u, 8u, 9u}) table.drop_when_empty(column);
  table.drop_when_narrow({10, 8, 7, 6, 5});
  table.wrap({9, 5, 6, 7});
  std::string text;
  for (const EnvironmentDifference& each : compared.environment)
    text += visible_line(fmt::format("{}: {} → {}", each.name, or_none(each.a), or_none(each.b))) +
            "\n";
  if (const std::string title = shared.title(); !title.empty())
    text += fmt::format("All: {}\n", visible_line(title));
  text += table.to_text({1, 2, 3, 4, 8}, format);
  if (same > most_same)
    text += fmt::format("and {} more that are SAME (--all shows them)\n", same - most_same);
  text += "\n";
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    text += fmt::format("{}{} {}", k == 0 ? "" : ", ", compared.counts[k],
                        to_text(static_cast<Verdict>(k)));
  if (!std::isnan(compared.geometric_mean))
    text += fmt::format("; geometric mean of B/A {:.4f} ({})", compared.geometric_mean,
                        percent(compared.geometric_mean));
  if (compared.references > 0)
    text += fmt::format("; {} left out (--references)",
                        plural(static_cast<std::uint64_t>(compared.references), "reference"));
  if (compared.one_sided > 0) text += fmt::format("; {} of one side left out", compared.one_sided);
  return text + "\n";
}

std::string to_json(const ComparedResults& compared) {
  nlohmann::ordered_json json;
  auto& counts = json["counts"];
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    counts[std::string(to_text(static_cast<Verdict>(k)))] = compared.counts[k];
  json["geometric_mean"] = number(compared.geometric_mean);
  auto& environment = json["environment"] = nlohmann::ordered_json::array();
  for (const EnvironmentDifference& each : compared.environment)
    environment.push_back({{"name", each.name}, {"a", each.a}, {"b", each.b}});
  json["references_left_out"] = compared.references;
  json["one_sided_left_out"] = compared.one_sided;
  auto& pairs = json["pairs"] = nlohmann::ordered_json::array();
  for (const ComparedPair& pair : compared.pairs)
    pairs.push_back({{"case_id", pair.case_id},
                     {"workload", pair.workload},
                     {"params", nlohmann::ordered_json::parse(to_json(pair.params))},
                     {"variant", pair.variant},
                     {"device_a", pair.device_a},
                     {"device_b", pair.device_b},
                     {"runs_a", pair.runs_a},
                     {"runs_b", pair.runs_b},
                     {"median_a", number(pair.judgement.median_a)},
                     {"median_b", number(pair.judgement.median_b)},
                     {"ratio", number(pair.judgement.ratio)},
                     {"ratio_low", number(pair.judgement.ratio_low)},
                     {"ratio_high", number(pair.judgement.ratio_high)},
                     {"gap", number(pair.judgement.gap)},
                     {"same_gap", number(pair.judgement.same_gap)},
                     {"p", number(pair.judgement.p)},
                     {"rank_p", number(pair.rank_p)},
                     {"verdict", to_text(pair.judgement.verdict)},
                     {"loss", name_of(pair.loss)},
                     {"one_set_a", pair.is_one_set_a},
                     {"one_set_b", pair.is_one_set_b},
                     {"note", pair.note}});
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

SharedParameters::SharedParameters(const std::vector<ComparedPair>& pairs) {
  if (pairs.size() < 2) return;
  for (const auto& each : pairs.front().params)
    if (std::ranges::all_of(pairs, [&](const ComparedPair& pair) {
          return std::ranges::find(pair.params, each) != pair.params.end();
        }))
      shared_.push_back(each);
}

std::string SharedParameters::title() const { return to_text(shared_); }

std::string SharedParameters::others(const NamedValues& params) const {
  NamedValues others;
  for (const auto& each : params)
    if (std::ranges::find(shared_, each) == shared_.end()) others.push_back(each);
  return to_text(others);
}

std::string changes_text(const ComparedResults& compared, std::size_t most) {
  std::string text;
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    if (compared.counts[k] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", compared.counts[k],
                          to_text(static_cast<Verdict>(k)));
  text += '\n';
  std::size_t count = 0;
  for (const ComparedPair& pair : compared.pairs) {
    const Judgement& judgement = pair.judgement;
    if (judgement.verdict != Verdict::kSlower && judgement.verdict != Verdict::kFaster) continue;
    if (++count > most) continue;
    text += visible_line(fmt::format(
                "  {} {} {}: {} -> {}, {:+.1f} % (95 %: {:+.1f} to {:+.1f} %)", pair.workload,
                to_text(pair.params), pair.variant, format_seconds(judgement.median_a),
                format_seconds(judgement.median_b), 100 * (judgement.ratio - 1),
                100 * (judgement.ratio_low - 1), 100 * (judgement.ratio_high - 1))) +
            '\n';
  }
  if (count > most) text += fmt::format("  and {} more: kernelbatch compare\n", count - most);
  return text;
}

}  // namespace kernelbatch
