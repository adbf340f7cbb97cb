#include "core/job/overrides.hpp"

#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kJob = R"(workload: w
params: {n: [1, 2], m: 3}
exclude: [n == 1]
)";

JobSpec parse_with(const Overrides& overrides, const std::string& text = kJob) {
  return parse_job(text, "x.yaml", overrides);
}
std::string override_error(const Overrides& overrides) {
  return test::message_of([&] { parse_with(overrides); });
}

TEST_CASE("-p replaces an axis and adds another") {
  const JobSpec job = parse_with({.params = {"n=1e6,1e7", "dtype=float32"}, .settings = {}});
  const std::vector<Axis>& axes = job.workloads[0].params;

  REQUIRE(axes.size() == 3);
  REQUIRE(axes[0].values.size() == 2);
  CHECK(axes[0].values[1].text == "1e7");
  CHECK(to_text(axes[0].values[1].place) == "-p n=1e6,1e7");
  CHECK(axes[2].name == "dtype");
}

TEST_CASE("-p takes YAML lists, generators and quoted text") {
  const JobSpec job =
      parse_with({.params = {"n={pow2: [1, 3]}", "m=[4, 5]", "s='a,b'"}, .settings = {}});
  const std::vector<Axis>& axes = job.workloads[0].params;
  CHECK(axes[0].values.size() == 3);
  CHECK(axes[1].values.size() == 2);
  REQUIRE(axes[2].values.size() == 1);
  CHECK(axes[2].values[0].text == "a,b");
}

TEST_CASE("-p wins over the parameters of every workload") {
  const JobSpec job = parse_with({.params = {"n=7"}, .settings = {}},
                                 "workloads:\n  - {workload: a, params: {n: 1, k: 2}}\n"
                                 "  - {workload: b, params: {n: 3}}\n");
  for (const WorkloadSpec& workload : job.workloads)
    CHECK(workload.params[0].values[0].text == "7");
  CHECK(job.workloads[0].params.size() == 2);
  CHECK(job.workloads[1].params.size() == 1);
}

TEST_CASE("-s sets any key, makes missing mappings and goes through lists") {
  const JobSpec job =
      parse_with({.params = {},
                  .settings = {"measure.preset=quick", "measure.stop.noise=1%", "device=host",
                               "variants=[raw, jit]", "params.n=9"}});
  CHECK(job.measure.preset == Preset::kQuick);
  CHECK(job.measure.noise == 0.01);
  CHECK(job.device.text == "host");
  CHECK(job.workloads[0].variants.size() == 2);
  CHECK(job.workloads[0].params[0].values[0].text == "9");

  const JobSpec many = parse_with({.params = {}, .settings = {"workloads.1.baseline=raw"}},
                                  "workloads: [{workload: a}, {workload: b}]\n");
  CHECK(many.workloads[1].baseline.text == "raw");
}

TEST_CASE("-s key=null removes a key") {
  const JobSpec job = parse_with({.params = {}, .settings = {"exclude=null"}});
  CHECK(job.workloads[0].exclude.empty());
}

TEST_CASE("Values of a tuned parameter are the searched ones") {
  const auto axes_of = [](const std::string& text, const std::string& param) {
    std::string axes;
    for (const WorkloadSpec& workload :
         parse_job(text, "x.yaml", {.params = {param}, .settings = {}}).workloads) {
      for (const Axis& axis : workload.params) {
        axes += " " + axis.name + ":";
        for (const Scalar& value : axis.values) axes += value.text + ",";
      }
      axes += ";";
    }
    return axes;
  };
  const std::string tune = "tune: {params: {b: [1, 2, 3]}, budget: 2}";
  CHECK(axes_of("workload: w\nparams: {n: 1}\n" + tune + "\n", "b=7,8") == " n:1, b:7,8,;");
  CHECK(axes_of("workload: w\nparams: {n: 1}\n" + tune + "\n", "n=2") == " n:2, b:1,2,3,;");
  CHECK(axes_of("workloads:\n  - {workload: v, " + tune + "}\n  - {workload: w}\n", "b=5") ==
        " b:5,; b:5,;");
  CHECK(axes_of("workload: w\nparams: {b: [1, 2]}\ntune: {params: [b], budget: 2}\n", "b=4,5") ==
        " b:4,5,;");
}

TEST_CASE("Errors name the option") {
  CHECK(override_error({.params = {"n="}, .settings = {}}) == "-p n=: no value after '='");
  CHECK(override_error({.params = {"=4"}, .settings = {}}) == "-p =4: no name before '='");
  CHECK(override_error({.params = {"n"}, .settings = {}}) ==
        "-p n: expected a name and a value, such as -p n=1e6,1e7");
  CHECK(override_error({.params = {"a b=4"}, .settings = {}}) ==
        "-p a b=4: 'a b' is not the name of a parameter");
  CHECK(override_error({.params = {"n=[1"}, .settings = {}}) ==
        "-p n=[1: not valid YAML: end of sequence flow not found");
  CHECK(override_error({.params = {}, .settings = {"measure.presett=quick"}}) ==
        "-s measure.presett=quick: unknown key 'presett' (did you mean 'preset'?)");
  CHECK(override_error({.params = {}, .settings = {"measure.preset=quik"}}) ==
        "-s measure.preset=quik: 'preset' must be one of quick, standard, paper, not 'quik' (did "
        "you mean 'quick'?)");
  CHECK(override_error({.params = {}, .settings = {"measure..x=1"}}) ==
        "-s measure..x=1: 'measure..x' is not a path of keys such as measure.preset");
  CHECK(override_error({.params = {}, .settings = {"workload.x=1"}}) ==
        "-s workload.x=1: 'workload' is 'w' in the job, not a mapping");
  CHECK(override_error({.params = {}, .settings = {"exclude.3=a"}}) ==
        "-s exclude.3=a: 'exclude' is a list of 1, which has no item '3'");
  std::string deep = "a";
  for (int level = 0; level < 100'000; ++level) deep += ".a";
  CHECK_THAT(override_error({.params = {}, .settings = {deep + "=1"}}),
             Contains("=1: nested more than 64 levels deep"));
}

}  // namespace
}  // namespace kernelbatch
