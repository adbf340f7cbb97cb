#include "core/run/plan.hpp"

#include <fmt/format.h>

#include <fstream>

#include "core/job/parse.hpp"
#include "core/job/resolved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// Paths need no plugin; declarations are defined here.
WorkloadInfo declared(const std::string&) {
  WorkloadInfo info;
  info.name = "demo";
  info.version = "1";
  info.parameters = {integer_parameter("n", 100, 1, 1e9, ""),
                     choice_parameter("dtype", "float64", {"float32", "float64"}, ""),
                     real_parameter("scale", 1.5, 0, 10, ""),
                     tuning_parameter(integer_parameter("block", 256, 32, 1024, ""))};
  info.inputs = {{"x", ""}, {"field", "", {"n", "3"}}, {"mask", "", {"n"}, "int32"}};
  info.outputs = {{"z", ""}};
  info.variants = {{"reference", VariantKind::kReference, "", nullptr},
                   {"jit", VariantKind::kJit, "", nullptr},
                   {"raw", VariantKind::kRaw, "", nullptr}};
  return info;
}

Plan plan_of(const std::string& text, std::size_t allowed = 100) {
  return make_plan(parse_job("workload: /dev/null\n" + text, "jobs/x.yaml"), declared, allowed);
}
std::string refusal_of(const std::string& text) {
  return test::message_of([&] { plan_of(text); });
}

TEST_CASE("Unknown names are placed, with the nearest one that is known") {
  CHECK(refusal_of("params: {m: 3}\n") ==
        "jobs/x.yaml:2:10: workload 'demo' has no parameter 'm' (did you mean 'n'?)");
  CHECK(refusal_of("params:\n  n: 3\n  dtyp: float32\n") ==
        "jobs/x.yaml:4:3: workload 'demo' has no parameter 'dtyp' (did you mean 'dtype'?)");
  CHECK(refusal_of("variants: [jit, row]\n") ==
        "jobs/x.yaml:2:17: workload 'demo' has no variant 'row' (did you mean 'raw'?)");
  CHECK(refusal_of("baseline: elementwise\n") ==
        "jobs/x.yaml:2:11: workload 'demo' has no variant 'elementwise' (known: reference, jit, "
        "raw)");
  CHECK(refusal_of("verify: {reference: refrence}\n") ==
        "jobs/x.yaml:2:21: workload 'demo' has no variant 'refrence' (did you mean 'reference'?)");
  CHECK(refusal_of("verify: {outputs: {y: {rtol: 1}}}\n") ==
        "jobs/x.yaml:2:23: workload 'demo' has no output 'y' (did you mean 'z'?)");
  CHECK(refusal_of("inputs: {w: {zeros: 4}}\n") ==
        "jobs/x.yaml:2:10: workload 'demo' has no input 'w' (did you mean 'x'?)");
}

TEST_CASE("Values of another type or out of range are placed") {
  CHECK(
      refusal_of("params: {n: many}\n") ==
      "jobs/x.yaml:2:13: parameter 'n': 'many' is not an integer of 64 bits (expected for example "
      "1000000, 1_000_000, 1e6, 2^20 or 4Ki)");
  CHECK(refusal_of("params: {n: [1, 0]}\n") ==
        "jobs/x.yaml:2:17: parameter 'n': 0 is out of range: from 1 to 1000000000");
  CHECK(refusal_of("params: {n: -5}\n") ==
        "jobs/x.yaml:2:13: parameter 'n': -5 is out of range: from 1 to 1000000000");
  CHECK(refusal_of("params: {dtype: float23}\n") ==
        "jobs/x.yaml:2:17: parameter 'dtype': 'float23' is not a choice (did you mean 'float32'?)");
  CHECK(refusal_of("params: {scale: nan}\n").starts_with("jobs/x.yaml:2:17: parameter 'scale': "));
}

TEST_CASE("An input file that is not there is found before anything runs") {
  CHECK(refusal_of("inputs: {x: {file: nowhere.npy}}\n") ==
        "jobs/x.yaml:2:10: input 'x': there is no file 'nowhere.npy'");
}

TEST_CASE("An input that cannot be made is found before anything runs") {
  CHECK(refusal_of("inputs: {x: {of: y}}\n") ==
        "jobs/x.yaml:2:10: input 'x': 'of: y' names no array input above it");
  CHECK(refusal_of("inputs: {x: {random: uniform}}\n") ==
        "jobs/x.yaml:2:10: input 'x': it needs a shape");
  CHECK(refusal_of("inputs: {x: {arange: 4, dtype: float33}}\n") ==
        "jobs/x.yaml:2:32: unknown dtype 'float33' (did you mean 'float32'?)");
  CHECK_THAT(refusal_of("inputs: {x: {zeros: 4, shape: [2, many]}}\n"),
             Contains("jobs/x.yaml:2:31: unknown name 'many'"));
  CHECK_THAT(refusal_of("inputs: {x: {zeros: 4, shape: [2, -3]}}\n"),
             Contains("jobs/x.yaml:2:10: input 'x': negative extent in the shape"));
  CHECK_THAT(refusal_of("inputs: {x: {random: uniform, shape: [4], low: deep}}\n"),
             Contains("jobs/x.yaml:2:48: unknown name 'deep'"));
}

TEST_CASE("An input that does not match the parameters is found before anything runs") {
  CHECK(refusal_of("inputs: {field: {zeros: [100, 3]}}\n").empty());
  CHECK(refusal_of("inputs: {field: {zeros: [3, 100]}}\n") ==
        "jobs/x.yaml:2:10: input 'field' is float64 (3, 100); with n: 100, dtype: float64 the "
        "workload takes float64 (100, 3)");
  // For each case, with its own parameters.
  CHECK(refusal_of("params: {n: 4, dtype: [float64, float32]}\n"
                   "inputs: {field: {zeros: [n, 3]}}\n") ==
        "jobs/x.yaml:3:10: input 'field' is float64 (4, 3); with n: 4, dtype: float32 the workload "
        "takes float32 (4, 3)");
  CHECK(refusal_of("inputs: {mask: {zeros: [n], dtype: int64}}\n") ==
        "jobs/x.yaml:2:10: input 'mask' is int64 (100,); with n: 100 the workload takes int32 "
        "(100,)");
  CHECK(refusal_of("inputs: {mask: 3}\n") ==
        "jobs/x.yaml:2:10: input 'mask' is int64 (); with n: 100 the workload takes int32 (100,)");
  // Its form is known only with the data.
  CHECK(refusal_of("inputs: {x: {zeros: [7, 7]}}\n").empty());
}

TEST_CASE("Omitted extents and dtypes are those of the job's files") {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& code, const std::string& shape,
                         std::size_t bytes) {
    const std::filesystem::path path = folder.path() / name;
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", code, shape);
    header.resize(117, ' ');
    header += '\n';
    std::ofstream(path, std::ios::binary) << std::string("\x93NUMPY\x01\x00", 8) << char(118)
                                          << char(0) << header << std::string(bytes, '\0');
    return path.string();
  };
  const std::string small = write("small.npy", "<f4", "(7, 3)", 84);
  const std::string wide = write("wide.npy", "<f8", "(9, 4)", 288);
  const std::string whole = write("whole.npy", "<i8", "(7, 3)", 168);
  const std::string mask = write("mask.npy", "<i4", "(7,)", 28);
  const auto params = [&](const std::string& text) {
    return to_text(plan_of(text).cases.at(0).params);
  };
  CHECK(params("inputs: {field: {file: " + small + "}}\n") == "n=7 dtype=float32 scale=1.5");
  CHECK(params("inputs: {mask: {file: " + mask + "}}\n") == "n=7 dtype=float64 scale=1.5");
  // The job takes precedence, and mismatches are reported.
  CHECK(
      refusal_of("params: {n: 8}\ninputs: {field: {file: " + small + "}}\n") ==
      "jobs/x.yaml:3:10: input 'field': " + small +
          " is float32 (7, 3); with params n: 8, dtype: float32 the workload takes float32 (8, 3)");
  CHECK(
      refusal_of("params: {dtype: float64, n: [7, 8]}\ninputs: {field: {file: " + small + "}}\n") ==
      "jobs/x.yaml:3:10: input 'field': " + small +
          " is float32 (7, 3); with params n: 7, dtype: float64 the workload takes float64 (7, 3)");
  CHECK_THAT(
      refusal_of("inputs: {field: {file: " + wide + "}}\n"),
      Contains(
          "is float64 (9, 4); with params n: 9, dtype: float64 the workload takes float64 (9, 3)"));
  // The first file decides; a dtype that the workload does not know decides nothing.
  CHECK_THAT(refusal_of("inputs: {mask: {file: " + mask + "}, field: {file: " + wide + "}}\n"),
             Contains("'field'") && Contains("with params n: 7"));
  CHECK_THAT(refusal_of("inputs: {field: {file: " + whole + "}}\n"),
             Contains("is int64 (7, 3); with params n: 7, dtype: float64"));
  CHECK(refusal_of("inputs: {field: nowhere.npy}\n") ==
        "jobs/x.yaml:2:17: a file is written {file: nowhere.npy}");
  CHECK(refusal_of("inputs: {field: {file: nowhere.npy}}\n") ==
        "jobs/x.yaml:2:10: input 'field': there is no file 'nowhere.npy'");
}

TEST_CASE("A file of expected outputs must be there") {
  CHECK(refusal_of("verify: {reference: {file: ref.h5, dataset: /z}}\n") ==
        "jobs/x.yaml:2:28: input 'reference': there is no file 'ref.h5'");
}

TEST_CASE("Too many cases are refused with the required limit") {
  const std::string message =
      test::message_of([] { plan_of("params: {n: {range: [1, 200, 1]}}\n", 100); });
  CHECK_THAT(message, Contains("--allow-cases 200"));
}

TEST_CASE("Parameters that a job leaves out have their defaults, in the order of declaration") {
  const Plan plan = plan_of("params: {dtype: [float32, float64]}\n");

  REQUIRE(plan.cases.size() == 2);
  CHECK(to_text(plan.cases[0].params) == "n=100 dtype=float32 scale=1.5");
  CHECK(to_text(plan.cases[1].params) == "n=100 dtype=float64 scale=1.5");
  CHECK(plan.results() == 6);
  CHECK(plan.workloads[0].baseline == "reference");
}

TEST_CASE("A resolved job contains its workload's defaults, and has the same plan") {
  const std::string text = "params: {n: [1, 2], dtype: [float32, float64]}\nzip: [[n, dtype]]\n";
  const JobSpec job = parse_job("workload: /dev/null\n" + text, "jobs/x.yaml");
  const Plan plan = make_plan(job, declared, 100);

  const std::string yaml = to_yaml(resolved(job, plan));
  const Plan again = make_plan(parse_job(yaml, "jobs/x.yaml"), declared, 100);

  CHECK_THAT(yaml, Contains("scale: 1.5") && Contains("variants: [reference, jit, raw]") &&
                       Contains("baseline: reference") && Contains("reference: reference"));
  REQUIRE(again.cases.size() == plan.cases.size());
  for (std::size_t k = 0; k < plan.cases.size(); ++k)
    CHECK(again.cases[k].case_id == plan.cases[k].case_id);
}

TEST_CASE("Variants run in the workload's order, whatever the job's") {
  const Plan plan = plan_of("variants: [raw, reference]\n");
  CHECK(plan.workloads[0].variants == std::vector<std::string>{"reference", "raw"});
}

TEST_CASE("Adding values to an axis keeps the ids of the cases that were there") {
  const Plan before = plan_of("params: {n: [10, 20]}\n");
  const Plan after = plan_of("params: {n: [5, 10, 15, 20]}\n");

  REQUIRE(before.cases.size() == 2);
  REQUIRE(after.cases.size() == 4);
  CHECK(after.cases[1].case_id == before.cases[0].case_id);
  CHECK(after.cases[3].case_id == before.cases[1].case_id);
}

TEST_CASE("Writing a default explicitly keeps the case's ID") {
  CHECK(plan_of("params: {n: 100}\n").cases[0].case_id == plan_of("").cases[0].case_id);
  CHECK(plan_of("params: {scale: 1.5}\n").cases[0].case_id == plan_of("").cases[0].case_id);
}

TEST_CASE("Another input is another case") {
  CHECK(plan_of("inputs: {x: {zeros: 4, shape: [4]}}\n").cases[0].case_id !=
        plan_of("").cases[0].case_id);
}

TEST_CASE("Cases shared by two entries are run once") {
  const JobSpec job = parse_job(
      "workloads:\n  - {workload: /dev/null, params: {n: [1, 2]}}\n"
      "  - {workload: /dev/null, params: {n: [2, 3]}}\n",
      "jobs/x.yaml");
  CHECK(make_plan(job, declared, 100).cases.size() == 3);
}

TEST_CASE("Entries with conflicting settings for the same case are refused") {
  const auto refusal = [](const std::string& first, const std::string& second) {
    const std::string text = fmt::format(
        "workloads:\n  - {{workload: /dev/null, params: {{n: [1, 2]}}, {}}}\n"
        "  - {{workload: /dev/null, params: {{n: [2, 3]}}, {}}}\n",
        first, second);
    return test::message_of([&] { make_plan(parse_job(text, "x.yaml"), declared, 100); });
  };
  CHECK_THAT(refusal("variants: [reference]", "variants: [jit]"),
             Contains("x.yaml:3:5: n=2") &&
                 Contains("is a case of the entry on line 2, too, with other variants"));
  CHECK_THAT(refusal("verify: {repeat: 2}", "verify: {repeat: 3}"), Contains("another `verify`"));
  CHECK_THAT(refusal("baseline: reference", "baseline: jit"), Contains("another baseline"));
  // The first covers the second's request.
  CHECK(refusal("variants: [reference, jit]", "variants: [jit]").empty());
  CHECK(refusal("verify: {reference: reference}", "verify: {repeat: 1}").empty());
}

TEST_CASE("An unknown workload and a plugin that is not there are placed") {
  const auto refusal = [](const std::string& workload) {
    return test::message_of(
        [&] { make_plan(parse_job("workload: " + workload + "\n", "x.yaml"), declared, 100); });
  };
  CHECK(refusal("/no/such/plugin.so") == "x.yaml:1:11: plugin '/no/such/plugin.so' does not exist");
  CHECK_THAT(refusal("no_such_workload"),
             Contains("x.yaml:1:11: unknown workload 'no_such_workload'"));
}

TEST_CASE("Plans of all shards make up the plan, each case in one of them") {
  const char* text = GENERATE("params: {n: {range: [1, 50, 1]}, dtype: [float32, float64]}\n",
                              "params: {n: [1, 2, 3]}\nexclude: ['n == 2']\n");
  const JobSpec job = parse_job(std::string("workload: /dev/null\n") + text, "jobs/x.yaml");
  const Plan whole = make_plan(job, declared, 100);
  const FootprintsOf footprints = [](const std::string&, const std::vector<NamedValues>& cases) {
    std::vector<double> bytes;
    for (const NamedValues& values : cases)
      bytes.push_back(static_cast<double>(std::get<std::int64_t>(*find_value(values, "n"))));
    return bytes;
  };
  for (const std::size_t count : {1u, 2u, 7u, 200u}) {
    std::vector<std::string> ids(whole.cases.size());
    for (std::size_t index = 0; index < count; ++index)
      for (const PlannedCase& each :
           make_plan(job, declared, 100, {index, count}, footprints).cases) {
        CHECK(ids.at(each.number).empty());
        ids[each.number] = each.case_id;
      }
    for (const PlannedCase& each : whole.cases) CHECK(ids[each.number] == each.case_id);
  }
}

TEST_CASE("A case of two entries is in one shard") {
  const JobSpec job = parse_job(
      "workloads:\n- {workload: /dev/null, params: {n: [1, 2, 3]}}\n"
      "- {workload: /dev/null, params: {n: [2, 3, 4]}}\n",
      "jobs/x.yaml");
  CHECK(make_plan(job, declared, 100).cases.size() == 4);
  std::vector<std::size_t> numbers;
  for (const std::size_t index : {0u, 1u})
    for (const PlannedCase& each : make_plan(job, declared, 100, {index, 2}).cases)
      numbers.push_back(each.number);
  CHECK(numbers == std::vector<std::size_t>{0, 3, 1, 2});
}

TEST_CASE("A tuning parameter is part of a case only if the job sets it") {
  const Plan without = plan_of("params: {n: 3}\n");
  REQUIRE(without.cases.size() == 1);
  CHECK(to_text(without.cases[0].params) == "n=3 dtype=float64 scale=1.5");
  const Plan tuned = plan_of("params: {n: 3}\ntune: {params: {block: [256, 512]}}\n");
  REQUIRE(tuned.cases.size() == 2);
  CHECK(to_text(tuned.cases[0].params) == "n=3 dtype=float64 scale=1.5 block=256");
  CHECK(tuned.cases[0].case_id != without.cases[0].case_id);
  CHECK(refusal_of("params: {block: 31}\n") ==
        "jobs/x.yaml:2:17: parameter 'block': 31 is out of range: from 32 to 1024");
}

}  // namespace
}  // namespace kernelbatch
