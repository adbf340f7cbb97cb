#include "core/job/parse_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/job/gpu_types.hpp"
#include "core/job/keys/settings.hpp"
#include "core/job/keys/slurm_keys.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

template <class Spec>
Spec parse(const YamlNode& node, std::string_view what) {
  Spec spec;
  read_fields(spec, node, what, fields<Spec>());
  return spec;
}

/// The value as written, checked against the rule.
Scalar read_as_written(const YamlNode& node, const Key& key) {
  if (key.rule.kind == Rule::Kind::kScalarOrList) return read_scalar_or_list(node, key.name);
  if (key.rule.kind == Rule::Kind::kSeconds) read_seconds(node, key.name);
  if (key.rule.kind == Rule::Kind::kBoolean) read_boolean(node, key.name);
  if (key.rule.kind == Rule::Kind::kCount) read_count(node, key.name, key.rule.low, key.rule.high);
  return read_scalar(node, key.name);
}

}  // namespace

MeasureSpec measure_preset(Preset preset) {
  MeasureSpec measure;
  measure.preset = preset;
  if (preset == Preset::kQuick) {
    measure.warmup = 1;
    measure.noise = 0.02;
    measure.min_samples = 5;
    measure.max_samples = 1000;
    measure.timeout_s = 2;
    measure.counters = measure.twins = EvidenceChoice::kOff;
    measure.processes = 1;
  } else if (preset == Preset::kPaper) {
    measure.warmup = 10;
    measure.noise = 0.002;
    measure.min_samples = 50;
    measure.max_samples = 100000;
    measure.timeout_s = 60;
    measure.processes = 5;
  }
  return measure;
}

MeasureSpec parse_measure(const YamlNode& node) {
  expect_mapping(node, "measure", key_names(fields<MeasureSpec>()));
  MeasureSpec measure;
  if (const YamlNode* preset = node.find("preset"))
    measure = measure_preset(read_choice<Preset>(*preset, "preset"));
  read_fields(measure, node, "measure", fields<MeasureSpec>());
  return measure;
}

VerifySpec parse_verify(const YamlNode& node) { return parse<VerifySpec>(node, "verify"); }
LimitsSpec parse_limits(const YamlNode& node) { return parse<LimitsSpec>(node, "limits"); }
OutputSpec parse_output(const YamlNode& node) { return parse<OutputSpec>(node, "output"); }

/// slurm.merge: `last`, `job`, or `{job: {…}}` with settings of the job.
std::vector<SlurmSpec> parse_merge_job(const YamlNode& node) {
  if (node.is_scalar())
    return std::vector<SlurmSpec>(read_choice(node, "merge", {"last", "job"}) == "job" ? 1 : 0);
  expect_mapping(node, "merge", {"job"});
  SlurmSpec job = parse_slurm(node.children.front());
  if (!job.merge_job.empty()) fail_at(node.place, "slurm.merge.job: the job cannot have a `merge`");
  return {std::move(job)};
}

SlurmSpec parse_slurm(const YamlNode& node) {
  expect_keys(node, "slurm", slurm_keys());
  SlurmSpec slurm;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const Key& key = *find_slurm_key(node.keys[i].text);
    const YamlNode& child = node.children[i];
    if (key.rule.kind == Rule::Kind::kScalars) {
      slurm.extra = read_scalars(child, key.name);
      continue;
    }
    if (key.name == "merge") {
      slurm.merge_job = parse_merge_job(child);
      continue;
    }
    // sbatch refuses longer values; the merge job has a longer name.
    constexpr std::size_t kLongest = 1000;
    if (child.is_scalar() && child.text.size() > kLongest)
      fail_at(child.place, fmt::format("slurm.{} has {} bytes: Slurm takes {}", key.name,
                                       child.text.size(), kLongest));
    slurm.values.emplace_back(key.name, read_as_written(child, key));
    if (is_gpu_key(key.name)) gpu_types(key.name, slurm.values.back().second);
  }
  return slurm;
}

MeasureSpec for_profiler(const MeasureSpec& spec) {
  MeasureSpec bare = spec;
  bare.warmup = 1;
  bare.processes = 1;
  bare.flush_l2 = bare.hot = bare.interleave = bare.telemetry = false;
  bare.counters = bare.twins = EvidenceChoice::kOff;
  bare.min_samples = bare.max_samples = 3;
  return bare;
}

}  // namespace kernelbatch
