#include "core/report/failures.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"
#include "core/report/table.hpp"

namespace kernelbatch {
namespace {

/// The usual cause of a fault; empty if none is known.
std::string_view likely_cause(const ResultRecord& record) {
  struct Cause {
    std::string_view fault, sentence;
  };
  static constexpr Cause kCauses[] = {
      {"never written", "the grid has too few threads, or a bound leaves elements out"},
      {"out of bounds", "threads beyond the last element write: `if (k < n)` is missing"},
      {"input written", "an input and an output argument are exchanged"},
      {"inputs not read", "the answer is kept from an earlier call"},
      {"prepared answer", "the work was done before the timed call"},
      {"varies",
       "a race: threads write the same element, or read it before it is written; --sanitize finds "
       "it"},
      {"not zeroed",
       "it adds to an output that holds no zeros: give the output `fill: 0`, or clear it first"},
      {"NaN", "an uninitialized element is read, or a division by zero"}};
  // Its findings are the cause.
  if (record.status == Status::kUnsafe) return "";
  for (const Cause& each : kCauses)
    if (record.fault.starts_with(each.fault) || record.fault.ends_with(each.fault))
      return each.sentence;
  return "";
}

/// The same for failures that differ only in numbers.
std::string kind_of(const ResultRecord& record) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", record.workload, record.variant,
                                 to_text(record.status), name_of(record.phase));
  std::string word;
  const auto add = [&] {
    const bool is_number = word.find_first_of("0123456789") != std::string::npos || word == "nan" ||
                           word == "inf" || word == "-nan" || word == "-inf";
    text += is_number ? "#" : word;
    word.clear();
  };
  for (const char c : record.reason) {
    if (std::string_view(" ,;:()[]=\n").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    add();
    text += c;
  }
  add();
  return text;
}

}  // namespace

std::string failure_text(const ResultRecord& record, const TextFormat& format,
                         const std::string& again, std::size_t alike) {
  std::string text = fmt::format(
      "  {}: {}{}: {}\n",
      visible_line(
          fmt::format("{} {} {}", record.workload, to_text(record.params), record.variant)),
      styled(to_text(record.status), style_of(record.status), format),
      record.phase == Phase::kNone ? "" : fmt::format(" in phase {}", name_of(record.phase)),
      visible_line(record.reason));
  if (const std::string_view cause = likely_cause(record); !cause.empty())
    text += fmt::format("      likely: {}\n", cause);
  const std::vector<std::string> detail = split(trim(record.detail), '\n');
  for (const std::string& line : detail)
    // The reason of a failed compilation ends with the compiler's first line.
    if (!line.empty() && !(&line == &detail.front() && record.reason.ends_with(line)))
      text += styled(fmt::format("      | {}", visible(line)), TextStyle::kFaint, format) + "\n";
  for (const FindingRecord& finding : record.findings)
    for (const std::string& line : split(to_text(finding), '\n'))
      text += fmt::format("      {}\n", visible(line));
  if (alike > 0) text += fmt::format("      the same in {}\n", plural(alike, "other case"));
  if (!again.empty() && style_of(record.status) == TextStyle::kBad)
    text += fmt::format("      again: {}{} --only variant={} -o again.h5\n", visible_line(again),
                        record.tuned.empty() ? " --case " + record.case_id : "",
                        visible_line(record.variant));
  return text;
}

std::string failures_text(const std::vector<const ResultRecord*>& failures,
                          const TextFormat& format, const std::string& again) {
  std::vector<std::pair<const ResultRecord*, std::size_t>> kinds;
  std::map<std::string, std::size_t> known;
  for (const ResultRecord* failure : failures) {
    const auto [found, is_new] = known.emplace(kind_of(*failure), kinds.size());
    if (is_new)
      kinds.emplace_back(failure, 0);
    else
      ++kinds[found->second].second;
  }
  std::string text;
  for (const auto& [first, alike] : kinds) text += failure_text(*first, format, again, alike);
  return text;
}

}  // namespace kernelbatch
