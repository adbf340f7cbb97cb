// kernelbatch describe: one workload in full.
#include <fmt/format.h>

#include <memory>
#include <ranges>
#include <string>
#include <string_view>

#include "core/app/command.hpp"
#include "core/base/text.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/report/table.hpp"
#include "core/run/supervisor.hpp"
#include "core/workload/loader.hpp"

namespace kernelbatch::app {
namespace {

std::string range_text(const ParameterDeclaration& p) {
  if (!p.choices.empty()) return join(p.choices, " | ");
  if (p.minimum && p.maximum) return fmt::format("{:.6g} … {:.6g}", *p.minimum, *p.maximum);
  return "";
}

template <std::ranges::range Keys>
void print_keys(std::string_view heading, const Keys& keys) {
  TextTable table({"  key", "means"});
  for (const Key& key : keys)
    table.add({"  " + std::string(key.name),
               std::string(key.help) + (key.is_required ? " (required)" : "")});
  table.wrap({1});
  fmt::print("\n{}\n{}", heading, table.to_text({}, text_format()));
}

/// Describes inline kernels, whose job declares everything, without a plugin.
int describe_inline() {
  fmt::print(
      "inline: kernels in the job itself\n\nParameters are those of `params:`, inputs those of "
      "`inputs:`.\n");
  for (const InlineKind& kind : inline_kinds())
    print_keys(fmt::format("variants, kind: {}", kind.name), kind.keys);
  print_keys("outputs: an array", buffer_keys());
  print_keys("scratch: an array", scratch_array_keys());
  print_keys("outputs, inputs: a view of another array", view_keys());
  print_keys("reference", inline_reference_keys());
  fmt::print(
      "\nAll keys with examples are in jobs/README.md; `kernelbatch schema` is for editors.\n");
  return 0;
}

int describe_workload(const std::string& name) {
  if (name == "inline") return describe_inline();
  Supervisor asker({.worker_command = worker_command(), .arguments = {}, .device = {}});
  const WorkloadInfo info = asker.describe(plugin_path(name));
  fmt::print("{} (version {}): {}\n\nParameters\n", info.name, info.version, info.summary);
  TextTable parameters({"  name", "type", "default", "values", "help"});
  TextTable tuning = parameters;
  bool is_tunable = false;
  for (const ParameterDeclaration& p : info.parameters) {
    is_tunable |= p.is_tuning;
    (p.is_tuning ? tuning : parameters)
        .add({"  " + p.name, std::string(name_of(p.type)), to_text(p.default_value), range_text(p),
              p.help});
  }
  const TextFormat format = text_format();
  parameters.wrap({3, 4});
  tuning.wrap({3, 4});
  fmt::print("{}", parameters.to_text({}, format));
  if (is_tunable) fmt::print("\nFor tuning\n{}", tuning.to_text({}, format));
  if (!info.inputs.empty()) fmt::print("\nInputs\n");
  for (const InputDeclaration& input : info.inputs)
    fmt::print("  {}: {}{}{}\n", input.name, form_text(input), input.extents.empty() ? "" : "; ",
               input.help);
  fmt::print("\nOutputs\n");
  for (const auto& [output, help] : info.outputs) fmt::print("  {}: {}\n", output, help);
  fmt::print("\nVariants\n");
  TextTable variants({"  name", "style", "how"});
  for (const VariantDeclaration& variant : info.variants)
    variants.add({"  " + variant.name, std::string(name_of(variant.kind)), variant.help});
  variants.wrap({2});
  fmt::print("{}", variants.to_text({}, format));
  return 0;
}

}  // namespace

Command describe_command() {
  auto name = std::make_shared<std::string>();
  Command command{.name = "describe",
                  .summary = "Parameters, inputs, outputs and variants of a workload"};
  command.add({{.names = {"WORKLOAD"},
                .help = "Name, path of a plugin, or `inline`",
                .target = name.get(),
                .type = kWorkload,
                .is_required = true}});
  command.examples = {{"kernelbatch describe mse", ""},
                      {"kernelbatch describe inline", "kernels in the job: kinds and their keys"}};
  command.action = [name] { return describe_workload(*name); };
  return command;
}

}  // namespace kernelbatch::app
