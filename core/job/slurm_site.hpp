// Limits of a Slurm cluster, and the settings of a job that are beyond them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/spec.hpp"

namespace kernelbatch {

struct SlurmPartition {
  std::string name;
  bool is_default = false;
  std::optional<double> limit_s;  ///< std::nullopt: none
  std::vector<std::string> gpu_types;
};

struct SlurmSite {
  std::vector<SlurmPartition> partitions;  ///< empty: unknown
  std::size_t max_array_size = 0;          ///< MaxArraySize; 0: unknown
  std::size_t max_jobs = 0;                ///< MaxJobCount; 0: unknown
  std::size_t jobs = 0;                    ///< that Slurm keeps now

  /// Number of tasks that Slurm takes now, at least 1; std::nullopt if unknown.
  std::optional<std::size_t> most_tasks() const;
  std::vector<std::string> gpu_types() const;
  std::vector<std::string> partition_names() const;
};

/// Parses the output of `sinfo --noheader --format "%P|%l|%G"`; a partition may have several lines.
std::vector<SlurmPartition> parse_sinfo(std::string_view answer);

/// The number that `scontrol show config` prints for a name; 0 if there is none.
std::size_t config_number(std::string_view answer, std::string_view name);

/// Queries the cluster; members are unknown if there is no Slurm or it does not answer.
SlurmSite query_site();

/// Throws SpecError with the closest name for a type of GPU that none of slurm.partition has, or no
/// partition at all if the job leaves the choice to the site.
void require_gpu_types(const SlurmSpec& slurm, const SlurmSite& site);

/// Sentences about limits of the job's partitions below slurm.time.
std::vector<std::string> exceeded_limits(const SlurmSpec& slurm, const SlurmSite& site);

/// The same for the limit of slurm.qos: `answer` of `sacctmgr --noheader --parsable2 show qos
/// format=name,maxwall`.
std::vector<std::string> exceeded_qos_limits(const SlurmSpec& slurm, std::string_view answer);

}  // namespace kernelbatch
