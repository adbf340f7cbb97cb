// `kernelbatch compile`: fills the cache with exactly the kernels of the run.
#include <algorithm>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/kernel/program/cache.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

/// A separate cache, and a compiler that appends a line to a log on each start.
class CompileScene {
 public:
  CompileScene() {
    test::set_environment();
    const auto compiler = find_program("g++") ? find_program("g++") : find_program("c++");
    if (!compiler) throw std::runtime_error("this test needs g++ or c++");
    std::ofstream(folder_ / "logged-g++") << "#!/bin/sh\necho compile >> '" << log().string()
                                          << "'\nexec '" << compiler->string() << "' \"$@\"\n";
    std::filesystem::permissions(folder_ / "logged-g++", std::filesystem::perms::owner_all);
  }
  std::filesystem::path log() const { return folder_ / "log"; }
  std::filesystem::path cache() const { return folder_ / "cache"; }
  std::size_t compiles() const {
    return std::filesystem::exists(log()) ? read_file(log()).size() / 8 : 0;
  }
  ProcessResult command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), test::executable());
    return run_process(arguments);
  }

 private:
  test::TemporaryFolder folder_;
  test::EnvironmentVariable cxx_{"CXX", (folder_ / "logged-g++").string()};
  test::EnvironmentVariable dir_{"KERNELBATCH_CACHE_DIR", cache().string()};
};

std::vector<std::string> lines_of(const std::string& output) {
  std::vector<std::string> lines = split(output, '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// A kernel's line without its time, which varies.
std::string without_time(const std::string& line) { return line.substr(0, line.rfind("  ")); }

const std::string kJob =
    "workload: mse\nparams: {n: [1000, 2000], dtype: float64}\ndevice: host\n"
    "measure: {preset: quick, warmup: 0, hot: false, stop: {min_samples: 1, max_samples: 1}}\n";

TEST_CASE("The run finds the kernels that compile made for the host") {
  const CompileScene scene;
  const test::JobFolder job(kJob);
  const ProcessResult compiled = scene.command({"compile", job.job()});
  CAPTURE(compiled.output);
  REQUIRE(compiled.exit_status == 0);
  // Kernels of the calibration and of the checks around each call belong to no variant: not listed.
  constexpr std::size_t kOwn = 4;
  const std::size_t count = scene.compiles() - kOwn;
  CHECK(count > 4);
  CHECK_THAT(lines_of(compiled.output).back(),
             Contains(std::to_string(count) + " kernels: " + std::to_string(count) +
                      " compiled, 0 cached, "));
  CHECK(cache_usage(scene.cache()).entries == count + kOwn);
  const ProcessResult again = scene.command({"compile", job.job()});
  CHECK_THAT(lines_of(again.output).back(),
             Contains(std::to_string(count) + " kernels: 0 compiled, " + std::to_string(count) +
                      " cached, "));
  CHECK(scene.command({"run", "-q", job.job()}).exit_status == 0);
  CHECK(scene.compiles() == count + kOwn);
}

TEST_CASE("One line shows variant, kernel, action and time") {
  const CompileScene scene;
  const test::JobFolder job(kJob);
  const ProcessResult result =
      scene.command({"compile", job.job(), "--only", "variant=reference,jit", "-p", "n=1000"});
  REQUIRE(result.exit_status == 0);
  const std::vector<std::string> lines = lines_of(result.output);
  REQUIRE(lines.size() == 3);
  CHECK(without_time(lines[0]) == "jit  squares  compiled");
  CHECK(without_time(lines[1]) == "jit  mean  compiled");
  CHECK(lines[0].ends_with(" ms"));
}

TEST_CASE("A target needs no GPU") {
  const CompileScene scene;
  const test::JobFolder job(kJob);
  const ProcessResult result =
      scene.command({"compile", job.job(), "--target", "sm_90", "--units", "132"});
  if (result.exit_status == 4) {
    WARN("not checked: " << result.output);
    return;
  }
  CAPTURE(result.output);
  CHECK(result.exit_status == 0);
  CHECK(scene.compiles() == 0);  // NVRTC is not a process
  CHECK(cache_usage(scene.cache()).entries >= 5);
  CHECK_THAT(lines_of(result.output)[0], Contains("elementwise  ") && Contains("  compiled  "));
}

TEST_CASE("Sources are kept in the folder of --keep-source") {
  const CompileScene scene;
  const test::JobFolder job(kJob);
  const auto folder = job.path() / "sources";
  REQUIRE(scene
              .command(
                  {"compile", job.job(), "--only", "variant=jit", "--keep-source", folder.string()})
              .exit_status == 0);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  // The harness's own.
  std::erase_if(names, [](const auto& name) {
    return name.starts_with("calibration_") || name.starts_with("kernelbatch_");
  });
  std::ranges::sort(names);
  REQUIRE(names.size() == 2);
  CHECK(names[0].starts_with("mean-"));
  CHECK(names[0].size() == std::string("mean-12345678.cu").size());
  CHECK_THAT(read_file(folder / names[1]), Contains("squares"));
}

TEST_CASE("A faulty variant loses only its own kernels") {
  const CompileScene scene;
  const test::EnvironmentVariable locale("LC_ALL", "C");
  const test::JobFolder job(
      "workload: faulty\ndevice: host\nvariants: [segfaults, exits, throws_int, no_work, "
      "compile_error, unsupported, good_again]\n");
  const ProcessResult result = scene.command({"compile", job.job()});
  CHECK(result.exit_status == 3);
  const std::vector<std::string> lines = lines_of(result.output);
  REQUIRE(lines.size() == 10);
  CHECK(lines[0] ==
        "segfaults  failed: the worker ended: killed by signal 11 (Segmentation fault)");
  CHECK(lines[1] == "exits  failed: the worker ended: exit code 0");
  CHECK(lines[2] == "throws_int  failed: the variant threw something that is no std::exception");
  CHECK(lines[3].starts_with("no_work  failed: the variant returned no work: it must return"));
  CHECK_THAT(lines[4], Contains("compile_error  failed: cannot compile 'broken' for the host (") &&
                           Contains("): operation:1:14: error: "));
  CHECK(lines[5] == "  y = x +* not C++");
  CHECK(lines[6] == "               ^");
  CHECK(lines[7] == "unsupported  skipped: needs a device from the future");
  CHECK(without_time(lines[8]) == "good_again  faulty  compiled");
  CHECK_THAT(lines[9], Contains("1 kernel: 1 compiled, 0 cached, ") && Contains("s; 5 failed"));
}

TEST_CASE(
    "run keeps sources and, with -v, shows the numbered source of kernels that do not compile") {
  const CompileScene scene;
  const test::EnvironmentVariable locale("LC_ALL", "C");
  const test::JobFolder job(
      "workload: faulty\nvariants: [reference, compile_error]\nlimits: {retries: 0}\n" +
      test::kShort);
  const auto folder = job.path() / "sources";
  const ProcessResult result =
      scene.command({"run", "-v", "--keep-source", folder.string(), job.job()});
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.output,
             Contains("operation:1:14: error: ") && Contains("\nsource:\n") &&
                 Contains(" | // Elementwise kernel broken, generated by kernelbatch."));
  std::size_t kept = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("broken-")) ++kept;
  CHECK(kept == 1);
  CHECK_THAT(scene.command({"run", job.job()}).output, !Contains("\nsource:\n"));
}

TEST_CASE("Unsupported targets are refused") {
  const CompileScene scene;
  const test::JobFolder job(kJob);
  CHECK(scene.command({"compile", job.job(), "--target", "sm_7x"}).exit_status == 2);
  CHECK(scene.command({"compile", job.job(), "--target", "cpu"}).exit_status == 2);
  CHECK(scene.command({"compile", job.job(), "--units", "3"}).exit_status == 2);
  const test::EnvironmentVariable dir("KERNELBATCH_CACHE_DIR", "");
  const test::EnvironmentVariable xdg("XDG_CACHE_HOME", "");
  const test::EnvironmentVariable home("HOME", "");
  const ProcessResult result = scene.command({"compile", job.job()});
  CHECK(result.exit_status == 2);
  CHECK(result.output ==
        "kernelbatch: there is no kernel cache to fill: set KERNELBATCH_CACHE_DIR to a folder\n");
}

}  // namespace
}  // namespace kernelbatch
