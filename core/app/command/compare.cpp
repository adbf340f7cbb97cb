// kernelbatch compare: A against B, or one variant against another.
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

namespace kernelbatch::app {
namespace {

/// Rows that say SAME before the rest of them is only counted.
constexpr std::size_t kShownSame = 20;

struct CompareCommand {
  std::vector<std::string> files, fail_on;
  std::string variants, format = "text";
  CompareOptions options;
  ResultFilter filter;
  bool prints_json = false, prints_all = false;
};

/// What is wrong with a gap; empty where nothing is.
std::string is_gap(const std::string& text) {
  char* end = nullptr;
  const double gap = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && end == text.c_str() + text.size();
  if (is_number && gap >= 0 && gap <= kWidestGap) return "";
  return fmt::format("expected a number from 0 to {}, not '{}'", kWidestGap, text);
}

CompareOptions options_of(const CompareCommand& command) {
  CompareOptions options = command.options;
  // Who asks for a variant by its name means it.
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
    if (path.empty()) throw SpecError(fmt::format("'{}': a name is missing beside a comma", text));
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

/// Why the gate is shut; empty where it is open.
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
  // Whatever is asked for: what no longer works is worse than what is slower.
  add(compared.count(Loss::kWrong), "wrong in B");
  add(compared.count(Loss::kFailed), "failed in B");
  if (!asks("missing")) add(compared.count(Loss::kAbsent), "missing in B");
  if (compared.count(Verdict::kAbsent) == std::ssize(compared.pairs))
    reasons.emplace_back("nothing could be compared");
  return join(reasons, ", ");
}

void print_compared(const CompareCommand& command, const ComparedResults& compared) {
  const CompareFormat format = command.prints_json
                                   ? CompareFormat::kJson
                                   : parse_choice<CompareFormat>(command.format).value();
  if (format != CompareFormat::kText) print_data();
  switch (format) {
    case CompareFormat::kText:
      return fmt::print("{}",
                        compared_table(compared, text_format(),
                                       command.prints_all ? compared.pairs.size() : kShownSame));
    case CompareFormat::kMarkdown:
      return fmt::print("{}", compared_markdown(compared));
    case CompareFormat::kJson:
      return fmt::print("{}\n", to_json(compared));
    case CompareFormat::kJunit:
      return fmt::print("{}", compared_junit(compared));
    case CompareFormat::kGithub:
      return fmt::print("{}", compared_github(compared));
  }
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
    fmt::print(stderr, "kernelbatch: the gate is shut: {}\n", reasons);
    return static_cast<int>(ExitCode::kCompareGate);
  }
  return static_cast<int>(is_whole ? ExitCode::kOk : ExitCode::kStoreFailed);
}

constexpr const char* kSummary =
    "SAME, FASTER, SLOWER or UNSURE for each case and variant of two files.\n"
    "FASTER and SLOWER need 95 % intervals of the medians that are apart, and a difference above "
    "the gap;\n"
    "SAME means that the whole interval of the ratio lies within the gap, and within 5 % or --gap. "
    "With one run\n"
    "a side the gap also covers what one run cannot know: the calibrated noise, 1 % and 0.75 µs a "
    "launch; where\n"
    "that is more than 5 % or --gap, or not known, nothing is SAME. Of host times one run a side "
    "never makes\n"
    "FASTER or SLOWER. Several runs a side (a1.h5,a2.h5,a3.h5 b1.h5,b2.h5,b3.h5)\n"
    "show how much times vary from run to run, and find smaller differences";

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
       .help = "How to print it: for an issue, for other programs, for a CI's list of tests, for "
               "annotations of GitHub's workflows",
       .target = &command.format,
       .choices = names_of<CompareFormat>()},
      {.names = {"--gap"},
       .help = "Smallest relative difference that counts, where nothing above asks for more; at "
               "most 0.2",
       .target = &command.options.gap,
       .default_text = fmt::format("{}", command.options.gap),
       .check = is_gap},
      {.names = {"--fail-on"},
       .help = "End with 5 if any is: slower, unsure, missing (without a time on either side), "
               "wrong, failed. What B has wrong, failed or lacks of A's ends with 5 whichever "
               "is listed, and so does a comparison of nothing",
       .target = &command.fail_on,
       .choices = {"slower", "unsure", "missing", "wrong", "failed"},
       .separator = ','},
      {.names = {"--common"},
       .help = "Leave out what only one side has, where B was meant to be a part of A",
       .target = &command.options.is_common},
      {.names = {"--different-devices"},
       .help = "Compare times of different devices, too",
       .target = &command.options.allows_different_devices},
      {.names = {"--references"},
       .help = "References too: the CPU's, which vary with its load",
       .target = &command.options.includes_references}};
}

}  // namespace

Command compare_command() {
  auto options = std::make_shared<CompareCommand>();
  Command command{.name = "compare", .summary = kSummary};
  command.add(comparison_options(*options));
  command.add(result_filter_options(options->filter));
  command.add(
      {{.names = {"--all"}, .help = "Every row that says SAME", .target = &options->prints_all},
       {.names = {"--json"}, .help = "JSON instead of a table", .target = &options->prints_json}});
  command.examples = {
      {"kernelbatch compare before.h5 after.h5 --fail-on slower", "ends with 5 if any is"},
      {"kernelbatch compare results/quickstart.h5 --variants elementwise,raw", ""}};
  command.action = [options] { return compare_files(*options); };
  return command;
}

}  // namespace kernelbatch::app
