#include "core/case/worker/confinement.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/case/worker/environment_record.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/program/compile_process.hpp"
#include "core/verify/input_file.hpp"
#include "core/verify/reference_cache.hpp"
#include "core/verify/reference_file.hpp"

namespace kernelbatch {
namespace {
namespace fs = std::filesystem;

/// Files that a definition names: kernels in files of their own.
void add_named_files(const YamlNode& node, const std::string& job_folder,
                     std::vector<fs::path>& files) {
  constexpr std::size_t kLongestPath = 4096;
  for (const YamlNode& child : node.children) add_named_files(child, job_folder, files);
  if (!node.is_scalar() || node.text.empty() || node.text.size() > kLongestPath) return;
  std::error_code ignored;
  for (const fs::path& path : {fs::path(job_folder) / node.text, fs::path(node.text)})
    if (fs::is_regular_file(path, ignored)) files.push_back(path);
}

/// False if there is no such device: opening it reports that.
bool is_host(const std::string& selector) {
  try {
    return !choose_device(selector).is_gpu;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

bool needs_sandbox(const RequestedCase& wanted) {
  return wanted.spec.kernels && !is_sandbox_off() && is_host(wanted.request.device);
}

bool reads_files(const RequestedCase& wanted) {
  const auto is_file = [](const InputSpec& input) { return input.kind == InputKind::kFile; };
  return std::ranges::any_of(wanted.spec.inputs, is_file) || wanted.spec.verify.reference_file ||
         wanted.spec.kernels->reference.find("file") != nullptr;
}

void confine_for(const RequestedCase& wanted, CaseLoader& loader) {
  hide_memory();
  if (reads_files(wanted)) {
    keep_input_files();
    const LoadedProblem loaded = loader.problem(wanted, [](double) {});
    if (wanted.spec.verify.reference_file)
      read_reference_file(*wanted.spec.verify.reference_file, loaded.problem->outputs(),
                          wanted.job_folder);
  }
  SandboxFiles files;
  for (const InlineVariant& variant : wanted.spec.kernels->variants)
    add_named_files(variant.options, wanted.job_folder, files.readable);
  // Searches keep expensive references.
  if (const auto folder = reference_folder(); folder && wanted.spec.tune) {
    make_own_folder(*folder);
    files.writable.push_back(*folder);
  }
  // Names of users may come from a service.
  describe_environment(list_devices().devices.back(), {});
  start_compile_process();
  enter_sandbox(files);
}

}  // namespace kernelbatch
