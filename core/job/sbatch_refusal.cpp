#include "core/job/sbatch_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/text.hpp"
#include "core/job/gpu_types.hpp"
#include "core/job/keys/slurm_keys.hpp"

namespace kernelbatch {
namespace {

struct Refusal {
  std::string_view text;  ///< of sbatch, in small letters
  std::string_view key;
  std::string_view set;      ///< what to do if the job has the key
  std::string_view missing;  ///< what to do if it has not; empty: the same
};

/// Slurm's own messages come first, then words that messages of a site contain.
constexpr Refusal kRefusals[] = {
    {"invalid partition", "partition", "use one of the cluster's partitions", ""},
    {"invalid account", "account",
     "use one of your accounts: `sacctmgr show associations user=$USER`",
     "set it: `sacctmgr show associations user=$USER` lists your accounts"},
    {"invalid qos", "qos", "use one of `sacctmgr show qos`", ""},
    {"job array specification", "array", "request fewer tasks", ""},
    {"invalid license", "licenses", "use one of `scontrol show licenses`", ""},
    {"reservation", "reservation", "use one of `scontrol show reservations`", ""},
    {"invalid feature", "constraint", "use one of `sinfo -o %f`", ""},
    {"invalid node name", "nodelist", "use some of `sinfo -N`", ""},
    {"node count", "nodes", "request fewer nodes", ""},
    {"memory specification", "mem", "request less: `sinfo -o '%n %m'` has the nodes' memory in MB",
     ""},
    {"trackable resource", "gpus", "write TYPE:COUNT with a type of the cluster", ""},
    {"node configuration is not available", "",
     "no node has the requested GPUs, CPUs and memory together: request less (`sinfo -o '%n %c %m "
     "%G'`)",
     ""},
    {"job dependency", "dependency", "name jobs that Slurm still knows", ""},
    {"entry for --cluster", "clusters", "use one of `sacctmgr show clusters`", ""},
    {"qos policy", "array",
     "the account's or the QOS's limit is reached: request fewer tasks, lower slurm.time, or wait",
     ""},
    {"unable to accept job", "array", "the cluster's queue is full (MaxJobCount): try again later",
     ""},
    {"time", "time", "lower it", "the site requires a time limit: add it, such as `time: 1h`"},
    {"gpu", "gpus", "change the request as the message requires",
     "the site requires a GPU: add it, such as `gpus: {}`"},
    {"gres", "gpus", "change the request as the message requires",
     "the site requires a GPU: add it, such as `gpus: {}`"},
    {"account", "account", "use another one", "the site requires an account: add it"},
    {"partition", "partition", "use another one", "the site requires a partition: add it"},
    {"qos", "qos", "use another one", "the site requires a QOS: add it"},
    {"memory", "mem", "change it", "the site requires a memory limit: add it, such as `mem: 8G`"}};

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](char c) {
    return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

/// The key whose option a message like "Invalid --nice value" names; null if there is none.
const Key* named_key(std::string_view text) {
  for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at)) {
    at += 2;
    std::string name(
        text.substr(at, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at) - at));
    std::ranges::replace(name, '-', '_');
    if (const Key* key = find_slurm_key(name); key != nullptr) return key;
  }
  return nullptr;
}

/// The job's GPU request has several keys.
const Scalar* value_of(const SlurmSpec& slurm, std::string_view key) {
  if (key == "gpus")
    for (const auto& [name, value] : slurm.values)
      if (is_gpu_key(name)) return &value;
  if (key == "cpus_per_task" && find_value(slurm, key) == nullptr) key = "cpus";
  return find_value(slurm, key);
}

bool is_about(const Key& key, std::string_view name) {
  return key.name == name || (is_gpu_key(key.name) && is_gpu_key(name));
}

/// Names of the cluster that are valid for the key.
std::string known_names(std::string_view key, const Scalar* value, const SlurmSite& site) {
  std::vector<std::string> names;
  if (key == "partition") names = site.partition_names();
  if (key == "gpus") names = site.gpu_types();
  return names.empty() ? "" : suggestion(value == nullptr ? "" : value->text, names);
}

std::string advice_of(const Refusal& refusal, const Scalar* value, const SlurmSite& site) {
  const bool is_missing = value == nullptr && !refusal.missing.empty();
  const std::vector<std::string> types = site.gpu_types();
  const std::string example = types.empty() ? "1" : fmt::format("\"{}:1\"", types.front());
  std::string text =
      is_missing ? fmt::format(fmt::runtime(refusal.missing), example) : std::string(refusal.set);
  if (!refusal.key.empty()) text = fmt::format("slurm.{}: {}", refusal.key, text);
  return text + known_names(refusal.key, value, site);
}

}  // namespace

SpecError refusal_error(std::string_view text, const SlurmSpec& slurm, const SlurmSite& site) {
  const std::string message = fmt::format("sbatch refused the job: {}", text);
  const auto error = [&](const std::string& advice, const Scalar* value) {
    return SpecError(fmt::format("{}\n  {}", message, advice),
                     value == nullptr ? SourcePlace{} : value->place);
  };
  const std::string small = in_small_letters(text);
  const Key* named = named_key(text);
  if (named != nullptr && small.find("unrecognized option") != std::string::npos)
    return error(fmt::format("slurm.{}: this version of Slurm does not have it ({})", named->name,
                             named->help),
                 value_of(slurm, named->name));
  for (const Refusal& refusal : kRefusals)
    if (small.find(refusal.text) != std::string::npos &&
        (named == nullptr || is_about(*named, refusal.key))) {
      const Scalar* value = refusal.key.empty() ? nullptr : value_of(slurm, refusal.key);
      return error(advice_of(refusal, value, site), value);
    }
  if (named != nullptr)
    return error(fmt::format("slurm.{}: {}", named->name, named->help),
                 value_of(slurm, named->name));
  return SpecError(message);
}

}  // namespace kernelbatch
