#include "core/app/kernel_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/app/command_table.hpp"

namespace kernelbatch::app {

void add_kernel_options(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--keep-source",
          [](const std::string& folder) {
            // Absolute, since workers may stand elsewhere.
            const std::string path = std::filesystem::absolute(folder).string();
            ::setenv("KERNELBATCH_KEEP_SOURCE", path.c_str(), 1);
          },
          "Folder for every generated kernel source (KERNELBATCH_KEEP_SOURCE)")
      ->type_name(kFolder);
  command.add_flag_callback(
      "-v,--verbose", [] { ::setenv("KERNELBATCH_DUMP_SOURCE", "1", 1); },
      "Show the numbered source of kernels that do not compile (KERNELBATCH_DUMP_SOURCE=1)");
}

}  // namespace kernelbatch::app
