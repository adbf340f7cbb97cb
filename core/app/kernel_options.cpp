#include "core/app/kernel_options.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace kernelbatch::app {
namespace {

void keep_sources(const std::string& folder) {
  // Absolute, since workers may stand elsewhere.
  const std::string path = std::filesystem::absolute(folder).string();
  ::setenv("KERNELBATCH_KEEP_SOURCE", path.c_str(), 1);
}

void dump_sources() { ::setenv("KERNELBATCH_DUMP_SOURCE", "1", 1); }

}  // namespace

std::vector<Option> kernel_options() {
  return {{.names = {"--keep-source"},
           .help = "Folder for every generated kernel source (KERNELBATCH_KEEP_SOURCE)",
           .target = keep_sources,
           .type = kFolder},
          {.names = {"-v", "--verbose"},
           .help = "Show the numbered source of kernels that do not compile "
                   "(KERNELBATCH_DUMP_SOURCE=1)",
           .target = dump_sources}};
}

}  // namespace kernelbatch::app
