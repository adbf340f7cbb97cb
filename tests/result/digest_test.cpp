// Damage is detected before HDF5 reads the file.
#include "core/result/digest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/h5/h5.hpp"
#include "core/result/inspect.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

fs::path shard_in(const test::TemporaryFolder& folder) {
  write_shard(shard_folder(folder / "r.h5", "a"), test::synthetic_case("c1"),
              test::synthetic_outputs());
  return shard_folder(folder / "r.h5", "a") / "c1.h5";
}

fs::path merged_in(const test::TemporaryFolder& folder) {
  shard_in(folder);
  merge_shards(folder / "r.h5");
  return folder / "r.h5";
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<InspectedFile> inspected(const fs::path& path) {
  std::vector<InspectedFile> files;
  inspect_results(path, [&](const InspectedFile& file) { files.push_back(file); });
  return files;
}

/// Number of bits flipped in each kind of file; set by KERNELBATCH_TEST_FLIPS.
std::size_t flips() {
  const char* text = std::getenv("KERNELBATCH_TEST_FLIPS");
  return text == nullptr ? 1000 : static_cast<std::size_t>(std::atoll(text));
}

/// Flips bits one at a time, the last 1,000 of the file among them, and expects every reader to
/// refuse the file.
void check_flips(const fs::path& path) {
  const std::string whole = read_file(path);
  const char* seed = std::getenv("KERNELBATCH_TEST_SEED");
  std::mt19937_64 random(seed == nullptr ? 20260801 : std::strtoull(seed, nullptr, 10));
  const std::size_t bits = 8 * whole.size(), count = std::min(flips(), bits);
  std::size_t silent = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t bit = count == bits ? k
                            : k < 1000
                                ? bits - 1 - k
                                : std::uniform_int_distribution<std::size_t>(0, bits - 1)(random);
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    overwrite(path, damaged);
    try {
      read_results(path);
      ++silent;
      UNSCOPED_INFO("bit " << bit);
    } catch (const Error&) {
    }
  }
  overwrite(path, whole);
  CHECK(silent == 0);
  CHECK(read_results(path).results.size() == 2);
}

TEST_CASE("every flipped bit of a shard is found") {
  const test::TemporaryFolder folder;
  check_flips(shard_in(folder));
}

TEST_CASE("every flipped bit of a merged file is found") {
  const test::TemporaryFolder folder;
  check_flips(merged_in(folder));
}

TEST_CASE("a truncated or extended file is detected") {
  const test::TemporaryFolder folder;
  for (const fs::path& path : {shard_in(folder), merged_in(folder)}) {
    if (!fs::exists(path)) shard_in(folder);
    const std::string whole = read_file(path);
    for (const std::size_t size : {whole.size() - 1, whole.size() - 90, whole.size() / 2,
                                   std::size_t{100}, std::size_t{8}, std::size_t{0}}) {
      overwrite(path, whole.substr(0, size));
      CAPTURE(path, size);
      CHECK_THROWS_AS(read_results(path), Error);
    }
    overwrite(path, whole + "x");
    CHECK_THROWS_AS(read_results(path), StoreError);
    overwrite(path, whole + whole);
    CHECK_THROWS_AS(read_results(path), StoreError);
    overwrite(path, whole);
    CHECK(read_results(path).results.size() == 2);
  }
}

TEST_CASE("a damaged shard is set aside by a merge, and its case is missing") {
  const test::TemporaryFolder folder;
  const fs::path file = folder / "r.h5";
  for (const char* id : {"c1", "c2", "c3"})
    write_shard(shard_folder(file, "a"), test::synthetic_case(id), test::synthetic_outputs());
  const fs::path shard = shard_folder(file, "a") / "c2.h5";
  std::string bytes = read_file(shard);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  overwrite(shard, bytes);
  overwrite(shard_folder(file, "a") / "c3.h5", std::string(512, '\0'));

  CHECK(read_results(file).problems.size() == 2);
  const MergeReport report = merge_shards(file);

  REQUIRE(report.unreadable.size() == 2);
  CHECK(report.unreadable[0].case_id == "c2");
  CHECK_THAT(report.unreadable[0].reason, Contains("does not fit its digest"));
  CHECK_THAT(report.unreadable[1].reason, Contains("not HDF5"));
  CHECK(read_results(file).results.size() == 2);
  const auto files = inspected(file);
  REQUIRE(files.size() == 3);
  CHECK(files[0].problem.empty());
  CHECK_THAT(files[1].problem, Contains("set it aside"));
}

TEST_CASE("512 bytes of zeros hang no reader") {
  const test::TemporaryFolder folder;
  overwrite(folder / "zeros.h5", std::string(512, '\0'));
  CHECK_THROWS_AS(read_results(folder / "zeros.h5"), SpecError);
  CHECK_THAT(inspected(folder / "zeros.h5").at(0).problem, Contains("not HDF5"));
}

TEST_CASE("readable parts of a damaged file are read on request") {
  const test::TemporaryFolder folder;
  Parts parts;
  parts.damaged = Damaged::kRead;
  for (const fs::path& path : {shard_in(folder), merged_in(folder)}) {
    if (!fs::exists(path)) shard_in(folder);
    std::string bytes = read_file(path);
    // The name of the job is content that HDF5 does not check.
    const std::size_t at = bytes.find("demo");
    REQUIRE(at != std::string::npos);
    bytes[at] = 'D';
    overwrite(path, bytes);
    CHECK_THROWS_WITH(read_results(path), Contains("--read-damaged"));
    const ResultFile read = read_results(path, parts);
    CHECK(read.results.size() == 2);
    CHECK(read_output(path, "c1", "raw", "z", Damaged::kRead).bytes.size() == 96);
    // Without a digest, too.
    overwrite(path, bytes.substr(0, bytes.size() - 50));
    CHECK_THROWS_WITH(read_results(path), Contains("lacks the digest"));
    CHECK(read_results(path, parts).results.size() == 2);
    fs::remove(path);
  }
}

TEST_CASE("an array that does not match its digest is excluded from merges and exports") {
  const test::TemporaryFolder folder;
  CaseRecord record = test::synthetic_case("c1");
  record.results[1].outputs[0].xxh3 = hash_hex("something else");
  write_shard(shard_folder(folder / "r.h5", "a"), record, test::synthetic_outputs());

  CHECK_THROWS_WITH(for_each_output(folder / "r.h5", [](auto&&...) {}),
                    Contains("'z' of variant 'raw' is damaged"));
  CHECK_THAT(inspected(folder / "r.h5").at(0).problem, Contains("'z' of case 'c1'"));
  CHECK_THAT(merge_shards(folder / "r.h5").unreadable.at(0).reason, Contains("is damaged"));
}

TEST_CASE("inspecting lists each file, its arrays and its damage") {
  const test::TemporaryFolder folder;
  merged_in(folder);
  write_shard(shard_folder(folder / "r.h5", "b"), test::synthetic_case("c2"),
              test::synthetic_outputs(), {.separate_outputs_bytes = 0});
  auto files = inspected(folder / "r.h5");
  REQUIRE(files.size() == 2);
  for (const InspectedFile& file : files) {
    CHECK(file.problem.empty());
    CHECK(file.arrays == 2);
    CHECK(file.has_digest);
  }
  for (const auto& entry : fs::directory_iterator(shard_folder(folder / "r.h5", "b")))
    if (entry.path().string().ends_with(".outputs.h5")) fs::remove(entry.path());
  files = inspected(folder / "r.h5");
  CHECK(files.at(0).problem.empty());
  CHECK_THAT(files.at(1).problem, Contains("are missing"));
  CHECK_THROWS_AS(inspected(folder / "none.h5"), SpecError);
}

TEST_CASE("files of schema 1, which have no digest, are read in a child") {
  const fs::path old = fs::path(test::source_folder()) / "tests/result/data/schema_1/merged.h5";
  CHECK(integrity_of(old) == Integrity::kNoDigest);
  const test::TemporaryFolder folder;
  const std::string bytes = read_file(old);
  std::mt19937_64 random(7);
  // Such damage affects HDF5 only in the child.
  for (int k = 0; k < 60; ++k) {
    std::string damaged = bytes;
    for (int many = 0; many < 200; ++many) {
      const std::size_t at =
          std::uniform_int_distribution<std::size_t>(100, bytes.size() - 1)(random);
      damaged[at] = static_cast<char>(random());
    }
    overwrite(folder / "damaged.h5", damaged);
    try {
      read_results(folder / "damaged.h5");
    } catch (const Error&) {
    }
  }
  CHECK(read_results(old).results.size() == 2);
}

}  // namespace
}  // namespace kernelbatch
