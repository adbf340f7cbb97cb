#include "core/case/case_request.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

CaseRequest full_request() {
  CaseRequest request;
  request.case_id = "0123456789abcdef";
  request.plugin = "/opt/plugins/w \"quoted\".so";
  request.device = "cuda:1";
  request.params = {
      {"n", std::int64_t{1} << 60}, {"x", 0.1}, {"on", true}, {"dtype", std::string("float32")}};
  InputSpec input;
  input.name = "x";
  input.kind = InputKind::kRandom;
  input.value = {"uniform", {"job.yaml", 3, 7}, true};
  input.place = {"job.yaml", 3, 2};
  input.options = {{"shape", {"[2, 5]", {"job.yaml", 3, 20}, false}}};
  request.inputs = {input};
  request.variants = {"raw", "jit"};
  request.reference = "raw";
  request.tolerance.rtol = 1e-7;
  request.output_tolerances = {
      {"z", {.mode = CompareMode::kUlp, .rtol = {}, .atol = {}, .max_ulp = 4, .place = {}}}};
  request.repeat = 2;
  request.measure.preset = Preset::kPaper;
  request.measure.noise = 0.001;
  request.measure.hot = false;
  request.memory_limit = "2 GiB";
  request.arrays = KeptArrays::kFailing;
  request.job_folder = "/home/grüße";
  request.spill_folder = "/scratch/x.d/0";
  request.attempt = 2;
  return request;
}

TEST_CASE("A request survives its way to the worker") {
  const CaseRequest sent = full_request();

  const CaseRequest got = case_request_from_json(to_json(sent));

  CHECK(got.case_id == sent.case_id);
  CHECK(got.plugin == sent.plugin);
  CHECK(got.device == sent.device);
  CHECK(got.params == sent.params);
  CHECK(got.inputs == sent.inputs);
  CHECK(got.variants == sent.variants);
  CHECK(got.reference == sent.reference);
  CHECK(got.tolerance == sent.tolerance);
  CHECK(got.output_tolerances == sent.output_tolerances);
  CHECK(got.repeat == sent.repeat);
  CHECK(got.measure == sent.measure);
  CHECK(got.memory_limit == sent.memory_limit);
  CHECK(got.arrays == sent.arrays);
  CHECK(got.job_folder == sent.job_folder);
  CHECK(got.spill_folder == sent.spill_folder);
  CHECK(got.attempt == sent.attempt);
}

TEST_CASE("A message survives its way to the supervisor") {
  WorkerMessage sent;
  sent.event = "result";
  sent.variant = "raw";
  sent.phase = "run";
  sent.text = "{\"quoted\": \"ü\n\"}";
  sent.exit_code = 3;
  sent.status = "crashed";
  sent.outputs.push_back({"z", 7});
  sent.is_sick = true;

  const WorkerMessage got = worker_message_from_json(to_json(sent));

  CHECK(got.event == sent.event);
  CHECK(got.variant == sent.variant);
  CHECK(got.phase == sent.phase);
  CHECK(got.text == sent.text);
  CHECK(got.exit_code == sent.exit_code);
  CHECK(got.status == sent.status);
  CHECK(got.is_sick);
  REQUIRE(got.outputs.size() == 1);
  CHECK(got.outputs[0].output == "z");
  CHECK_FALSE(got.outputs[0].file);  // it travels beside the text
  CHECK(got.outputs[0].stride == 7);
}

TEST_CASE("A reason that is not UTF-8 does not end the worker") {
  WorkerMessage message;
  message.event = "failed";
  message.text = "bytes \xff\xfe here";
  CHECK_THAT(worker_message_from_json(to_json(message)).text, Contains("here"));
}

TEST_CASE("Other text is no message") {
  CHECK_THROWS_AS(worker_message_from_json(""), RunError);
  CHECK_THROWS_AS(worker_message_from_json("{}"), RunError);
  CHECK_THROWS_AS(worker_message_from_json("{\"event\": 3}"), RunError);
  CHECK_THROWS_WITH(case_request_from_json("[]"),
                    Contains("a message between supervisor and worker cannot be read"));
}

TEST_CASE("A node of no kind, a key without a value and a bottomless message are refused") {
  CaseRequest request;
  YamlNode& reference = request.kernels.emplace().reference;
  reference.kind = YamlNode::Kind::kMapping;
  reference.keys.push_back({"variant", {}});
  reference.children.push_back(YamlNode{.kind = YamlNode::Kind::kScalar, .text = "raw"});
  const std::string text = to_json(request);
  REQUIRE(case_request_from_json(text).kernels->reference == reference);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    REQUIRE(at != std::string::npos);
    return other.replace(at, from.size(), to);
  };

  CHECK_THROWS_WITH(case_request_from_json(changed("\"kind\":3", "\"kind\":7")),
                    Contains("has a node of kind 7"));
  CHECK_THROWS_WITH(case_request_from_json(changed("\"kind\":3", "\"kind\":2")),
                    Contains("has a mapping without its keys"));
  CHECK_THROWS_WITH(worker_message_from_json(std::string(1 << 20, '[')),
                    Contains("nests more than 200 levels deep"));
}

}  // namespace
}  // namespace kernelbatch
