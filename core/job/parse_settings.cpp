#include "core/job/parse_settings.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/reader.hpp"

namespace kernelbatch {
namespace {

constexpr int kMany = std::numeric_limits<int>::max();

const std::vector<std::string>& slurm_keys() {
  static const std::vector<std::string> names{
      "time",       "gpus",      "gres",     "gpus_per_node", "gpus_per_task", "array",
      "requeue",    "partition", "account",  "qos",           "nodes",         "ntasks",
      "cpus",       "mem",       "exclude",  "constraint",    "nodelist",      "reservation",
      "mail_type",  "mail_user", "job_name", "output",        "begin",         "comment",
      "dependency", "signal",    "modules",  "extra"};
  return names;
}

void parse_stop(const YamlNode& node, MeasureSpec& measure) {
  expect_mapping(node, "stop", {"noise", "min_samples", "max_samples", "timeout"});
  if (const YamlNode* found = node.find("noise")) measure.noise = read_fraction(*found, "noise");
  if (const YamlNode* found = node.find("min_samples"))
    measure.min_samples = read_count(*found, "min_samples", 1, kMany);
  if (const YamlNode* found = node.find("max_samples"))
    measure.max_samples = read_count(*found, "max_samples", 1, kMany);
  if (const YamlNode* found = node.find("timeout"))
    measure.timeout_s = read_seconds(*found, "timeout");
  if (measure.min_samples > measure.max_samples)
    fail_at(node.place, fmt::format("'min_samples' ({}) is more than 'max_samples' ({})",
                                    measure.min_samples, measure.max_samples));
}

ToleranceSpec parse_tolerance(const YamlNode& node, std::string_view what) {
  expect_mapping(node, what, {"mode", "rtol", "atol", "max_ulp"});
  ToleranceSpec tolerance;
  tolerance.place = node.place;
  if (const YamlNode* found = node.find("mode"))
    tolerance.mode = read_choice<CompareMode>(*found, "mode");
  if (const YamlNode* found = node.find("rtol")) tolerance.rtol = read_magnitude(*found, "rtol");
  if (const YamlNode* found = node.find("atol")) tolerance.atol = read_magnitude(*found, "atol");
  if (const YamlNode* found = node.find("max_ulp"))
    tolerance.max_ulp = read_magnitude(*found, "max_ulp");
  return tolerance;
}

void parse_reference(const YamlNode& node, VerifySpec& verify) {
  if (!node.is_mapping()) {
    verify.reference = {read_text(node, "reference"), node.place, false};
    return;
  }
  expect_mapping(node, "reference", {"file", "dataset"});
  const YamlNode* file = node.find("file");
  if (file == nullptr) fail_at(node.place, "'reference' has no 'file'");
  verify.reference_file = ReferenceFile{{read_text(*file, "file"), file->place, false}, {}};
  if (const YamlNode* dataset = node.find("dataset"))
    verify.reference_file->dataset = {read_text(*dataset, "dataset"), dataset->place, false};
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
  } else if (preset == Preset::kPaper) {
    measure.warmup = 10;
    measure.noise = 0.002;
    measure.min_samples = 50;
    measure.max_samples = 100000;
    measure.timeout_s = 60;
  }
  return measure;
}

MeasureSpec parse_measure(const YamlNode& node) {
  expect_mapping(node, "measure",
                 {"preset", "warmup", "cold", "hot", "stop", "interleave", "telemetry"});
  MeasureSpec measure;
  if (const YamlNode* found = node.find("preset"))
    measure = measure_preset(read_choice<Preset>(*found, "preset"));
  if (const YamlNode* found = node.find("warmup"))
    measure.warmup = read_count(*found, "warmup", 0, kMany);
  if (const YamlNode* found = node.find("cold")) {
    expect_mapping(*found, "cold", {"flush_l2"});
    measure.flush_l2 = read_boolean(*found->find("flush_l2"), "flush_l2");
  }
  if (const YamlNode* found = node.find("hot")) measure.hot = read_boolean(*found, "hot");
  if (const YamlNode* found = node.find("stop")) parse_stop(*found, measure);
  if (const YamlNode* found = node.find("interleave"))
    measure.interleave = read_boolean(*found, "interleave");
  if (const YamlNode* found = node.find("telemetry"))
    measure.telemetry = read_boolean(*found, "telemetry");
  return measure;
}

VerifySpec parse_verify(const YamlNode& node) {
  expect_mapping(node, "verify", {"reference", "tolerance", "outputs", "repeat", "on_fail"});
  VerifySpec verify;
  if (const YamlNode* found = node.find("reference")) parse_reference(*found, verify);
  if (const YamlNode* found = node.find("tolerance"))
    verify.tolerance = parse_tolerance(*found, "tolerance");
  if (const YamlNode* found = node.find("outputs")) {
    expect_mapping(*found, "outputs");
    for (std::size_t i = 0; i < found->keys.size(); ++i)
      verify.outputs.emplace_back(found->keys[i].text,
                                  parse_tolerance(found->children[i], found->keys[i].text));
  }
  if (const YamlNode* found = node.find("repeat"))
    verify.repeat = read_count(*found, "repeat", 1, kMany);
  if (const YamlNode* found = node.find("on_fail"))
    verify.on_fail = read_choice<OnFail>(*found, "on_fail");
  return verify;
}

LimitsSpec parse_limits(const YamlNode& node) {
  expect_mapping(node, "limits",
                 {"isolate", "timeout", "retries", "stop_before_job_end", "memory"});
  LimitsSpec limits;
  if (const YamlNode* found = node.find("isolate"))
    limits.isolate = read_choice<Isolate>(*found, "isolate");
  if (const YamlNode* found = node.find("timeout"))
    limits.timeout_s = read_seconds(*found, "timeout");
  if (const YamlNode* found = node.find("retries"))
    limits.retries = read_count(*found, "retries", 0, 100);
  if (const YamlNode* found = node.find("stop_before_job_end"))
    limits.stop_before_job_end_s = read_seconds(*found, "stop_before_job_end");
  if (const YamlNode* found = node.find("memory")) {
    limits.memory = read_text(*found, "memory");
    with_place(found->place, "memory", [&] {
      if (limits.memory.ends_with('%'))
        parse_fraction(limits.memory);
      else
        parse_bytes(limits.memory);
    });
  }
  return limits;
}

OutputSpec parse_output(const YamlNode& node) {
  expect_mapping(node, "output", {"file", "arrays", "compress"});
  OutputSpec output;
  if (const YamlNode* found = node.find("file")) output.file = read_text(*found, "file");
  if (const YamlNode* found = node.find("arrays"))
    output.arrays = read_choice<KeptArrays>(*found, "arrays");
  if (const YamlNode* found = node.find("compress"))
    output.compress = read_count(*found, "compress", 0, 9);
  return output;
}

SlurmSpec parse_slurm(const YamlNode& node) {
  expect_mapping(node, "slurm", slurm_keys());
  SlurmSpec slurm;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& key = node.keys[i].text;
    const YamlNode& child = node.children[i];
    if (key == "extra") {
      slurm.extra = read_scalars(child, key);
      continue;
    }
    if (key == "time") read_seconds(child, key);
    if (key == "requeue") read_boolean(child, key);
    // sbatch refuses more, after it has been asked; the job that merges has a longer name.
    constexpr std::size_t kLongest = 1000;
    if (child.is_scalar() && child.text.size() > kLongest)
      fail_at(child.place, fmt::format("slurm.{} has {} bytes: Slurm takes {}", key,
                                       child.text.size(), kLongest));
    slurm.values.emplace_back(
        key, key == "modules" ? read_scalar_or_list(child, key) : read_scalar(child, key));
  }
  return slurm;
}

MeasureSpec for_profiler(const MeasureSpec& spec) {
  MeasureSpec bare = spec;
  bare.warmup = 1;
  bare.flush_l2 = bare.hot = bare.interleave = bare.telemetry = false;
  bare.min_samples = bare.max_samples = 3;
  return bare;
}

}  // namespace kernelbatch
