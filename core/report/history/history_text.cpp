// A history as a table and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.hpp"
#include "core/report/history/history.hpp"
#include "core/report/history/series_words.hpp"
#include "core/report/judged_json.hpp"
#include "core/result/json.hpp"

namespace kernelbatch {
namespace {

using HistoryJson = nlohmann::ordered_json;

constexpr std::size_t kSparkWidth = 16;

std::string dumped(const HistoryJson& json) {
  return json.dump(-1, ' ', false, HistoryJson::error_handler_t::replace);
}

/// Median of the usable values; NaN if there are none.
double middle_time(std::span<const SeriesPoint> values) {
  std::vector<double> usable;
  for (const SeriesPoint& each : values)
    if (each.value > 0 && std::isfinite(each.value)) usable.push_back(each.value);
  if (usable.empty()) return std::nan("");
  const auto middle = usable.begin() + static_cast<std::ptrdiff_t>(usable.size() / 2);
  std::nth_element(usable.begin(), middle, usable.end());
  return *middle;
}

std::string spread_text(const HistoryPoint& point) {
  if (!(point.low > 0) || !(point.high >= point.low)) return "";
  return fmt::format("-{:.2f} +{:.2f} %", 100 * (1 - point.low / point.median),
                     100 * (point.high / point.median - 1));
}

TextStyle change_style(const AnalysedSeries& analysed) {
  if (analysed.changes.empty()) return TextStyle::kPlain;
  return analysed.changes.back().point.change > 0 ? TextStyle::kBad : TextStyle::kGood;
}

std::string left_aside_text(const AnalysedSeries& analysed) {
  std::vector<std::string> parts;
  if (const std::string failed = history::failures_text(analysed.failures); !failed.empty())
    parts.push_back(failed);
  if (analysed.unverified > 0) parts.push_back(fmt::format("{} not verified", analysed.unverified));
  if (analysed.one_set > 0) parts.push_back(fmt::format("{} on one set", analysed.one_set));
  if (analysed.otherwise_timed > 0)
    parts.push_back(fmt::format("{} timed otherwise", analysed.otherwise_timed));
  return join(parts, "; ");
}

void add_series_row(TextTable& table, const History& history, const AnalysedSeries& analysed,
                    const history::SharedByAll& shared, bool is_ascii) {
  const HistorySeries& series = *analysed.series;
  const bool has_time = !analysed.timed.empty();
  table.add({series.workload, shared.others(series), series.variant, shared.device(series),
             std::to_string(analysed.timed.size()),
             has_time ? format_seconds(analysed.timed.back().median) : "-",
             has_time ? spread_text(analysed.timed.back()) : "",
             sparkline(analysed.values, kSparkWidth, is_ascii),
             analysed.changes.empty()
                 ? ""
                 : history::change_in_words(history, analysed, analysed.changes.back()),
             left_aside_text(analysed)},
            {TextStyle::kPlain, TextStyle::kPlain, TextStyle::kPlain, TextStyle::kPlain,
             TextStyle::kPlain, TextStyle::kPlain, TextStyle::kPlain, TextStyle::kPlain,
             change_style(analysed), TextStyle::kWarning});
}

HistoryJson point_json(const History& history, const HistoryPoint& point) {
  HistoryJson json{{"start_ns", point.start_ns},
                   {"file", point.file},
                   {"environment", point.environment},
                   {"commit", history.commit_of(point)},
                   {"case_id", history.text(point.case_id)},
                   {"status", to_text(point.status)}};
  if (point.is_timed()) {
    json["median"] = finite_or_null(point.median);
    json["low"] = finite_or_null(point.low);
    json["high"] = finite_or_null(point.high);
    json["verified"] = point.is_verified();
    json["one_set"] = point.verification == Verification::kOneSet;
  }
  if (point.kernel_hash >= 0) json["kernel_hash"] = history.text(point.kernel_hash);
  if (point.reason >= 0) json["reason"] = history.text(point.reason);
  return json;
}

HistoryJson change_json(const AnalysedSeries& analysed, const ExplainedChange& change) {
  HistoryJson json{{"index", change.point.index},
                   {"start_ns", analysed.timed[change.point.index].start_ns},
                   {"before", finite_or_null(change.point.before)},
                   {"after", finite_or_null(change.point.after)},
                   {"change", finite_or_null(change.point.change)},
                   {"ratio_low", finite_or_null(change.point.low)},
                   {"ratio_high", finite_or_null(change.point.high)},
                   {"p", finite_or_null(change.point.p)},
                   {"causes", HistoryJson::array()}};
  for (const ChangeCause& cause : change.causes)
    json["causes"].push_back(
        {{"name", cause.name}, {"before", cause.before}, {"after", cause.after}});
  return json;
}

HistoryJson series_json(const History& history, const AnalysedSeries& analysed) {
  const HistorySeries& series = *analysed.series;
  HistoryJson json{{"workload", series.workload},
                   {"params", HistoryJson::parse(to_json(series.params))},
                   {"ordinal", series.ordinal},
                   {"variant", series.variant},
                   {"device", series.device},
                   {"points", HistoryJson::array()},
                   {"outliers", HistoryJson::array()},
                   {"segments", HistoryJson::array()},
                   {"change_points", HistoryJson::array()},
                   {"failures", HistoryJson::array()},
                   {"unverified", analysed.unverified},
                   {"one_set", analysed.one_set},
                   {"otherwise_timed", analysed.otherwise_timed}};
  for (const HistoryPoint& point : analysed.timed)
    json["points"].push_back(point_json(history, point));
  for (std::size_t k = 0; k < analysed.outliers.size(); ++k)
    if (analysed.outliers[k]) json["outliers"].push_back(k);
  for (const Segment& each : analysed.segments)
    json["segments"].push_back({{"begin", each.begin},
                                {"end", each.end},
                                {"mean", finite_or_null(each.mean)},
                                {"low", finite_or_null(each.low)},
                                {"high", finite_or_null(each.high)}});
  for (const ExplainedChange& change : analysed.changes)
    json["change_points"].push_back(change_json(analysed, change));
  for (const HistoryPoint& point : analysed.failures)
    json["failures"].push_back(point_json(history, point));
  return json;
}

}  // namespace

std::string sparkline(std::span<const SeriesPoint> values, std::size_t width, bool is_ascii) {
  constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::array<std::string_view, 8> kLetters{"_", "_", ".", "-", "-", "=", "^", "^"};
  constexpr double kLeastRange = 0.05;  // smaller ranges are drawn as a flat line
  const std::size_t cells = std::min(width, values.size());
  std::vector<double> middles;
  for (std::size_t k = 0; k < cells; ++k) {
    const std::size_t begin = values.size() * k / cells, end = values.size() * (k + 1) / cells;
    if (const double middle = middle_time(values.subspan(begin, end - begin)); middle > 0)
      middles.push_back(std::log(middle));
  }
  if (middles.empty()) return "";
  const auto [low, high] = std::ranges::minmax(middles);
  const double range = std::max(high - low, kLeastRange);
  const double floor = (low + high - range) / 2;
  std::string line;
  for (const double middle : middles) {
    const auto level = static_cast<std::size_t>(std::clamp((middle - floor) / range * 8, 0.0, 7.0));
    line += is_ascii ? kLetters[level] : kBlocks[level];
  }
  return line;
}

std::string history_table(const History& history, const std::vector<AnalysedSeries>& analysed,
                          const HistoryTextOptions& options) {
  std::vector<const HistorySeries*> all;
  for (const AnalysedSeries& each : analysed) all.push_back(each.series);
  const history::SharedByAll shared(all);
  TextTable table({"workload", "parameters", "variant", "device", "runs", "last", "95 %", "trend",
                   "last change", "left out"});
  std::size_t quiet = 0;
  for (const AnalysedSeries& each : analysed) {
    const bool is_quiet = each.changes.empty() && each.failures.empty();
    if (is_quiet && ++quiet > options.most_quiet) continue;
    add_series_row(table, history, each, shared, options.is_ascii);
  }
  for (const std::size_t column : {1u, 3u, 6u, 7u, 8u, 9u}) table.drop_when_empty(column);
  table.drop_when_narrow({9, 3, 7, 6, 4});
  table.wrap({1, 8});
  std::string text;
  if (const std::string title = shared.title(); !title.empty())
    text += fmt::format("All: {}\n", visible_line(title));
  text += table.to_text({4, 5, 6}, options.format);
  if (quiet > options.most_quiet)
    text += fmt::format("and {} more without a change (--all shows them)\n",
                        quiet - options.most_quiet);
  const std::size_t runs = history.runs();
  return text + fmt::format("\n{} series, {}, {} left out\n", analysed.size(), plural(runs, "run"),
                            plural(history.left_out, "file"));
}

std::string history_json(const History& history, const std::vector<AnalysedSeries>& analysed) {
  // One series per line: a JSON document of a million points would need much more memory than its
  // text.
  std::string text = "{\"files\": [";
  for (std::size_t k = 0; k < history.files.size(); ++k)
    text += (k == 0 ? "" : ", ") + dumped(HistoryJson(history.files[k].string()));
  text += "],\n\"environments\": {";
  const char* separator = "";
  for (const auto& [id, values] : history.environments) {
    if (id < 0) continue;
    text += fmt::format("{}\"{}\": {}", separator, id, dumped(HistoryJson::parse(to_json(values))));
    separator = ",\n";
  }
  text += "},\n\"problems\": " + dumped(HistoryJson(history.problems)) +
          ",\n\"notes\": " + dumped(HistoryJson(history.notes)) + ",\n\"series\": [";
  for (std::size_t k = 0; k < analysed.size(); ++k)
    text += (k == 0 ? "\n" : ",\n") + dumped(series_json(history, analysed[k]));
  return text + "]}";
}

}  // namespace kernelbatch
