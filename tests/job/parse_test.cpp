#include "core/job/parse.hpp"

#include "core/base/file.hpp"
#include "core/job/parse_settings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

JobSpec parse(const std::string& text) { return parse_job(text, "jobs/x.yaml"); }

std::vector<std::string> texts(const std::vector<Scalar>& scalars) {
  std::vector<std::string> all;
  for (const Scalar& scalar : scalars) all.push_back(scalar.text);
  return all;
}
using Texts = std::vector<std::string>;

TEST_CASE("The smallest job is a workload; the rest are defaults") {
  const JobSpec job = parse("workload: saxpy\n");

  CHECK(job.name == "x");
  REQUIRE(job.workloads.size() == 1);
  CHECK(job.workloads[0].workload.text == "saxpy");
  CHECK(to_text(job.workloads[0].workload.place) == "jobs/x.yaml:1:11");
  CHECK(job.workloads[0].variants.empty());
  CHECK(job.device.text == "auto");
  CHECK(job.measure == MeasureSpec{});
  CHECK(job.limits == LimitsSpec{});
  CHECK(job.output == OutputSpec{});
  CHECK(job.path == "jobs/x.yaml");
  CHECK(job.source == "workload: saxpy\n");
}

TEST_CASE("Every key of a job is read") {
  const JobSpec job = parse(R"(
kernelbatch: 1
name: mse_sweep
workload: mse
params:
  n: {pow2: [20, 24, 2]}
  dtype: [float32, "float64"]
  block: 256
zip: [[n, dtype]]
exclude: ["dtype == 'float64' and n > 2^24"]
variants: [reference, raw]
baseline: raw
device: cuda:1
verify:
  reference: reference
  tolerance: {rtol: 1e-6, atol: 0}
  outputs: {mse: {mode: ulp, max_ulp: 4}}
  repeat: 2
  input_sets: 1
  determinism: required
  on_fail: stop-case
measure:
  warmup: 4
  cold: {flush_l2: false}
  hot: false
  stop: {noise: 0.5%, min_samples: 11, max_samples: 1e4, timeout: 10s}
  interleave: false
  processes: 4
  telemetry: false
  energy: on
  counters: off
  twins: off
  times: false
limits: {isolate: variant, timeout: 2min, retries: 0, stop_before_job_end: 60s, memory: 2 GiB, sms: 16}
output: {file: "results/{name}.h5", arrays: failing, compress: 0, history: true}
slurm: {time: "00:30:00", gpus: "h100_1g.10gb:1", array: auto, requeue: true, extra: ["--qos=low"]}
)");
  const WorkloadSpec& workload = job.workloads.at(0);

  CHECK(job.name == "mse_sweep");
  REQUIRE(workload.params.size() == 3);
  CHECK(workload.params[0].name == "n");
  CHECK(texts(workload.params[0].values) == Texts{"1048576", "4194304", "16777216"});
  CHECK(texts(workload.params[1].values) == Texts{"float32", "float64"});
  CHECK_FALSE(workload.params[1].values[0].quoted);
  CHECK(workload.params[1].values[1].quoted);
  CHECK(texts(workload.params[2].values) == Texts{"256"});
  CHECK(texts(workload.zip.at(0)) == Texts{"n", "dtype"});
  CHECK(texts(workload.exclude) == Texts{"dtype == 'float64' and n > 2^24"});
  CHECK(texts(workload.variants) == Texts{"reference", "raw"});
  CHECK(workload.baseline.text == "raw");
  CHECK(job.device.text == "cuda:1");

  CHECK(workload.verify.reference.text == "reference");
  CHECK(workload.verify.tolerance.rtol == 1e-6);
  CHECK(workload.verify.tolerance.atol == 0.0);
  CHECK_FALSE(workload.verify.tolerance.mode);
  CHECK(workload.verify.outputs.at(0).first == "mse");
  CHECK(workload.verify.outputs.at(0).second.mode == CompareMode::kUlp);
  CHECK(workload.verify.outputs.at(0).second.max_ulp == 4.0);
  CHECK(workload.verify.repeat == 2);
  CHECK(workload.verify.input_sets == 1);
  CHECK(workload.verify.determinism == Determinism::kRequired);
  CHECK(workload.verify.on_fail == OnFail::kStopCase);

  CHECK(job.measure == MeasureSpec{.warmup = 4,
                                   .flush_l2 = false,
                                   .hot = false,
                                   .noise = 0.005,
                                   .min_samples = 11,
                                   .max_samples = 10000,
                                   .timeout_s = 10,
                                   .interleave = false,
                                   .processes = 4,
                                   .telemetry = false,
                                   .times = false,
                                   .energy = EnergyChoice::kOn,
                                   .counters = EvidenceChoice::kOff,
                                   .twins = EvidenceChoice::kOff});
  CHECK(job.limits == LimitsSpec{.isolate = Isolate::kVariant,
                                 .timeout_s = 120,
                                 .retries = 0,
                                 .stop_before_job_end_s = 60,
                                 .memory = "2 GiB",
                                 .sms = 16});
  CHECK(job.output.arrays == KeptArrays::kFailing);
  CHECK(job.output.compress == 0);
  CHECK(job.output.history);
  CHECK(job.slurm.values.size() == 4);
  CHECK(job.slurm.values[1].second.text == "h100_1g.10gb:1");
  CHECK(texts(job.slurm.extra) == Texts{"--qos=low"});
}

TEST_CASE("Explicit measure keys override the preset, whatever their order") {
  const JobSpec job = parse("workload: w\nmeasure: {stop: {noise: 1%}, preset: quick}\n");
  MeasureSpec expected = measure_preset(Preset::kQuick);
  expected.noise = 0.01;
  CHECK(job.measure == expected);
  CHECK(measure_preset(Preset::kStandard) == MeasureSpec{});
  CHECK(measure_preset(Preset::kPaper).noise < measure_preset(Preset::kStandard).noise);
}

TEST_CASE("There are two sets of inputs in every preset unless the job sets one") {
  const auto sets = [](const std::string& text) {
    return parse("workload: w\n" + text).workloads.at(0).verify.input_sets;
  };
  CHECK(sets("") == 2);
  CHECK(sets("measure: {preset: standard}\n") == 2);
  CHECK(sets("measure: {preset: paper}\n") == 2);
  CHECK(sets("measure: {preset: quick}\n") == 2);
  CHECK(sets("measure: {preset: quick}\nverify: {input_sets: 1}\n") == 1);
  CHECK(sets("verify: {input_sets: 1}\n") == 1);
  CHECK(parse("workload: w\n").workloads.at(0).verify.determinism == Determinism::kAny);
}

TEST_CASE("A reference may be a file") {
  const JobSpec job = parse("workload: w\nverify: {reference: {file: ref.h5, dataset: /z}}\n");
  REQUIRE(job.workloads[0].verify.reference_file);
  CHECK(job.workloads[0].verify.reference_file->file.text == "ref.h5");
  CHECK(job.workloads[0].verify.reference_file->dataset.text == "/z");
  CHECK(job.workloads[0].verify.reference.text.empty());
}

TEST_CASE("Every source of inputs is read") {
  const JobSpec job = parse(R"(
workload: w
inputs:
  a: {file: data/inputs/dem.npy}
  b: {random: uniform, low: 0, high: 100, seed: 7}
  c: {arange: 10, shape: [2, 5], dtype: float32}
  d: {values: [[1, 2], [3, 4]]}
  e: {of: a, slice: "[::-1, 1:5]", transpose: [1, 0], broadcast_to: [3, 4]}
  f: {scalar: 5, dtype: int32}
  g: 0.5
  h: {zeros: [2, 3]}
  i: {full: [4], value: 2.5}
  j: {linspace: [0, 1, 11]}
)");
  const std::vector<InputSpec>& inputs = job.workloads[0].inputs;

  REQUIRE(inputs.size() == 10);
  CHECK(inputs[0].kind == InputKind::kFile);
  CHECK(inputs[0].value.text == "data/inputs/dem.npy");
  CHECK(inputs[1].kind == InputKind::kRandom);
  CHECK(inputs[1].value.text == "uniform");
  CHECK(inputs[1].options.at(2).first == "seed");
  CHECK(inputs[1].options.at(2).second.text == "7");
  CHECK(inputs[2].kind == InputKind::kArange);
  CHECK(inputs[2].options.at(0).second.text == "[2, 5]");
  CHECK(inputs[3].value.text == "[[1, 2], [3, 4]]");
  CHECK(inputs[4].kind == InputKind::kOf);
  CHECK(inputs[4].options.at(0).second.text == "[::-1, 1:5]");
  CHECK(inputs[4].options.at(0).second.quoted);
  CHECK(inputs[5].kind == InputKind::kScalar);
  CHECK(inputs[5].options.at(0).second.text == "int32");
  CHECK(inputs[6].kind == InputKind::kScalar);
  CHECK(inputs[6].value.text == "0.5");
  CHECK(inputs[7].value.text == "[2, 3]");
  CHECK(inputs[8].options.at(0).first == "value");
  CHECK(inputs[9].value.text == "[0, 1, 11]");
}

TEST_CASE("Entries of workloads take from the top level what they lack") {
  const JobSpec job = parse(R"(
params: {dtype: [float32, float64], n: 10}
variants: [reference, raw]
verify: {repeat: 3}
workloads:
  - workload: saxpy
    params: {n: 1e6, block: 32}
    verify: {on_fail: stop-job}
  - {workload: mse, variants: [jit], baseline: jit}
)");

  REQUIRE(job.workloads.size() == 2);
  const WorkloadSpec& saxpy = job.workloads[0];
  CHECK(saxpy.workload.text == "saxpy");
  REQUIRE(saxpy.params.size() == 3);
  CHECK(saxpy.params[0].name == "dtype");
  CHECK(saxpy.params[1].name == "n");
  CHECK(texts(saxpy.params[1].values) == Texts{"1e6"});
  CHECK(saxpy.params[2].name == "block");
  CHECK(texts(saxpy.variants) == Texts{"reference", "raw"});
  CHECK(saxpy.verify.repeat == 3);
  CHECK(saxpy.verify.on_fail == OnFail::kStopJob);
  CHECK(texts(job.workloads[1].variants) == Texts{"jit"});
  CHECK(texts(job.workloads[1].params[1].values) == Texts{"10"});
}

TEST_CASE("A job is loaded from its file") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "small.yaml", "workload: saxpy\n");
  const JobSpec job = load_job(folder / "small.yaml");
  CHECK(job.name == "small");
  CHECK(job.path == folder / "small.yaml");
}

}  // namespace
}  // namespace kernelbatch
