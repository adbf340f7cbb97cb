// Resumed runs, and runs in parts.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "core/base/file.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/run/good_job.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/small_disk.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using test::good_job;
using test::Key;
using test::starts_of;

TEST_CASE("A finished job that is resumed does nothing") {
  const test::JobFolder folder = good_job("10, 20");
  REQUIRE(test::command({"run", folder.job()}).exit_status == 0);
  const FileIdentity before = identity_of(folder.results());

  const ProcessResult again = test::command({"run", "--resume", folder.job()});

  INFO(again.output);
  CHECK(again.exit_status == 0);
  CHECK_THAT(again.output, Contains("4 of 4 results are from earlier runs."));
  CHECK(identity_of(folder.results()) == before);
}

TEST_CASE("A part with a queue also runs cases of parts that never start") {
  const test::JobFolder folder = good_job("10, 20, 30, 40, 50, 60, 70");
  const auto part = [&](const char* shard) {
    return test::command({"run", "-q", folder.job(), "--shard", shard, "--queue", "q"});
  };
  REQUIRE(part("2/3").exit_status == 0);
  // Nothing is left for others, and their start is no second run.
  const ProcessResult late = part("1/3");
  INFO(late.output);
  CHECK(late.exit_status == 0);
  REQUIRE(test::command({"merge", folder.results()}).exit_status == 0);
  CHECK(starts_of(folder.results()).size() == 14);
  CHECK_FALSE(fs::exists(folder.results() + ".d"));
  // Another queue is another run.
  CHECK(test::command({"run", "-q", folder.job(), "--shard", "1/3", "--queue", "r"}).exit_status ==
        2);
  CHECK(test::command({"run", "-q", folder.job(), "--queue", "r"}).exit_status == 2);
}

TEST_CASE("A part takes over what a killed one had begun") {
  const test::JobFolder folder = good_job("10, 20, 30, 40, 50, 60, 70, 80");
  const std::string claims = folder.results() + ".d";
  test::Background first({"run", "-q", folder.job(), "--shard", "1/2", "--queue", "q"});
  REQUIRE(test::eventually([&] { return fs::exists(claims) && !list_shards(claims).empty(); }));
  first.end_by(SIGKILL);
  REQUIRE(test::command({"run", "-q", "--resume", folder.job(), "--shard", "2/2", "--queue", "q"})
              .exit_status == 0);
  REQUIRE(test::command({"merge", folder.results()}).exit_status == 0);
  CHECK(starts_of(folder.results()).size() == 16);
  CHECK_FALSE(fs::exists(claims));
}

TEST_CASE("A resumed job does the cases and variants that are missing, against the old baseline") {
  const test::JobFolder folder = good_job("10, 20");
  REQUIRE(test::command({"run", folder.job(), "--only", "variant=reference", "-p", "n=10"})
              .exit_status == 0);
  const auto before = starts_of(folder.results());
  REQUIRE(before.size() == 1);

  const ProcessResult again = test::command({"run", "--resume", folder.job()});

  INFO(again.output);
  CHECK(again.exit_status == 0);
  CHECK_THAT(again.output, Contains("1 of 4 results are from earlier runs."));
  const auto after = starts_of(folder.results());
  CHECK(after.size() == 4);
  for (const auto& [key, start] : before) CHECK(after.at(key) == start);
  for (const ResultRecord& record : read_results(folder.results()).results)
    CHECK(record.speedup > 0);
}

/// An inline job with these kernels, each a name and its expression.
std::string inline_job(const std::vector<std::pair<std::string, std::string>>& kernels) {
  std::string text =
      test::kShort +
      "workload: inline\nparams: {n: [10, 1000]}\n"
      "inputs: {x: {random: uniform, shape: [n], dtype: float64}}\n"
      "reference: {cpp: \"for (long long k = 0; k < x.size(); ++k) z[k] = 2 * x[k];\"}\n"
      "outputs: {z: {shape: [n], dtype: float64}}\nvariants:\n";
  for (const auto& [name, operation] : kernels)
    text += "  " + name + ": {kind: elementwise, in: float64 x, out: float64 z, operation: \"" +
            operation + "\"}\n";
  return text;
}

TEST_CASE("Only inline kernels with changed text are rerun") {
  const test::JobFolder folder(inline_job({{"twice", "z = 2 * x"}, {"sum", "z = x + x"}}));
  REQUIRE(test::command({"run", folder.job()}).exit_status == 0);
  const auto before = starts_of(folder.results());
  REQUIRE(before.size() == 6);
  for (const ResultRecord& record : read_results(folder.results()).results)
    CHECK(record.workload == "job");

  folder.write(
      "job.yaml",
      inline_job({{"twice", "z = 2 * x"}, {"sum", "z = (x + x)"}, {"third", "z = x * 2.0"}}) +
          "\noutput: {file: \"" + folder.results() + "\"}\n");
  const ProcessResult again = test::command({"run", "--resume", folder.job()});

  INFO(again.output);
  CHECK(again.exit_status == 0);
  const auto after = starts_of(folder.results());
  CHECK(after.size() == 8);
  for (const auto& [key, start] : before) {
    REQUIRE(after.contains(key));
    CAPTURE(key.second);
    CHECK((after.at(key) == start) == (key.second != "sum"));
  }
}

TEST_CASE("Results are listed in the order of the plan") {
  const test::JobFolder folder = good_job("30, 7, 1000, 8, 9, 10");
  REQUIRE(test::command({"run", folder.job()}).exit_status == 0);
  std::vector<std::int64_t> sizes;
  std::vector<std::string> variants;
  for (const ResultRecord& record : read_results(folder.results()).results) {
    sizes.push_back(std::get<std::int64_t>(record.params.at(0).second));
    variants.push_back(record.variant);
    CHECK(record.plan_index == static_cast<std::int64_t>((sizes.size() - 1) / 2));
  }
  CHECK(sizes == std::vector<std::int64_t>{30, 30, 7, 7, 1000, 1000, 8, 8, 9, 9, 10, 10});
  CHECK(variants.at(0) == "reference");
  CHECK(variants.at(1) == "good");
}

TEST_CASE("A resumed job retries crashes up to limits.retries times") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nvariants: [reference, good, aborts]\n"
                               "limits: {retries: 0}\n");
  const auto attempt_after = [&](std::vector<std::string> arguments) {
    CHECK(test::command(std::move(arguments)).exit_status == 3);
    const ResultFile file = read_results(folder.results());
    CHECK(file.results.size() == 3);
    const auto crash = std::ranges::find(file.results, "aborts", &ResultRecord::variant);
    REQUIRE(crash != file.results.end());
    CHECK(crash->status == Status::kCrashed);
    return crash->attempt;
  };
  CHECK(attempt_after({"run", folder.job()}) == 1);
  CHECK(attempt_after({"run", "--resume", folder.job()}) == 1);
  CHECK(attempt_after({"run", "--resume", folder.job(), "-s", "limits.retries=1"}) == 2);
  CHECK(attempt_after({"run", "--resume", folder.job(), "-s", "limits.retries=1"}) == 2);
}

TEST_CASE("Shards are disjoint and merge to the whole job") {
  const test::JobFolder folder = good_job("10, 20, 30, 40, 50, 60, 70");
  std::multiset<std::string> cases;
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    const ProcessResult part = test::command({"run", folder.job(), "--shard", shard});
    INFO(part.output);
    CHECK(part.exit_status == 0);
    CHECK_THAT(part.output, Contains("kernelbatch merge"));
  }
  CHECK_FALSE(fs::exists(folder.results()));
  const std::vector<ShardFile> shards = list_shards(folder.results() + ".d");
  for (const ShardFile& shard : shards) cases.insert(std::string(shard.case_id()));
  CHECK(cases.size() == 7);
  CHECK(std::set<std::string>(cases.begin(), cases.end()).size() == 7);

  merge_shards(folder.results());

  CHECK(starts_of(folder.results()).size() == 14);
  const ProcessResult again = test::command({"run", "--resume", folder.job()});
  CHECK_THAT(again.output, Contains("14 of 14 results are from earlier runs."));
}

TEST_CASE("A resumed job repeats results of other files or settings, and reports it") {
  const test::TemporaryFolder headers;
  const test::JobFolder folder(
      test::kShort +
      "workload: inline\ninputs: {x: {file: x.npy}}\noutputs: {y: {shape: [4], dtype: float32}}\n"
      "variants:\n"
      "  plain: {kind: elementwise, in: \"T x\", out: \"T y\", operation: \"y = x\"}\n"
      "  raw:\n"
      "    kind: raw\n"
      "    source: |\n"
      "      #include \"copy.cuh\"\n"
      "      extern \"C\" __global__ void k(const float* x, float* y) { y[threadIdx.x] = COPY; }\n"
      "    entry: k\n    grid: [1]\n    block: [4]\n    args: [x, y]\n"
      "    options: [\"-I{folder}\"]\n"
      "params: {folder: \"" +
      headers.path().string() +
      "\"}\n"
      "reference: {variant: plain}\n");
  const fs::path header = headers / "copy.cuh";
  const auto write_input = [&](float value) {
    std::string npy = "\x93NUMPY\x01" + std::string(1, '\0');
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
    text.resize(117, ' ');
    text += '\n';
    npy += std::string{static_cast<char>(text.size()), '\0'} + text;
    for (int k = 0; k < 4; ++k) npy.append(reinterpret_cast<const char*>(&value), sizeof value);
    folder.write("x.npy", npy);
  };
  const auto resume = [&](std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", "--resume", folder.job()};
    words.insert(words.end(), more.begin(), more.end());
    return test::command(words);
  };
  std::ofstream(header) << "#define COPY x[threadIdx.x]\n";
  write_input(1);
  const ProcessResult first = test::command({"run", folder.job()});
  INFO(first.output);
  REQUIRE(first.exit_status == 0);
  CHECK_THAT(resume().output, Contains("2 of 2 results are from earlier runs"));

  write_input(2);
  CHECK_THAT(resume().output, Contains("re-running 2 earlier results; changed since: input x"));
  CHECK_THAT(resume().output, Contains("2 of 2 results are from earlier runs"));
  std::ofstream(header) << "#define COPY (x[threadIdx.x] + 1)\n";
  const ProcessResult wrong = resume();
  CHECK_THAT(wrong.output, Contains("changed since: header copy.cuh"));
  CHECK(wrong.exit_status == 1);
  const ProcessResult loose = resume({"-s", "verify.tolerance.atol=1.5"});
  CHECK_THAT(loose.output, Contains("changed since: verify"));
  CHECK(loose.exit_status == 0);
  CHECK_THAT(resume({"-s", "verify.tolerance.atol=1.5", "-s", "measure.stop.max_samples=2"}).output,
             Contains("changed since: measure"));
  // Settings that do not affect a result are no reason.
  CHECK_THAT(resume({"-s", "verify.tolerance.atol=1.5", "-s", "measure.stop.max_samples=2", "-s",
                     "limits.retries=3"})
                 .output,
             Contains("2 of 2 results are from earlier runs"));
}

TEST_CASE("A task that is resumed for one variant keeps the results of the others") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nvariants: [reference, good, aborts]\n"
                               "limits: {retries: 0}\n");
  const std::vector<std::string> task{"run", folder.job(), "--shard", "1/2"};
  REQUIRE(test::command(task).exit_status == 3);
  const auto before = starts_of(folder.results());
  REQUIRE(before.size() == 3);
  std::vector<std::string> again = task;
  again.insert(again.end(), {"--resume", "-s", "limits.retries=1"});
  REQUIRE(test::command(again).exit_status == 3);
  const auto after = starts_of(folder.results());
  CHECK(after.size() == 3);
  for (const auto& [key, start] : before)
    if (key.second != "aborts") CHECK(after.at(key) == start);
}

TEST_CASE("A job does not write where the shards of another wait") {
  const test::JobFolder folder = good_job("10");
  REQUIRE(test::command({"run", folder.job(), "--shard", "1/2"}).exit_status == 0);
  folder.write("other.yaml", test::kShort +
                                 "name: other\nworkload: faulty\nparams: {n: [10]}\n"
                                 "variants: [reference, good]\noutput: {file: \"" +
                                 folder.results() + "\"}\n");
  const ProcessResult other = test::command({"run", (folder.path() / "other.yaml").string()});
  CHECK(other.exit_status == 2);
  CHECK_THAT(other.output, Contains("holds results of the job 'job', not of 'other'"));
}

TEST_CASE("A shard that does not exist is refused") {
  const test::JobFolder folder = good_job("10");
  for (const char* shard : {"0/3", "4/3", "3", "a/b", "1/3/5", "-1/3", ""}) {
    if (*shard == '\0') continue;
    const ProcessResult refused = test::command({"run", folder.job(), "--shard", shard});
    CAPTURE(shard, refused.output);
    CHECK(refused.exit_status == 2);
    CHECK_THAT(refused.output, Contains("expected i/k"));
  }
}

TEST_CASE("verify.on_fail ends the case or the job") {
  const auto statuses = [](const char* on_fail) {
    const test::JobFolder folder(
        test::kShort +
        "workload: faulty\nparams: {n: [10, 20]}\n"
        "variants: [reference, never_writes, good_again]\nverify: {on_fail: " +
        on_fail + "}\n");
    CHECK(test::command({"run", folder.job()}).exit_status == 1);
    std::map<std::string, int> counts;
    for (const ResultRecord& record : read_results(folder.results()).results)
      ++counts[record.variant + " " + std::string(to_text(record.status))];
    return counts;
  };
  using Counts = std::map<std::string, int>;
  CHECK(statuses("record") ==
        Counts{{"reference ok", 2}, {"never_writes verification_failed", 2}, {"good_again ok", 2}});
  CHECK(statuses("stop-case") == Counts{{"reference ok", 2},
                                        {"never_writes verification_failed", 2},
                                        {"good_again skipped", 2}});
  CHECK(statuses("stop-job") == Counts{{"reference ok", 1},
                                       {"never_writes verification_failed", 1},
                                       {"good_again skipped", 1}});
}

TEST_CASE("Several processes of one run share its cases and leave one file") {
  const test::JobFolder folder = good_job("10, 20, 30, 40, 50");

  const ProcessResult result = test::command({"run", "--jobs", "2", folder.job()});

  INFO(result.output);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("[1] takes host") && Contains("[2] takes host"));
  // How many cases each of them claims depends on the machine's load.
  CHECK(starts_of(folder.results()).size() == 10);
  CHECK_FALSE(fs::exists(folder.results() + ".d"));
  // They are found again, by one process as by three.
  for (const char* jobs : {"1", "3"}) {
    const ProcessResult again = test::command({"run", "--resume", "--jobs", jobs, folder.job()});
    INFO(again.output);
    CHECK(again.exit_status == 0);
    CHECK(starts_of(folder.results()).size() == 10);
  }
}

TEST_CASE("A process that fails gives the run its exit code, the others finish") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nvariants: [reference, good, aborts]\n"
                               "params: {n: [10, 20, 30]}\n");
  const ProcessResult result = test::command({"run", "--jobs", "2", folder.job()});
  INFO(result.output);
  CHECK(result.exit_status == 3);
  CHECK(read_results(folder.results()).results.size() == 9);
}

TEST_CASE("More processes than available are refused") {
  const test::JobFolder folder = good_job("10");
  CHECK(test::command({"run", "--jobs", "0", folder.job()}).exit_status == 2);
  const ProcessResult many = test::command({"run", "--jobs", "few", folder.job()});
  CHECK(many.exit_status == 2);
  CHECK_THAT(many.output, Contains("--jobs 'few': expected auto or a number"));
  const ProcessResult one =
      test::command({"run", "--jobs", "2", "--device", "cuda:0", folder.job()});
  CHECK(one.exit_status == 2);
  CHECK_THAT(one.output, Contains("device 'cuda:0' is one device"));
}

/// Runs a job with `name` set to `value` in the environment and nothing cached, then resumes it
/// without either: only failed results are rerun.
void check_resumed_after(const char* name, const std::string& value, Status status,
                         const std::string& reason) {
  const test::JobFolder folder = good_job("10, 20");
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR",
                                        (folder.path() / "cache").string());
  {
    const test::EnvironmentVariable broken(name, value);
    INFO(test::command({"run", folder.job()}).output);
    int failed = 0;
    for (const ResultRecord& record : read_results(folder.results()).results) {
      CHECK(record.retryable == (record.variant == "good"));
      if (record.variant != "good") continue;
      CHECK(to_text(record.status) == to_text(status));
      CHECK_THAT(record.reason, Contains(reason));
      ++failed;
    }
    CHECK(failed == 2);
  }
  const ProcessResult again = test::command({"run", "--resume", folder.job()});
  INFO(again.output);
  CHECK(again.exit_status == 0);
  CHECK_THAT(again.output, Contains("2 of 4 results are from earlier runs."));
  for (const ResultRecord& record : read_results(folder.results()).results) {
    CHECK(record.status == Status::kOk);
    CHECK_FALSE(record.retryable);
  }
}

TEST_CASE("Failures due to a missing compiler or temporary folder are resumed") {
  const test::TemporaryFolder empty;
  {
    const test::EnvironmentVariable compiler("CXX", "");
    check_resumed_after("PATH", empty.path().string(), Status::kSkipped, "no C++ compiler");
  }
  check_resumed_after("TMPDIR", "/no/such/folder", Status::kCrashed, "TMPDIR=/no/such/folder");
}

TEST_CASE("Variants are resumed with a reference that failed because a folder is missing") {
  const test::JobFolder folder(
      test::kShort +
      "workload: inline\n"
      "inputs: {x: {values: [1, 2, 3], dtype: float32}}\n"
      "variants:\n"
      "  k: {kind: elementwise, in: T x, out: T y, operation: y = 3 * x}\n"
      "reference:\n"
      "  cpp: for (long long k = 0; k < x.size(); ++k) y[k] = 3 * x[k];\n");
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR",
                                        (folder.path() / "cache").string());
  for (const bool has_reference : {true, false}) {
    const std::vector<std::string> only = has_reference
                                              ? std::vector<std::string>{}
                                              : std::vector<std::string>{"--only", "variant=k"};
    const auto run = [&](std::vector<std::string> words) {
      words.insert(words.end(), only.begin(), only.end());
      return test::command(words);
    };
    {
      const test::EnvironmentVariable broken("TMPDIR", "/no/such/folder");
      INFO(run({"run", "--overwrite", folder.job()}).output);
      for (const ResultRecord& record : read_results(folder.results()).results) {
        if (record.variant == "reference" && !has_reference) continue;  // not run again
        CAPTURE(has_reference, record.variant, record.reason);
        CHECK(record.status != Status::kOk);
        CHECK(record.retryable);
      }
    }
    const ProcessResult again = run({"run", "--resume", folder.job()});
    INFO(again.output);
    CHECK(again.exit_status == 0);
    for (const ResultRecord& record : read_results(folder.results()).results)
      CHECK(record.status == Status::kOk);
    fs::remove_all(folder.path() / "cache");
  }
}

TEST_CASE("Failures due to a full disk or a killed compiler are resumed") {
  const test::TemporaryFolder folder;
  const std::filesystem::path killed = folder / "g++";
  std::ofstream(killed) << "#!/bin/sh\nkill -KILL $$\n";
  std::filesystem::permissions(killed, std::filesystem::perms::owner_all);
  check_resumed_after("CXX", killed.string(), Status::kCrashed, "was ended by signal 9 (Killed)");
  const test::SmallDisk disk("16k");
  if (!disk.is_there()) return;  // this process may not mount
  check_resumed_after("TMPDIR", disk.path().string(), Status::kCrashed, "cannot write '");
}

TEST_CASE("A worker that the system killed is resumed, however often") {
  const test::JobFolder folder(test::kShort +
                               "workload: faulty\nvariants: [reference, good, is_killed]\n"
                               "limits: {retries: 0}\n");
  for (const int attempt : {1, 2, 3}) {
    CHECK(test::command({"run", "--resume", folder.job()}).exit_status == 3);
    for (const ResultRecord& record : read_results(folder.results()).results) {
      if (record.variant != "is_killed") continue;
      CHECK(record.retryable);
      CHECK(record.attempt == attempt);
    }
  }
}

}  // namespace
}  // namespace kernelbatch
