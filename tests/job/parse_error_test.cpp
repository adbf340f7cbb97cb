#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

std::string parse_error(const std::string& text) {
  return test::message_of([&] { parse_job(text, "jobs/x.yaml"); });
}
/// Error of a job with a valid first line.
std::string refusal_of(const std::string& text) { return parse_error("workload: w\n" + text); }

TEST_CASE("Unknown keys are errors with the nearest one that is known") {
  CHECK(refusal_of("variant: [raw]\n") ==
        "jobs/x.yaml:2:1: unknown key 'variant' (did you mean 'variants'?)");
  CHECK(refusal_of("measure:\n  warmups: 3\n") ==
        "jobs/x.yaml:3:3: unknown key 'warmups' (did you mean 'warmup'?)");
  CHECK(refusal_of("measure: {stop: {nois: 1%}}\n") ==
        "jobs/x.yaml:2:18: unknown key 'nois' (did you mean 'noise'?)");
  CHECK(refusal_of("output: {format: csv}\n") ==
        "jobs/x.yaml:2:10: unknown key 'format' (known: file, arrays, compress, history)");
  CHECK(refusal_of("verify: {outputs: {z: {rtoll: 1}}}\n") ==
        "jobs/x.yaml:2:24: unknown key 'rtoll' (did you mean 'rtol'?)");
  CHECK(refusal_of("slurm: {partion: gpu}\n") ==
        "jobs/x.yaml:2:9: unknown key 'partion' (did you mean 'partition'?)");
  CHECK(parse_error("workloads:\n  - {workload: a, device: host}\n") ==
        "jobs/x.yaml:2:19: unknown key 'device' (known: workload, params, tune, zip, exclude, "
        "variants, "
        "baseline, inputs, outputs, reference, verify)");
}

TEST_CASE("A job needs a workload and a known schema version") {
  CHECK(parse_error("name: a\n") ==
        "jobs/x.yaml:1:1: no workload: 'workload:' names what to run, such as 'workload: mse'");
  CHECK(parse_error("kernelbatch: 2\nworkload: w\nfuture: key\n") ==
        "jobs/x.yaml:1:14: unknown schema version '2': this kernelbatch reads 'kernelbatch: 1'");
  for (const std::string wrong : {"1.5", "one", "''", "[1]", "{v: 1}", ""}) {
    INFO(wrong);
    CHECK(parse_error("kernelbatch: " + wrong + "\nworkload: w\n").find("unknown schema version") !=
          std::string::npos);
  }
  CHECK(parse_error("") ==
        "jobs/x.yaml:1:1: a job is a mapping of keys such as 'workload: mse', not nothing");
  CHECK(parse_error("- a\n") ==
        "jobs/x.yaml:1:1: a job is a mapping of keys such as 'workload: mse', not a list");
  CHECK(refusal_of("workloads: [{workload: v}]\n") ==
        "jobs/x.yaml:1:11: 'workload' and 'workloads' exclude each other");
  CHECK(parse_error("workloads: []\n") ==
        "jobs/x.yaml:1:12: 'workloads' must be a list of workloads, not an empty one");
}

TEST_CASE("A job without a version is of version 1") {
  CHECK(parse_job("workload: w\n", "x.yaml").workloads ==
        parse_job("workload: w\nkernelbatch: 1\n", "x.yaml").workloads);
}

TEST_CASE("Duplicate keys are errors") {
  CHECK(parse_error("workload: a\nworkload: b\n") ==
        "jobs/x.yaml:2:1: duplicate key 'workload' (first given on line 1)");
}

TEST_CASE("Wrong types are reported with the expected type") {
  CHECK(refusal_of("params: 4\n") == "jobs/x.yaml:2:9: 'params' must be a mapping, not '4'");
  CHECK(refusal_of("params:\n") == "jobs/x.yaml:2:1: 'params' must be a mapping, not nothing");
  CHECK(refusal_of("params: {}\n") == "jobs/x.yaml:2:9: 'params' is an empty mapping");
  CHECK(refusal_of("params: {n: []}\n") == "jobs/x.yaml:2:13: 'n' is an empty list");
  CHECK(refusal_of("params: {n: }\n") == "jobs/x.yaml:2:10: parameter 'n' has no value");
  CHECK(refusal_of("params: {n: [[1]]}\n") ==
        "jobs/x.yaml:2:14: 'n' must be one value, not a list");
  CHECK(refusal_of("params: {a-b: 1}\n") ==
        "jobs/x.yaml:2:10: 'a-b' is not a parameter's name: letters, digits and '_' only");
  CHECK(refusal_of("variants: []\n") == "jobs/x.yaml:2:11: 'variants' is an empty list");
  CHECK(refusal_of("variants: [raw, raw]\n") == "jobs/x.yaml:2:17: variant 'raw' is listed twice");
  CHECK(refusal_of("baseline: [raw]\n") ==
        "jobs/x.yaml:2:11: 'baseline' must be one value, not a list");
  CHECK(refusal_of("name: ''\n") == "jobs/x.yaml:2:7: 'name' is empty");
  CHECK(refusal_of("name: a/b\n") ==
        "jobs/x.yaml:2:7: 'name' becomes part of file names: letters, digits, '_', '-', '.' and "
        "'+' only, not 'a/b'");
  CHECK(refusal_of("measure: {warmup: often}\n") ==
        "jobs/x.yaml:2:19: 'warmup': 'often' is not an integer of 64 bits (expected for example "
        "1000000, 1_000_000, 1e6, 2^20 or 4Ki)");
  CHECK(refusal_of("measure: {warmup: -1}\n") ==
        "jobs/x.yaml:2:19: 'warmup' must be from 0 to 2147483647, not -1");
  CHECK(refusal_of("measure: {hot: yes}\n") ==
        "jobs/x.yaml:2:16: 'hot': 'yes' is not a truth value (expected true or false)");
  CHECK(refusal_of("measure: {stop: {noise: 5}}\n") ==
        "jobs/x.yaml:2:25: 'noise': '5' is not a share from 0 to 1 (expected for example 0.5% or "
        "0.005)");
  CHECK(refusal_of("measure: {stop: {min_samples: 5, max_samples: 4}}\n") ==
        "jobs/x.yaml:2:17: 'min_samples' (5) is more than 'max_samples' (4)");
  CHECK(refusal_of("limits: {timeout: soon}\n") ==
        "jobs/x.yaml:2:19: 'timeout': 'soon' is not a time (expected for example 120, 0.5s, 2min, "
        "1h30min or 00:30:00)");
  CHECK(refusal_of("limits: {memory: most}\n") ==
        "jobs/x.yaml:2:18: 'memory': 'most' is not a size in bytes (expected for example 4096, 2 "
        "GiB or 80GB)");
  CHECK(refusal_of("verify: {tolerance: {rtol: -1}}\n") ==
        "jobs/x.yaml:2:28: 'rtol' must not be negative, is -1");
  CHECK(refusal_of("verify: {reference: {dataset: /z}}\n") ==
        "jobs/x.yaml:2:21: 'reference' has no 'file'");
}

TEST_CASE("Tolerances are finite") {
  CHECK(refusal_of("verify: {tolerance: {atol: .inf}}\n") ==
        "jobs/x.yaml:2:28: 'atol' must be finite, is .inf");
  CHECK(refusal_of("verify:\n  tolerance:\n    rtol: .nan\n") ==
        "jobs/x.yaml:4:11: 'rtol' must be finite, is .nan");
  CHECK(refusal_of("verify: {outputs: {z: {mode: ulp, max_ulp: inf}}}\n") ==
        "jobs/x.yaml:2:44: 'max_ulp' must be finite, is inf");
}

TEST_CASE("Options of inline kernels without effect are unknown") {
  CHECK_THAT(parse_error("workload: inline\n"
                         "variants: {v: {kind: elementwise, out: T y, operation: y = 1,\n"
                         "               no_return: true}}\n"),
             Contains("jobs/x.yaml:3:16: unknown key 'no_return' (known: kind, out, operation, "));
}

TEST_CASE("Invalid choices list the valid ones") {
  CHECK(refusal_of("measure: {preset: quik}\n") ==
        "jobs/x.yaml:2:19: 'preset' must be one of quick, standard, paper, not 'quik' (did you "
        "mean 'quick'?)");
  CHECK(refusal_of("output: {arrays: some}\n") ==
        "jobs/x.yaml:2:18: 'arrays' must be one of all, failing, sample, none, not 'some'");
  CHECK(refusal_of("verify: {determinism: maybe}\n") ==
        "jobs/x.yaml:2:23: 'determinism' must be one of any, required, not 'maybe'");
  CHECK(refusal_of("verify: {input_sets: 17}\n") ==
        "jobs/x.yaml:2:22: 'input_sets' must be from 1 to 16, not 17");
  CHECK(refusal_of("verify: {input_sets: 0}\n") ==
        "jobs/x.yaml:2:22: 'input_sets' must be from 1 to 16, not 0");
  CHECK(refusal_of("verify: {on_fail: ignore}\n") ==
        "jobs/x.yaml:2:19: 'on_fail' must be one of record, stop-case, stop-job, not 'ignore'");
  CHECK(refusal_of("verify: {tolerance: {mode: close}}\n") ==
        "jobs/x.yaml:2:28: 'mode' must be one of exact, ulp, allclose, reduction, not 'close'");
}

TEST_CASE("zip and exclude are checked for their form") {
  CHECK(refusal_of("zip: [n, block]\n") ==
        "jobs/x.yaml:2:7: a group of 'zip' is a list of at least two parameters: [[n, block]]");
  CHECK(refusal_of("zip: n\n") ==
        "jobs/x.yaml:2:6: 'zip' must be a list of groups such as [[n, block]], not 'n'");
  CHECK(refusal_of("exclude: ['n >']\n") ==
        "jobs/x.yaml:2:11: something is missing at the end, column 4 of the expression\n"
        "  n >\n"
        "     ^");
}

TEST_CASE("Inputs have one source and only its options") {
  CHECK(refusal_of("inputs: {x: {random: gauss}}\n") ==
        "jobs/x.yaml:2:22: 'random' must be one of uniform, normal, integers, not 'gauss'");
  CHECK(refusal_of("inputs: {x: {shape: [2]}}\n") ==
        "jobs/x.yaml:2:13: input 'x' has no source: one of file, random, arange, zeros, ones, "
        "full, linspace, values, of, scalar is needed");
  CHECK(refusal_of("inputs: {x: {arang: 4}}\n") ==
        "jobs/x.yaml:2:14: unknown key 'arang' (did you mean 'arange'?)");
  CHECK(refusal_of("inputs: {x: {ones: 4, zeros: 4}}\n") ==
        "jobs/x.yaml:2:23: input 'x' has two sources, 'ones' and 'zeros'");
  CHECK(refusal_of("inputs: {x: {file: a.npy, seed: 4}}\n") ==
        "jobs/x.yaml:2:27: unknown key 'seed' (known: file, dataset, dtype)");
}

TEST_CASE("A missing job file is an error with its path") {
  CHECK(test::message_of([] { load_job("/nowhere/x.yaml"); }) ==
        "cannot read '/nowhere/x.yaml': No such file or directory");
}

}  // namespace
}  // namespace kernelbatch
