#include "core/job/resolved.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/base/quantity.hpp"
#include "core/job/keys/sanitize_key.hpp"
#include "core/job/keys/settings.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/yaml_writer.hpp"

namespace kernelbatch {
namespace {

YamlNode mapping() { return {.kind = YamlNode::Kind::kMapping}; }
YamlNode list() { return {.kind = YamlNode::Kind::kList}; }

void add(YamlNode& to, std::string key, YamlNode value) {
  to.keys.push_back({std::move(key), {}});
  to.children.push_back(std::move(value));
}

void add_unless_empty(YamlNode& to, std::string key, YamlNode value) {
  if (!value.children.empty()) add(to, std::move(key), std::move(value));
}

/// The integer value of a scalar's text if it is written as in a range.
std::optional<std::int64_t> plain_integer(const Scalar& scalar) {
  const auto value = scalar.quoted ? std::nullopt : try_parse_integer(scalar.text);
  return value && std::to_string(*value) == scalar.text ? value : std::nullopt;
}

/// Long axes of evenly spaced integers as a range, since the text is stored in every result.
std::optional<YamlNode> range_of(const std::vector<Scalar>& values) {
  constexpr std::size_t kLong = 32;
  if (values.size() < kLong) return {};
  const auto first = plain_integer(values[0]), second = plain_integer(values[1]);
  std::int64_t step = 0;
  if (!first || !second || __builtin_sub_overflow(*second, *first, &step) || step == 0) return {};
  std::int64_t expected = *first;
  for (std::size_t k = 1; k < values.size(); ++k)
    if (__builtin_add_overflow(expected, step, &expected) || plain_integer(values[k]) != expected)
      return {};
  YamlNode range = mapping(), bounds = list();
  for (const std::int64_t bound : {*first, expected, step})
    bounds.children.push_back(scalar_node(std::to_string(bound)));
  add(range, "range", std::move(bounds));
  return range;
}

YamlNode node_of(const Axis& axis) {
  if (axis.values.size() == 1) return scalar_node(axis.values[0]);
  const auto range = range_of(axis.values);
  return range ? *range : list_node(axis.values);
}

YamlNode node_of(const InputSpec& input) {
  YamlNode node = mapping();
  add(node, std::string(name_of(input.kind)), scalar_node(input.value));
  for (const auto& [name, value] : input.options) add(node, name, scalar_node(value));
  return node;
}

YamlNode node_of(const SlurmSpec& slurm) {
  YamlNode node = mapping();
  for (const auto& [name, value] : slurm.values) add(node, name, scalar_node(value));
  add_unless_empty(node, "extra", list_node(slurm.extra));
  for (const SlurmSpec& job : slurm.merge_job) {
    YamlNode merge = mapping();
    add(merge, "job", node_of(job));
    const bool has_settings = !job.values.empty() || !job.extra.empty();
    add(node, "merge", has_settings ? std::move(merge) : scalar_node({"job", {}, false}));
  }
  return node;
}

void add_workload(YamlNode& node, const WorkloadSpec& workload) {
  add(node, "workload", scalar_node(workload.workload));
  YamlNode params = mapping();
  for (const Axis& axis : workload.params) add(params, axis.name, node_of(axis));
  add_unless_empty(node, "params", std::move(params));
  if (workload.tune) add(node, "tune", write_fields(*workload.tune, fields<TuneSpec>()));
  YamlNode zip = list();
  for (const std::vector<Scalar>& group : workload.zip) zip.children.push_back(list_node(group));
  add_unless_empty(node, "zip", std::move(zip));
  add_unless_empty(node, "exclude", list_node(workload.exclude));
  if (workload.kernels) {
    YamlNode kernels = to_node(*workload.kernels);
    for (std::size_t k = 0; k < kernels.keys.size(); ++k)
      add(node, kernels.keys[k].text, std::move(kernels.children[k]));
  } else {
    add_unless_empty(node, "variants", list_node(workload.variants));
  }
  if (!workload.baseline.text.empty()) add(node, "baseline", scalar_node(workload.baseline));
  YamlNode inputs = mapping();
  for (const InputSpec& input : workload.inputs) add(inputs, input.name, node_of(input));
  add_unless_empty(node, "inputs", std::move(inputs));
  add(node, "verify", write_fields(workload.verify, fields<VerifySpec>()));
}

}  // namespace

std::string to_yaml(const MeasureSpec& measure) {
  return write_yaml(write_fields(measure, fields<MeasureSpec>()));
}
std::string to_yaml(const VerifySpec& verify) {
  return write_yaml(write_fields(verify, fields<VerifySpec>()));
}

std::string to_yaml(const JobSpec& job) {
  YamlNode node = mapping();
  add(node, "kernelbatch", scalar_node("1"));
  add(node, "name", scalar_node(job.name));
  if (job.workloads.size() == 1) {
    add_workload(node, job.workloads[0]);
  } else {
    YamlNode workloads = list();
    for (const WorkloadSpec& workload : job.workloads) {
      workloads.children.push_back(mapping());
      add_workload(workloads.children.back(), workload);
    }
    add(node, "workloads", std::move(workloads));
  }
  add(node, "device", scalar_node(job.device));
  if (!job.sanitize.empty()) add(node, "sanitize", checks_node(job.sanitize));
  add(node, "measure", write_fields(job.measure, fields<MeasureSpec>()));
  add(node, "limits", write_fields(job.limits, fields<LimitsSpec>()));
  add(node, "output", write_fields(job.output, fields<OutputSpec>()));
  add_unless_empty(node, "slurm", node_of(job.slurm));
  return write_yaml(node);
}

}  // namespace kernelbatch
