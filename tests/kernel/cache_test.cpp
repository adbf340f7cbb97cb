// The disk cache of compiled kernels, with a compiler that only counts.
#include "core/kernel/cache.hpp"

#include <fstream>

#include "core/base/file.hpp"
#include "core/kernel/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

class CountingCompiler final : public Compiler {
 public:
  std::string_view target() const override { return target_; }
  std::string identity() const override { return identity_; }
  Image compile(const KernelSource& source) override {
    ++compiled;
    return {target_, "compiled " + source.text, {{"f", "f_symbol"}}};
  }
  int compiled = 0;
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

TEST_CASE("What is stored comes back") {
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

TEST_CASE("A damaged entry is none, wherever the damage is") {
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

TEST_CASE("An entry on disk spares the compile, a damaged one does not") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CountingCompiler compiler;
  store_cached(folder.path(), cache_key(source("kept"), compiler), {"counting", "from disk", {}});
  CHECK(compile_cached(source("kept"), compiler).bytes == "from disk");
  CHECK(compiler.compiled == 0);

  const test::TemporaryFolder other;
  const test::EnvironmentVariable damaged("KERNELBATCH_CACHE_DIR", other.path().string());
  store_cached(other.path(), cache_key(source("lost"), compiler), {"counting", "from disk", {}});
  std::ofstream(only_file(other.path()), std::ios::binary) << "garbage";
  CHECK(compile_cached(source("lost"), compiler).bytes == "compiled lost");
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
  CHECK(compile_cached(source("unwritable"), compiler).bytes == "compiled unwritable");
}

TEST_CASE("Keys differ in everything that changes the code") {
  CountingCompiler compiler;
  const KernelSource base = source("text");
  const std::string key = cache_key(base, compiler);
  CHECK(cache_key(base, compiler) == key);
  KernelSource other = base;
  other.text += " ";
  CHECK(cache_key(other, compiler) != key);
  other = base;
  other.options = {"-DX"};
  CHECK(cache_key(other, compiler) != key);
  KernelSource swapped = base;
  swapped.entries = {"f", "-DX"};
  CHECK(cache_key(swapped, compiler) != cache_key(other, compiler));
  CountingCompiler newer;
  newer.identity_ = "counter 2";
  CHECK(cache_key(base, newer) != key);
  CountingCompiler elsewhere;
  elsewhere.target_ = "other";
  CHECK(cache_key(base, elsewhere) != key);
}

TEST_CASE("The folder is the named one, else the user's cache") {
  const test::EnvironmentVariable named("KERNELBATCH_CACHE_DIR", "/named");
  CHECK(cache_folder() == "/named");
  const test::EnvironmentVariable unnamed("KERNELBATCH_CACHE_DIR", "");
  const test::EnvironmentVariable user("XDG_CACHE_HOME", "/user");
  CHECK(cache_folder() == "/user/kernelbatch");
  const test::EnvironmentVariable no_user("XDG_CACHE_HOME", "");
  const test::EnvironmentVariable home("HOME", "/home/someone");
  CHECK(cache_folder() == "/home/someone/.cache/kernelbatch");
  const test::EnvironmentVariable homeless("HOME", "");
  CHECK_FALSE(cache_folder().has_value());
}

}  // namespace
}  // namespace kernelbatch
