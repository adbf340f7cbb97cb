// `kernelbatch run`: output, exit codes, and changes by the command line.
#include "core/device/device_list.hpp"
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

const std::string kTiny =
    test::kShort + "workload: faulty\nparams: {n: 100}\nvariants: [reference, good]\n";

TEST_CASE("A good run prints a table and the file's path and ends with 0") {
  const test::JobFolder folder(kTiny);
  const ProcessResult result = test::command({"run", folder.job()});
  INFO(result.output);
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("[2/2] faulty n=100 good: ok"));
  CHECK_THAT(result.output, Contains("faulty  n=100  ["));
  CHECK_THAT(result.output, Contains("Times are of the host simulation, not of a GPU."));
  CHECK_THAT(result.output, Contains("Results: " + folder.results() + "\n"));
  CHECK(fs::is_regular_file(folder.results()));
}

TEST_CASE("--quiet prints no progress") {
  const test::JobFolder folder(kTiny);
  const ProcessResult result = test::command({"run", "-q", folder.job()});
  CHECK(result.exit_status == 0);
  CHECK(result.output.find("[1/2]") == std::string::npos);
  CHECK_THAT(result.output, Contains("Results: "));
}

TEST_CASE("A failure block shows case, phase, reason and the worker's last lines") {
  const test::JobFolder folder(kTiny);
  const ProcessResult result =
      test::command({"run", folder.job(), "--only", "variant=reference,segfaults"});
  INFO(result.output);
  CHECK(result.exit_status == 3);
  CHECK_THAT(
      result.output,
      Contains("Not ok:\n  faulty n=100 segfaults: crashed in phase run: the worker ended in "
               "phase 'run': killed by signal 11 (Segmentation fault)\n"
               "      | about to follow a null pointer\n"));
}

TEST_CASE("A bad job ends with 2, runs nothing and writes nothing") {
  const test::JobFolder folder(kTiny + "colour: red\n");
  const ProcessResult result = test::command({"run", folder.job()});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output, Contains("unknown key 'colour'"));
  CHECK_FALSE(fs::exists(folder.results()));
  CHECK_FALSE(fs::exists(folder.results() + ".d"));
}

TEST_CASE("-p, -s, --only and -o change a job") {
  const test::JobFolder folder(kTiny);
  const std::string other = (folder.path() / "sub" / "other.h5").string();

  const ProcessResult result =
      test::command({"run", folder.job(), "-p", "n=5,7", "-s", "output.arrays=none", "--only",
                     "variant=good", "-o", other});

  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  CHECK_FALSE(fs::exists(folder.results()));
  const ResultFile file = read_results(other);
  REQUIRE(file.results.size() == 2);
  CHECK(to_text(file.results[0].params) != to_text(file.results[1].params));
  for (const ResultRecord& record : file.results) {
    CHECK(record.variant == "good");
    CHECK_THROWS(read_output(other, record.case_id, "good", "y"));
  }
}

TEST_CASE("--case runs only the cases of an ID or of a parameter") {
  const test::JobFolder folder(test::kShort + "workload: faulty\nparams: {n: [5, 7, 77]}\n" +
                               "variants: [good]\n");
  const auto run = [&](const std::string& text) {
    return test::command({"run", folder.job(), "--overwrite", "--case", text});
  };
  REQUIRE(run("n=7").exit_status == 0);
  const ResultFile one = read_results(folder.results());
  REQUIRE(one.results.size() == 1);
  CHECK(to_text(one.results[0].params) == "n=7");
  REQUIRE(run(one.results[0].case_id.substr(0, 8)).exit_status == 0);
  CHECK(read_results(folder.results()).results.size() == 1);
  const ProcessResult none = run("n=8");
  CHECK(none.exit_status == 2);
  CHECK_THAT(none.output,
             Contains("no case matches 'n=8'; `kernelbatch check --cases` lists them"));
  CHECK(read_results(folder.results()).results.size() == 1);
}

TEST_CASE("Options have environment variables, and the command line wins") {
  const test::JobFolder folder(kTiny);
  test::set_environment();
  ::setenv("KERNELBATCH_PARAM", "n=5", 1);
  ::setenv("KERNELBATCH_ONLY", "variant=good", 1);
  const ProcessResult from_environment =
      run_process({test::executable(), "check", "--cases", folder.job()});
  const ProcessResult from_both =
      run_process({test::executable(), "check", "--cases", folder.job(), "-p", "n=7"});
  test::set_environment();
  CHECK_THAT(from_environment.output, Contains("faulty n=5") && Contains("1 result"));
  CHECK_THAT(from_both.output, Contains("faulty n=7"));
}

TEST_CASE("Two jobs in one call both run; the first failure's code is the call's") {
  const test::JobFolder wrong(test::kShort +
                              "workload: faulty\nvariants: [reference, never_writes]\n");
  const test::JobFolder good(kTiny);

  const ProcessResult result = test::command({"run", wrong.job(), good.job()});

  INFO(result.output);
  CHECK(result.exit_status == 1);
  CHECK(read_results(wrong.results()).results.size() == 2);
  CHECK(read_results(good.results()).results.size() == 2);
}

TEST_CASE("All jobs are checked before the first one runs") {
  const test::JobFolder good(kTiny);
  const test::JobFolder bad("workload: faulty\nparams: {n: 0}\n");
  const ProcessResult result = test::command({"run", good.job(), bad.job()});
  CHECK(result.exit_status == 2);
  CHECK_FALSE(fs::exists(good.results()));
}

TEST_CASE("Two jobs for one file are refused before the first one runs") {
  const test::JobFolder first(kTiny + "name: first\n");
  const test::JobFolder second(kTiny + "name: second\n");

  const ProcessResult result =
      test::command({"run", first.job(), second.job(), "-o", first.results()});

  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output,
             Contains("jobs 'first' and 'second' would both write '" + first.results() + "'"));
  CHECK_FALSE(std::filesystem::exists(first.results()));
}

TEST_CASE("Sizes that no machine has are refused before anything is allocated") {
  const test::JobFolder folder(test::kShort + "workload: mse\nparams: {n: 1e11}\n");
  const ProcessResult result = test::command({"run", folder.job()});
  INFO(result.output);
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.output,
             Contains("out_of_memory in phase inputs: the case needs at least 1.46 TiB"));
}

TEST_CASE(
    "Without a GPU --device cuda ends with 4 and the reason, and auto gives the reason for the "
    "host") {
  if (list_devices().cuda_reason.empty()) {
    WARN("there is a GPU: skipped");
    return;
  }
  const test::JobFolder folder(kTiny);

  const ProcessResult cuda = test::command({"run", folder.job(), "--device", "cuda"});
  CHECK(cuda.exit_status == 4);
  CHECK(cuda.output.starts_with("kernelbatch: device 'cuda' cannot be used: "));
  CHECK_FALSE(fs::exists(folder.results()));

  const ProcessResult automatic = test::command({"run", folder.job(), "--device", "auto"});
  CHECK(automatic.exit_status == 0);
  CHECK_THAT(automatic.output, Contains("no usable GPU (") && Contains("); running on the host"));
}

TEST_CASE("An invalid device name ends with 2") {
  const test::JobFolder folder(kTiny);
  for (const char* device : {"gpu", "cuda:x", "cuda:-1", "tpu"}) {
    const ProcessResult result = test::command({"run", folder.job(), "--device", device});
    CAPTURE(device, result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains("unknown device"));
  }
}

TEST_CASE("Running a job again replaces its results and keeps other cases") {
  const test::JobFolder folder(kTiny);
  REQUIRE(test::command({"run", folder.job()}).exit_status == 0);
  REQUIRE(test::command({"run", "--overwrite", folder.job(), "-p", "n=100,200"}).exit_status == 0);
  CHECK(read_results(folder.results()).results.size() == 4);
}

}  // namespace
}  // namespace kernelbatch
