// Results that cannot be written: exit code 6, a message with the place, earlier results intact.
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/small_disk.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

const std::string kTinyJob =
    test::kShort + "workload: faulty\nparams: {n: 100}\nvariants: [reference, good]\n";

ProcessResult run_into(const std::string& output) {
  const test::JobFolder folder(kTinyJob);
  return test::command({"run", folder.job(), "-o", output});
}

TEST_CASE("A folder that cannot be created ends with 6 before anything runs") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  for (const std::string& place :
       {std::string("/dev/null/x.h5"), (folder / "file").string() + "/x.h5",
        std::string("/proc/nowhere/x.h5")}) {
    const ProcessResult result = run_into(place);
    CAPTURE(place, result.output);
    CHECK(result.exit_status == 6);
    CHECK_THAT(result.output,
               Contains("cannot create the folder '" + fs::path(place).parent_path().string()));
    CHECK(result.output.find("[1/2]") == std::string::npos);
  }
}

TEST_CASE("An output that is a folder ends with 6 and does not change it") {
  const test::TemporaryFolder folder;
  const ProcessResult result = run_into(folder.path().string());
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output,
             Contains("cannot write '" + folder.path().string() + "': it is a folder"));
  CHECK(fs::is_empty(folder.path()));
  CHECK_FALSE(fs::exists(folder.path().string() + ".d"));
}

TEST_CASE("An output that is another program's file is not overwritten") {
  const test::TemporaryFolder folder;
  const std::string place = (folder / "thesis.h5").string();
  std::ofstream(place) << "years of work";

  const ProcessResult result = run_into(place);

  CAPTURE(result.output);
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("thesis.h5"));
  CHECK(result.output.find("[1/2]") == std::string::npos);
  CHECK_FALSE(fs::exists(place + ".d"));
  std::string kept;
  std::getline(std::ifstream(place), kept);
  CHECK(kept == "years of work");
}

TEST_CASE("An output that holds another job is refused before anything runs") {
  const test::JobFolder first(kTinyJob + "name: first\n");
  const test::JobFolder second(kTinyJob + "name: second\n");
  REQUIRE(test::command({"run", first.job()}).exit_status == 0);

  const ProcessResult result = test::command({"run", second.job(), "-o", first.results()});

  CAPTURE(result.output);
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("holds results of the job 'first', not of 'second'"));
  CHECK(result.output.find("[1/2]") == std::string::npos);
  CHECK(read_results(first.results()).jobs.front().name == "first");
}

TEST_CASE("A full disk ends with 6; results finished before are intact") {
  const test::SmallDisk disk("256k");
  if (!disk.is_there()) {
    WARN("no file system can be mounted here: skipped");
    return;
  }
  const std::string place = (disk.path() / "out.h5").string();
  const test::JobFolder folder(kTinyJob);

  const ProcessResult result = test::command({"run", folder.job(), "-o", place, "-p", "n=100,1e6"});

  INFO(result.output);
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("cannot write '" + disk.path().string()));
  const ResultFile file = read_results(place);
  // Results that did not fit are recorded without their arrays, and a resumed run repeats them.
  REQUIRE(file.results.size() == 4);
  for (const ResultRecord& record : file.results) {
    const bool fits = to_text(record.params) == "n=100";
    CHECK(record.status == (fits ? Status::kOk : Status::kFailed));
    CHECK(record.retryable == !fits);
    if (fits) CHECK(read_output(place, record.case_id, record.variant, "y").bytes.size() == 400);
  }
  for (const auto& entry : fs::recursive_directory_iterator(disk.path()))
    CHECK(entry.path().extension() != ".raw");
}

TEST_CASE("A disk that is full for the first result ends with 6 and leaves no partial files") {
  const test::SmallDisk disk("16k");
  if (!disk.is_there()) {
    WARN("no file system can be mounted here: skipped");
    return;
  }
  const test::JobFolder folder(kTinyJob);

  const ProcessResult result =
      test::command({"run", folder.job(), "-o", (disk.path() / "out.h5").string()});

  INFO(result.output);
  CHECK(result.exit_status == 6);
  for (const auto& entry : fs::recursive_directory_iterator(disk.path())) {
    CAPTURE(entry.path());
    CHECK_FALSE(entry.is_regular_file());
  }
}

}  // namespace
}  // namespace kernelbatch
