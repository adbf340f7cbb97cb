// kernelbatch list and describe: the workloads, and one of them in full.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/app/command.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/report/table.hpp"
#include "core/run/supervisor.hpp"
#include "core/workload/loader.hpp"

namespace kernelbatch::app {
namespace {

Supervisor make_asker() {
  return Supervisor({.worker_command = worker_command(), .arguments = {}, .device = {}});
}

int list_workloads() {
  Supervisor asker = make_asker();
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
  fmt::print("{}{}", table.to_text({}, text_format()), refused);
  return 0;
}

std::string range_text(const ParameterDeclaration& p) {
  if (!p.choices.empty()) return join(p.choices, " | ");
  if (p.minimum && p.maximum) return fmt::format("{:.6g} … {:.6g}", *p.minimum, *p.maximum);
  return "";
}

int describe_workload(const std::string& name) {
  Supervisor asker = make_asker();
  const WorkloadInfo info = asker.describe(plugin_path(name));
  fmt::print("{} (version {}): {}\n\nParameters\n", info.name, info.version, info.summary);
  TextTable parameters({"  name", "type", "default", "values", "help"});
  TextTable tuning = parameters;
  bool is_tunable = false;
  for (const ParameterDeclaration& p : info.parameters) {
    is_tunable |= p.is_tuning;
    (p.is_tuning ? tuning : parameters)
        .add({"  " + p.name, std::string(to_text(p.type)), to_text(p.default_value), range_text(p),
              p.help});
  }
  const TextFormat format = text_format();
  fmt::print("{}", parameters.to_text({}, format));
  if (is_tunable) fmt::print("\nFor tuning\n{}", tuning.to_text({}, format));
  if (!info.inputs.empty()) fmt::print("\nInputs\n");
  for (const InputDeclaration& input : info.inputs)
    fmt::print("  {}: {}\n", input.name, input.help);
  fmt::print("\nOutputs\n");
  for (const auto& [output, help] : info.outputs) fmt::print("  {}: {}\n", output, help);
  fmt::print("\nVariants\n");
  TextTable variants({"  name", "style", "how"});
  for (const VariantDeclaration& variant : info.variants)
    variants.add({"  " + variant.name, std::string(name_of(variant.kind)), variant.help});
  fmt::print("{}", variants.to_text({}, format));
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("list", "The workloads and where they come from");
  add_examples(*command, {{"kernelbatch list", ""}});
  command->callback([&action] { action = list_workloads; });
}

void add_describe(CLI::App& app, Action& action) {
  auto name = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("describe", "Parameters, inputs, outputs and variants of a workload");
  command->add_option("WORKLOAD", *name, "Name, or path of a plugin")
      ->required()
      ->type_name(kWorkload);
  add_examples(*command, {{"kernelbatch describe mse", ""}});
  command->callback([name, &action] { action = [name] { return describe_workload(*name); }; });
}

}  // namespace kernelbatch::app
