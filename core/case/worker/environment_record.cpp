#include "core/case/worker/environment_record.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "core/base/clock.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/device/device_list.hpp"

namespace kernelbatch {
namespace {

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PRETTY_NAME=")) {
      std::string name = line.substr(12);
      std::erase(name, '"');
      return name;
    }
  return "";
}

std::string user_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? entry->pw_name : "";
}

/// Text of a Slurm variable, empty if unset.
std::string slurm(const char* name) { return environment(name).value_or(""); }

}  // namespace

EnvironmentRecord describe_environment(const DeviceProperties& device,
                                       const std::vector<std::string>& arguments) {
  utsname system{};
  ::uname(&system);
  const auto gpu_text = [&](const std::string& text) {
    return device.is_gpu ? text : std::string();
  };
  const auto gpu_number = [&](auto value) {
    return device.is_gpu ? static_cast<std::int64_t>(value) : std::int64_t{-1};
  };
  EnvironmentRecord record;
  const auto add = [&](const char* name, Value value) {
    record.values.emplace_back(name, std::move(value));
  };
  add("host", std::string(system.nodename));
  add("os", distribution());
  add("kernel", std::string(system.release));
  add("cpu", list_devices().devices.back().name);
  add("cores", static_cast<std::int64_t>(list_devices().devices.back().compute_units));
  add("gpu_name", gpu_text(device.name));
  add("gpu_uuid", gpu_text(device.uuid));
  add("gpu_pci", gpu_text(device.pci));
  add("gpu_sms", gpu_number(device.compute_units));
  add("gpu_memory", gpu_number(device.memory));
  add("gpu_l2", gpu_number(device.shared_cache));
  add("gpu_capability",
      gpu_text(fmt::format("{}.{}", device.capability_major, device.capability_minor)));
  add("mig_profile", gpu_text(device.mig_profile));
  add("mig_parent", gpu_text(device.parent_uuid));
  add("mig_parent_index", gpu_number(device.parent_index));
  add("mig_gpu_instance", gpu_number(device.gpu_instance));
  add("mig_compute_instance", gpu_number(device.compute_instance));
  add("gpu_ecc", gpu_text(device.ecc));
  add("driver", gpu_text(device.driver));
  add("nvrtc", device.is_gpu ? list_devices().nvrtc : std::string());
  add("compiler", compiler_text());
  add("clock", std::string(MeasuringClock::is_simulated() ? "simulated" : "steady"));
  add("slurm_job_id", slurm("SLURM_JOB_ID"));
  add("slurm_array_job_id", slurm("SLURM_ARRAY_JOB_ID"));
  add("slurm_array_task_id", slurm("SLURM_ARRAY_TASK_ID"));
  add("slurm_step_id", slurm("SLURM_STEP_ID"));
  add("slurm_node", slurm("SLURMD_NODENAME"));
  add("slurm_gpus", environment("SLURM_STEP_GPUS").value_or(slurm("SLURM_JOB_GPUS")));
  add("cuda_visible_devices", slurm("CUDA_VISIBLE_DEVICES"));
  add("slurm_partition", slurm("SLURM_JOB_PARTITION"));
  add("slurm_restart_count", slurm("SLURM_RESTART_COUNT"));
  add("argv", join(arguments, " "));
  add("user", user_name());
  add("source", version_text());
  return record;
}

}  // namespace kernelbatch
