#include "core/search/recorded_space.hpp"

#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <fstream>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

constexpr const char* kCache =
    R"({"kernel_name": "k", "device_name": "d", "tune_params_keys": ["block", "mode"],
 "cache": {
  "128,a": {"block": 128, "mode": "a", "time": 2.0, "compile_time": 100, "benchmark_time": 10, "verification_time": 0, "framework_time": 1},
  "32,a": {"block": 32, "mode": "a", "time": "RuntimeFailedConfig", "compile_time": 100, "benchmark_time": 1},
  "64,b": {"block": 64, "mode": "b", "time": 1.0, "compile_time": 50, "benchmark_time": 5}
 }})";

struct Fixture {
  test::TemporaryFolder folder;
  std::string write(const std::string& text) const {
    const std::string name = (folder.path() / "space.json").string();
    std::ofstream(name) << text;
    return name;
  }
};

void check_cache(const RecordedSpace& recorded) {
  CHECK(recorded.name() == "k d");
  CHECK(recorded.parameters() == std::vector<std::string>{"block", "mode"});
  CHECK(recorded.size() == 3);
  const SearchSpace space = recorded.space();
  // Numbers by value, words in order: 32, 64, 128 and a, b.
  CHECK((space.values(0) == 3 && space.values(1) == 2));
  CHECK(space.contains(Configuration{2, 0}));
  CHECK(!space.contains(Configuration{2, 1}));
  CHECK(recorded.at({2, 0}).time == Approx(2e-3));
  CHECK(recorded.at({2, 0}).cost == Approx(0.111));
  CHECK(std::isnan(recorded.at({0, 0}).time));
  CHECK(recorded.at({1, 1}).time == Approx(1e-3));
}

TEST_CASE_METHOD(Fixture, "A cache is read: plain, compressed, and without its last braces") {
  check_cache(RecordedSpace::read(write(kCache)));
  std::string open = kCache;
  open.resize(open.find_last_of('}', open.find_last_of('}') - 1));
  check_cache(RecordedSpace::read(write(open)));
  const std::string name = (folder.path() / "space.json.gz").string();
  gzFile file = gzopen(name.c_str(), "wb");
  gzwrite(file, kCache, static_cast<unsigned>(std::string(kCache).size()));
  gzclose(file);
  check_cache(RecordedSpace::read(name));
}

TEST_CASE_METHOD(Fixture, "T4 results are read") {
  const RecordedSpace recorded = RecordedSpace::read(write(R"({"results": [
    {"configuration": {"block": 64}, "times": {"compilation_time": 20, "runtimes": [1, 2]}, "invalidity": "correct",
     "measurements": [{"name": "time", "value": 1500, "unit": "us"}]},
    {"configuration": {"block": 128}, "invalidity": "correct", "measurements": [{"name": "time", "value": 2}]},
    {"configuration": {"block": 32}, "times": {"compilation_time": 30, "runtimes": []}, "invalidity": "compile",
     "measurements": []}]})"));
  CHECK(recorded.at({1}).time == Approx(1.5e-3));
  CHECK(recorded.at({1}).cost == Approx(0.023));
  CHECK(std::isnan(recorded.at({0}).time));
}

TEST_CASE_METHOD(Fixture, "A file that unpacks to any size, a pipe and a device are refused") {
  const std::string bomb = (folder.path() / "bomb.json.gz").string();
  {
    const std::vector<char> blanks(1 << 20, ' ');
    gzFile file = gzopen(bomb.c_str(), "wb1");
    for (int k = 0; k < 257; ++k)
      gzwrite(file, blanks.data(), static_cast<unsigned>(blanks.size()));
    gzclose(file);
  }
  CHECK_THAT(test::message_of([&] { RecordedSpace::read(bomb); }),
             Contains("bomb.json.gz: unpacks to more than 256 MiB"));
  const std::string pipe = (folder.path() / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& endless : {pipe, std::string("/dev/zero")})
    CHECK_THAT(test::message_of([&] { RecordedSpace::read(endless); }), Contains("not a file"));
}

TEST_CASE_METHOD(Fixture, "An invalid recorded space is reported with the file and the reason") {
  const auto said = [&](const std::string& text) {
    const std::string name = write(text);
    const std::string message = test::message_of([&] { RecordedSpace::read(name); });
    CHECK_THAT(message, Contains(name));
    return message;
  };
  CHECK_THAT(said("# no"), Contains("is not JSON"));
  CHECK_THAT(said("{}"), Contains("no 'cache'") && Contains("no 'results'"));
  CHECK_THAT(said("[1]"), Contains("no 'cache'"));
  CHECK_THAT(said(R"({"tune_params_keys": ["a"], "cache": {}})"), Contains("has no configuration"));
  CHECK_THAT(said(R"({"tune_params_keys": ["a"], "cache": {"1": {"time": 1}}})"), Contains("'a'"));
  CHECK_THAT(said(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": "x"}}})"),
             Contains("all configurations failed"));
  CHECK_THAT(said(R"({"tune_params_keys": [], "cache": {"1": {"time": 1}}})"),
             Contains("has no configuration"));
  CHECK_THAT(
      said(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1, "compile_time": 1},
                      "2": {"a": 2, "time": 1}}})"),
      Contains("all times are equal"));
  CHECK_THAT(said(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1},
                      "2": {"a": 2, "time": 2}}})"),
             Contains("has no times of compiling and running"));
  CHECK_THAT(test::message_of([] { RecordedSpace::read("/nowhere/x.json"); }),
             Contains("/nowhere/x.json") && Contains("cannot be opened"));
}

}  // namespace
}  // namespace kernelbatch
