// Every command that reads results, with every kind of invalid file: a clear message, the specified
// exit code, and the file unchanged.
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "core/base/file.hpp"
#include "core/result/h5/h5.hpp"
#include "core/result/merge.hpp"
#include "core/result/merged_writer.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/app/command.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

/// The commands that read one file.
const std::vector<std::vector<std::string>> kReaders{
    {"show"},   {"status"}, {"merge"}, {"compare", "--variants", "elementwise,raw"},
    {"export"}, {"report"}};

fs::path whole_file(const test::TemporaryFolder& folder) {
  const fs::path path = folder / "r.h5";
  write_shard(shard_folder(path, "a"), test::synthetic_case("c1"), test::synthetic_outputs());
  merge_shards(path);
  return path;
}

void check_all_refuse(const fs::path& path, int exit_status, const std::string& why) {
  const std::string before = read_file(path);
  for (std::vector<std::string> command : kReaders) {
    command.push_back(path.string());
    const ProcessResult result = test::command(command);
    CAPTURE(command, result.output);
    CHECK(result.exit_status == exit_status);
    CHECK(result.output.starts_with("kernelbatch: "));
    CHECK_THAT(result.output, Contains(path.string()) && Contains(why));
    CHECK(read_file(path) == before);
  }
}

/// Runs the command as an unprivileged user, since permissions do not apply to root.
ProcessResult as_user(std::vector<std::string> arguments) {
  test::set_environment();
  std::vector<std::string> command;
  if (::geteuid() == 0) command = {"setpriv", "--reuid=65534", "--clear-groups"};
  command.push_back(test::executable());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_process(command);
}

TEST_CASE("a file that is not HDF5 is refused") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "notes.h5") << "hello";
  std::ofstream(folder / "empty.h5") << "";
  check_all_refuse(folder / "notes.h5", 2, "not HDF5");
  check_all_refuse(folder / "empty.h5", 2, "not HDF5");
}

TEST_CASE("a truncated file, or one that is still being written, is refused") {
  const test::TemporaryFolder folder;
  const fs::path path = whole_file(folder);
  const std::string bytes = read_file(path);
  for (const std::size_t size : {bytes.size() - 1, bytes.size() / 2, std::size_t{2048}}) {
    write_file_atomically(path, std::string_view(bytes).substr(0, size));
    check_all_refuse(path, 6, "cannot read");
  }
}

TEST_CASE("a file that a writer still holds open is refused") {
  const test::TemporaryFolder folder;
  const h5::File writer = h5::File::create(folder / "r.h5");
  for (std::vector<std::string> command : kReaders) {
    command.push_back((folder / "r.h5").string());
    const ProcessResult result = test::command(command);
    CAPTURE(command, result.output);
    CHECK((result.exit_status == 2 || result.exit_status == 6));
    CHECK_THAT(result.output, Contains((folder / "r.h5").string()));
  }
}

TEST_CASE("another program's HDF5 is refused") {
  const test::TemporaryFolder folder;
  h5::File file = h5::File::create(folder / "other.h5");
  file.root().set("title", "weather");
  file.close();
  check_all_refuse(folder / "other.h5", 2, "another program's");
}

TEST_CASE("a newer schema is refused with advice, an unknown one by its name") {
  const test::TemporaryFolder folder;
  for (const auto& [version, why] :
       {std::pair{"3", "newer kernelbatch"}, {"x", "unknown schema"}}) {
    h5::File file = h5::File::create(folder / "new.h5");
    file.root().set("kernelbatch_schema", version);
    file.close();
    check_all_refuse(folder / "new.h5", 2, why);
  }
}

TEST_CASE("a file that lacks a group is refused with its name") {
  const test::TemporaryFolder folder;
  h5::File file = h5::File::create(folder / "bare.h5");
  file.root().set("kernelbatch_schema", "1");
  file.close();
  check_all_refuse(folder / "bare.h5", 6, "lacks the table");
}

TEST_CASE("a path that does not exist is refused") {
  for (std::vector<std::string> command : kReaders) {
    command.push_back("/nowhere/r.h5");
    const ProcessResult result = test::command(command);
    CAPTURE(command, result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains("no results") && Contains("/nowhere/r.h5"));
  }
}

TEST_CASE("a file that may not be read is refused with the system's reason") {
  const test::TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  const fs::path path = whole_file(folder);
  ::chmod(path.c_str(), 0);
  if (as_user({"--version"}).exit_status != 0) {
    WARN("another user cannot access the executable: skipped");
    return;
  }
  for (std::vector<std::string> command : kReaders) {
    command.push_back(path.string());
    const ProcessResult result = as_user(command);
    CAPTURE(command, result.output);
    CHECK(result.exit_status == 2);
    CHECK_THAT(result.output, Contains(path.string()) && Contains("Permission denied"));
  }
}

TEST_CASE("a merge into a folder that is read-only ends with 6 and keeps the shards") {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "r.h5";
  write_shard(shard_folder(path, "a"), test::synthetic_case("c1"), test::synthetic_outputs());
  ::chmod(folder.path().c_str(), 0555);
  if (as_user({"--version"}).exit_status != 0) {
    WARN("another user cannot access the executable: skipped");
    return;
  }
  const ProcessResult result = as_user({"merge", path.string()});
  ::chmod(folder.path().c_str(), 0755);
  INFO(result.output);
  CHECK(result.exit_status == 6);
  CHECK_THAT(result.output, Contains(folder.path().string()) && Contains("ermission denied"));
  CHECK(fs::exists(shard_folder(path, "a") / "c1.h5"));
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("writing into a read-only folder ends with 6") {
  const test::TemporaryFolder folder;
  const fs::path path = whole_file(folder), closed = folder / "closed";
  fs::create_directory(closed);
  ::chmod(folder.path().c_str(), 0755);
  ::chmod(closed.c_str(), 0555);
  if (as_user({"--version"}).exit_status != 0) {
    WARN("another user cannot access the executable: skipped");
    return;
  }
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"report", path.string(), "-o", (closed / "x.html").string()},
        {"export", path.string(), "-o", (closed / "x.csv").string()},
        {"export", path.string(), "--format", "npy", "-o", (closed / "x").string()},
        {"merge", path.string(), "-o", (closed / "x.h5").string()}}) {
    const ProcessResult result = as_user(command);
    CAPTURE(command, result.output);
    CHECK(result.exit_status == 6);
    CHECK_THAT(result.output, Contains(closed.string()) && Contains("ermission denied"));
    CHECK(fs::is_empty(closed));
  }
}

TEST_CASE("a file without cases is reported as such") {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "r.h5").string();
  NewFile file(path);
  MergedWriter(file, "kernelbatch test").finish();
  file.commit(path);
  const ProcessResult shown = test::command({"show", path});
  CHECK(shown.exit_status == 0);
  CHECK_THAT(shown.output, Contains("holds no results"));
  CHECK(test::command({"merge", path}).exit_status == 0);
  CHECK_THAT(test::command({"status", path}).output, Contains("done       0 cases"));
  CHECK_THAT(test::command({"export", path}).output, Contains("case_id,workload"));
  CHECK(test::command({"report", path}).exit_status == 0);
  const ProcessResult compared = test::command({"compare", path, path});
  CHECK(compared.exit_status == 2);
  CHECK_THAT(compared.output, Contains("no result of the same case"));
}

TEST_CASE("results that all failed are shown with their reasons") {
  const test::TemporaryFolder folder;
  CaseRecord record = test::synthetic_case("c1");
  for (ResultRecord& result : record.results) {
    result.status = Status::kCrashed;
    result.reason = "killed by signal 11";
  }
  write_shard(shard_folder(folder / "r.h5", "a"), record, {});
  for (std::vector<std::string> command : kReaders) {
    command.push_back((folder / "r.h5").string());
    const ProcessResult result = test::command(command);
    CAPTURE(command, result.output);
    CHECK(result.exit_status == 0);
    if (command[0] == "show") CHECK_THAT(result.output, Contains("killed by signal 11"));
    if (command[0] == "compare") CHECK_THAT(result.output, Contains("crashed in A"));
  }
}

TEST_CASE("missing times are shown as such, also with a failure") {
  const test::TemporaryFolder folder;
  CaseRecord record = test::synthetic_case("c1");
  for (ResultRecord& result : record.results) {
    result.cold = {};
    result.hot = {};
    result.speedup = kMissing;
  }
  record.results[1].status = Status::kCrashed;
  record.results[1].reason = "killed by signal 11";
  write_shard(shard_folder(folder / "r.h5", "a"), record, {});
  for (std::vector<std::string> command : kReaders) {
    command.push_back((folder / "r.h5").string());
    const ProcessResult result = test::command(command);
    CAPTURE(command, result.output);
    CHECK(result.exit_status == 0);
    CHECK(result.output.find("nan") == std::string::npos);
  }
}

}  // namespace
}  // namespace kernelbatch
