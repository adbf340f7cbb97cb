// Links, pipes, devices and caches prepared by others: they are not written through, not waited
// for, not executed or obeyed.
#include <sys/stat.h>

#include "core/base/file.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/app/command.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

const std::string kGood = test::kShort + "workload: faulty\nvariants: [reference, good]\n";

/// `kernelbatch` in a shell that ends it after a while, so that a wait does not block the tests.
ProcessResult in_time(const std::string& words, const std::string& before = "") {
  test::set_environment();
  return run_process(
      {"bash", "-c", before + "timeout 20 " + test::executable() + " " + words + " 2>&1"});
}

TEST_CASE("A link in place of a run's lock or folder is not followed") {
  const test::JobFolder folder(kGood);
  folder.write("victim", "kept");
  const fs::path victim = folder.path() / "victim", shards = folder.results() + ".d";
  const auto refused = [&](const fs::path& link, const fs::path& to) {
    fs::create_directories(link.parent_path());
    fs::create_symlink(to, link);
    const ProcessResult result = test::command({"run", folder.job()});
    CAPTURE(link.string(), result.output);
    CHECK(result.exit_status == 6);
    CHECK_THAT(result.output, Contains("is a link, and links are not followed"));
    CHECK(read_file(victim) == "kept");
    fs::remove_all(shards);
  };
  fs::create_directory(folder.path() / "elsewhere");
  refused(shards, folder.path() / "elsewhere");
  CHECK(fs::is_empty(folder.path() / "elsewhere"));
  refused(shards / "0", folder.path() / "elsewhere");
  CHECK(fs::is_empty(folder.path() / "elsewhere"));
  refused(shards / "0" / ".run.lock", victim);
  CHECK(test::command({"run", folder.job(), "-q"}).exit_status == 0);
}

TEST_CASE("A merge reads and removes nothing through a link") {
  const test::TemporaryFolder folder;
  const fs::path theirs = folder / "theirs.h5", mine = folder / "mine.h5";
  write_shard(shard_folder(theirs, "a"), test::synthetic_case("c1"), test::synthetic_outputs());
  fs::create_symlink(shards_folder(theirs), shards_folder(mine));
  const ProcessResult result = test::command({"merge", mine.string()});
  INFO(result.output);
  CHECK(result.exit_status == 6);
  CHECK(fs::exists(shard_folder(theirs, "a") / "c1.h5"));
  // Nor through one within the folder.
  const fs::path other = folder / "other.h5";
  write_shard(shard_folder(other, "a"), test::synthetic_case("c2"), test::synthetic_outputs());
  fs::create_directory_symlink(shard_folder(theirs, "a"), shards_folder(other) / "b");
  fs::create_symlink(shard_folder(theirs, "a") / "c1.h5", shard_folder(other, "a") / "c1.h5");
  CHECK(test::command({"merge", other.string()}).exit_status == 0);
  CHECK(read_results(other).results.size() == 2);
  CHECK(fs::exists(shard_folder(theirs, "a") / "c1.h5"));
}

TEST_CASE("A link in place of an array to be stored is not written through") {
  const test::JobFolder folder(kGood);
  folder.write("victim", "kept");
  REQUIRE(test::command({"run", folder.job(), "-q"}).exit_status == 0);
  const std::string id = read_results(folder.results()).results.at(0).case_id;
  fs::remove(folder.results());
  const fs::path own = fs::path(folder.results() + ".d") / "0";
  fs::create_directories(own);
  for (const char* variant : {"reference", "good"})
    fs::create_symlink(folder.path() / "victim", own / (id + "." + variant + ".y.raw"));
  const ProcessResult result = test::command({"run", folder.job(), "-q"});
  INFO(result.output);
  CHECK(result.exit_status == 0);
  CHECK(read_file(folder.path() / "victim") == "kept");
  CHECK(fs::exists(folder.results()));
}

TEST_CASE("Pipes and devices are refused as jobs, inputs and outputs, and nothing waits") {
  const test::JobFolder folder(kGood);
  const std::string fifo = (folder.path() / "fifo.yaml").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const auto refused = [](const std::string& words, int status, const std::string& message) {
    const ProcessResult result = in_time(words);
    CAPTURE(words, result.output);
    CHECK(result.exit_status == status);
    CHECK_THAT(result.output, Contains(message));
  };
  refused("check " + fifo, 2, "it is a pipe, not a file");
  folder.write("plugin.yaml", "workload: " + fifo + "\n");
  refused("check " + (folder.path() / "plugin.yaml").string(), 2, "it is a pipe, not a file");
  refused("check /dev/zero", 2, "it is a device, not a file");
  refused("check <(cat " + folder.job() + ")", 2, "write what it gives to a file first");
  refused("show " + fifo, 2, "it is not a regular file");
  refused("show /dev/zero", 2, "it is not a regular file");
  refused("run " + folder.job() + " -o " + fifo, 2, "it is a pipe");
  CHECK(fs::is_fifo(fifo));
  const ProcessResult given =
      in_time("check /dev/stdin -s device=host", "cat " + folder.job() + " | ");
  INFO(given.output);
  CHECK(given.exit_status == 0);

  REQUIRE(test::command({"run", folder.job(), "-q"}).exit_status == 0);
  refused("report " + folder.results() + " -o " + fifo, 6, "it is a pipe; name a file");
  refused("export " + folder.results() + " -o /dev/null", 6, "it is a device; name a file");
  CHECK(fs::is_character_file("/dev/null"));
  for (const char* name : {"x.npy", "x.h5", "x.mtx"}) {
    const fs::path path = folder.path() / name;
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    folder.write("input.yaml",
                 "workload: inline\ninputs: {x: {file: " + path.string() +
                     "}}\nvariants: {a: {kind: elementwise, in: 'T x', out: 'T y', operation: 'y = "
                     "x'}}\nreference: none\n");
    refused("check " + (folder.path() / "input.yaml").string(), 2, "it is ");
  }
}

TEST_CASE("A kernel cache that others may write is refused before anything is loaded") {
  const test::JobFolder folder(kGood);
  const fs::path cache = folder.path() / "cache";
  fs::create_directory(cache);
  fs::permissions(cache, fs::perms::group_write, fs::perm_options::add);
  const std::string set = "KERNELBATCH_CACHE_DIR=" + cache.string() + " ";
  for (const std::string& words : {"run " + folder.job(), "compile " + folder.job()}) {
    const ProcessResult result = in_time(words, set);
    CAPTURE(words, result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains("chmod -R go-w '" + cache.string() + "'"));
  }
  CHECK_FALSE(fs::exists(folder.results()));
  fs::permissions(cache, fs::perms::group_write, fs::perm_options::remove);
  // Other users cannot write to the created files, whatever the umask.
  const ProcessResult result = in_time("run -q " + folder.job(), "umask 0; " + set);
  INFO(result.output);
  CHECK(result.exit_status == 0);
  for (const auto& entry : fs::recursive_directory_iterator(cache))
    CHECK((entry.status().permissions() & (fs::perms::group_write | fs::perms::others_write)) ==
          fs::perms::none);
}

TEST_CASE("No text of a result reaches a terminal as a command") {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "r.h5";
  CaseRecord record = test::synthetic_case("c1");
  const std::string evil =
      "x\x1b]0;title\x07\x1b[2J\r\xc2\x9b"
      "31m\xe2\x80\xae\x9b";
  for (ResultRecord& result : record.results) {
    result.workload = result.device = evil;
    result.params = {{"text", evil}};
    result.launches.at(0).kernel = evil;
    result.counters.at(0).kernel = result.counters.at(0).name = evil;
    result.add_note(NoteKind::kCounters, evil);
  }
  record.environment.values = {{"host", evil}};
  record.results[1].variant = "v" + evil;
  record.results[1].status = Status::kFailed;
  record.results[1].reason = record.results[1].detail = evil;
  write_shard(shard_folder(file, "a"), record, {});
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"show", file.string(), "--launches", "--samples", "--counters"},
           {"explain", file.string()},
           {"compare", file.string(), file.string()},
           {"compare", file.string(), file.string(), "--format", "markdown"},
           {"compare", file.string(), file.string(), "--format", "github"}}) {
    const ProcessResult result = test::command(words);
    CAPTURE(words, result.output);
    for (const char* part : {"\x1b", "\r", "\x07", "\xc2\x9b", "\xe2\x80\xae"})
      CHECK(result.output.find(part) == std::string::npos);
    // Markdown has its own backslashes.
    CHECK_THAT(result.output, Contains(words.back() == "markdown" ? "x\\\\x1b]0;title\\\\x07"
                                                                  : "x\\x1b]0;title\\x07"));
  }
  // Our own colours are kept.
  CHECK_THAT(test::command({"show", file.string(), "--color", "always"}).output,
             Contains("\x1b[32m"));
}

}  // namespace
}  // namespace kernelbatch
