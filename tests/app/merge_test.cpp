// `kernelbatch merge` and `kernelbatch status`.
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/app/background.hpp"
#include "tests/app/command.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/small_disk.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// An output file whose cases c0 … are still shards.
struct Unmerged {
  explicit Unmerged(int cases) {
    for (int k = 0; k < cases; ++k)
      write_shard(shard_folder(file, "a"), test::synthetic_case(test::case_name(k)),
                  test::synthetic_outputs());
  }
  fs::path shard(int number) const {
    return shard_folder(file, "a") / (test::case_name(number) + ".h5");
  }
  test::TemporaryFolder folder;
  fs::path file = folder / "r.h5";
};

TEST_CASE("merge takes the file's name or the folder of its shards") {
  for (const char* suffix : {"", ".d", ".d/"}) {
    const Unmerged job(3);
    const ProcessResult result = test::command({"merge", job.file.string() + suffix});
    CAPTURE(suffix, result.output);
    CHECK(result.exit_status == 0);
    CHECK_THAT(result.output, Contains("3 cases, 6 results; 3 shards merged"));
    CHECK(read_results(job.file).results.size() == 6);
    CHECK_FALSE(fs::exists(shards_folder(job.file)));
  }
}

TEST_CASE("merging again changes nothing") {
  const Unmerged job(2);
  REQUIRE(test::command({"merge", job.file.string()}).exit_status == 0);
  const std::string before = read_file(job.file);
  CHECK(test::command({"merge", job.file.string()}).exit_status == 0);
  CHECK(read_file(job.file) == before);
}

TEST_CASE("a task continues after a merge of its first results") {
  const test::JobFolder folder("kernelbatch: 1\nname: slow\n" + test::kShort + R"(workload: inline
params: {n: [4000, 3000, 2000, 1000]}
outputs: {y: {shape: [n], dtype: int32}}
variants:
  raw: {kind: raw, entry: f, grid: 1, block: 32, args: [y, {scalar: n, dtype: int32}],
        source: 'extern "C" __global__ void f(int* y, int n) {
          for (int k = threadIdx.x; k < n; k += 32) y[k] = n; }'}
limits: {timeout: 10h}
reference:
  preamble: 'extern "C" int access(const char*, int); extern "C" int usleep(unsigned);'
  cpp: |
    while (n == 1000 && access("go", 0) != 0) usleep(20000);
    for (int k = 0; k < n; ++k) y[k] = n;
)");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  test::Background task({"run", "-q", "--no-sandbox", "--shard", "1/2", folder.job()});
  fs::current_path(before);
  const fs::path shards = shards_folder(folder.results());
  REQUIRE(test::eventually([&] { return list_shards(shards).size() == 1; }));
  CHECK(test::command({"merge", folder.results()}).exit_status == 0);
  CHECK(list_shards(shards).empty());
  folder.write("go", "");
  CHECK(task.wait() == 0);
  CHECK(test::command({"merge", folder.results()}).exit_status == 0);
  CHECK(read_results(folder.results()).results.size() == 4);
}

TEST_CASE("an unreadable shard is named, set aside and ends merge with 6") {
  const Unmerged job(2);
  fs::resize_file(job.shard(1), 100);
  const ProcessResult result = test::command({"merge", job.file.string()});
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("case 'c1' is missing") && Contains("c1.h5.bad"));
  CHECK(read_results(job.file).results.size() == 2);
}

TEST_CASE("merge -o combines several results and does not change them") {
  const Unmerged first(2), second(3);
  REQUIRE(test::command({"merge", first.file.string()}).exit_status == 0);
  const std::string before = read_file(first.file);
  const std::string all = (first.folder / "all.h5").string();

  const ProcessResult result =
      test::command({"merge", first.file.string(), second.file.string(), "-o", all});

  INFO(result.output);
  CHECK(result.exit_status == 0);
  CHECK(read_results(all).results.size() == 6);
  CHECK(read_file(first.file) == before);
  CHECK(list_shards(shards_folder(second.file)).size() == 3);
  const ProcessResult again = test::command({"merge", first.file.string(), "-o", all});
  CHECK(again.exit_status == 2);
  CHECK_THAT(again.output, Contains("exists"));
}

TEST_CASE("a folder whose name does not give the file of its shards is refused") {
  const Unmerged job(1);
  const ProcessResult result = test::command({"merge", shard_folder(job.file, "a").string()});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("-o FILE"));
}

TEST_CASE("a merge that runs out of disk ends with 6 and loses nothing") {
  const Unmerged job(5);
  const ProcessResult result =
      run_process({"prlimit", "--fsize=40000", test::executable(), "merge", job.file.string()});
  INFO(result.output);
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("r.h5"));
  CHECK_FALSE(fs::exists(job.file));
  CHECK(list_shards(shards_folder(job.file)).size() == 5);
  for (const auto& entry : fs::directory_iterator(job.folder.path()))
    CHECK(entry.path().extension() == ".d");
  CHECK(test::command({"merge", job.file.string()}).exit_status == 0);
  CHECK(read_results(job.file).results.size() == 10);
}

TEST_CASE("a merge on a full disk ends with 6, gives the reason and loses nothing") {
  const test::SmallDisk disk("512k");
  if (!disk.is_there()) {
    WARN("no file system can be mounted here: skipped");
    return;
  }
  const fs::path file = disk.path() / "r.h5";
  for (int k = 0; k < 5; ++k)
    write_shard(shard_folder(file, "a"), test::synthetic_case(test::case_name(k)), {});
  std::ofstream filler(disk.path() / "filler");
  while (filler << std::string(1000, 'x') << std::flush) {
  }
  const ProcessResult result = test::command({"merge", file.string()});
  INFO(result.output);
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output,
             Contains("cannot write '" + file.string()) && Contains("No space left on device"));
  CHECK_FALSE(fs::exists(file));
  CHECK(list_shards(shards_folder(file)).size() == 5);
  filler.close();
  fs::remove(disk.path() / "filler");
  CHECK(test::command({"merge", file.string()}).exit_status == 0);
  CHECK(read_results(file).results.size() == 10);
}

TEST_CASE("status counts cases that are done, merged, missing and set aside") {
  const test::JobFolder folder(
      test::kShort +
      "workload: faulty\nparams: {n: [100, 200]}\nvariants: [reference, good, off_by_one]\n");
  REQUIRE(test::command({"run", folder.job()}).exit_status == 1);

  const ProcessResult done = test::command({"status", folder.results()});
  INFO(done.output);
  CHECK(done.exit_status == 0);
  CHECK_THAT(done.output, Contains("2 of 2 cases") && Contains("4 ok, 2 verification_failed"));

  folder.write("more.yaml", test::kShort +
                                "workload: faulty\nparams: {n: [100, 200, 300]}\n"
                                "variants: [reference, good, off_by_one]\n");
  const ProcessResult more =
      test::command({"status", folder.results(), "--job", (folder.path() / "more.yaml").string()});
  CHECK(more.exit_status == 75);
  CHECK_THAT(more.output, Contains("2 of 3 cases") && Contains("n=300"));

  const ProcessResult json = test::command({"status", folder.results(), "--json"});
  const Json parsed = Json::parse(json.output);
  CHECK(parsed.at("cases") == 2);
  CHECK(parsed.at("done") == 2);
  CHECK(parsed.at("status").at("verification_failed") == 2);
  CHECK(parsed.at("missing").empty());
}

TEST_CASE("status counts timed results of which not all outputs have a reference") {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "r.h5";
  CaseRecord record = test::synthetic_case("c0");
  REQUIRE(record.results.size() == 2);
  for (ResultRecord& result : record.results) result.status = Status::kOk;
  record.results.front().verified = false;
  record.results.back().verified = true;
  write_shard(shard_folder(file, "a"), record, {});
  const std::string text = test::command({"status", file.string()}).output;
  CHECK_THAT(text, Contains("2 ok (1 UNVERIFIED)"));
  const Json json = Json::parse(test::command({"status", file.string(), "--json"}).output);
  CHECK(json.at("unverified") == 1);
}

TEST_CASE("status of shards shows unmerged and unreadable ones") {
  const Unmerged job(3);
  fs::resize_file(job.shard(1), 100);
  const ProcessResult result = test::command({"status", job.file.string()});
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("3 shards wait") && Contains("'c1' cannot be read"));
  REQUIRE(test::command({"merge", job.file.string()}).exit_status == 6);
  const ProcessResult after = test::command({"status", job.file.string()});
  CHECK_THAT(after.output, Contains("set aside  1") && Contains("c1.h5.bad"));
}

}  // namespace
}  // namespace kernelbatch
