#include "core/job/resolved.hpp"

#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

void clear(std::vector<Scalar>& scalars) {
  for (Scalar& scalar : scalars) scalar.place = {};
}

/// Removes members that may differ between texts of the same job.
JobSpec without_places(JobSpec job) {
  job.path.clear();
  job.source.clear();
  job.device.place = {};
  clear(job.slurm.extra);
  for (auto& [name, value] : job.slurm.values) value.place = {};
  for (WorkloadSpec& workload : job.workloads) {
    workload.place = workload.workload.place = workload.baseline.place = {};
    for (Axis& axis : workload.params) {
      axis.place = {};
      clear(axis.values);
    }
    for (auto& group : workload.zip) clear(group);
    clear(workload.exclude);
    clear(workload.variants);
    if (workload.tune) {
      clear(workload.tune->params);
      workload.tune->start_from.place = {};
    }
    for (InputSpec& input : workload.inputs) {
      input.place = input.value.place = {};
      for (auto& [name, value] : input.options) value.place = {};
    }
    VerifySpec& verify = workload.verify;
    verify.reference.place = verify.tolerance.place = {};
    if (verify.reference_file)
      verify.reference_file->file.place = verify.reference_file->dataset.place = {};
    for (auto& [name, tolerance] : verify.outputs) tolerance.place = {};
  }
  return job;
}

TEST_CASE("A long axis of evenly spaced integers is written as its range") {
  const auto resolved = [](const std::string& values) {
    return to_yaml(parse_job("workload: saxpy\nparams: {n: " + values + "}\n", "job.yaml"));
  };
  const std::string text = resolved("{range: [7, 3000000, 3]}");
  CHECK_THAT(text, Contains("range: [7, 2999998, 3]"));
  CHECK(text.size() < 4000);
  CHECK(without_places(parse_job(text, "again.yaml")) ==
        without_places(parse_job(
            "workload: saxpy\nname: job\nparams: {n: {range: [7, 3000000, 3]}}\n", "job.yaml")));
  CHECK_THAT(resolved("{range: [5, -40, -1]}"), Contains("range: [5, -40, -1]"));
  CHECK_THAT(resolved("{range: [0, 10, 1]}"), Contains("[0, 1, 2,"));
  CHECK_THAT(resolved("{pow2: [0, 40]}"), Contains("1024"));
}

TEST_CASE("The resolved job parses back to an equal one") {
  const std::string text = GENERATE(as<std::string>{}, "workload: saxpy\n",
                                    R"(name: all
workload: ./plugins/my saxpy.so
params:
  n: {logspace: [1e3, 1e6, 4]}
  m: {range: [0, 1, 0.25]}
  t: [float32, "8", '', "a, b", "it's"]
  s: plain text
zip: [[n, m], [t, s]]
exclude: ["n > 4 and t == 'a, b'", 'm < 0.5 or s == "x"']
variants: [raw, jit]
baseline: raw
device: GPU-1234-5678
inputs:
  a: {values: [[1, 2], [3, .5]], dtype: float32}
  b: {of: a, slice: "[::-1, 1:5]", transpose: [1, 0]}
  c: 7
  d: {file: "archive.h5:/group/x y"}
verify:
  reference: {file: ref.h5, dataset: /z}
  tolerance: {rtol: 1e-6, atol: 0}
  outputs: {mse: {mode: ulp, max_ulp: 2.5}, z: {mode: exact}}
  repeat: 3
  sanitize: [init, memory]
sanitize: [race, gpu]
measure: {preset: paper, stop: {noise: 0.123%, timeout: 100us}}
limits: {memory: 2 GiB, timeout: 1h}
output: {file: "{name}-{date}.h5", arrays: none}
slurm: {time: "00:30:00", gpus: "h100:1", requeue: true, extra: ["--qos=low", "--comment=a: b"]}
)",
                                    R"(params: {n: [1, 2]}
workloads:
  - {workload: saxpy, verify: {repeat: 2}}
  - {workload: mse, params: {n: 5, k: [1]}, inputs: {x: {zeros: [2, 3]}}}
  - {workload: mse, tune: {params: {block: [64, 128]}, seed: 7}}
  - {workload: mse, tune: {params: [n], search: random, budget: 1}}
  - {workload: mse, tune: {params: [n], budget: 90s, racing: false, start_from: a.h5}}
)");
  const JobSpec job = parse_job(text, "x.yaml");
  const std::string resolved = to_yaml(job);
  INFO(resolved);
  const JobSpec again = parse_job(resolved, "x.yaml");

  CHECK(without_places(again) == without_places(job));
  CHECK(to_yaml(again) == resolved);
}

TEST_CASE("Defaults and presets are written out") {
  CHECK(to_yaml(parse_job("workload: saxpy\nmeasure: {preset: quick}\n", "x.yaml")) ==
        R"(kernelbatch: 1
name: x
workload: saxpy
verify:
  repeat: 1
  input_sets: 2
  determinism: any
  on_fail: record
device: auto
measure:
  preset: quick
  warmup: 1
  cold: {flush_l2: true}
  hot: true
  stop: {noise: 0.02, min_samples: 5, max_samples: 1000, timeout: 2s}
  interleave: true
  processes: 1
  calibrate: true
  telemetry: true
  energy: off
  counters: off
  twins: off
limits:
  isolate: none
  timeout: 120s
  retries: 1
  stop_before_job_end: 90s
  memory: 80%
  sms: 0
output:
  file: results/{name}.h5
  arrays: all
  compress: 4
  history: false
)");
}

}  // namespace
}  // namespace kernelbatch
