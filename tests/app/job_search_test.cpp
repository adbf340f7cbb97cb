// `tune:` with a budget, as seen by a user: tries, drops, failures, kills, tasks that share.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

/// Has `work` blocks, and so takes longer the larger `work` is; `work: 0` gives a wrong answer,
/// 2048 threads cannot be launched.
std::string search_job(const std::string& tune, const std::string& more = "") {
  return test::kShort + R"(workload: inline
params: {n: 64}
tune:
  params: {work: [20000, 1000, 3000, 8000, 400], block: [2048, 32, 64]}
  )" + tune +
         R"(
inputs: {x: {arange: n, dtype: int32}}
outputs: {y: {shape: [n], dtype: int32}}
variants:
  raw:
    kind: raw
    source: |
      extern "C" __global__ void f(const int* x, int* y, int n, int work) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i] + (work == 0);
      }
    entry: f
    grid: ceil(n / block) + work
    block: block
    args: [x, y, {scalar: n, dtype: int32}, {scalar: work, dtype: int32}]
reference: {cpp: "for (long long i = 0; i < x.size(); ++i) y[i] = x[i];"}
)" + more;
}

/// The tries in order: configuration and status.
std::vector<std::string> tries_of(const std::filesystem::path& file) {
  std::vector<const ResultRecord*> tries;
  const ResultFile results = read_results(file);
  for (const ResultRecord& record : results.results)
    if (record.variant == "raw") tries.push_back(&record);
  std::ranges::sort(tries, {}, &ResultRecord::plan_index);
  std::vector<std::string> texts;
  for (const ResultRecord* record : tries)
    texts.push_back(to_text(record->params) + " " + std::string(to_text(record->status)));
  return texts;
}

std::ptrdiff_t count(const std::vector<std::string>& texts, const std::string& ending) {
  return std::ranges::count_if(texts, [&](const auto& text) { return text.ends_with(ending); });
}

nlohmann::json status_of(const std::filesystem::path& file) {
  return nlohmann::json::parse(test::command({"status", file.string(), "--json"}).output);
}

TEST_CASE("A search tries its budget: failures are tries, slow ones are dropped") {
  const test::JobFolder folder(search_job("budget: 12\n  search: random"));
  const ProcessResult done = test::command({"run", "-q", folder.job()});
  INFO(done.output);
  // A combination that cannot run is no failure of the job.
  CHECK(done.exit_status == 0);
  const std::vector<std::string> tries = tries_of(folder.results());
  CHECK(tries.size() == 12);
  CHECK(count(tries, " ok") >= 1);
  CHECK(count(tries, " dropped") >= 1);
  CHECK(count(tries, " failed") >= 2);
  CHECK_THAT(done.output, Contains("Best of what was tuned") && Contains("dropped"));
  // Only the best try is listed, and the reference once.
  CHECK_THAT(done.output, !Contains("block=2048  ["));
  const auto status = status_of(folder.results());
  CHECK(status["searches"][0]["tries"] == 12);
  CHECK(status["searches"][0]["done"] == true);
  CHECK(test::command({"status", folder.results()}).exit_status == 0);
  // Dropped tries have their sample, and no rank.
  for (const ResultRecord& record : read_results(folder.results()).results)
    if (record.status == Status::kDropped) {
      CHECK(record.cold.samples == 1);
      CHECK(record.cold.median > 0);
      CHECK(std::isnan(record.ranked_time()));
      CHECK(record.verified);
      CHECK_THAT(record.reason, Contains("first sample is above"));
    }
  CHECK(test::command({"run", "-q", folder.job()}).exit_status == 2);
}

TEST_CASE("Without racing every try is timed") {
  const test::JobFolder folder(search_job("budget: 12\n  search: random\n  racing: false"));
  CHECK(test::command({"run", "-q", folder.job()}).exit_status == 0);
  CHECK(count(tries_of(folder.results()), " dropped") == 0);
}

TEST_CASE("A wrong configuration is reported, and the search continues") {
  const test::JobFolder folder(search_job("budget: 15\n  search: random") + "");
  const ProcessResult done =
      test::command({"run", "-q", folder.job(), "-p", "work=0,400,500,600,700", "-p", "block=32"});
  INFO(done.output);
  CHECK(done.exit_status == 1);
  const std::vector<std::string> tries = tries_of(folder.results());
  CHECK(tries.size() == 5);
  CHECK(count(tries, " verification_failed") == 1);
  CHECK_THAT(done.output, Contains("work=0"));
}

TEST_CASE("A search without a correct result fails") {
  const test::JobFolder folder(search_job("budget: 4\n  search: random"));
  const ProcessResult done = test::command({"run", "-q", folder.job(), "-p", "work=0"});
  CHECK(done.exit_status == 1);
  CHECK_THAT(done.output, Contains("found no correct result"));
  // An error in every combination is found before anything runs.
  const ProcessResult none = test::command({"run", "-q", folder.job(), "-p", "block=2048"});
  CHECK(none.exit_status == 2);
  CHECK_THAT(none.output, Contains("a block of 2048 x 1 x 1 threads is too large"));
}

/// Number of runs of a search's reference, from its output.
std::size_t references_run() {
  const test::JobFolder folder(search_job("budget: 15\n  search: random"));
  // Slow references are cached: this one takes half a second.
  const test::EnvironmentVariable clock("KERNELBATCH_CLOCK", "steady");
  std::string text = read_file(folder.job());
  const std::string cheap = "\"for (long long i";
  text.replace(text.find(cheap), cheap.size(),
               "'__builtin_printf(\"ran\\n\"); volatile long long s = 0; "
               "for (long long k = 0; k < 300000000; ++k) s = s + 1; for (long long i");
  const std::string last = "y[i] = x[i];\"";
  text.replace(text.find(last), last.size(), "y[i] = x[i];'");
  folder.write("job.yaml", text);
  const ProcessResult done = test::command({"run", folder.job()});
  INFO(done.output);
  REQUIRE(done.exit_status == 0);
  std::size_t count = 0;
  for (std::size_t at = 0; (at = done.output.find("| ran\n", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

TEST_CASE("The reference of a search is computed once") { CHECK(references_run() == 1); }

TEST_CASE("A killed search continues as if it had not been killed") {
  std::mt19937 random(7);
  const test::JobFolder folder(search_job("budget: 15\n  search: auto"));
  for (int attempt = 0; attempt < 6; ++attempt) {
    test::Background run({"run", "-q", "--resume", folder.job()});
    std::this_thread::sleep_for(std::chrono::milliseconds(150 + random() % 400));
    run.end_by(SIGKILL);
  }
  const ProcessResult done = test::command({"run", "-q", "--resume", folder.job()});
  INFO(done.output);
  CHECK(done.exit_status == 0);
  const std::vector<std::string> tries = tries_of(folder.results());
  CHECK(tries.size() == 15);
  // Every try of the sequence that follows from the outcomes is present: nothing is left to do.
  const std::vector<ResultRecord> before = read_results(folder.results()).results;
  const ProcessResult again = test::command({"run", "-q", "--resume", folder.job()});
  CHECK_THAT(again.output, Contains("16 of 16 results are from earlier runs"));
  CHECK(tries_of(folder.results()) == tries);
}

TEST_CASE("Variants that are searched separately keep separate results of one combination") {
  const test::JobFolder folder(search_job("budget: 15\n  search: random"));
  std::string text = read_file(folder.job());
  const std::size_t begin = text.find("  raw:"), end = text.find("reference:");
  std::string other = text.substr(begin, end - begin);
  other.replace(other.find("raw:"), 4, "two:");
  text.insert(end, other);
  folder.write("job.yaml", text);
  REQUIRE(test::command({"run", "-q", folder.job()}).exit_status == 0);
  const std::vector<ResultRecord> results = read_results(folder.results()).results;
  CHECK(results.size() == 31);
  CHECK(std::ranges::count(results, "two", &ResultRecord::variant) == 15);
  CHECK_THAT(test::command({"run", "-q", "--resume", folder.job()}).output,
             Contains("31 of 31 results are from earlier runs"));
}

TEST_CASE("Tasks of an array share a search") {
  const test::JobFolder folder(search_job("budget: 12\n  search: random"));
  test::Background first({"run", "-q", "--shard", "1/2", folder.job()});
  test::Background second({"run", "-q", "--shard", "2/2", folder.job()});
  first.wait();
  second.wait();
  REQUIRE(test::command({"merge", folder.results()}).exit_status == 0);
  const std::vector<std::string> tries = tries_of(folder.results());
  // One more if both were at their last try.
  CHECK(tries.size() >= 12);
  CHECK(tries.size() <= 13);
  CHECK(test::command({"status", folder.results()}).exit_status == 0);
  CHECK(!std::filesystem::exists(shards_folder(folder.results())));
}

TEST_CASE("A search starts with the best of earlier results, and reports the gain") {
  const test::JobFolder folder(search_job("budget: 12\n  search: random"));
  REQUIRE(test::command({"run", "-q", folder.job()}).exit_status == 0);
  std::string text = read_file(folder.job());
  const std::string budget = "budget: 12\n";
  text.replace(text.find(budget), budget.size(), "budget: 3\n  start_from: out.h5\n");
  folder.write("again.yaml", text);
  const auto file = (folder.path() / "again.h5").string();
  const ProcessResult done = test::command(
      {"run", "-q", "-o", file, "-p", "n=96", (folder.path() / "again.yaml").string()});
  INFO(done.output);
  CHECK(done.exit_status == 0);
  CHECK_THAT(done.output, Contains("configurations of out.h5 were tried first"));
  CHECK_THAT(tries_of(file).at(0), Contains("work=400"));
  // A missing file is found before anything runs.
  const ProcessResult missing = test::command(
      {"check", (folder.path() / "again.yaml").string(), "-s", "measure.preset=quick"});
  CHECK(missing.exit_status == 0);
  std::filesystem::remove(folder.results());
  const ProcessResult gone = test::command({"check", (folder.path() / "again.yaml").string()});
  CHECK(gone.exit_status == 2);
  CHECK_THAT(gone.output, Contains("again.yaml:") && Contains("out.h5"));
}

TEST_CASE("Tries of an edited kernel do not count for the new version") {
  const test::JobFolder folder(search_job("budget: 15\n  search: random"));
  REQUIRE(test::command({"run", "-q", folder.job(), "-p", "block=32"}).exit_status == 0);
  std::string text = read_file(folder.job());
  // Slower, and fewer tries.
  const std::string grid = "+ work", store = "y[i] =";
  text.replace(text.find(grid), grid.size(), "+ 10 * work");
  text.replace(text.find(store), store.size(), "y[i] = 0 +");
  folder.write("job.yaml", text);
  const ProcessResult done = test::command(
      {"run", "-q", "--overwrite", folder.job(), "-p", "block=32", "-p", "work=1000,3000"});
  INFO(done.output);
  CHECK(done.exit_status == 0);
  const std::string shown = test::command({"show", folder.results()}).output;
  INFO(shown);
  const std::size_t at = shown.find("Best of what was tuned");
  REQUIRE(at != std::string::npos);
  CHECK_THAT(shown.substr(at), Contains("work=1000") && !Contains("work=400"));
}

}  // namespace
}  // namespace kernelbatch
