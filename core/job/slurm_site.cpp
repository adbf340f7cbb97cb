#include "core/job/slurm_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/gpu_types.hpp"
#include "core/job/keys/slurm_keys.hpp"
#include "core/job/slurm.hpp"

namespace kernelbatch {
namespace {

std::string output_of(const std::vector<std::string>& command) {
  if (!find_program(command[0])) return "";
  const ProcessResult result = run_process(command);
  return result.succeeded() ? result.output : "";
}

/// Partitions that the job may run in: slurm.partition, else the default.
std::vector<const SlurmPartition*> partitions_of(const SlurmSpec& slurm, const SlurmSite& site) {
  const Scalar* named = find_value(slurm, "partition");
  const std::vector<std::string> names =
      named == nullptr ? std::vector<std::string>{} : split(named->text, ',');
  std::vector<const SlurmPartition*> found;
  for (const SlurmPartition& each : site.partitions)
    if (named == nullptr ? each.is_default : std::ranges::find(names, each.name) != names.end())
      found.push_back(&each);
  return found;
}

std::string limit_text(const std::string& what, const Scalar& time, double limit_s) {
  return fmt::format("{}: slurm.time {} is above the limit {} of {}, so the job would not start",
                     to_text(time.place), time.text, to_slurm_time(limit_s), what);
}

}  // namespace

std::optional<std::size_t> SlurmSite::most_tasks() const {
  if (max_array_size == 0) return {};
  // One job of the cluster's limit is never given.
  const std::size_t free = max_jobs > jobs + 1 ? max_jobs - jobs - 1 : 1;
  return max_jobs == 0 ? max_array_size : std::min(max_array_size, free);
}

std::vector<std::string> SlurmSite::gpu_types() const {
  std::vector<std::string> types;
  for (const SlurmPartition& partition : partitions)
    for (const std::string& type : partition.gpu_types)
      if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  return types;
}

std::vector<std::string> SlurmSite::partition_names() const {
  std::vector<std::string> names;
  for (const SlurmPartition& partition : partitions) names.push_back(partition.name);
  return names;
}

std::vector<SlurmPartition> parse_sinfo(std::string_view answer) {
  std::vector<SlurmPartition> partitions;
  for (const std::string& line : split(answer, '\n')) {
    const std::vector<std::string> row = split(trim(line), '|');
    if (row.size() != 3) continue;
    const bool is_default = row[0].ends_with('*');
    const std::string name = row[0].substr(0, row[0].size() - (is_default ? 1 : 0));
    auto known = std::ranges::find(partitions, name, &SlurmPartition::name);
    if (known == partitions.end())
      known = partitions.insert(known, {name, is_default, parse_slurm_time(row[1]), {}});
    for (std::string& type : gpu_types_of_site(row[2]))
      if (std::ranges::find(known->gpu_types, type) == known->gpu_types.end())
        known->gpu_types.push_back(std::move(type));
  }
  return partitions;
}

std::size_t config_number(std::string_view answer, std::string_view name) {
  for (const std::string& line : split(answer, '\n')) {
    const std::vector<std::string> sides = split(line, '=');
    if (sides.size() != 2 || trim(sides[0]) != name) continue;
    const std::string_view digits = trim(sides[1]);
    std::size_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  return 0;
}

SlurmSite query_site() {
  SlurmSite site;
  site.partitions = parse_sinfo(output_of({"sinfo", "--noheader", "--format=%P|%l|%G"}));
  if (site.partitions.empty()) return site;
  const std::string config = output_of({"scontrol", "show", "config"});
  site.max_array_size = config_number(config, "MaxArraySize");
  site.max_jobs = config_number(config, "MaxJobCount");
  const std::string jobs =
      output_of({"squeue", "--noheader", "--all", "--array", "--states=all", "--format=%i"});
  site.jobs = static_cast<std::size_t>(std::ranges::count(jobs, '\n'));
  return site;
}

void require_gpu_types(const SlurmSpec& slurm, const SlurmSite& site) {
  const Scalar* named = find_value(slurm, "partition");
  const std::vector<const SlurmPartition*> partitions = partitions_of(slurm, site);
  // Names that sinfo does not list may be hidden partitions.
  if (partitions.empty()) return;
  std::vector<std::string> known = named == nullptr ? site.gpu_types() : std::vector<std::string>{};
  for (const SlurmPartition* partition : partitions)
    known.insert(known.end(), partition->gpu_types.begin(), partition->gpu_types.end());
  const std::string where = named == nullptr ? "the cluster" : "partition " + named->text;
  for (const auto& [key, value] : slurm.values) {
    if (!is_gpu_key(key)) continue;
    for (const std::string& type : gpu_types(key, value))
      if (std::ranges::find(known, type) == known.end())
        fail_at(
            value.place,
            fmt::format("slurm.{} '{}': {} has no GPU of type '{}'{}", key, value.text, where, type,
                        known.empty() ? "; it has none with a type" : suggestion(type, known)));
  }
}

std::vector<std::string> exceeded_limits(const SlurmSpec& slurm, const SlurmSite& site) {
  const Scalar* time = find_value(slurm, "time");
  if (time == nullptr) return {};
  const double wanted = parse_seconds(time->text);
  std::vector<std::string> sentences;
  for (const SlurmPartition* each : partitions_of(slurm, site)) {
    if (!each->limit_s || wanted <= *each->limit_s) return {};  // one of them is enough
    sentences.push_back(limit_text("partition " + each->name, *time, *each->limit_s));
  }
  std::vector<std::string> longer;
  for (const SlurmPartition& each : site.partitions)
    if (!each.limit_s || wanted <= *each.limit_s) longer.push_back(each.name);
  if (!sentences.empty())
    sentences.back() +=
        longer.empty() ? ". Lower it" : ". Lower it, or set slurm.partition: " + join(longer);
  return sentences;
}

std::vector<std::string> exceeded_qos_limits(const SlurmSpec& slurm, std::string_view answer) {
  const Scalar* qos = find_value(slurm, "qos");
  const Scalar* time = find_value(slurm, "time");
  if (qos == nullptr || time == nullptr) return {};
  for (const std::string& line : split(answer, '\n')) {
    const std::vector<std::string> row = split(trim(line), '|');
    if (row.size() != 2 || row[0] != qos->text) continue;
    const auto limit = row[1].empty() ? std::nullopt : parse_slurm_time(row[1]);
    if (limit && parse_seconds(time->text) > *limit)
      return {limit_text("QOS " + qos->text, *time, *limit) + ". Lower it"};
  }
  return {};
}

}  // namespace kernelbatch
