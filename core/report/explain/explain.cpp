#include "core/report/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::ordered_json;

const DeviceCalibration* calibration_of(const ResultFile& file, const ResultRecord& record) {
  const auto found = std::ranges::find(file.calibration, record.device, &DeviceCalibration::device);
  return found == file.calibration.end() ? nullptr : &*found;
}

bool can_be_explained(const ResultRecord& record) {
  return record.status == Status::kOk && !record.is_reference() && record.ranked_time() > 0;
}

void add_pair(ExplainedCase& of, const ExplainedResult& one, const ExplainedResult& other) {
  const bool is_slower = one.facts.time >= other.facts.time;
  const ExplainedResult& slow = is_slower ? one : other;
  const ExplainedResult& fast = is_slower ? other : one;
  of.pairs.push_back({slow.record, fast.record, explain::explain_gap(slow.facts, fast.facts)});
}

const ExplainedResult* find(const ExplainedCase& in, std::string_view variant) {
  const auto found = std::ranges::find_if(
      in.results, [&](const ExplainedResult& each) { return each.record->variant == variant; });
  return found == in.results.end() ? nullptr : &*found;
}

void add_pairs_with_fastest(ExplainedCase& of) {
  for (const ExplainedResult& each : of.results) {
    const ExplainedResult* fastest = nullptr;
    for (const ExplainedResult& other : of.results)
      if (other.record->device == each.record->device &&
          (fastest == nullptr || other.facts.time < fastest->facts.time))
        fastest = &other;
    if (fastest != &each) add_pair(of, each, *fastest);
  }
}

/// All distinct notes of that kind.
std::set<std::string> notes_about(const std::vector<ExplainedCase>& cases, NoteKind about) {
  std::set<std::string> found;
  for (const ExplainedCase& each : cases)
    for (const ExplainedResult& result : each.results)
      for (const Note& note : result.record->notes)
        if (note.about == about) found.insert(to_text(note));
  return found;
}

Json finite_number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json node_of(const ExplainedResult& result, const ExplainedCase& in) {
  const ResultRecord& record = *result.record;
  Json quantities = Json::object();
  for (const explain::Quantity& quantity : explain::quantities())
    if (const double value = quantity.of(result.facts); std::isfinite(value))
      quantities[std::string(quantity.name)] = value;
  Json slower = Json::array();
  for (const ExplainedPair& pair : in.pairs) {
    if (pair.slow != &record) continue;
    Json shares = Json::array();
    for (const explain::GapShare& share : pair.gap.shares)
      shares.push_back({{"what", share.what},
                        {"seconds", finite_number(share.seconds)},
                        {"share", finite_number(share.share)}});
    slower.push_back({{"variant", pair.fast->variant},
                      {"ratio", finite_number(pair.gap.ratio)},
                      {"sentence", pair.sentence()},
                      {"shares", shares},
                      {"unexplained", finite_number(pair.gap.unexplained)}});
  }
  return {{"case_id", record.case_id},
          {"workload", record.workload},
          {"params", Json::parse(to_json(record.params))},
          {"variant", record.variant},
          {"device", record.device},
          {"time", finite_number(result.facts.time)},
          {"class", kernelbatch::name_of(result.diagnosis.bottleneck)},
          {"sentence", result.sentence()},
          {"has_counters", result.facts.has_counters},
          {"quantities", quantities},
          {"slower_than", slower}};
}

}  // namespace

std::string ExplainedResult::sentence() const {
  return fmt::format("{}: {}", kernelbatch::name_of(diagnosis.bottleneck), diagnosis.evidence);
}

std::string ExplainedPair::sentence() const {
  return explain::to_text(gap, slow->variant, fast->variant);
}

std::vector<ExplainedCase> explain_results(const ResultFile& file, std::string_view a,
                                           std::string_view b) {
  std::vector<ExplainedCase> cases;
  const std::string* last = nullptr;
  for (const ResultRecord& record : file.results) {
    if (!can_be_explained(record)) continue;
    if (last == nullptr || *last != record.case_id) cases.emplace_back();
    last = &record.case_id;
    explain::Facts facts(record, calibration_of(file, record));
    explain::Diagnosis said = explain::diagnose(facts);
    cases.back().results.push_back({&record, std::move(facts), std::move(said)});
  }
  bool is_found = a.empty();
  for (ExplainedCase& each : cases) {
    if (a.empty()) {
      add_pairs_with_fastest(each);
      continue;
    }
    const ExplainedResult* const one = find(each, a);
    const ExplainedResult* const other = find(each, b);
    if (one == nullptr || other == nullptr) continue;
    is_found = true;
    add_pair(each, *one, *other);
    std::erase_if(each.results, [&](const ExplainedResult& result) {
      return result.record->variant != a && result.record->variant != b;
    });
  }
  if (is_found) {
    if (!a.empty())
      std::erase_if(cases, [](const ExplainedCase& each) { return each.pairs.empty(); });
    return cases;
  }
  std::vector<std::string> names;
  for (const ResultRecord& record : file.results)
    if (can_be_explained(record) && std::ranges::find(names, record.variant) == names.end())
      names.push_back(record.variant);
  throw SpecError(fmt::format("no case has correct results of both '{}' and '{}' (variants: {})", a,
                              b, join(names)));
}

std::string explain_text(const std::vector<ExplainedCase>& cases, const TextFormat& format) {
  std::string text;
  for (const ExplainedCase& each : cases) {
    const ResultRecord& record = *each.results.front().record;
    text += styled(visible_line(fmt::format("{}  {}  [{}]", record.workload, to_text(record.params),
                                            record.case_id)),
                   TextStyle::kStrong, format) +
            '\n';
    std::size_t widest = 0;
    for (const ExplainedResult& result : each.results)
      widest = std::max(widest, columns_of(result.record->variant));
    for (const ExplainedResult& result : each.results) {
      const std::string& name = result.record->variant;
      text += fmt::format("  {}{}  {:>8}  {}\n", visible_line(name),
                          std::string(widest - columns_of(name), ' '),
                          format_seconds(result.facts.time), visible_line(result.sentence()));
    }
    for (const ExplainedPair& pair : each.pairs)
      text += fmt::format("  {}\n", visible_line(pair.sentence()));
    text += '\n';
  }
  for (const std::string& note : notes_about(cases, NoteKind::kCounters))
    text += fmt::format("{}\n", visible_line(note));
  const bool has_evidence = std::ranges::any_of(cases, [](const ExplainedCase& each) {
    return std::ranges::any_of(each.results, [](const ExplainedResult& result) {
      return !result.record->counters.empty();
    });
  });
  if (!cases.empty() && !has_evidence)
    text +=
        "The file contains only timings. For evidence, run the job with measure.preset=standard, "
        "or with measure.counters=auto and measure.twins=auto.\n";
  return text;
}

std::string explain_json(const std::vector<ExplainedCase>& cases) {
  Json all = Json::array();
  for (const ExplainedCase& each : cases)
    for (const ExplainedResult& result : each.results) all.push_back(node_of(result, each));
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string counters_table(const std::vector<ResultRecord>& results, const TextFormat& format) {
  std::string text;
  const std::string* last = nullptr;
  for (const ResultRecord& record : results) {
    if (record.counters.empty()) continue;
    if (last == nullptr || *last != record.case_id)
      text += styled(visible_line(fmt::format("{}  {}  [{}]", record.workload,
                                              to_text(record.params), record.case_id)),
                     TextStyle::kStrong, format) +
              '\n';
    last = &record.case_id;
    TextTable table({visible_line(record.variant), "from", "value", "unit", "kernel"});
    table.drop_when_narrow({4});
    for (const CounterRecord& each : record.counters)
      table.add({each.name, std::string(kernelbatch::name_of(each.source)),
                 fmt::format("{:.6g}", each.value), each.unit == "1" ? "" : each.unit,
                 each.launch < 0 ? each.kernel : fmt::format("{}: {}", each.launch, each.kernel)});
    text += table.to_text({2}, format) + '\n';
  }
  return text;
}

}  // namespace kernelbatch
