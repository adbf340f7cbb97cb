#include "core/case/worker/environment_record.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "core/base/clock.hpp"
#include "core/base/process.hpp"
#include "core/base/sandbox/sandbox.hpp"
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

/// Empty texts and -1 if the device is no GPU.
void add_gpu(const DeviceProperties& device, EnvironmentRecord& record) {
  const auto add_text = [&](const char* name, const std::string& text) {
    record.values.emplace_back(name, device.is_gpu ? text : std::string());
  };
  const auto add_number = [&](const char* name, auto value) {
    record.values.emplace_back(name,
                               device.is_gpu ? static_cast<std::int64_t>(value) : std::int64_t{-1});
  };
  add_text("gpu_name", device.name);
  add_text("gpu_uuid", device.uuid);
  add_text("gpu_pci", device.pci);
  add_number("gpu_sms", device.compute_units);
  add_number("gpu_memory", device.memory);
  add_number("gpu_l2", device.shared_cache);
  add_text("gpu_capability",
           fmt::format("{}.{}", device.capability_major, device.capability_minor));
  add_text("mig_profile", device.mig_profile);
  add_text("mig_parent", device.parent_uuid);
  add_number("mig_parent_index", device.parent_index);
  add_number("mig_gpu_instance", device.gpu_instance);
  add_number("mig_compute_instance", device.compute_instance);
  add_text("gpu_ecc", device.ecc);
  add_text("driver", device.driver);
}

}  // namespace

EnvironmentRecord describe_environment(const DeviceProperties& device,
                                       const std::vector<std::string>& arguments) {
  utsname system{};
  ::uname(&system);
  EnvironmentRecord record;
  const auto add = [&](const char* name, Value value) {
    record.values.emplace_back(name, std::move(value));
  };
  add("host", std::string(system.nodename));
  add("os", distribution());
  add("kernel", std::string(system.release));
  add("cpu", list_devices().devices.back().name);
  add("cores", static_cast<std::int64_t>(list_devices().devices.back().compute_units));
  add_gpu(device, record);
  add("nvrtc", device.is_gpu ? list_devices().nvrtc : std::string());
  add("compiler", compiler_text());
  add("clock", std::string(MeasuringClock::is_simulated() ? "simulated" : "steady"));
  add("sandbox", std::string(is_confined() ? "on" : is_sandbox_off() ? "off" : ""));
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
