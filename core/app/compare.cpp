// kernelbatch compare: A against B, or one variant against another.
#include "core/report/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

void check_variant(const ResultFile& file, const std::string& variant) {
  if (variant.empty()) return;
  std::vector<std::string> known;
  for (const ResultRecord& record : file.results) {
    if (record.variant == variant) return;
    if (std::ranges::find(known, record.variant) == known.end()) known.push_back(record.variant);
  }
  throw SpecError(fmt::format("'{}' has no variant '{}'{}", file.path.string(), variant,
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
  ResultFile a = read_results(command.files.front(), {Samples::kInclude, false});
  apply(command.filter, a);
  ResultFile b;
  if (command.files.size() == 2) {
    b = read_results(command.files.back(), {Samples::kInclude, false});
    apply(command.filter, b);
  }
  const ResultFile& second = command.files.size() == 2 ? b : a;
  check_variant(a, options.variant_a);
  check_variant(second, options.variant_b);
  const ComparedResults compared = compare_results(a, second, options);
  if (command.prints_json)
    fmt::print("{}\n", to_json(compared));
  else
    fmt::print("{}", compared_table(compared, text_format(),
                                    command.prints_all ? compared.pairs.size() : kShownSame));
  for (const ResultFile* file : {&a, &b}) report_problems(*file);
  return static_cast<int>(is_gate_shut(command, compared) ? ExitCode::kCompareGate : ExitCode::kOk);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand(
      "compare",
      "SAME, FASTER, SLOWER or UNSURE for each case and variant of two files.\n"
      "FASTER and SLOWER need 95 % intervals of the medians that are apart, and a difference above "
      "the gap;\nSAME means that the whole interval of the ratio lies within the gap");
  command->add_option("FILE", options->files, "A and B: results before and after")
      ->required()
      ->expected(1, 2);
  command->add_option("--variants", options->variants,
                      "Compare variant a with variant b: of one file, or of A and B");
  command
      ->add_option("--gap", options->options.gap,
                   "Smallest relative difference that counts, unless the calibrated noise is "
                   "larger")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  command
      ->add_option("--fail-on", options->fail_on, "End with 5 if any is: slower, unsure, missing")
      ->delimiter(',')
      ->check(CLI::IsMember({"slower", "unsure", "missing"}));
  command->add_flag("--different-devices", options->options.allows_different_devices,
                    "Compare times of different devices, too");
  add_result_filter(*command, options->filter);
  command->add_flag("--all", options->prints_all, "Every row that says SAME");
  command->add_flag("--json", options->prints_json, "JSON instead of a table");
  command->callback([options, &action] { action = [options] { return compare_files(*options); }; });
}

}  // namespace kernelbatch::app
