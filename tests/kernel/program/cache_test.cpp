// The disk cache of compiled kernels, with a compiler that only counts.
#include "core/kernel/program/cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "core/base/cache_folder.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/file_lock.hpp"
#include "core/kernel/program/cache_key.hpp"
#include "core/kernel/program/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

class CountingCompiler final : public Compiler {
 public:
  std::string_view target() const override { return target_; }
  std::string identity() const override { return identity_; }
  Image compile(const KernelSource& source) override {
    if (refuses) throw CompileError("cannot compile", "the log", source.text);
    std::this_thread::sleep_for(pause);
    ++compiled;
    return {target_, "compiled " + source.text, {{"f", "f_symbol"}}};
  }
  std::atomic<int> compiled = 0;
  std::chrono::milliseconds pause{0};
  bool refuses = false;
  std::string target_ = "counting", identity_ = "counter 1";
};

KernelSource source(const std::string& text) {
  KernelSource result;
  result.name = "kernel";
  result.text = text;
  result.entries = {"f"};
  return result;
}

std::filesystem::path only_file(const std::filesystem::path& folder) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) found = entry.path();
  return found;
}

TEST_CASE("Stored entries are loaded") {
  const test::TemporaryFolder folder;
  const Image image{
      "sm_90", std::string("\0\x01 bytes", 8), {{"f<float>", "_Z1fIfEvv"}, {"g", ""}}};
  store_cached(folder.path(), "abcdef", image);
  const auto back = load_cached(folder.path(), "abcdef");
  REQUIRE(back.has_value());
  CHECK(back->target == image.target);
  CHECK(back->bytes == image.bytes);
  CHECK(back->symbols == image.symbols);
  CHECK_FALSE(load_cached(folder.path(), "abcdee").has_value());
}

TEST_CASE("A damaged entry is ignored, wherever the damage is") {
  const test::TemporaryFolder folder;
  store_cached(folder.path(), "abcdef", {"sm_90", "some bytes", {{"f", "g"}}});
  const std::filesystem::path path = only_file(folder.path());
  const std::string whole = read_file(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    std::ofstream(path, std::ios::binary) << damaged;
    REQUIRE_FALSE(load_cached(folder.path(), "abcdef").has_value());
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path, std::ios::binary) << whole.substr(0, size);
    REQUIRE_FALSE(load_cached(folder.path(), "abcdef").has_value());
  }
}

TEST_CASE("An entry on disk saves the compile, a damaged one does not") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CountingCompiler compiler;
  store_cached(folder.path(), cache_key(source("kept"), compiler), {"counting", "from disk", {}});
  CHECK(compile_cached(source("kept"), compiler).image.bytes == "from disk");
  CHECK(compiler.compiled == 0);

  const test::TemporaryFolder other;
  const test::EnvironmentVariable damaged("KERNELBATCH_CACHE_DIR", other.path().string());
  store_cached(other.path(), cache_key(source("lost"), compiler), {"counting", "from disk", {}});
  std::ofstream(only_file(other.path()), std::ios::binary) << "garbage";
  CHECK(compile_cached(source("lost"), compiler).image.bytes == "compiled lost");
  CHECK(compiler.compiled == 1);
  CHECK(load_cached(other.path(), cache_key(source("lost"), compiler)).has_value());
}

TEST_CASE("A compiled kernel is stored, and compiled once per process") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CountingCompiler compiler;
  compile_cached(source("stored"), compiler);
  compile_cached(source("stored"), compiler);
  CHECK(compiler.compiled == 1);
  const auto stored = load_cached(folder.path(), cache_key(source("stored"), compiler));
  REQUIRE(stored.has_value());
  CHECK(stored->bytes == "compiled stored");
}

TEST_CASE("A cache that cannot be written is no error") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "file") << "a file where the folder should be";
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", (folder / "file").string());
  CountingCompiler compiler;
  CHECK(compile_cached(source("unwritable"), compiler).image.bytes == "compiled unwritable");
}

TEST_CASE("The folder is the named one, else the user's cache") {
  const test::EnvironmentVariable named("KERNELBATCH_CACHE_DIR", "/named");
  CHECK(cache_folder() == "/named");
  const test::EnvironmentVariable unnamed("KERNELBATCH_CACHE_DIR", "");
  const test::EnvironmentVariable user("XDG_CACHE_HOME", "/user");
  CHECK(cache_folder() == "/user/kernelbatch");
  const test::EnvironmentVariable no_user("XDG_CACHE_HOME", "");
  const test::TemporaryFolder someone;
  const test::EnvironmentVariable home("HOME", someone.path().string());
  CHECK(cache_folder() == someone.path() / ".cache/kernelbatch");
  const test::EnvironmentVariable nowhere("HOME", (someone / "gone").string());
  CHECK_FALSE(cache_folder().has_value());
  std::ofstream(someone / ".cache") << "a file where the folder should be";
  const test::EnvironmentVariable blocked("HOME", someone.path().string());
  CHECK_FALSE(cache_folder().has_value());
  const test::EnvironmentVariable homeless("HOME", "");
  CHECK_FALSE(cache_folder().has_value());
}

TEST_CASE("An entry under another key's name is ignored") {
  const test::TemporaryFolder folder;
  store_cached(folder.path(), "abcdef", {"sm_90", "some bytes", {}});
  std::filesystem::rename(folder / "ab/abcdef.kernel", folder / "ab/abcdee.kernel");
  CHECK_FALSE(load_cached(folder.path(), "abcdee").has_value());
}

TEST_CASE("Entries are in subfolders by the key's first two digits, writable only by the user") {
  const test::TemporaryFolder folder;
  const mode_t before = ::umask(0002);
  store_cached(folder.path(), "abcdef", {"sm_90", "some bytes", {}});
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((folder / "ab/abcdef.kernel").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0644);
  REQUIRE(::stat((folder / "ab").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0755);
}

/// Keys of `count` entries of equal size, each used a minute later than the previous one.
std::vector<std::string> store_aged(const std::filesystem::path& folder, int count) {
  std::vector<std::string> keys;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (int k = 0; k < count; ++k) {
    keys.push_back((k % 2 == 0 ? "aa" : "0b") + std::to_string(k));
    store_cached(folder, keys.back(), {"sm_90", std::string(1000, 'x'), {}}, 1 << 30);
    std::filesystem::last_write_time(folder / keys.back().substr(0, 2) / (keys.back() + ".kernel"),
                                     now - std::chrono::minutes(count - k));
  }
  return keys;
}

std::vector<bool> are_there(const std::filesystem::path& folder,
                            const std::vector<std::string>& keys) {
  std::vector<bool> result;
  for (const std::string& key : keys) result.push_back(load_cached(folder, key).has_value());
  return result;
}

TEST_CASE("The least recently used entries are evicted first") {
  const test::TemporaryFolder folder;
  const std::vector<std::string> keys = store_aged(folder.path(), 5);
  const CacheUsage usage = cache_usage(folder.path());
  CHECK(usage.entries == 5);
  const std::uint64_t each = usage.bytes / 5;
  mark_used(folder.path(), keys[0]);

  const CacheUsage removed = trim_cache(folder.path(), 3 * each);
  CHECK(removed.entries == 2);
  CHECK(removed.bytes == 2 * each);
  CHECK(are_there(folder.path(), keys) == std::vector{true, false, false, true, true});
  CHECK(trim_cache(folder.path(), 3 * each).entries == 0);
  CHECK(trim_cache(folder.path(), 3 * each - 1).entries == 1);
  CHECK(cache_usage(folder.path()).bytes == 2 * each);
}

TEST_CASE("A store keeps the folder within its limit") {
  const test::TemporaryFolder folder;
  std::vector<std::string> keys = store_aged(folder.path(), 4);
  const std::uint64_t limit = cache_usage(folder.path()).bytes;
  for (int k = 0; k < 100; ++k) {
    keys.push_back("cc" + std::to_string(k));
    store_cached(folder.path(), keys.back(), {"sm_90", std::string(1000, 'y'), {}}, limit);
    REQUIRE(cache_usage(folder.path()).bytes <= limit);
    REQUIRE(load_cached(folder.path(), keys.back()).has_value());
  }
  CHECK_FALSE(load_cached(folder.path(), keys[0]).has_value());
}

TEST_CASE("A limit of 0 keeps nothing, and an invalid limit is named") {
  const test::TemporaryFolder folder;
  store_cached(folder.path(), "abcdef", {"sm_90", "some bytes", {}}, 0);
  CHECK(cache_usage(folder.path()).entries == 0);
  {
    const test::EnvironmentVariable unset("KERNELBATCH_CACHE_MAX_SIZE", "");
    CHECK(cache_limit() == std::uint64_t{2} << 30);
  }
  const test::EnvironmentVariable limit("KERNELBATCH_CACHE_MAX_SIZE", "500MB");
  CHECK(cache_limit() == 500'000'000);
  const test::EnvironmentVariable bad("KERNELBATCH_CACHE_MAX_SIZE", "much");
  CHECK_THAT(test::error_text<SpecError>([] { cache_limit(); }),
             Contains("KERNELBATCH_CACHE_MAX_SIZE: ") && Contains("'much'"));
}

TEST_CASE("Trimming removes leftovers of killed processes, and nothing else") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "ab");
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (const char* name : {"ab/.x.kernel.1.0.tmp", "ab/x.lock", "ab/held.lock", "ab/notes.txt",
                           "ab/new.lock", "notes.kernel"}) {
    std::ofstream(folder / name) << "x";
    if (std::string(name) != "ab/new.lock") std::filesystem::last_write_time(folder / name, old);
  }
  const FileLock held(folder / "ab/held.lock", std::chrono::milliseconds(0), [] { return false; });
  REQUIRE(held.is_held());
  trim_cache(folder.path(), 0);
  CHECK_FALSE(std::filesystem::exists(folder / "ab/.x.kernel.1.0.tmp"));
  CHECK_FALSE(std::filesystem::exists(folder / "ab/x.lock"));
  for (const char* name : {"ab/held.lock", "ab/notes.txt", "ab/new.lock", "notes.kernel"})
    CHECK(std::filesystem::exists(folder / name));
}

TEST_CASE("A lock excludes others until it is released, and leaves no file") {
  const test::TemporaryFolder folder;
  const auto path = folder / "ab/key.lock";
  const auto never = [] { return false; };
  {
    const FileLock first(path, std::chrono::milliseconds(0), never);
    CHECK(first.is_held());
    const FileLock second(path, std::chrono::milliseconds(30), never);
    CHECK_FALSE(second.is_held());
    const FileLock unwanted(path, std::chrono::hours(1), [] { return true; });
    CHECK_FALSE(unwanted.is_held());
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(FileLock(path, std::chrono::milliseconds(0), never).is_held());
  std::ofstream(folder / "file") << "not a folder";
  CHECK_FALSE(FileLock(folder / "file/key.lock", std::chrono::hours(1), never).is_held());
}

TEST_CASE("The site's cache is read after the user's and never written") {
  const test::TemporaryFolder own;
  const test::TemporaryFolder site;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", own.path().string());
  const test::EnvironmentVariable shared("KERNELBATCH_CACHE_SHARED", site.path().string());
  CountingCompiler compiler;
  const auto key = [&](const char* text) { return cache_key(source(text), compiler); };
  store_cached(site.path(), key("site only"), {"counting", "from the site", {}});
  store_cached(site.path(), key("both"), {"counting", "from the site", {}});
  store_cached(own.path(), key("both"), {"counting", "my own", {}});
  const auto file = site.path() / key("site only").substr(0, 2) / (key("site only") + ".kernel");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file, long_ago);

  CHECK(compile_cached(source("site only"), compiler).image.bytes == "from the site");
  CHECK(compile_cached(source("both"), compiler).image.bytes == "my own");
  CHECK(compile_cached(source("neither"), compiler).image.bytes == "compiled neither");
  CHECK(compiler.compiled == 1);
  CHECK(cache_usage(site.path()).entries == 2);
  CHECK(std::filesystem::last_write_time(file) == long_ago);
  CHECK_FALSE(load_cached(own.path(), key("site only")).has_value());
  CHECK(load_cached(own.path(), key("neither")).has_value());
}

TEST_CASE("A hit makes an entry the last to be evicted") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CountingCompiler compiler;
  store_cached(folder.path(), cache_key(source("used"), compiler), {"counting", "used", {}});
  const auto path = only_file(folder.path());
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  compile_cached(source("used"), compiler);
  CHECK(std::filesystem::last_write_time(path) >
        std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
}

TEST_CASE("Concurrent threads with one key compile once") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CountingCompiler compiler;
  compiler.pause = std::chrono::milliseconds(20);
  std::vector<std::string> got(16);
  {
    std::vector<std::jthread> threads;
    for (std::string& each : got)
      threads.emplace_back([&] { each = compile_cached(source("threads"), compiler).image.bytes; });
  }
  CHECK(compiler.compiled == 1);
  CHECK(got == std::vector<std::string>(16, "compiled threads"));
}

TEST_CASE("A refused source is refused for every thread, and compiled again on the next request") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CountingCompiler compiler;
  compiler.refuses = true;
  CHECK(test::error_text<CompileError>([&] { compile_cached(source("bad"), compiler); }) ==
        "cannot compile: the log");
  compiler.refuses = false;
  CHECK(compile_cached(source("bad"), compiler).image.bytes == "compiled bad");
}

TEST_CASE("A failed compile shows the numbered source on request") {
  CountingCompiler compiler;
  compiler.refuses = true;
  const test::EnvironmentVariable dump("KERNELBATCH_DUMP_SOURCE", "1");
  try {
    compile_cached(source("one\ntwo"), compiler);
    FAIL("nothing was thrown");
  } catch (const CompileError& error) {
    CHECK(error.log() == "the log\nsource:\n1 | one\n2 | two\n");
    CHECK(std::string(error.what()) == "cannot compile: the log\nsource:\n1 | one\n2 | two");
  }
  const test::EnvironmentVariable none("KERNELBATCH_DUMP_SOURCE", "0");
  CHECK(test::error_text<CompileError>([&] { compile_cached(source("a\nb"), compiler); }) ==
        "cannot compile: the log");
}

TEST_CASE("Sources are kept under their name and the key's first digits") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", (folder / "cache").string());
  const test::EnvironmentVariable keep("KERNELBATCH_KEEP_SOURCE", (folder / "kept/here").string());
  CountingCompiler compiler;
  KernelSource odd = source("kept text");
  odd.name = "a/b c";
  compile_cached(odd, compiler);
  const auto path =
      folder / "kept/here" / ("a_b_c-" + cache_key(odd, compiler).substr(0, 8) + ".cu");
  CHECK(read_file(path) == "kept text\n// entry: f\n");
  std::ofstream(folder / "file") << "x";
  const test::EnvironmentVariable bad("KERNELBATCH_KEEP_SOURCE", (folder / "file").string());
  CHECK_THROWS_AS(compile_cached(source("not kept"), compiler), StoreError);
}

}  // namespace
}  // namespace kernelbatch
