// kernelbatch compare: A against B, or one variant against another.
#include "core/report/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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
  std::string variants;
  CompareOptions options;
  ResultFilter filter;
  bool prints_json = false, prints_all = false;
};

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

bool is_gate_shut(const CompareCommand& command, const ComparedResults& compared) {
  return std::ranges::any_of(command.fail_on, [&](const std::string& what) {
    const Verdict verdict = what == "slower"   ? Verdict::kSlower
                            : what == "unsure" ? Verdict::kUnsure
                                               : Verdict::kAbsent;
    return compared.count(verdict) > 0;
  });
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
  if (command.prints_json) {
    print_data();
    fmt::print("{}\n", to_json(compared));
  } else {
    fmt::print("{}", compared_table(compared, text_format(),
                                    command.prints_all ? compared.pairs.size() : kShownSame));
  }
  for (const auto* side : {&a, &other})
    for (const ResultFile& file : *side) report_problems(file);
  return static_cast<int>(is_gate_shut(command, compared) ? ExitCode::kCompareGate : ExitCode::kOk);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "SAME, FASTER, SLOWER or UNSURE for each case and variant of two files.\n"
      "FASTER and SLOWER need 95 % intervals of the medians that are apart, and a difference above "
      "the gap;\nSAME means that the whole interval of the ratio lies within the gap. With one run "
      "a side the gap\nalso covers what one run cannot know: the calibrated noise, 1 % and 0.75 us "
      "a launch; "
      "and of host times one\nrun a side never makes FASTER or SLOWER. Several runs a side "
      "(a1.h5,a2.h5,a3.h5 b1.h5,b2.h5,b3.h5)\nshow how much times vary from run to run, and find "
      "smaller differences");
  command
      ->add_option("FILE", options->files,
                   "A and B: results before and after; several runs separated by commas")
      ->required()
      ->type_name(kResultFile)
      ->expected(1, 2);
  command->add_option("--variants", options->variants,
                      "Compare variant a with variant b: of one file, or of A and B");
  command
      ->add_option("--gap", options->options.gap,
                   "Smallest relative difference that counts, where nothing above asks for more")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  command
      ->add_option("--fail-on", options->fail_on, "End with 5 if any is: slower, unsure, missing")
      ->delimiter(',')
      ->check(CLI::IsMember({"slower", "unsure", "missing"}));
  command->add_flag("--different-devices", options->options.allows_different_devices,
                    "Compare times of different devices, too");
  command->add_flag("--references", options->options.includes_references,
                    "References too: the CPU's, which vary with its load");
  add_result_filter(*command, options->filter);
  command->add_flag("--all", options->prints_all, "Every row that says SAME");
  command->add_flag("--json", options->prints_json, "JSON instead of a table");
  add_examples(
      *command,
      {{"kernelbatch compare before.h5 after.h5 --fail-on slower", "ends with 5 if any is"},
       {"kernelbatch compare results/quickstart.h5 --variants elementwise,raw", ""}});
  command->callback([options, &action] { action = [options] { return compare_files(*options); }; });
}

}  // namespace kernelbatch::app
