// kernelbatch compare: compares A with B, or two variants.
#include "core/report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "core/app/command.hpp"
#include "core/app/result_filter.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/host_times.hpp"

namespace kernelbatch::app {
namespace {

/// SAME rows that are shown; further ones are only counted.
constexpr std::size_t kShownSame = 20;

struct CompareCommand {
  std::vector<std::string> files, fail_on;
  std::string variants, format = "text";
  CompareOptions options;
  ResultFilter filter;
  bool prints_json = false, prints_all = false;
};

/// Error of a gap; empty if it is valid.
std::string is_gap(const std::string& text) {
  char* end = nullptr;
  const double gap = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && end == text.c_str() + text.size();
  if (is_number && gap >= 0 && gap <= kWidestGap) return "";
  return fmt::format("expected a number from 0 to {}, not '{}'", kWidestGap, text);
}

CompareOptions options_of(const CompareCommand& command) {
  CompareOptions options = command.options;
  // A variant selected by name is included even if it is a reference.
  if (!command.filter.variant.empty()) options.includes_references = true;
  if (command.variants.empty()) {
    if (command.files.size() != 2)
      throw SpecError("compare takes two files, or one file and --variants a,b");
    return options;
  }
  const std::vector<std::string> names = split(command.variants, ',');
  if (names.size() != 2 || names[0].empty() || names[1].empty())
    throw SpecError(fmt::format("--variants '{}': expected two names, a,b", command.variants));
  if (!command.filter.variant.empty())
    throw SpecError("--variant and --variants exclude each other");
  options.variant_a = names[0];
  options.variant_b = names[1];
  return options;
}

/// One side: `text` is a file, or several separated by commas.
std::vector<ResultFile> read_side(const std::string& text, const ResultFilter& filter) {
  std::vector<std::string> paths{text};
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored)) paths = split(text, ',');
  std::vector<ResultFile> files;
  for (const std::string& path : paths) {
    if (path.empty()) throw SpecError(fmt::format("'{}': empty name next to a comma", text));
    Parts parts(Samples::kInclude, false);
    parts.damaged = filter.damaged();
    files.push_back(read_results(path, parts));
    apply(filter, files.back());
  }
  return files;
}

void check_variant(const std::vector<ResultFile>& files, const std::string& variant) {
  if (variant.empty()) return;
  std::vector<std::string> known;
  for (const ResultFile& file : files)
    for (const ResultRecord& record : file.results) {
      if (record.variant == variant) return;
      if (std::ranges::find(known, record.variant) == known.end()) known.push_back(record.variant);
    }
  throw SpecError(fmt::format("'{}' has no variant '{}'{}", files.front().path.string(), variant,
                              suggestion(variant, known)));
}

/// Why the gate fails; empty if it passes.
std::string gate_text(const CompareCommand& command, const ComparedResults& compared) {
  if (command.fail_on.empty()) return "";
  const auto asks = [&](const char* what) {
    return std::ranges::find(command.fail_on, what) != command.fail_on.end();
  };
  std::vector<std::string> reasons;
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, what));
  };
  if (asks("slower")) add(compared.count(Verdict::kSlower), "slower");
  if (asks("unsure")) add(compared.count(Verdict::kUnsure), "unsure");
  if (asks("missing"))
    add(compared.count(Verdict::kAbsent), "missing or without a time on one side");
  // Always: a result that no longer works is worse than a slower one.
  add(compared.count(Loss::kWrong), "wrong in B");
  add(compared.count(Loss::kFailed), "failed in B");
  if (!asks("missing")) add(compared.count(Loss::kAbsent), "missing in B");
  // Times are required by "slower", but not by "wrong".
  const std::int64_t not_compared = asks("slower") ? compared.not_compared : 0;
  if (compared.count(Verdict::kAbsent) + not_compared == std::ssize(compared.pairs))
    reasons.push_back(
        join_nonempty({"nothing could be compared", not_compared_text(not_compared)}, ": "));
  return join(reasons, ", ");
}

void print_compared(const CompareCommand& command, const ComparedResults& compared) {
  const JudgedFormat format = command.prints_json
                                  ? JudgedFormat::kJson
                                  : parse_choice<JudgedFormat>(command.format).value();
  if (format != JudgedFormat::kText) print_data();
  fmt::print("{}", compared_text(compared, format, text_format(),
                                 command.prints_all ? compared.pairs.size() : kShownSame));
}

int compare_files(const CompareCommand& command) {
  const CompareOptions options = options_of(command);
  const std::vector<ResultFile> a = read_side(command.files.front(), command.filter);
  const std::vector<ResultFile> other = command.files.size() == 2
                                            ? read_side(command.files.back(), command.filter)
                                            : std::vector<ResultFile>{};
  const std::vector<ResultFile>& b = other.empty() ? a : other;
  check_variant(a, options.variant_a);
  check_variant(b, options.variant_b);
  const ComparedResults compared = compare_results(a, b, options);
  print_compared(command, compared);
  bool is_whole = true;
  for (const auto* side : {&a, &other})
    for (const ResultFile& file : *side) {
      report_problems(file);
      is_whole = is_whole && file.problems.empty();
    }
  if (command.fail_on.empty()) return static_cast<int>(ExitCode::kOk);
  if (const std::string reasons = gate_text(command, compared); !reasons.empty()) {
    fmt::print(stderr, "kernelbatch: the gate failed: {}\n", reasons);
    return static_cast<int>(ExitCode::kCompareGate);
  }
  return static_cast<int>(is_whole ? ExitCode::kOk : ExitCode::kStoreFailed);
}

constexpr const char* kSummary =
    "SAME, FASTER, SLOWER or UNSURE for each case and variant of two files.\n"
    "FASTER and SLOWER need disjoint 95 % intervals of the medians and a difference above the gap. "
    "SAME: the whole interval of the ratio is within the gap, and within 5 % or --gap. With one "
    "run "
    "per side the gap includes variation that one run cannot show: the calibrated noise, 1 % and "
    "0.75 µs per launch; if that is more than 5 % or --gap, or unknown, nothing is SAME. Host "
    "times are simulation times and UNSURE without --host-times; with it, FASTER and SLOWER need "
    "several runs per side. Several runs per side "
    "(a1.h5,a2.h5,a3.h5 b1.h5,b2.h5,b3.h5) measure the variation between runs and find smaller "
    "differences";

std::vector<Option> comparison_options(CompareCommand& command) {
  return {
      {.names = {"FILE"},
       .help = "A and B: results before and after; several runs separated by commas",
       .target = &command.files,
       .type = kResultFile,
       .max_values = 2,
       .is_required = true},
      {.names = {"--variants"},
       .help = "Compare variant a with variant b: of one file, or of A and B",
       .target = &command.variants},
      {.names = {"--format"},
       .help = "Output format: for an issue, other programs, a CI's list of tests, or "
               "annotations of GitHub workflows",
       .target = &command.format,
       .choices = names_of<JudgedFormat>()},
      {.names = {"--gap"},
       .help = "Smallest relative difference that counts, unless the rules above need more; at "
               "most 0.2",
       .target = &command.options.gap,
       .default_text = fmt::format("{}", command.options.gap),
       .check = is_gap},
      {.names = {"--fail-on"},
       .help = "Exit with 5 if any is: slower, unsure, missing (without a time on either side), "
               "wrong, failed. Results of A that are wrong, failed or missing in B, or nothing to "
               "compare, always exit with 5",
       .target = &command.fail_on,
       .choices = {"slower", "unsure", "missing", "wrong", "failed"},
       .separator = ','},
      {.names = {"--common"},
       .help = "Leave out results of only one side, for a B that is a part of A",
       .target = &command.options.is_common},
      {.names = {"--different-devices"},
       .help = "Also compare times of different devices",
       .target = &command.options.allows_different_devices},
      host_times_option(command.options.has_host_times),
      {.names = {"--references"},
       .help = "Include references, which run on the CPU and vary with its load",
       .target = &command.options.includes_references}};
}

}  // namespace

Command compare_command() {
  auto options = std::make_shared<CompareCommand>();
  Command command{.name = "compare", .summary = kSummary};
  command.add(comparison_options(*options));
  command.add(result_filter_options(options->filter));
  command.add(
      {{.names = {"--all"}, .help = "Show all SAME rows", .target = &options->prints_all},
       {.names = {"--json"}, .help = "JSON instead of a table", .target = &options->prints_json}});
  command.examples = {
      {"kernelbatch compare before.h5 after.h5 --fail-on slower", "exits with 5 if any is slower"},
      {"kernelbatch compare results/quickstart.h5 --variants elementwise,raw", ""}};
  command.action = [options] { return compare_files(*options); };
  return command;
}

}  // namespace kernelbatch::app
