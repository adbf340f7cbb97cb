#include "core/app/doctor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/app/command.hpp"
#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/process.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/job/slurm.hpp"
#include "core/kernel/program/cache.hpp"
#include "core/result/h5/version.hpp"
#include "core/run/supervisor.hpp"
#include "core/workload/loader.hpp"
#include "kernelbatch/build_tag.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

/// Checks the folder itself, or its nearest existing parent.
bool can_be_written(fs::path folder) {
  std::error_code ignored;
  while (!folder.empty() && !fs::exists(folder, ignored) && folder != folder.parent_path())
    folder = folder.parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

Section build_section() {
  return {"build",
          {{"version", true, version_text()},
           {"compiler", true, compiler_text()},
           {"plugins' tag", true, KERNELBATCH_BUILD_TAG},
           {"executable", true, executable_path().string()}}};
}

Section cache_section() {
  Section section{"kernel cache", {}};
  try {
    if (const auto folder = cache_folder()) {
      const CacheUsage usage = cache_usage(*folder);
      const bool is_writable = can_be_written(*folder);
      require_trusted_caches();
      section.findings.push_back(
          {"user's", is_writable,
           fmt::format("{}: {}, {} of {}{}", folder->string(), plural(usage.entries, "entry"),
                       format_bytes(usage.bytes), format_bytes(cache_limit()),
                       is_writable ? "" : "; cannot be written")});
    } else {
      section.findings.push_back(
          {"user's", false, "none: kernels are compiled by every process (KERNELBATCH_CACHE_DIR)"});
    }
  } catch (const Error& error) {
    section.findings.push_back({"user's", false, error.what()});
  }
  if (const auto shared = shared_cache_folder()) {
    std::error_code ignored;
    const bool is_there = fs::is_directory(*shared, ignored);
    section.findings.push_back(
        {"site's", is_there,
         is_there
             ? fmt::format("{}: {}", shared->string(),
                           plural(cache_usage(*shared).entries, "entry"))
             : fmt::format("{} is not a folder (KERNELBATCH_CACHE_SHARED)", shared->string())});
  }
  return section;
}

Section plugin_section() {
  Section section{"plugins", {}};
  std::error_code ignored;
  for (const fs::path& folder : plugin_folders())
    if (fs::is_directory(folder, ignored)) section.findings.push_back({"folder", true, folder});
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  const std::vector<fs::path> plugins = find_plugins();
  if (plugins.empty())
    section.findings.push_back({"folder", false, "no plugin found (KERNELBATCH_PLUGIN_PATH)"});
  for (const fs::path& path : plugins) {
    const std::string name = path.stem().string();
    try {
      section.findings.push_back(
          {name, true, fmt::format("{} variants", asker.describe(path).variants.size())});
    } catch (const Error& error) {
      section.findings.push_back({name, false, error.what()});
    }
  }
  return section;
}

Section slurm_section() {
  Section section{"Slurm", {}};
  try {
    const auto allocation = slurm_allocation(environment);
    section.findings.push_back(
        {"allocation", true,
         allocation ? fmt::format("job {}{}", allocation->name(),
                                  allocation->has_gpus() ? ", with GPUs" : ", without GPUs")
                    : "not inside one"});
  } catch (const Error& error) {
    section.findings.push_back({"allocation", false, error.what()});
  }
  for (const char* name : {"sbatch", "srun", "squeue", "sacct"}) {
    const auto path = find_program(name);
    bool is_good = path.has_value();
    std::string text = path ? path->string() : "not found";
    if (path && name == std::string_view("sbatch")) {
      const ProcessResult answer = run_process({path->string(), "--version"});
      const std::string line(trim(answer.output.substr(0, answer.output.find('\n'))));
      is_good = answer.succeeded();
      text += fmt::format("{}: {}", is_good ? "" : " does not work here", line);
    }
    section.findings.push_back({name, is_good, std::move(text)});
  }
  return section;
}

Section results_section() {
  Section section{"results", {{"HDF5", true, hdf5_version()}}};
  const auto choice = environment("HDF5_USE_FILE_LOCKING");
  section.findings.push_back(
      {"HDF5's locks", true,
       choice ? fmt::format("HDF5_USE_FILE_LOCKING={}", *choice)
              : "as the library was built (HDF5_USE_FILE_LOCKING=FALSE switches them off)"});
  // Some cluster file systems refuse locks, and HDF5 then refuses files.
  const int folder = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool has_locks = folder >= 0 && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
  const bool is_taken = folder >= 0 && !has_locks && errno == EWOULDBLOCK;
  if (folder >= 0) ::close(folder);
  const std::string here = fs::current_path().string();
  section.findings.push_back({"locks here", has_locks || is_taken,
                              has_locks || is_taken ? "the file system of " + here + " has them"
                                                    : "the file system of " + here + " has none"});
  section.findings.push_back(
      {"written here", can_be_written("."), can_be_written(".") ? here : here + " cannot be"});
  return section;
}

Section terminal_section() {
  std::string settings;
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const auto value = environment(variable))
      settings += fmt::format("{}{}={}", settings.empty() ? "" : " ", variable, *value);
  return {"terminal",
          {{"locale", true,
            fmt::format("{}{}", settings.empty() ? "none set" : settings,
                        is_utf8_locale() ? ", UTF-8" : ", not UTF-8: signs are printed in ASCII")},
           {"colour", true, text_format().has_colour ? "yes" : "no"}}};
}

}  // namespace

std::vector<Section> examine() {
  return {build_section(), {"GPU", describe_tools()}, cache_section(),   plugin_section(),
          slurm_section(), results_section(),         terminal_section()};
}

std::string to_text(const std::vector<Section>& sections) {
  const TextFormat format = text_format();
  std::size_t widest = 0;
  for (const Section& section : sections)
    for (const Finding& finding : section.findings)
      widest = std::max(widest, columns_of(finding.name));
  std::string text;
  for (const Section& section : sections) {
    text += fmt::format("\n{}\n", styled(section.name, TextStyle::kStrong, format));
    for (const Finding& finding : section.findings)
      text += fmt::format("  {} {}{}  {}\n",
                          finding.is_good ? styled("+", TextStyle::kGood, format)
                                          : styled("-", TextStyle::kWarning, format),
                          finding.name, std::string(widest - columns_of(finding.name), ' '),
                          finding.text);
  }
  return text;
}

std::string to_json(const std::vector<Section>& sections) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Section& section : sections) {
    auto findings = nlohmann::ordered_json::array();
    for (const Finding& finding : section.findings)
      findings.push_back(
          {{"name", finding.name}, {"good", finding.is_good}, {"text", finding.text}});
    json.push_back({{"section", section.name}, {"findings", findings}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace kernelbatch::app
