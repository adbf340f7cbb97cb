// The jobs of kernelbatch run unchanged.
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> all_jobs() {
  std::vector<std::string> jobs;
  for (const auto& entry : fs::recursive_directory_iterator(test::source_folder() + "/jobs"))
    if (entry.path().extension() == ".yaml") jobs.push_back(entry.path());
  return jobs;
}

TEST_CASE("Every job that comes with kernelbatch is valid") {
  const std::vector<std::string> jobs = all_jobs();
  REQUIRE_FALSE(jobs.empty());
  for (const std::string& job : jobs) {
    const ProcessResult result = test::command({"check", job});
    CAPTURE(job, result.output);
    CHECK(result.exit_status == 0);
    CHECK_THAT(result.output, Contains("is valid"));
  }
}

TEST_CASE("The quick start is all right on a machine without a GPU") {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "quickstart.h5").string();

  const ProcessResult run =
      test::command({"run", test::source_folder() + "/jobs/quickstart.yaml", "--device", "host",
                     "-o", file, "-s", "measure.stop.max_samples=2", "-s",
                     "measure.calibrate=false", "-s", "measure.stop.min_samples=1"});

  INFO(run.output);
  CHECK(run.exit_status == 0);
  const ResultFile results = read_results(file);
  CHECK(results.results.size() >= 20);
  for (const ResultRecord& record : results.results) {
    CAPTURE(record.workload, record.variant, record.reason);
    CHECK(record.status == Status::kOk);
    CHECK(record.ranked_time() > 0);
  }
}

TEST_CASE("The job that is larger than its memory is processed in chunks") {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "streamed.h5").string();
  const ProcessResult run =
      test::command({"run", test::source_folder() + "/jobs/streamed.yaml", "--device", "host", "-o",
                     file, "-s", "measure.stop.timeout=0.05s"});

  INFO(run.output);
  CHECK(run.exit_status == 0);
  const ResultFile results = read_results(file);
  CHECK(results.results.size() == 3);
  for (const ResultRecord& record : results.results) {
    CAPTURE(record.variant, record.reason);
    CHECK(record.status == Status::kOk);
    if (record.variant != "reference") CHECK_THAT(to_text(record.notes), Contains("in pieces"));
  }
}

/// True if this machine can compile for a GPU.
bool has_gpu_compiler() {
  try {
    make_compiler("sm_90");
    return true;
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return false;
  }
}

TEST_CASE("Every kernel of the seeds compiles for a GPU") {
  if (!has_gpu_compiler()) return;
  std::string text = read_file(test::source_folder() + "/jobs/seeds.yaml");
  // Kernels of smaller arrays: making the inputs takes most of the time.
  for (const auto& [size, smaller] : std::vector<std::pair<std::string, std::string>>{
           {"1e8", "1e6"}, {"1e7", "1e5"}, {"20_000", "1000"}, {"10_000", "1000"}, {"8000", "500"}})
    for (std::size_t at; (at = text.find(size)) != std::string::npos;)
      text.replace(at, size.size(), smaller);
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "seeds.yaml", text);

  const ProcessResult result =
      test::command({"compile", (folder / "seeds.yaml").string(), "--target", "sm_90"});

  INFO(result.output);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains(" kernels: "));
}

}  // namespace
}  // namespace kernelbatch
