#include "core/result/merge.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernelbatch;
namespace fs = std::filesystem;

namespace {

/// A job's output file, and tasks that write shards for it.
struct Job {
  test::TemporaryFolder folder;
  fs::path file = folder / "r.h5";

  void write(const std::string& task, const CaseRecord& record,
             const ShardOptions& options = {}) const {
    write_shard(shard_folder(file, task), record, test::synthetic_outputs(), options);
  }
  std::vector<std::string> case_ids() const {
    std::vector<std::string> ids;
    for (const ResultRecord& result : read_results(file).results)
      if (result.variant == "raw") ids.push_back(result.case_id);
    return ids;
  }
};

}  // namespace

TEST_CASE("a merged file returns the content of the shards, in natural order") {
  const Job job;
  for (const char* id : {"c10", "c9", "c1"}) job.write("a", test::synthetic_case(id));

  const MergeReport report = merge_shards(job.file);
  const ResultFile after = read_results(job.file);

  CHECK(report.results == 6);
  CHECK(report.cases == 3);
  CHECK(report.shards == 3);
  CHECK(report.unreadable.empty());
  CHECK_FALSE(fs::exists(shards_folder(job.file)));
  CHECK(job.case_ids() == std::vector<std::string>{"c1", "c9", "c10"});
  const CaseRecord before = test::synthetic_case("c10");
  CHECK(to_json(after.results[4]) == to_json(before.results[0]));
  CHECK(to_json(after.results[5]) == to_json(before.results[1]));
  REQUIRE(after.environments.size() == 1);
  CHECK(after.environments[0].values == before.environment.values);
  CHECK(after.environment_of == std::vector<std::int64_t>(6, 0));
  CHECK(after.jobs.at(0).spec_written == before.job.spec_written);
  CHECK(after.calibration.size() == 1);
  const StoredOutput z = read_output(job.file, "c9", "raw", "z");
  CHECK(std::ranges::equal(z.bytes, std::as_bytes(std::span(test::z_values()))));
  CHECK(z.dimensions == std::vector<std::string>{"row", "column"});
}

TEST_CASE("unmerged shards read the same as the merged file") {
  const Job job;
  for (const char* id : {"c2", "c1"}) job.write(id, test::synthetic_case(id));

  const ResultFile before = read_results(job.file);
  const ResultFile folder = read_results(shards_folder(job.file));
  merge_shards(job.file);
  const ResultFile after = read_results(job.file);

  REQUIRE(before.results.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(to_json(before.results[k]) == to_json(after.results[k]));
    CHECK(to_json(folder.results[k]) == to_json(after.results[k]));
  }
}

TEST_CASE("samples can be left out of what is read") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));

  CHECK(read_results(job.file, Samples::kOmit).results.at(0).samples.empty());
  merge_shards(job.file);
  CHECK(read_results(job.file, Samples::kOmit).results.at(0).samples.empty());
  CHECK(read_results(job.file).results.at(0).samples.size() == 10);
}

TEST_CASE("the newest attempt of each variant wins, wherever it is stored") {
  const Job job;
  job.write("a", test::synthetic_case("c1", 3));
  CaseRecord partial = test::synthetic_case("c1", 4);
  partial.results.erase(partial.results.begin());
  write_shard(shard_folder(job.file, "b"), partial, {});
  job.write("c", test::synthetic_case("c1", 2));

  merge_shards(job.file);
  const ResultFile file = read_results(job.file);

  REQUIRE(file.results.size() == 2);
  CHECK(file.results[0].variant == "elementwise");
  CHECK(file.results[0].attempt == 3);
  CHECK(file.results[1].variant == "raw");
  CHECK(file.results[1].attempt == 4);
}

TEST_CASE("later shards of the same job join the file with its outputs") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  job.write("a", test::synthetic_case("c2"));
  merge_shards(job.file);
  job.write("b", test::synthetic_case("c3"), {.separate_outputs_bytes = 0});
  CaseRecord again = test::synthetic_case("c1", 2);
  again.results[0].status = Status::kCrashed;
  job.write("b", again);

  const MergeReport report = merge_shards(job.file);
  const ResultFile file = read_results(job.file);

  CHECK(report.shards == 2);
  CHECK(job.case_ids() == std::vector<std::string>{"c1", "c2", "c3"});
  CHECK(file.results[0].attempt == 2);
  CHECK(file.results[0].status == Status::kCrashed);
  CHECK(to_json(file.results[2]) == to_json(test::synthetic_case("c2").results[0]));
  for (const char* id : {"c1", "c2", "c3"})
    CHECK(read_output(job.file, id, "elementwise", "z").bytes.size() == 96);
  CHECK_FALSE(fs::exists(shards_folder(job.file)));
}

TEST_CASE("merging twice changes nothing") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  merge_shards(job.file);
  const std::string before = read_file(job.file);

  const MergeReport report = merge_shards(job.file);

  CHECK(report.results == 2);
  CHECK(report.cases == 1);
  CHECK(report.shards == 0);
  CHECK(read_file(job.file) == before);
}

TEST_CASE("shards left by a crash after the file was written are harmless") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  const test::TemporaryFolder copy;
  fs::copy(shards_folder(job.file), copy / "d", fs::copy_options::recursive);
  merge_shards(job.file);
  fs::copy(copy / "d", shards_folder(job.file), fs::copy_options::recursive);

  merge_shards(job.file);

  CHECK(read_results(job.file).results.size() == 2);
  CHECK(read_output(job.file, "c1", "raw", "z").bytes.size() == 96);
}

TEST_CASE("an unreadable shard is set aside and the others are merged") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  job.write("a", test::synthetic_case("c2"));
  job.write("a", test::synthetic_case("c3"));
  const fs::path folder = shard_folder(job.file, "a");
  fs::resize_file(folder / "c2.h5", fs::file_size(folder / "c2.h5") / 2);
  std::ofstream(folder / "c3.h5", std::ios::trunc) << "";

  CHECK(read_results(job.file).problems.size() == 2);
  const MergeReport report = merge_shards(job.file);

  REQUIRE(report.unreadable.size() == 2);
  CHECK(report.unreadable[0].case_id == "c2");
  CHECK(report.unreadable[0].path == folder / "c2.h5.bad");
  CHECK_FALSE(report.unreadable[0].reason.empty());
  CHECK(fs::exists(folder / "c2.h5.bad"));
  CHECK(report.shards == 1);
  CHECK(job.case_ids() == std::vector<std::string>{"c1"});
  CHECK(read_results(job.file).problems.empty());
}

TEST_CASE("a merge refuses what it would destroy") {
  const Job job;
  CHECK_THROWS_WITH(merge_shards(job.file), Contains("no results"));

  job.write("a", test::synthetic_case("c1"));
  merge_shards(job.file);
  CaseRecord other = test::synthetic_case("c2");
  other.job.name = "another";
  other.job.sha = "beef";
  job.write("b", other);
  CHECK_THROWS_WITH(merge_shards(job.file), Contains("another"));
  CHECK(fs::exists(shard_folder(job.file, "b") / "c2.h5"));

  std::ofstream(job.file) << "my thesis";
  CHECK_THROWS_AS(merge_shards(job.file), SpecError);
  CHECK(read_file(job.file) == "my thesis");
}

TEST_CASE("only one merge runs at a time") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  const FileDescriptor other{::open(shards_folder(job.file).c_str(), O_RDONLY)};
  REQUIRE(::flock(other.get(), LOCK_EX) == 0);

  CHECK_THROWS_WITH(merge_shards(job.file, {.patience = std::chrono::milliseconds(0)}),
                    Contains("another merge"));
}

TEST_CASE("a merge waits for another one that ends") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  FileDescriptor other{::open(shards_folder(job.file).c_str(), O_RDONLY)};
  REQUIRE(::flock(other.get(), LOCK_EX) == 0);
  std::jthread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    other.reset();
  });
  CHECK(merge_shards(job.file).shards == 1);
}

TEST_CASE("a task's later shard of some variants leaves the results of the others") {
  const Job job;
  job.write("a", test::synthetic_case("c1", 1));
  CaseRecord retried = test::synthetic_case("c1", 2);
  retried.results.erase(retried.results.begin());
  write_shard(shard_folder(job.file, "a"), retried, {});

  for (const bool is_merged : {false, true}) {
    if (is_merged) CHECK(merge_shards(job.file).shards == 2);
    const ResultFile file = read_results(job.file);
    REQUIRE(file.results.size() == 2);
    CHECK(file.results[0].attempt == 1);
    CHECK(file.results[1].attempt == 2);
  }
  CHECK(list_shards(shards_folder(job.file)).empty());
}

TEST_CASE("shards of two jobs do not merge into one file") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  CaseRecord other = test::synthetic_case("c2");
  other.job.name = "another";
  other.job.sha = "beef";
  job.write("b", other);

  CHECK_THROWS_WITH(merge_shards(job.file), Contains("'demo'") && Contains("'another'") &&
                                                Contains("one file holds one job"));
  CHECK_FALSE(fs::exists(job.file));
  CHECK(list_shards(shards_folder(job.file)).size() == 2);
}

TEST_CASE("a later run's result wins, whatever its attempts and its clock") {
  const Job job;
  const auto write = [&](std::int64_t run, std::int64_t attempt, std::int64_t start_ns) {
    CaseRecord record = test::synthetic_case("c1", attempt);
    for (ResultRecord& result : record.results) {
      result.run = run;
      result.start_ns = start_ns;
    }
    job.write("a", record);
  };
  write(5, 3, 900);
  write(6, 1, 100);
  CHECK(read_results(job.file).results.at(0).attempt == 1);
  write(6, 2, 50);
  CHECK(read_results(job.file).results.at(0).attempt == 2);
  merge_shards(job.file);
  CHECK(read_results(job.file).results.at(0).attempt == 2);
  write(4, 9, 999);
  merge_shards(job.file);
  CHECK(read_results(job.file).results.at(0).attempt == 2);
}

TEST_CASE("a shard that was replaced since it was listed is not removed") {
  const Job job;
  job.write("a", test::synthetic_case("c1", 1));
  const ShardFile listed = list_shards(shards_folder(job.file)).at(0);
  fs::remove(listed.path());
  job.write("a", test::synthetic_case("c1", 2));

  CHECK_FALSE(remove_shard(listed));

  CHECK(read_results(job.file).results.at(0).attempt == 2);
  CHECK(remove_shard(list_shards(shards_folder(job.file)).at(0)));
  CHECK(list_shards(shards_folder(job.file)).empty());
}

TEST_CASE("tables longer than a window of rows come back whole") {
  const Job job;
  CaseRecord record = test::synthetic_case("c1", 1, 100'000);
  job.write("a", record);

  merge_shards(job.file);
  const ResultFile file = read_results(job.file);

  CHECK(to_json(file.results.at(0)) == to_json(record.results[0]));
  CHECK(to_json(file.results.at(1)) == to_json(record.results[1]));
}

TEST_CASE("parameters of different workloads share a file") {
  const Job job;
  CaseRecord other = test::synthetic_case("c2");
  for (ResultRecord& result : other.results)
    result.params = {{"n", 1.5}, {"alpha", std::string("big")}, {"only_here", std::int64_t{3}}};
  job.write("a", test::synthetic_case("c1"));
  job.write("a", other);

  merge_shards(job.file);
  const ResultFile file = read_results(job.file);

  CHECK(file.results.at(0).params == test::synthetic_case("c1").results[0].params);
  CHECK(file.results.at(2).params == other.results[0].params);
}

TEST_CASE("leftovers of killed merges are removed by the next, those of writers after an hour") {
  const Job job;
  job.write("a", test::synthetic_case("c1"));
  const fs::path old_shard = shard_folder(job.file, "a") / ".c9.h5.1.0.tmp";
  const fs::path old_file = job.folder / ".r.h5.1.0.tmp";
  const fs::path fresh_file = job.folder / ".r.h5.2.0.tmp";
  const fs::path fresh_shard = shard_folder(job.file, "a") / ".c9.h5.2.0.tmp";
  for (const fs::path& path : {old_shard, old_file, fresh_file, fresh_shard})
    std::ofstream(path) << "half";
  for (const fs::path& path : {old_shard, old_file})
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(2));

  merge_shards(job.file);

  CHECK_FALSE(fs::exists(old_shard));
  CHECK_FALSE(fs::exists(old_file));
  // The merge's lock excludes other merges, but not tasks that write shards.
  CHECK_FALSE(fs::exists(fresh_file));
  CHECK(fs::exists(fresh_shard));
}

TEST_CASE("names that cannot be columns do not fail a merge") {
  const Job job;
  CaseRecord record = test::synthetic_case("c1");
  record.environment.values = {{"environment", std::string("a")}, {"a/b", 1.5}, {"", true}};
  job.write("a", record);

  merge_shards(job.file);

  CHECK(read_results(job.file).environments.at(0).values ==
        NamedValues{{"environment_", std::string("a")}, {"a_b", 1.5}, {"_", true}});
}

TEST_CASE("sources of several jobs are combined into a new file and stay as they are") {
  const Job first, second, third;
  first.write("a", test::synthetic_case("c1", 1));
  merge_shards(first.file);
  second.write("a", test::synthetic_case("c1", 2));
  CaseRecord other = test::synthetic_case("c2");
  other.job = {"another", "workload: mse\n", "workload: mse\n", "beef"};
  second.write("b", other);
  third.write("a", test::synthetic_case("c3"));
  const std::string before = read_file(first.file);
  const fs::path all = first.folder / "all.h5";

  const std::vector<fs::path> sources{first.file, second.file,
                                      shard_folder(third.file, "a") / "c3.h5"};
  const MergeReport report = combine_results(sources, all);

  CHECK(report.cases == 3);
  CHECK(report.results == 6);
  CHECK(report.shards == 3);
  const ResultFile file = read_results(all);
  CHECK(file.results.at(0).attempt == 2);
  CHECK(file.jobs.size() == 2);
  CHECK(read_output(all, "c1", "raw", "z").bytes.size() == 96);
  CHECK(read_output(all, "c3", "raw", "z").bytes.size() == 96);
  CHECK(read_file(first.file) == before);
  CHECK(list_shards(shards_folder(second.file)).size() == 2);
  CHECK_THROWS_WITH(combine_results(sources, all), Contains("exists"));
}
