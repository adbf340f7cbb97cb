#include "core/base/file.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("--version is one line and succeeds") {
  const ProcessResult result = test::command({"--version"});
  CHECK(result.exit_status == 0);
  CHECK(result.output.starts_with("kernelbatch 0."));
  CHECK(result.output.find('\n') == result.output.size() - 1);
}

TEST_CASE("--help lists the subcommands and the exit codes") {
  const ProcessResult result = test::command({"--help"});
  CHECK(result.exit_status == 0);
  for (const char* name : {"run", "check", "list", "describe", "devices", "show"})
    CHECK_THAT(result.output, Contains(std::string("\n  ") + name + " "));
  CHECK_THAT(result.output, Contains("Exit codes"));
  CHECK(result.output.find("__worker") == std::string::npos);
}

TEST_CASE("Every subcommand has a help of its own") {
  for (const char* name : {"run", "check", "list", "describe", "devices", "show"}) {
    const ProcessResult result = test::command({name, "--help"});
    CAPTURE(name);
    CHECK(result.exit_status == 0);
    CHECK_THAT(result.output, Contains("Usage"));
  }
}

TEST_CASE("Wrong usage is reported and ends with 2") {
  const auto check_usage = [](std::vector<std::string> arguments, const std::string& message) {
    const ProcessResult result = test::command(std::move(arguments));
    CAPTURE(result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains(message));
  };
  check_usage({}, "subcommand is required");
  check_usage({"frobnicate"}, "unknown subcommand 'frobnicate' (known: run, check, ");
  check_usage({"runn", "x.yaml"}, "unknown subcommand 'runn' (did you mean 'run'?)");
  check_usage({"run"}, "JOB is required");
  check_usage({"run", "x.yaml", "--colour"}, "--colour");
  check_usage({"describe"}, "WORKLOAD is required");
  check_usage({"describe", "msee"}, "unknown workload 'msee' (did you mean 'mse'?)");
  check_usage({"show"}, "FILE is required");
  check_usage({"check", "x.yaml", "--allow-cases", "many"}, "many");
  check_usage({"check", "x.yaml", "--allow-cases", "-1"},
              "--allow-cases: -1 is not greater than 0");
  check_usage({"check", "x.yaml", "--allow-cases", "0"}, "--allow-cases: 0 is not greater than 0");
}

TEST_CASE("list shows workloads with their plugins, and refused ones") {
  test::set_environment();
  ::setenv("KERNELBATCH_PLUGIN_PATH",
           (test::test_plugins() + ":" + test::build_folder() + "/tests/refused").c_str(), 1);

  const ProcessResult result = run_process({test::executable(), "list"});

  INFO(result.output);
  CHECK(result.exit_status == 0);
  for (const char* name : {"mse", "prime_factor_sum", "hillshade", "faulty"})
    CHECK_THAT(result.output, Contains(std::string("\n") + name + " "));
  CHECK_THAT(result.output, Contains("/tests/plugins/faulty.so"));
  for (const char* refused :
       {"wrong_magic.so: not a kernelbatch plugin", "wrong_abi.so: speaks plugin ABI 42",
        "wrong_size.so: its handshake has 16 bytes", "wrong_tag.so: built as gcc1/c++98",
        "no_symbol.so: not a kernelbatch plugin: it does not export",
        "null_handshake.so: its handshake is empty",
        "throws_at_create.so: fails while it is loaded",
        "segfaults_at_load.so: crashes while it is loaded: killed by signal 11",
        "exits_at_load.so: crashes while it is loaded: exit code 0",
        "other_name.so: fails while it is loaded: it calls itself"})
    CHECK_THAT(result.output, Contains(std::string("refused: ") + refused));
}

TEST_CASE("list does not show the test plugins to a user") {
  test::set_environment();
  ::unsetenv("KERNELBATCH_PLUGIN_PATH");
  const ProcessResult result = run_process({test::executable(), "list"});
  CHECK(result.exit_status == 0);
  CHECK(result.output.find("faulty") == std::string::npos);
  CHECK(result.output.find("refused") == std::string::npos);
}

TEST_CASE("describe shows parameters, inputs, outputs and variants") {
  const ProcessResult result = test::command({"describe", "mse"});
  CHECK(result.exit_status == 0);
  for (const char* text : {"mse (version 1)", "Parameters", "dtype", "float32 | float64", "Inputs",
                           "y_true", "Outputs", "Variants", "elementwise", "raw"})
    CHECK_THAT(result.output, Contains(text));
}

TEST_CASE("describe lists the keys of kernels in a job") {
  const ProcessResult result = test::command({"describe", "inline"});
  CHECK(result.exit_status == 0);
  for (const char* word : {"kind: elementwise", "kind: reduction", "kind: raw", "kind: jit",
                           "kind: fuse", "operation", "identity", "grid", "reference", "shape"})
    CHECK_THAT(result.output, Contains(word));
}

TEST_CASE("A missing folder of plugins is reported") {
  test::set_environment();
  ::setenv("KERNELBATCH_PLUGIN_PATH", (test::test_plugins() + ":/nowhere/plugins").c_str(), 1);
  const ProcessResult result = run_process({test::executable(), "list"});
  test::set_environment();
  CHECK(result.exit_status == 0);
  const std::string warning = "KERNELBATCH_PLUGIN_PATH: there is no folder '/nowhere/plugins'";
  const std::size_t at = result.output.find(warning);
  CHECK(at != std::string::npos);
  CHECK(result.output.find(warning, at + 1) == std::string::npos);
}

TEST_CASE("new-plugin refuses a workload's name") {
  const test::TemporaryFolder folder;
  const ProcessResult result =
      test::command({"new-plugin", "faulty", "--in", folder.path().string()});
  CHECK(result.exit_status == 2);
  CHECK_THAT(result.output,
             Contains("there is a workload 'faulty' already, ") && Contains("faulty.so"));
  CHECK(!std::filesystem::exists(folder / "faulty"));
}

TEST_CASE("new-plugin on a full disk leaves nothing") {
  const test::TemporaryFolder folder;
  // Room for the smallest of its files only: writing a larger one fails as on a full disk.
  const ProcessResult result = run_process(
      {"bash", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" new-plugin mine --in \"$1\"",
       test::executable(), folder.path().string()});
  CAPTURE(result.output);
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains("cannot write"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("example lists the jobs and copies one") {
  const test::TemporaryFolder folder;
  const auto example = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "example");
    return test::command(words);
  };
  const ProcessResult all = example({});
  CHECK(all.exit_status == 0);
  CHECK_THAT(all.output,
             Contains("quickstart ") && Contains("A first look") && Contains("inline/vector_add "));

  const std::string job = (folder / "mine.yaml").string();
  const ProcessResult copied = example({"quickstart", "-o", job});
  CHECK(copied.exit_status == 0);
  CHECK_THAT(copied.output, Contains("next: kernelbatch run " + job));
  CHECK(read_file(job) == read_file(test::source_folder() + "/jobs/quickstart.yaml"));
  CHECK(test::command({"check", job}).exit_status == 0);

  const ProcessResult again = example({"inline/copy", "-o", job});
  CHECK(again.exit_status == 2);
  CHECK_THAT(again.output, Contains("exists: choose another file with -o"));
  const ProcessResult unknown = example({"quickstrat"});
  CHECK(unknown.exit_status == 2);
  CHECK_THAT(unknown.output,
             Contains("there is no example 'quickstrat'") && Contains("quickstart"));
}

TEST_CASE("submit warns if a job requests no GPU") {
  const test::JobFolder folder("workload: faulty\nparams: {n: 100}\nvariants: [good]\n");
  const std::string warning = "requests no GPU from Slurm";
  CHECK_THAT(test::command({"submit", folder.job(), "--dry-run"}).output, Contains(warning));
  CHECK_THAT(test::command({"submit", folder.job(), "--dry-run", "-s", "slurm.gpus=1"}).output,
             !Contains(warning));
  CHECK_THAT(test::command({"submit", folder.job(), "--dry-run", "--device", "host"}).output,
             !Contains(warning));
}

TEST_CASE("devices lists the host, and the GPUs or why there are none") {
  const ProcessResult result = test::command({"devices"});
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, Contains("\nhost ") || Contains("host  "));
  CHECK_THAT(result.output, Contains("no GPU can be used: ") || Contains("CUDA driver: "));
  CHECK_THAT(result.output, Contains("NVRTC: "));
}

}  // namespace
}  // namespace kernelbatch
