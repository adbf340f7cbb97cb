#include "core/job/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/error_list.hpp"
#include "core/base/file.hpp"
#include "core/base/quantity.hpp"
#include "core/job/keys/sanitize_key.hpp"
#include "core/job/keys/settings.hpp"
#include "core/job/parse_settings.hpp"
#include "core/job/parse_workload.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

void check_version(const YamlNode& job) {
  const YamlNode* version = job.find("kernelbatch");
  if (version == nullptr) return;
  if (!version->is_scalar() || try_parse_integer(version->text) != kSchemaVersion)
    fail_at(version->place,
            fmt::format("unknown schema version {}: this kernelbatch reads 'kernelbatch: {}'",
                        describe(*version), kSchemaVersion));
}

/// Characters of a job's name, which becomes part of file names and of Slurm's job name.
constexpr std::string_view kNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";

/// File names add up to 13 bytes.
constexpr std::size_t kLongestName = 240;

std::string parse_name(const YamlNode& node) {
  std::string name = read_text(node, "name");
  if (name.front() == '.' || name.front() == '-' ||
      name.find_first_not_of(kNameLetters) != std::string::npos)
    fail_at(node.place,
            fmt::format("'name' becomes part of file names: letters, digits, '_', '-', '.' and '+' "
                        "only, not '{}'",
                        name));
  if (name.size() > kLongestName)
    fail_at(node.place, fmt::format("'name' has {} bytes: it becomes part of file names, which may "
                                    "have 255 in all, so at most {}",
                                    name.size(), kLongestName));
  return name;
}

/// Default name of a job: its file's, as far as valid.
std::string name_of_file(const std::filesystem::path& path) {
  std::string name = path.stem().string();
  for (char& c : name)
    if (kNameLetters.find(c) == std::string_view::npos) c = '_';
  if (name.empty()) return "job";
  if (name.front() == '.' || name.front() == '-') name.front() = '_';
  return name;
}

std::vector<WorkloadSpec> parse_workloads(const YamlNode& job) {
  const YamlNode* list = job.find("workloads");
  if (list == nullptr) return {parse_workload(job)};
  if (const YamlNode* single = job.find("workload"))
    fail_at(single->place, "'workload' and 'workloads' exclude each other");
  if (!list->is_list() || list->children.empty())
    fail_at(list->place, fmt::format("'workloads' must be a list of workloads, not {}",
                                     list->is_list() ? "an empty one" : describe(*list)));
  std::vector<WorkloadSpec> specs;
  ErrorList errors;
  for (const YamlNode& entry : list->children)
    errors.attempt([&] {
      expect_keys(entry, "workloads", workload_keys());
      specs.push_back(parse_workload(inherit(entry, job)));
    });
  errors.raise();
  return specs;
}

}  // namespace

std::vector<Key> job_keys() {
  using enum Rule::Kind;
  std::vector<Key> keys{
      {"kernelbatch", Rule::json(R"({"enum": [1, "1"]})"), "version of this format", "1"},
      {"name", Rule::json(R"({
         "type": ["string", "number"], "pattern": "^[A-Za-z0-9_+][A-Za-z0-9_.+-]*$"
       })"),
       "name of the results; default: the file's name"},
      {"workloads", Rule::json(R"({
         "type": "array", "minItems": 1, "items": {"$ref": "#/definitions/workload_entry"}
       })"),
       "several workloads in one job"}};
  keys.insert(keys.end(), workload_keys().begin(), workload_keys().end());
  keys.push_back({"device", Rule::of(kText),
                  "`auto`, `host`, `cuda`, `cuda:1`, or the UUID of a GPU or MIG slice", "auto"});
  keys.push_back(
      {"sanitize", checks_rule(true),
       "instead of timing, run each variant once under access checks: `true`, or a list "
       "of `memory`, `race`, `init`, `sync`, and of `host` (the host device, as without it), `gpu` "
       "(under compute-sanitizer) or `both` (`run --sanitize`)",
       "false"});
  keys.push_back({"measure", Rule::mapping("measure"), "timing"});
  keys.push_back({"limits", Rule::mapping("limits"), "limits of a run"});
  keys.push_back({"output", Rule::mapping("output"), "stored results"});
  keys.push_back({"slurm", Rule::mapping("slurm"), "Slurm settings for `kernelbatch submit`"});
  return keys;
}

JobSpec parse_job(std::string_view text, const std::filesystem::path& path,
                  const Overrides& overrides) {
  YamlNode job = parse_yaml(text, path.string());
  if (!job.is_mapping())
    fail_at(job.place, fmt::format("a job is a mapping of keys such as 'workload: mse', not {}",
                                   describe(job)));
  apply_overrides(job, overrides);
  check_version(job);

  ErrorList errors;
  const bool knows_all = errors.attempt([&] { expect_keys(job, "the job", job_keys()); });
  JobSpec spec;
  spec.path = path;
  spec.source = text;
  spec.overrides = overrides;
  spec.name = name_of_file(path);
  const auto read = [&](std::string_view key, const auto& body) {
    if (const YamlNode* found = job.find(key)) errors.attempt([&] { body(*found); });
  };
  read("name", [&](const YamlNode& node) { spec.name = parse_name(node); });
  // A misspelt key is not also reported as missing.
  if (knows_all || job.find("workload") != nullptr || job.find("workloads") != nullptr)
    errors.attempt([&] { spec.workloads = parse_workloads(job); });
  read("device", [&](const YamlNode& node) {
    spec.device = {read_text(node, "device"), node.place, false};
  });
  read("sanitize", [&](const YamlNode& node) { spec.sanitize = read_checks(node, "sanitize"); });
  read("measure", [&](const YamlNode& node) { spec.measure = parse_measure(node); });
  read("limits", [&](const YamlNode& node) { spec.limits = parse_limits(node); });
  read("output", [&](const YamlNode& node) { spec.output = parse_output(node); });
  read("slurm", [&](const YamlNode& node) { spec.slurm = parse_slurm(node); });
  errors.raise();
  return spec;
}

JobSpec load_job(const std::filesystem::path& path, const Overrides& overrides) {
  return parse_job(read_file(path), path, overrides);
}

}  // namespace kernelbatch
