// kernelbatch list: the workloads.
#include <fmt/format.h>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/table.hpp"
#include "core/run/supervisor.hpp"
#include "core/workload/loader.hpp"

namespace kernelbatch::app {
namespace {

int list_workloads() {
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  TextTable table({"workload", "summary", "variants", "from"});
  std::string refused;
  for (const auto& path : find_plugins()) {
    try {
      const WorkloadInfo info = asker.describe(path);
      std::vector<std::string> variants;
      for (const VariantDeclaration& variant : info.variants) variants.push_back(variant.name);
      table.add({info.name, info.summary, join(variants), path.string()});
    } catch (const SpecError& error) {
      refused += fmt::format("refused: {}\n", error.what());
    }
  }
  if (table.empty() && refused.empty()) {
    std::vector<std::string> folders;
    for (const auto& folder : plugin_folders()) folders.push_back(folder);
    throw SpecError(fmt::format("no plugin found in {}", join(folders)));
  }
  table.drop_when_narrow({3});
  table.wrap({1, 2});
  fmt::print("{}{}", table.to_text({}, text_format()), refused);
  return 0;
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "List workloads and their plugins",
          .examples = {{"kernelbatch list", ""}},
          .action = list_workloads};
}

}  // namespace kernelbatch::app
