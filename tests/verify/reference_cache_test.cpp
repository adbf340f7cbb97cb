#include "core/verify/reference_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <fstream>

#include "core/base/error.hpp"
#include "core/verify/job_inputs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;
using Outputs = std::map<std::string, Array>;

Outputs two_outputs() {
  return {{"y", Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}).reshape({2, 3})},
          {"count", Array::from(std::vector<std::int64_t>{7}).reshape({})}};
}

constexpr std::uint64_t kPlenty = 1 << 20;

TEST_CASE("Stored outputs are loaded, element by element") {
  const test::TemporaryFolder folder;
  store_reference(folder.path(), "k", two_outputs(), kPlenty);
  const auto loaded = load_reference(folder.path(), "k");
  REQUIRE(loaded);
  REQUIRE(loaded->size() == 2);
  CHECK(loaded->at("y").dtype() == DType::kFloat32);
  CHECK(loaded->at("y").shape() == Shape({2, 3}));
  CHECK(loaded->at("y").as<float>()[5] == 6);
  CHECK(loaded->at("count").as<std::int64_t>()[0] == 7);
  CHECK_FALSE(load_reference(folder.path(), "other"));
}

TEST_CASE("A damaged, truncated or foreign entry is a miss") {
  const test::TemporaryFolder folder;
  store_reference(folder.path(), "k", two_outputs(), kPlenty);
  const fs::path file = folder / "k.reference";
  fs::copy_file(file, folder / "stolen.reference");
  CHECK_FALSE(load_reference(folder.path(), "stolen"));
  {
    std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(-1, std::ios::end);
    damaged.put('x');
  }
  CHECK_FALSE(load_reference(folder.path(), "k"));
  store_reference(folder.path(), "k", two_outputs(), kPlenty);
  CHECK(load_reference(folder.path(), "k"));
  fs::resize_file(file, fs::file_size(file) - 5);
  CHECK_FALSE(load_reference(folder.path(), "k"));
  fs::resize_file(file, 0);
  CHECK_FALSE(load_reference(folder.path(), "k"));
}

TEST_CASE("The least recently used is evicted first, and nothing too large is stored") {
  const test::TemporaryFolder folder;
  const Outputs outputs{{"y", Array::on_host(DType::kUInt8, {1000})}};
  const auto set_age = [&](const std::string& key, long seconds) {
    const timespec times[2] = {{1000000 - seconds, 0}, {1000000 - seconds, 0}};
    ::utimensat(AT_FDCWD, (folder / (key + ".reference")).c_str(), times, 0);
  };
  store_reference(folder.path(), "a", outputs, 5000);
  store_reference(folder.path(), "b", outputs, 5000);
  store_reference(folder.path(), "c", outputs, 5000);
  set_age("a", 20);
  set_age("b", 30);
  set_age("c", 10);
  CHECK(load_reference(folder.path(), "b"));  // now the last used
  store_reference(folder.path(), "d", outputs, 4100);
  CHECK_FALSE(load_reference(folder.path(), "a"));
  CHECK(load_reference(folder.path(), "b"));
  CHECK(load_reference(folder.path(), "d"));
  store_reference(folder.path(), "e", outputs, 3999);
  CHECK_FALSE(load_reference(folder.path(), "e"));
}

TEST_CASE("A folder that cannot be written is no error") {
  CHECK_NOTHROW(store_reference("/proc/nowhere", "k", two_outputs(), kPlenty));
  CHECK_FALSE(load_reference("/proc/nowhere", "k"));
}

TEST_CASE("Only outputs that cost more to compute than to read are kept") {
  const Outputs large{{"y", Array::on_host(DType::kUInt8, {10'000'000})}};
  CHECK_FALSE(is_worth_keeping(0.01, two_outputs()));
  CHECK(is_worth_keeping(0.1, two_outputs()));
  CHECK_FALSE(is_worth_keeping(0.1, large));
  CHECK(is_worth_keeping(0.2, large));
}

TEST_CASE("The environment disables or limits the cache") {
  const test::TemporaryFolder folder;
  const test::EnvironmentVariable cache("KERNELBATCH_CACHE_DIR", folder.path().string());
  CHECK(reference_folder() == folder.path() / "references");
  CHECK(reference_limit() == std::uint64_t{1} << 30);
  {
    const test::EnvironmentVariable off("KERNELBATCH_REFERENCE_CACHE", "0");
    CHECK_FALSE(reference_folder());
  }
  const test::EnvironmentVariable size("KERNELBATCH_REFERENCE_CACHE", "2 KiB");
  CHECK(reference_limit() == 2048);
  const test::EnvironmentVariable wrong("KERNELBATCH_REFERENCE_CACHE", "much");
  CHECK_THAT(test::error_text<SpecError>([] { reference_limit(); }),
             Contains("KERNELBATCH_REFERENCE_CACHE"));
}

TEST_CASE("Inputs have the same hash only if names, forms and elements are the same") {
  const auto hash_of = [](const std::string& name, const Array& array) {
    JobInputs inputs({}, {}, "");
    inputs.take(name, [&] { return array; });
    return inputs.content_hash();
  };
  const Array x = Array::from(std::vector<float>{1, 2, 3, 4});
  CHECK(hash_of("x", x) == hash_of("x", Array::from(std::vector<float>{1, 2, 3, 4})));
  CHECK(hash_of("x", x) != hash_of("y", x));
  CHECK(hash_of("x", x) != hash_of("x", x.reshape({2, 2})));
  CHECK(hash_of("x", x) != hash_of("x", Array::from(std::vector<float>{1, 2, 3, 5})));
}

}  // namespace
}  // namespace kernelbatch
