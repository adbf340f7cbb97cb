#include "core/base/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("Atomically written data are read back, including zero bytes") {
  const test::TemporaryFolder folder;
  const std::string text("a\0b\n", 4);
  write_file_atomically(folder / "x.bin", text);

  CHECK(read_file(folder / "x.bin") == text);
  CHECK(entries_in(folder.path()) == 1);
}

TEST_CASE("An atomic write replaces a file and creates missing folders") {
  const test::TemporaryFolder folder;
  const fs::path path = folder / "deep/er/x.txt";
  write_file_atomically(path, "one");
  write_file_atomically(path, "two");
  CHECK(read_file(path) == "two");
  CHECK(entries_in(path.parent_path()) == 1);
}

TEST_CASE("A failed atomic write leaves neither a temporary nor a changed file") {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "taken");
  std::ofstream(folder / "taken/inside") << "kept";

  CHECK_THROWS_AS(write_file_atomically(folder / "taken", "text"), StoreError);
  CHECK(entries_in(folder.path()) == 1);
  CHECK(read_file(folder / "taken/inside") == "kept");
}

TEST_CASE("An atomic write below a file reports what it could not create") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  CHECK_THROWS_WITH(
      write_file_atomically(folder / "file/x", "text"),
      Contains("cannot create the folder") && Contains("file'") && Contains("Not a directory"));
}

TEST_CASE("A link in a file's place is replaced, and its target is not changed") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "victim") << "kept";
  for (const char* name : {"written", "committed", "created"})
    fs::create_symlink(folder / "victim", folder / name);
  write_file_atomically(folder / "written", "new");
  NewFile file(folder / "committed");
  write_all(file.descriptor().get(), std::as_bytes(std::span("new", 3)), folder / "committed");
  file.commit(folder / "committed");
  write_all(create_file(folder / "created").get(), std::as_bytes(std::span("new", 3)),
            folder / "created");
  CHECK(read_file(folder / "victim") == "kept");
  for (const char* name : {"written", "committed", "created"}) {
    CHECK_FALSE(fs::is_symlink(folder / name));
    CHECK(read_file(folder / name) == "new");
  }
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  write_file_atomically(folder / "dangling", "new");
  CHECK_FALSE(fs::exists(folder / "nowhere"));
  CHECK_THROWS_WITH(
      [&] {
        fs::create_symlink(folder / "nowhere", folder / "link");
        refuse_link(folder / "link");
      }(),
      Contains("is a link"));
}

TEST_CASE("Pipes, devices and sockets are neither read nor replaced") {
  const test::TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder / "zero");
  for (const fs::path& path : {folder / "fifo", folder / "zero"}) {
    CHECK_THROWS_AS(read_file(path), SpecError);
    CHECK_THROWS_AS(MappedFile(path), SpecError);
    CHECK_THROWS_AS(require_regular_file(path), SpecError);
    CHECK_THROWS_WITH(write_file_atomically(path, "text"), Contains("name a file"));
  }
  CHECK_THROWS_WITH(read_file(folder / "fifo"), Contains("it is a pipe, not a file"));
  for (const char* path : {"/dev/null", "/dev/stdout", "/proc/self/fd/1"})
    CHECK_THROWS_WITH(write_file_atomically(path, "text"), Contains("it is a device"));
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_NOTHROW(require_regular_file(folder / "not there"));
}

TEST_CASE("Files that others may write, or have written, are not trusted") {
  const test::TemporaryFolder folder;
  const mode_t before = ::umask(0002);
  make_own_folder(folder / "deep/er");
  write_file_atomically(folder / "deep/er/x", "x", Writers::kOwner);
  ::umask(before);
  for (const char* name : {"deep", "deep/er", "deep/er/x", "not there"})
    CHECK(reason_no_trust(folder / name, Owner::kUser).empty());
  for (const fs::perms extra : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(folder / "deep/er", extra, fs::perm_options::add);
    CHECK_THAT(reason_no_trust(folder / "deep/er", Owner::kUser), Contains("chmod -R go-w"));
    fs::permissions(folder / "deep/er", extra, fs::perm_options::remove);
  }
  if (::geteuid() != 0) return;
  REQUIRE(::chown((folder / "deep").c_str(), 12345, 0) == 0);
  CHECK_THAT(reason_no_trust(folder / "deep", Owner::kUser),
             Contains("belongs to the user 12345, not to 0") && Contains("chown -R 0"));
  CHECK_FALSE(reason_no_trust(folder / "deep", Owner::kUserOrRoot).empty());
}

TEST_CASE("Read errors have the file and the reason") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH(read_file("/nowhere/x"), "cannot read '/nowhere/x': No such file or directory");
  CHECK_THROWS_WITH(read_file(folder.path()), Contains("it is a folder"));
  CHECK_THROWS_AS(read_file("/nowhere/x"), SpecError);
}

TEST_CASE("An empty file reads as nothing") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "x", "");
  CHECK(read_file(folder / "x").empty());
  CHECK(MappedFile(folder / "x").bytes().empty());
}

TEST_CASE("A new file has a temporary name until it is committed") {
  const test::TemporaryFolder folder;
  {
    NewFile file(folder / "x");
    std::ofstream(file.path()) << "text";
    CHECK(file.path().filename().string().starts_with(".x."));
    CHECK_FALSE(is_abandoned(file.path()));
    CHECK_FALSE(fs::exists(folder / "x"));
    file.commit(folder / "x");
  }
  CHECK(read_file(folder / "x") == "text");
  CHECK(entries_in(folder.path()) == 1);
  { const NewFile abandoned(folder / "x"); }
  CHECK(read_file(folder / "x") == "text");
  CHECK(entries_in(folder.path()) == 1);
  CHECK_THROWS_AS(NewFile(folder / "missing/x"), StoreError);
  std::ofstream(folder / ".x.left.0.tmp") << "half";
  CHECK(is_abandoned(folder / ".x.left.0.tmp"));
  CHECK_FALSE(is_abandoned(folder / "missing"));
}

TEST_CASE("Temporary names are different") {
  const test::TemporaryFolder folder;
  const fs::path temporary = temporary_name(folder / "x");
  CHECK(temporary.parent_path() == folder.path());
  CHECK(temporary != temporary_name(folder / "x"));
}

TEST_CASE("A writable folder is created, or refused with the reason") {
  const test::TemporaryFolder folder;
  make_writable_folder(folder / "a/b");
  make_writable_folder(folder / "a/b");
  CHECK(fs::is_directory(folder / "a/b"));
  std::ofstream(folder / "file") << "x";
  CHECK_THROWS_AS(make_writable_folder(folder / "file/b"), StoreError);
}

TEST_CASE("A mapped file shows the file's bytes and survives a move") {
  const test::TemporaryFolder folder;
  write_file_atomically(folder / "x", "abc");
  MappedFile mapped(folder / "x");
  const MappedFile moved(std::move(mapped));
  REQUIRE(moved.bytes().size() == 3);
  CHECK(moved.bytes()[2] == std::byte{'c'});
  CHECK_THROWS_AS(MappedFile(folder.path()), SpecError);
  CHECK_THROWS_AS(MappedFile(folder / "missing"), SpecError);
}

TEST_CASE("A file descriptor has one owner") {
  FileDescriptor first{::dup(0)};
  REQUIRE(first);
  const int number = first.get();
  FileDescriptor second(std::move(first));
  CHECK(second.get() == number);
  second.reset();
  CHECK_FALSE(second);
  CHECK(::close(number) != 0);
}

TEST_CASE("The executable's path is this test") {
  CHECK(executable_path().filename() == "base_tests");
}

}  // namespace
}  // namespace kernelbatch
