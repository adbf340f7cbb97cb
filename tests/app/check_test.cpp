// `kernelbatch check`: errors of a job are reported in one sentence with their place, and it exits
// with 2.
#include <regex>

#include "core/base/text.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

struct Verdict {
  int exit_status = 0;
  std::string message;  ///< without the command's name and the job's folder
};

Verdict verdict_on(const std::string& text, std::vector<std::string> more = {}) {
  const test::TemporaryFolder folder;
  const std::string job = (folder / "job.yaml").string();
  std::ofstream(job) << text;
  more.insert(more.begin(), {"check", job});
  const ProcessResult result = test::command(more);
  std::string message = result.output;
  if (result.exit_status != 0 && message.starts_with("kernelbatch: ")) message.erase(0, 13);
  const std::string place = folder.path().string() + "/";
  for (std::size_t at; (at = message.find(place)) != std::string::npos;)
    message.erase(at, place.size());
  // The duration on this machine is covered by another test.
  static const std::regex kEstimate(
      "  estimate: about [^\n]* on a GPU, [^\n]*; device memory "
      "[0-9.]+ [KMG]?i?B or more; outputs up to [^\n]*\n");
  return {result.exit_status, std::regex_replace(message, kEstimate, "  estimate\n")};
}

void check_refused(const std::string& text, const std::string& message) {
  const Verdict verdict = verdict_on(text);
  CAPTURE(text);
  CHECK(verdict.exit_status == 2);
  CHECK(verdict.message == message + "\n");
}

TEST_CASE("A valid job is shown with its plan") {
  const Verdict verdict =
      verdict_on("workload: mse\nparams: {n: [1e3, 1e4], dtype: [float32, float64]}\n");
  CHECK(verdict.exit_status == 0);
  CHECK(verdict.message ==
        "job.yaml: job 'job' is valid: 4 cases, 28 results, into results/job.h5\n"
        "  mse: 4 cases, variants reference, elementwise, reduction, jit, raw, fused, unfused\n"
        "  estimate\n");
}

TEST_CASE("A case that is longer than a Slurm task is named") {
  const auto check = [](const char* time) {
    return verdict_on("workload: mse\nparams: {n: [1e3, 1e8]}\n", {"-s", time});
  };
  const Verdict verdict = check("slurm.time=6s");
  CHECK(verdict.exit_status == 0);
  CHECK_THAT(verdict.message, Contains("mse n=100000000") && Contains("is estimated to take") &&
                                  Contains("but a task stops after 3 s (slurm.time 6 s") &&
                                  Contains("set slurm.time to "));
  CHECK_THAT(check("slurm.time=10h").message, !Contains("but a task stops"));
}

TEST_CASE("--cases lists every case and --resolved the whole job") {
  CHECK_THAT(verdict_on("workload: mse\nparams: {n: [10, 20]}\n", {"--cases"}).message,
             Contains("mse n=10 dtype=float64") && Contains("mse n=20 dtype=float64"));
  const Verdict resolved = verdict_on("workload: mse\n", {"--resolved"});
  CHECK(resolved.exit_status == 0);
  CHECK_THAT(resolved.message, Contains("preset: standard") && Contains("retries: 1") &&
                                   Contains("n: 1000000") && Contains("dtype: float64"));
  CHECK(verdict_on(resolved.message).exit_status == 0);
}

TEST_CASE("All errors of a job are reported at once, in the order of its lines") {
  check_refused(
      "workload: inline\n"
      "params: {n: 10, 'b d': 3}\n"
      "measur: {warmup: 2}\n"
      "limits: {timeout: -3s, memry: 1GB}\n"
      "inputs: {x: {random: uniform, shape: [n], dtype: float32}}\n"
      "variants:\n"
      "  one: {kind: elementwise, in: T x, out: T z, operashun: z = x}\n"
      "  two: {kind: elementwse, in: T x, out: T z, operation: z = x}\n",
      "job.yaml:2:17: 'b d' is not a parameter's name: letters, digits and '_' only\n"
      "kernelbatch: job.yaml:3:1: unknown key 'measur' (did you mean 'measure'?)\n"
      "kernelbatch: job.yaml:4:19: 'timeout': '-3s' is not a time (expected for example 120, 0.5s, "
      "2min, 1h30min or 00:30:00)\n"
      "kernelbatch: job.yaml:4:24: unknown key 'memry' (did you mean 'memory'?)\n"
      "kernelbatch: job.yaml:7:47: unknown key 'operashun' (did you mean 'operation'?)\n"
      "kernelbatch: job.yaml:8:15: 'kind' must be one of elementwise, reduction, raw, image, jit, "
      "fuse, steps, not 'elementwse' (did you mean 'elementwise'?)\n"
      "kernelbatch: 6 errors");
  check_refused(
      "workloads:\n"
      "  - {workload: mse, params: {m: 3}, variants: [rew], inputs: {z: {file: no.npy}}}\n"
      "  - {workload: mses}\n"
      "device: gpu\n",
      "job.yaml:2:30: workload 'mse' has no parameter 'm' (did you mean 'n'?)\n"
      "kernelbatch: job.yaml:2:48: workload 'mse' has no variant 'rew' (did you mean 'raw'?)\n"
      "kernelbatch: job.yaml:2:63: workload 'mse' has no input 'z' (known: y_true, y_pred)\n"
      "kernelbatch: job.yaml:3:16: unknown workload 'mses' (did you mean 'mse'?)\n"
      "kernelbatch: job.yaml:4:9: 'device': unknown device 'gpu': expected auto, host, cuda, "
      "cuda:N, or a GPU-… or MIG-… UUID\n"
      "kernelbatch: 5 errors");
}

TEST_CASE("Errors of each variant of an inline job are reported once for all cases") {
  check_refused(
      "workload: inline\n"
      "params: {n: [10, 20]}\n"
      "inputs: {x: {random: uniform, shape: [n], dtype: float32}}\n"
      "variants:\n"
      "  one: {kind: elementwise, in: T x, out: T z, operation: z = x, block_size: 2048}\n"
      "  two: {kind: fuse, expression: sqrtt(x)}\n",
      "job.yaml:5:77: 'block_size' must be from 1 to 1024, not 2048\n"
      "kernelbatch: job.yaml:6:3: variant 'two': fuse: unknown function 'sqrtt' (did you "
      "mean 'sqrt'?), column 1 of the expression\n  sqrtt(x)\n  ^\n"
      "kernelbatch: 2 errors");
}

TEST_CASE("Messages are valid UTF-8 wherever a job has letters of more than one byte") {
  const std::string head = "workload: inline\nparams: {n: 10}\n";
  const std::string input = "inputs: {x: {random: uniform, shape: [n], dtype: float32}}\n";
  const std::string variant =
      "variants:\n  v: {kind: elementwise, in: T x, out: T z, operation: z = x}\n";
  for (const std::string& job :
       {head + input + variant + "exclude: [n > é]\n",
        head + "inputs: {x: {random: uniform, shape: né, dtype: float32}}\n" + variant,
        head + "inputs: {x: {random: uniform, shape: [n], dtype: flöat32}}\n" + variant,
        head + "inputs: {x: {random: uniförm, shape: [n], dtype: float32}}\n" + variant,
        head + input + "variants:\n  v: {kind: elementwise, in: T é, out: T z, operation: z = 1}\n",
        head + input + "variants:\n  v: {kind: elementwise, in: ℝ x, out: T z, operation: z = 1}\n",
        head + input + "variants:\n  v: {kind: fuse, expression: sin(é) + x}\n",
        head + input + "variants:\n  v: {kind: fuse, expression: 'x ± x'}\n",
        head + input + variant + "limits: {timeout: 3µw}\n", head + input + variant + "größe: 3\n",
        std::string("workload: m\xe9se\n")}) {
    CAPTURE(job);
    const Verdict verdict = verdict_on(job);
    CHECK(verdict.exit_status == 2);
    CHECK(valid_utf8(verdict.message) == verdict.message);
    // Nor is there a single byte of a multi-byte character, as in a message that quotes one byte of
    // it.
    if (valid_utf8(job) == job) CHECK_THAT(verdict.message, !Contains("\\x"));
  }
}

TEST_CASE("Unknown names are refused with the nearest one") {
  check_refused("workload: mse\nparms: {n: 3}\n",
                "job.yaml:2:1: unknown key 'parms' (did you mean 'params'?)");
  check_refused("workload: msee\n", "job.yaml:1:11: unknown workload 'msee' (did you mean 'mse'?)");
  check_refused("workload: mse\nvariants: [raw, jitt]\n",
                "job.yaml:2:17: workload 'mse' has no variant 'jitt' (did you mean 'jit'?)");
  check_refused("workload: mse\nparams: {N: 3}\n",
                "job.yaml:2:10: workload 'mse' has no parameter 'N' (did you mean 'n'?)");
  check_refused("workload: mse\nexclude: [\"m > 3\"]\n",
                "job.yaml:2:11: unknown name 'm' (did you mean 'n'?), column 1 of the expression\n"
                "  m > 3\n"
                "  ^");
}

TEST_CASE("Values of a wrong type or size are refused") {
  check_refused("workload: mse\nparams: {n: lots}\n",
                "job.yaml:2:13: parameter 'n': 'lots' is not an integer of 64 bits (expected for "
                "example 1000000, 1_000_000, 1e6, 2^20 or 4Ki)");
  check_refused("workload: mse\nparams: {n: -4}\n",
                "job.yaml:2:13: parameter 'n': -4 is out of range: from 1 to 100000000000");
  check_refused("workload: mse\nparams: {n: 0}\n",
                "job.yaml:2:13: parameter 'n': 0 is out of range: from 1 to 100000000000");
  check_refused("workload: mse\nparams: {n: []}\n", "job.yaml:2:13: 'n' is an empty list");
  check_refused(
      "workload: mse\nparams: {dtype: int8}\n",
      "job.yaml:2:17: parameter 'dtype': 'int8' is not a choice (known: float32, float64)");
  check_refused("workload: mse\nworkload: mse\n",
                "job.yaml:2:1: duplicate key 'workload' (first given on line 1)");
}

TEST_CASE("A missing file, or one that is no job, is refused") {
  const ProcessResult missing = test::command({"check", "/nowhere/job.yaml"});
  CHECK(missing.exit_status == 2);
  CHECK(missing.output ==
        "kernelbatch: cannot read '/nowhere/job.yaml': No such file or directory\n");
  const ProcessResult folder = test::command({"check", "/tmp"});
  CHECK(folder.exit_status == 2);
  CHECK(folder.output == "kernelbatch: cannot read '/tmp': it is a folder\n");
  CHECK(verdict_on("").exit_status == 2);
  CHECK(verdict_on("{[").exit_status == 2);
  CHECK(verdict_on(std::string("workload: \0", 11)).exit_status == 2);
  check_refused("workload: mse\ninputs: {y_true: {file: gone.npy}}\n",
                "job.yaml:2:10: input 'y_true': there is no file 'gone.npy'");
}

TEST_CASE("More cases than allowed are refused") {
  const std::string job = "workload: mse\nparams: {n: {range: [1, 20000, 1]}}\n";
  CHECK(verdict_on(job).exit_status == 2);
  CHECK_THAT(verdict_on(job).message, Contains("--allow-cases 20000"));
  CHECK(verdict_on(job, {"--allow-cases", "20000"}).exit_status == 0);
}

TEST_CASE("Plugins that cannot be used are refused with the reason") {
  const auto message_for = [](const std::string& name) {
    const Verdict verdict = verdict_on("workload: " + test::refused_plugin(name) + "\n");
    CHECK(verdict.exit_status == 2);
    return verdict.message;
  };
  const std::string place = "job.yaml:1:11: ";
  CHECK(message_for("wrong_magic") ==
        place + "wrong_magic.so: not a kernelbatch plugin: its magic number is 0xdeadbeef\n");
  CHECK(message_for("wrong_abi") ==
        place + "wrong_abi.so: speaks plugin ABI 42, this kernelbatch ABI 1: rebuild the plugin\n");
  CHECK_THAT(message_for("wrong_size"),
             Contains(place + "wrong_size.so: its handshake has 16 bytes"));
  CHECK_THAT(message_for("wrong_tag"),
             Contains(place + "wrong_tag.so: built as gcc1/c++98/00000000"));
  CHECK_THAT(message_for("no_symbol"), Contains(place + "no_symbol.so: not a kernelbatch plugin"));
  CHECK(message_for("null_handshake") == place + "null_handshake.so: its handshake is empty\n");
  CHECK_THAT(message_for("throws_at_create"), Contains("no licence for this machine"));
  CHECK(message_for("segfaults_at_load") ==
        place +
            "segfaults_at_load.so: crashes while it is loaded: killed by signal 11 (Segmentation "
            "fault)\n");
  CHECK(message_for("exits_at_load") ==
        place + "exits_at_load.so: crashes while it is loaded: exit code 0\n");
  CHECK_THAT(message_for("other_name"), Contains("it calls itself 'other_name'"));
  CHECK_THAT(message_for("no_such_plugin"), Contains("does not exist"));

  const Verdict text = verdict_on("workload: ./job.yaml\n");
  CHECK(text.exit_status == 2);
}

TEST_CASE("Changes on the command line are checked too, and placed there") {
  const auto refused = [](const std::vector<std::string>& more, const std::string& message) {
    const Verdict verdict = verdict_on("workload: mse\n", more);
    CAPTURE(verdict.message);
    CHECK(verdict.exit_status == 2);
    CHECK_THAT(verdict.message, Contains(message));
  };
  refused({"-p", "m=3"}, "workload 'mse' has no parameter 'm' (did you mean 'n'?)");
  refused({"-p", "n=-3"}, "-3 is out of range");
  refused({"-p", "n"}, "n");
  refused({"-s", "measure.presett=quick"}, "unknown key 'presett' (did you mean 'preset'?)");
  refused({"--only", "variant=jitt"}, "no variant 'jitt' (did you mean 'jit'?)");
  refused({"--only", "kind=jit"}, "--only kind=jit: expected variant=NAME,NAME");
  CHECK(verdict_on("workload: mse\n", {"-p", "n=1,2,3", "--only", "variant=jit,raw"}).message ==
        "job.yaml: job 'job' is valid: 3 cases, 6 results, into results/job.h5\n"
        "  mse: 3 cases, variants jit, raw\n  estimate\n");
}

TEST_CASE("Invalid file names are found before a run") {
  const auto refused = [](const std::string& text, const std::vector<std::string>& more,
                          const std::string& message) {
    const Verdict verdict = verdict_on(text, more);
    CAPTURE(verdict.message);
    CHECK(verdict.exit_status == 2);
    CHECK_THAT(verdict.message, Contains(message));
  };
  const auto letters = [](std::size_t count) { return std::string(count, 'x'); };
  refused("workload: mse\nname: " + letters(241) + "\n", {}, "job.yaml:2:7: 'name' has 241 bytes");
  refused("workload: mse\n", {"-o", letters(254)}, "has 254 bytes");
  refused("workload: mse\n", {"-o", "results/"}, "names a folder");
  refused("workload: mse\n", {"-o", "a\x1b[2J.h5"}, "a\\x1b[2J.h5");
  refused("workload: mse\nslurm: {comment: " + letters(1001) + "}\n", {},
          "slurm.comment has 1001 bytes");
  const auto inline_job = [](const std::string& input, const std::string& variant) {
    return "workload: inline\ninputs: {\"" + input +
           "\": {arange: 4, dtype: float32}}\nreference: none\nvariants: {" + variant +
           ": {kind: elementwise, in: 'T x', out: 'T y', operation: 'y = x'}}\n";
  };
  for (const char* name : {"../x", "a/b", ".x", "..", "-x", "a\\0b", "\\e[2J", "a b"})
    refused(inline_job(name, "v"), {}, "is not an input's name");
  refused(inline_job("x", letters(240)), {}, "so at most 233");
}

TEST_CASE("--only keeps variants of inline jobs as of others") {
  const std::string job =
      "workload: inline\n"
      "inputs: {x: {arange: 4, dtype: float32}}\n"
      "variants:\n"
      "  one: {kind: elementwise, in: 'T x', out: 'T y', operation: 'y = x'}\n"
      "  two: {kind: elementwise, in: 'T x', out: 'T y', operation: 'y = x + T(0)'}\n"
      "reference: {variant: one}\n";
  CHECK_THAT(verdict_on(job, {"--only", "variant=two"}).message,
             Contains("1 case, 1 result") && Contains("variants two\n"));
  CHECK_THAT(verdict_on(job, {"--only", "variant=two,one"}).message, Contains("variants one, two"));
  CHECK_THAT(verdict_on(job, {"--only", "variant=two", "--only", "variant=one"}).message,
             Contains("variants one, two"));
  const Verdict unknown = verdict_on(job, {"--only", "variant=twoo"});
  CHECK(unknown.exit_status == 2);
  CHECK_THAT(unknown.message, Contains("no variant 'twoo' (did you mean 'two'?)"));
  CHECK(verdict_on(job, {"--only", "variant="}).exit_status == 2);
}

TEST_CASE("Checking writes nothing") {
  const test::JobFolder folder("workload: mse");
  CHECK(test::command({"check", folder.job()}).exit_status == 0);
  CHECK_FALSE(fs::exists(folder.results()));
}

}  // namespace
}  // namespace kernelbatch
