// kernelbatch gate: compares the newest run with the baseline, for CI.
#include "core/report/history/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/history_options.hpp"
#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

/// "same" rows that are shown; further ones are only counted.
constexpr std::size_t kShownSameByGate = 20;

/// A wider gap would accept 20 % more time.
constexpr double kWidestGateGap = 0.2;

struct GateCommand {
  HistorySelection selection;
  GateOptions options;
  std::vector<std::string> fail_on;
  std::string gap, format = "text";
  bool prints_all = false;
};

double gap_of(const std::string& text) {
  const double gap = parse_fraction(text);
  if (gap > kWidestGateGap)
    throw SpecError(fmt::format("--gap '{}': at most {:.0f} %", text, 100 * kWidestGateGap));
  return gap;
}

void print_gate(const GateCommand& command, const History& history, const GateResult& result) {
  const JudgedFormat format = parse_choice<JudgedFormat>(command.format).value();
  if (format != JudgedFormat::kText) print_data();
  fmt::print("{}", gate_text(history, result, format, text_format(),
                             command.prints_all ? result.rows.size() : kShownSameByGate));
}

/// Why the gate fails; empty if it passes.
std::string why_shut(const GateCommand& command, const GateResult& result) {
  std::vector<std::string> reasons;
  for (const Verdict verdict : kGateVerdicts) {
    const bool always = verdict == Verdict::kSlower || verdict == Verdict::kWrong;
    const std::string name(name_of(verdict));
    if ((always ||
         std::ranges::find(command.fail_on, in_lower_case(name)) != command.fail_on.end()) &&
        result.count(verdict) > 0)
      reasons.push_back(fmt::format("{} {}", result.count(verdict), name));
  }
  return join(reasons);
}

int judge_newest(const GateCommand& command) {
  GateOptions options = command.options;
  if (!command.gap.empty()) options.gap = gap_of(command.gap);
  const History history = load_history(request_of(command.selection));
  const GateResult result = judge_history(history, options);
  print_gate(command, history, result);
  for (const std::string& note : result.notes) fmt::print(stderr, "kernelbatch: {}\n", note);
  // An unreadable file may be the newest.
  const int left_out = report_left_out(history);
  if (const std::string reasons = why_shut(command, result); !reasons.empty()) {
    fmt::print(stderr, "kernelbatch: the gate failed: {}\n", reasons);
    return static_cast<int>(ExitCode::kCompareGate);
  }
  return left_out;
}

constexpr const char* kGateSummary =
    "Judge the newest run: slower, wrong, gone, unsure, new, faster or same, for every series.\n"
    "Each time is compared with the runs of the baseline since its last change: it is slower only "
    "if a further run of these would not be that slow by chance (99 %) and the difference is above "
    "the gap; same only if it would be within the gap. Fewer than 3 such runs are unsure. The "
    "newest run is the newest file of each job and device. Exits with 5 if any is slower, or wrong "
    "and was correct before; with 6 if a file cannot be read; with 2 if nothing can be judged, or "
    "the last written file starts in the future";

}  // namespace

Command gate_command() {
  auto options = std::make_shared<GateCommand>();
  Command command{.name = "gate", .summary = kGateSummary};
  command.add(history_selection_options(options->selection));
  command.add(
      {{.names = {"--baseline"},
        .help = "Branch or commit whose runs are the baseline; else all runs before the newest",
        .target = &options->options.baseline,
        .check = is_given},
       {.names = {"--gap"},
        .help = "Smallest relative difference that counts, at most 20%",
        .target = &options->gap,
        .default_text = "2%",
        .check = is_given},
       host_times_option(options->options.has_host_times),
       {.names = {"--fail-on"},
        .help = "Also exit with 5 for these",
        .target = &options->fail_on,
        .choices = {"gone", "unsure", "new"},
        .separator = ','},
       {.names = {"--format"},
        .help = "Output format: for other programs, annotations of GitHub workflows, or a "
                "CI's list of tests",
        .target = &options->format,
        .choices = {"text", "json", "github", "junit"}},
       {.names = {"--all"},
        .help = "Show all rows that are the same",
        .target = &options->prints_all}});
  command.examples = {{"kernelbatch gate results --baseline main", "exits with 5 if any is slower"},
                      {"kernelbatch gate results --gap 1% --format github", ""}};
  command.action = [options] { return judge_newest(*options); };
  return command;
}

}  // namespace kernelbatch::app
