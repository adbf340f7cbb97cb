#include "core/case/message.hpp"

#include <cmath>
#include <limits>

#include "core/base/archive.hpp"
#include "core/base/error.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

template <class Message>
Message through(const Message& sent) {
  return std::get<Message>(request_from_frame(to_frame(Request(sent))));
}

CaseRequest full_request() {
  return {.case_id = "0123456789abcdef",
          .plugin = "/opt/plugins/w \"quoted\".so",
          .workload = 3,
          .device = "cuda:1",
          .params = {{"n", std::int64_t{1} << 60},
                     {"x", 0.1},
                     {"least", std::numeric_limits<double>::denorm_min()},
                     {"infinite", std::numeric_limits<double>::infinity()},
                     {"on", true},
                     {"dtype", std::string("float32")}},
          .variants = {"raw", "jit"},
          .reference = "raw",
          .spill_folder = "/scratch/grüße.d/0",
          .attempt = 2,
          .calibrates = true,
          .is_profile = true,
          .unexplained = {"jit"}};
}

TEST_CASE("A request arrives unchanged at the worker") {
  const CaseRequest sent = full_request();

  const CaseRequest got = through(sent);

  CHECK(got.case_id == sent.case_id);
  CHECK(got.plugin == sent.plugin);
  CHECK(got.workload == sent.workload);
  CHECK(got.device == sent.device);
  CHECK(got.params == sent.params);
  CHECK(got.variants == sent.variants);
  CHECK(got.reference == sent.reference);
  CHECK(got.spill_folder == sent.spill_folder);
  CHECK(got.attempt == sent.attempt);
  CHECK(got.calibrates);
  CHECK(got.is_profile);
  CHECK(got.unexplained == sent.unexplained);
  CHECK(through(CompileRequest{sent}).request.variants == sent.variants);
  CHECK(through(CompileHarnessRequest{.device = "sm_90", .target = {}, .part = 2}).part == 2);
}

TEST_CASE("A job arrives at the worker as written") {
  const UseJob sent{"jobs/a.yaml", "workload: mse\n", {{"n=1,2"}, {"measure.preset=quick"}}};
  const UseJob got = through(sent);
  CHECK(got.path == sent.path);
  CHECK(got.source == sent.source);
  CHECK(got.overrides == sent.overrides);
}

Reply reply_through(Reply sent) { return reply_from_frame(to_frame(sent)); }

TEST_CASE("A result arrives at the supervisor with every sample's bits") {
  Result sent;
  sent.record.case_id = "c";
  sent.record.variant = "raw";
  sent.record.status = Status::kVerificationFailed;
  sent.record.phase = Phase::kVerify;
  sent.record.reason = "line\n\"quoted\" ü";
  for (int k = 0; k < 1000; ++k)
    sent.record.samples.push_back({k % 3 == 0   ? SampleKind::kCold
                                   : k % 3 == 1 ? SampleKind::kHot
                                                : SampleKind::kHost,
                                   k, std::nextafter(1e-6 * k, 1.0), k == 7 ? kMissing : 1.755e9,
                                   std::int64_t{1} << 60});
  sent.outputs.push_back({"z", 7});
  sent.must_restart_worker = true;

  const auto got = std::get<Result>(reply_through(Result{sent.record, {}, true}));
  CHECK(got.record.case_id == "c");
  CHECK(got.record.status == Status::kVerificationFailed);
  CHECK(got.record.phase == Phase::kVerify);
  CHECK(got.record.reason == sent.record.reason);
  CHECK(got.must_restart_worker);
  REQUIRE(got.record.samples.size() == sent.record.samples.size());
  for (std::size_t k = 0; k < got.record.samples.size(); ++k) {
    const Sample &a = got.record.samples[k], &b = sent.record.samples[k];
    const bool same_clock =
        a.sm_clock == b.sm_clock || (std::isnan(a.sm_clock) && std::isnan(b.sm_clock));
    if (a.kind != b.kind || a.repetition != b.repetition || a.time != b.time || !same_clock ||
        a.wall_ns != b.wall_ns)
      FAIL("sample " << k << " differs");
  }

  const auto with_output = std::get<Result>(reply_from_frame(to_frame(Reply(std::move(sent)))));
  REQUIRE(with_output.outputs.size() == 1);
  CHECK(with_output.outputs[0].output == "z");
  CHECK(with_output.outputs[0].stride == 7);
  CHECK_FALSE(with_output.outputs[0].file);  // it is sent separately
}

TEST_CASE("A description arrives at the supervisor without functions") {
  WorkloadInfo sent;
  sent.name = "w";
  sent.version = "3";
  sent.summary = "what it computes";
  sent.parameters = {integer_parameter("n", 5, 1, 1e11, "number"),
                     choice_parameter("dtype", "float64", {"float32", "float64"}, "type"),
                     tuning_parameter(real_parameter("p", 0.5, 0, 1, "share"))};
  sent.inputs = {{"a", "first"}};
  sent.outputs = {{"y", "sum"}};
  sent.variants = {
      {"reference", VariantKind::kReference, "plain"},
      {"library", VariantKind::kLibrary, "theirs", [](const Problem&, Run&) { return Work(); }}};

  const WorkloadInfo got = std::get<Described>(reply_through(Described{sent})).info;

  CHECK(got.name == sent.name);
  CHECK(got.version == sent.version);
  CHECK(got.summary == sent.summary);
  REQUIRE(got.parameters.size() == 3);
  CHECK(got.parameters[0].default_value == Value(std::int64_t{5}));
  CHECK(got.parameters[0].maximum == 1e11);
  CHECK(got.parameters[1].choices == sent.parameters[1].choices);
  CHECK_FALSE(got.parameters[1].minimum.has_value());
  CHECK(got.parameters[2].type == ParameterType::kReal);
  CHECK(got.parameters[2].is_tuning);
  CHECK(got.inputs.at(0).help == "first");
  CHECK(got.outputs == sent.outputs);
  REQUIRE(got.variants.size() == 2);
  CHECK(got.variants[1].kind == VariantKind::kLibrary);
  CHECK(got.variants[1].prepare == nullptr);
}

TEST_CASE("Text that is not UTF-8 arrives as valid UTF-8") {
  const auto got =
      std::get<Failed>(reply_through(Failed{.reason = "bytes \xff\xfe and half \xe2\x82"}));
  CHECK(got.reason == "bytes \xef\xbf\xbd\xef\xbf\xbd and half \xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("Bytes that are not a message are refused") {
  CHECK_THROWS_AS(reply_from_frame(""), RunError);
  CHECK_THROWS_AS(reply_from_frame("no message at all"), RunError);
  CHECK_THROWS_WITH(request_from_frame("{}"),
                    Contains("a message between supervisor and worker cannot be read"));
  const std::string frame = to_frame(Reply(PhaseChange{"raw", Phase::kRun, true}));
  // Every truncated message, and a message with extra bytes.
  for (std::size_t size = 0; size < frame.size(); ++size)
    CHECK_THROWS_AS(reply_from_frame(frame.substr(0, size)), RunError);
  CHECK_THROWS_WITH(reply_from_frame(frame + "x"), Contains("longer than its content"));
}

TEST_CASE("A choice that does not exist, and a length beyond the frame, are refused") {
  std::string frame = to_frame(Reply(PhaseChange{"", Phase::kRun, true}));
  const std::size_t phase = frame.size() - 2;
  frame[phase] = 100;
  CHECK_THROWS_WITH(reply_from_frame(frame), Contains("a choice that does not exist"));
  std::string list = to_frame(Reply(CaseFootprints{{1.0, 2.0}}));
  list[1 + 7] = 0x10;  // the highest byte of the list's length
  CHECK_THROWS_WITH(reply_from_frame(list), Contains("ends within a list"));
}

}  // namespace
}  // namespace kernelbatch
