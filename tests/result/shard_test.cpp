#include <complex>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/result/reader.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernelbatch;
namespace fs = std::filesystem;

namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// Writes `values` as the only output of a case and reads them back.
template <class T>
StoredOutput through_a_shard(const std::vector<T>& values, std::vector<std::int64_t> shape,
                             const ShardOptions& options = {}) {
  const test::TemporaryFolder folder;
  CaseRecord record = test::synthetic_case("c1");
  OutputRecord& output = record.results[0].outputs[0];
  output.dtype = kDTypeOf<T>;
  output.shape = std::move(shape);
  output.dimensions.clear();
  output.xxh3 = hash_hex(bytes_of(values));
  const OutputData data{"elementwise", "z", bytes_of(values)};
  write_shard(folder.path(), record, std::span(&data, 1), options);
  return read_output(folder / "c1.h5", "c1", "elementwise", "z");
}

}  // namespace

TEST_CASE("a shard is in its task's folder next to the output file") {
  CHECK(shard_folder("out/r.h5", "task-3") == fs::path("out/r.h5.d/task-3"));
  CHECK_THROWS_AS(shard_folder("out/r.h5", "../x"), StoreError);
}

TEST_CASE("a shard returns what was written") {
  const test::TemporaryFolder folder;
  const CaseRecord before = test::synthetic_case("c1");

  write_shard(folder.path(), before, test::synthetic_outputs());
  const ResultFile after = read_results(folder / "c1.h5");

  REQUIRE(after.results.size() == 2);
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(to_json(after.results[k]) == to_json(before.results[k]));
  CHECK(after.environments.at(0).values == before.environment.values);
  CHECK(after.jobs.at(0).sha == "cafe");
  CHECK(after.calibration.at(0).noise_floor == 0.005);
  CHECK(after.problems.empty());
}

TEST_CASE("an output keeps its type, shape, names and units") {
  const test::TemporaryFolder folder;
  write_shard(folder.path(), test::synthetic_case("c1"), test::synthetic_outputs());

  const StoredOutput output = read_output(folder.path(), "c1", "raw", "z");

  CHECK(output.dtype == DType::kFloat64);
  CHECK(output.shape == std::vector<std::int64_t>{3, 4});
  CHECK(output.dimensions == std::vector<std::string>{"row", "column"});
  CHECK(output.units == "m");
  CHECK(std::ranges::equal(output.bytes, bytes_of(test::z_values())));
}

TEST_CASE("outputs of types that other programs lack come back as they were") {
  const std::vector<Float16> half{{0x3c00}, {0x0001}, {0x7c00}, {0xbc00}};
  const std::vector<BFloat16> brain{{0x3f80}, {0x0001}, {0xff80}};
  const std::vector<std::complex<float>> complex{{1, 2}, {3, -4}};
  const std::vector<signed char> small{-128, 0, 127};

  const StoredOutput a = through_a_shard(half, {4});
  const StoredOutput b = through_a_shard(brain, {3});
  const StoredOutput c = through_a_shard(complex, {2});
  const StoredOutput d = through_a_shard(small, {3, 1});

  CHECK(std::ranges::equal(a.bytes, bytes_of(half)));
  CHECK(a.dtype == DType::kFloat16);
  CHECK(std::ranges::equal(b.bytes, bytes_of(brain)));
  CHECK(std::ranges::equal(c.bytes, bytes_of(complex)));
  CHECK(c.shape == std::vector<std::int64_t>{2});
  CHECK(std::ranges::equal(d.bytes, bytes_of(small)));
}

TEST_CASE("every value of 16 bits comes back with the same bits, NaN's payloads too") {
  std::vector<Float16> half;
  std::vector<BFloat16> brain;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    half.push_back({static_cast<std::uint16_t>(bits)});
    brain.push_back({static_cast<std::uint16_t>(bits)});
  }
  CHECK(std::ranges::equal(through_a_shard(half, {65536}).bytes, bytes_of(half)));
  CHECK(std::ranges::equal(through_a_shard(brain, {65536}).bytes, bytes_of(brain)));
}

TEST_CASE("scalars and empty arrays can be outputs") {
  CHECK(through_a_shard(std::vector<double>{3.5}, {}).bytes.size() == 8);
  CHECK(through_a_shard(std::vector<double>{}, {0, 5}).bytes.empty());
}

TEST_CASE("large outputs go to a separate file and are read back") {
  std::vector<float> values(300'000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k % 1000);

  const StoredOutput joint = through_a_shard(values, {300, 1000});
  const StoredOutput separate =
      through_a_shard(values, {300, 1000}, {.deflate = 4, .separate_outputs_bytes = 1000});

  CHECK(std::ranges::equal(joint.bytes, bytes_of(values)));
  CHECK(std::ranges::equal(separate.bytes, bytes_of(values)));
}

TEST_CASE("damaged separate outputs of a shard are reported") {
  const test::TemporaryFolder folder;
  write_shard(folder.path(), test::synthetic_case("c1"), test::synthetic_outputs(),
              {.separate_outputs_bytes = 0});
  for (const auto& entry : fs::directory_iterator(folder.path()))
    if (is_separate_outputs(entry.path().filename().string()))
      std::ofstream(entry.path(), std::ios::app) << "x";

  CHECK_THROWS_WITH(read_output(folder.path(), "c1", "raw", "z"), Contains("damaged"));
  CHECK(read_results(folder.path()).results.size() == 2);
}

TEST_CASE("a sampled output records how it was sampled") {
  const test::TemporaryFolder folder;
  CaseRecord record = test::synthetic_case("c1");
  record.results[0].outputs[0].shape = {1000, 12};
  const OutputData data{"elementwise", "z", bytes_of(test::z_values()), 1000};

  write_shard(folder.path(), record, std::span(&data, 1));
  const StoredOutput output = read_output(folder.path(), "c1", "elementwise", "z");

  CHECK(output.stride == 1000);
  CHECK(output.shape == std::vector<std::int64_t>{12});
}

TEST_CASE("axes of the same name and different extents do not clash") {
  const test::TemporaryFolder folder;
  CaseRecord record = test::synthetic_case("c1");
  OutputRecord other = record.results[0].outputs[0];
  other.name = "row";
  other.shape = {2};
  other.dimensions = {"row"};
  const std::vector<double> two{1, 2};
  other.xxh3 = hash_hex(bytes_of(two));
  record.results[0].outputs.push_back(other);
  const std::vector<OutputData> outputs{{"elementwise", "z", bytes_of(test::z_values())},
                                        {"elementwise", "row", bytes_of(two)}};

  write_shard(folder.path(), record, outputs);

  CHECK(read_output(folder.path(), "c1", "elementwise", "z").dimensions ==
        std::vector<std::string>{"row_z", "column"});
  CHECK(read_output(folder.path(), "c1", "elementwise", "row").shape ==
        std::vector<std::int64_t>{2});
}

TEST_CASE("data that cannot be stored are refused and leave no file") {
  const test::TemporaryFolder folder;
  const CaseRecord record = test::synthetic_case("c1");
  const std::vector<double> few{1, 2};
  const OutputData short_data{"raw", "z", bytes_of(few)};
  const OutputData unknown{"raw", "y", bytes_of(few)};

  CHECK_THROWS_WITH(write_shard(folder.path(), record, std::span(&short_data, 1)),
                    Contains("16 bytes"));
  CHECK_THROWS_WITH(write_shard(folder.path(), record, std::span(&unknown, 1)),
                    Contains("no output 'y'"));
  CHECK_THROWS_AS(write_shard(folder.path(), test::synthetic_case("a/b"), {}), StoreError);
  CHECK_THROWS_AS(write_shard(folder.path(), test::synthetic_case(""), {}), StoreError);
  CHECK_THROWS_AS(write_shard("/proc/nowhere", record, {}), StoreError);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("natural order puts c2 before c10") {
  CHECK(comes_before("c2", "c10"));
  CHECK_FALSE(comes_before("c10", "c2"));
  CHECK(comes_before("a", "b"));
  CHECK(comes_before("a", "a1"));
  CHECK(comes_before("x01", "x1") != comes_before("x1", "x01"));
  CHECK_FALSE(comes_before("same", "same"));
}
