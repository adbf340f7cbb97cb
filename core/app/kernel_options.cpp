#include "core/app/kernel_options.hpp"

#include <filesystem>

namespace kernelbatch::app {
namespace {

/// Absolute, since workers may have another working folder.
std::string folder_of(const KernelOptions& options) {
  return std::filesystem::absolute(options.keep_source).string();
}

}  // namespace

std::vector<Option> kernel_options(KernelOptions& options) {
  return {{.names = {"--keep-source"},
           .help = "Folder for every generated kernel source (KERNELBATCH_KEEP_SOURCE)",
           .target = &options.keep_source,
           .type = kFolder},
          {.names = {"-v", "--verbose"},
           .help = "Show the numbered source of kernels that do not compile "
                   "(KERNELBATCH_DUMP_SOURCE=1)",
           .target = &options.is_verbose}};
}

Variables variables_of(const KernelOptions& options) {
  Variables variables;
  if (!options.keep_source.empty())
    variables.emplace_back("KERNELBATCH_KEEP_SOURCE", folder_of(options));
  if (options.is_verbose) variables.emplace_back("KERNELBATCH_DUMP_SOURCE", "1");
  return variables;
}

std::vector<std::string> flags_of(const KernelOptions& options) {
  std::vector<std::string> flags;
  if (!options.keep_source.empty()) flags = {"--keep-source", folder_of(options)};
  if (options.is_verbose) flags.emplace_back("--verbose");
  return flags;
}

}  // namespace kernelbatch::app
