#include "core/job/resolved.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/base/quantity.hpp"
#include "core/job/parse_inline.hpp"
#include "core/job/yaml_writer.hpp"

namespace kernelbatch {
namespace {

YamlNode mapping() { return {.kind = YamlNode::Kind::kMapping}; }
YamlNode list() { return {.kind = YamlNode::Kind::kList}; }

YamlNode node_of(const Scalar& scalar) {
  if (!scalar.quoted && scalar.text.starts_with('['))
    return parse_yaml(scalar.text, to_text(scalar.place));
  return {.kind = YamlNode::Kind::kScalar, .text = scalar.text, .quoted = scalar.quoted};
}
YamlNode node_of(std::string_view text) {
  return {.kind = YamlNode::Kind::kScalar, .text = std::string(text)};
}
YamlNode node_of(bool value) { return node_of(std::string_view(value ? "true" : "false")); }
YamlNode node_of(int value) { return node_of(std::string_view(fmt::format("{}", value))); }
YamlNode node_of(double value) { return node_of(std::string_view(fmt::format("{}", value))); }
YamlNode node_of(const std::vector<Scalar>& scalars) {
  YamlNode node = list();
  for (const Scalar& scalar : scalars) node.children.push_back(node_of(scalar));
  return node;
}
YamlNode seconds(double value) { return node_of(std::string_view(fmt::format("{}s", value))); }

void add(YamlNode& to, std::string key, YamlNode value) {
  to.keys.push_back({std::move(key), {}});
  to.children.push_back(std::move(value));
}

void add_unless_empty(YamlNode& to, std::string key, YamlNode value) {
  if (!value.children.empty()) add(to, std::move(key), std::move(value));
}

/// The integer that a scalar's text is, written as a range would write it.
std::optional<std::int64_t> plain_integer(const Scalar& scalar) {
  const auto value = scalar.quoted ? std::nullopt : try_parse_integer(scalar.text);
  return value && std::to_string(*value) == scalar.text ? value : std::nullopt;
}

/// Long axes of evenly spaced integers as the range that gives them: the text stands in every
/// result.
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
    bounds.children.push_back(node_of(std::string_view(std::to_string(bound))));
  add(range, "range", std::move(bounds));
  return range;
}

YamlNode node_of(const Axis& axis) {
  if (axis.values.size() == 1) return node_of(axis.values[0]);
  const auto range = range_of(axis.values);
  return range ? *range : node_of(axis.values);
}

YamlNode node_of(const InputSpec& input) {
  YamlNode node = mapping();
  add(node, std::string(name_of(input.kind)), node_of(input.value));
  for (const auto& [name, value] : input.options) add(node, name, node_of(value));
  return node;
}

YamlNode node_of(const ToleranceSpec& tolerance) {
  YamlNode node = mapping();
  if (tolerance.mode) add(node, "mode", node_of(name_of(*tolerance.mode)));
  if (tolerance.rtol) add(node, "rtol", node_of(*tolerance.rtol));
  if (tolerance.atol) add(node, "atol", node_of(*tolerance.atol));
  if (tolerance.max_ulp) add(node, "max_ulp", node_of(*tolerance.max_ulp));
  return node;
}

YamlNode node_of(const VerifySpec& verify) {
  YamlNode node = mapping();
  if (verify.reference_file) {
    YamlNode reference = mapping();
    add(reference, "file", node_of(verify.reference_file->file));
    if (!verify.reference_file->dataset.text.empty())
      add(reference, "dataset", node_of(verify.reference_file->dataset));
    add(node, "reference", std::move(reference));
  } else if (!verify.reference.text.empty()) {
    add(node, "reference", node_of(verify.reference));
  }
  add_unless_empty(node, "tolerance", node_of(verify.tolerance));
  YamlNode outputs = mapping();
  for (const auto& [name, tolerance] : verify.outputs) add(outputs, name, node_of(tolerance));
  add_unless_empty(node, "outputs", std::move(outputs));
  add(node, "repeat", node_of(verify.repeat));
  add(node, "on_fail", node_of(name_of(verify.on_fail)));
  return node;
}

YamlNode node_of(const MeasureSpec& measure) {
  YamlNode cold = mapping();
  add(cold, "flush_l2", node_of(measure.flush_l2));
  YamlNode stop = mapping();
  add(stop, "noise", node_of(measure.noise));
  add(stop, "min_samples", node_of(measure.min_samples));
  add(stop, "max_samples", node_of(measure.max_samples));
  add(stop, "timeout", seconds(measure.timeout_s));
  YamlNode node = mapping();
  add(node, "preset", node_of(name_of(measure.preset)));
  add(node, "warmup", node_of(measure.warmup));
  add(node, "cold", std::move(cold));
  add(node, "hot", node_of(measure.hot));
  add(node, "stop", std::move(stop));
  add(node, "interleave", node_of(measure.interleave));
  add(node, "telemetry", node_of(measure.telemetry));
  return node;
}

YamlNode node_of(const LimitsSpec& limits) {
  YamlNode node = mapping();
  add(node, "isolate", node_of(name_of(limits.isolate)));
  add(node, "timeout", seconds(limits.timeout_s));
  add(node, "retries", node_of(limits.retries));
  add(node, "stop_before_job_end", seconds(limits.stop_before_job_end_s));
  add(node, "memory", node_of(limits.memory));
  return node;
}

YamlNode node_of(const OutputSpec& output) {
  YamlNode node = mapping();
  add(node, "file", node_of(output.file));
  add(node, "arrays", node_of(name_of(output.arrays)));
  add(node, "compress", node_of(output.compress));
  return node;
}

YamlNode node_of(const SlurmSpec& slurm) {
  YamlNode node = mapping();
  for (const auto& [name, value] : slurm.values) add(node, name, node_of(value));
  add_unless_empty(node, "extra", node_of(slurm.extra));
  return node;
}

void add_workload(YamlNode& node, const WorkloadSpec& workload) {
  add(node, "workload", node_of(workload.workload));
  YamlNode params = mapping();
  for (const Axis& axis : workload.params) add(params, axis.name, node_of(axis));
  add_unless_empty(node, "params", std::move(params));
  if (workload.tune) {
    YamlNode tune = mapping();
    add(tune, "params", node_of(workload.tune->params));
    add(tune, "search", node_of(name_of(workload.tune->search)));
    if (workload.tune->search == Search::kRandom) {
      add(tune, "budget", node_of(workload.tune->budget));
      add(tune, "seed", node_of(workload.tune->seed));
    }
    add(node, "tune", std::move(tune));
  }
  YamlNode zip = list();
  for (const std::vector<Scalar>& group : workload.zip) zip.children.push_back(node_of(group));
  add_unless_empty(node, "zip", std::move(zip));
  add_unless_empty(node, "exclude", node_of(workload.exclude));
  if (workload.kernels) {
    YamlNode kernels = to_node(*workload.kernels);
    for (std::size_t k = 0; k < kernels.keys.size(); ++k)
      add(node, kernels.keys[k].text, std::move(kernels.children[k]));
  } else {
    add_unless_empty(node, "variants", node_of(workload.variants));
  }
  if (!workload.baseline.text.empty()) add(node, "baseline", node_of(workload.baseline));
  YamlNode inputs = mapping();
  for (const InputSpec& input : workload.inputs) add(inputs, input.name, node_of(input));
  add_unless_empty(node, "inputs", std::move(inputs));
  add(node, "verify", node_of(workload.verify));
}

}  // namespace

std::string to_yaml(const MeasureSpec& measure) { return write_yaml(node_of(measure)); }
std::string to_yaml(const VerifySpec& verify) { return write_yaml(node_of(verify)); }

std::string to_yaml(const JobSpec& job) {
  YamlNode node = mapping();
  add(node, "kernelbatch", node_of(1));
  add(node, "name", node_of(job.name));
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
  add(node, "device", node_of(job.device));
  add(node, "measure", node_of(job.measure));
  add(node, "limits", node_of(job.limits));
  add(node, "output", node_of(job.output));
  add_unless_empty(node, "slurm", node_of(job.slurm));
  return write_yaml(node);
}

}  // namespace kernelbatch
