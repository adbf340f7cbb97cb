// sample_file PATH EMPTY: writes merged results files for the test with other programs' readers:
// one with everything, and one whose only case was skipped.
#include <complex>
#include <cstdio>
#include <exception>
#include <vector>

#include "core/result/merge.hpp"
#include "core/result/shard_writer.hpp"
#include "tests/result/synthetic.hpp"

using namespace kernelbatch;

namespace {

/// c2 has one output of each awkward kind in addition to `z`.
void write_awkward_case(const std::filesystem::path& folder) {
  CaseRecord record = test::synthetic_case("c2");
  const std::vector<Float16> half{{0x3c00}, {0x4000}};
  const std::vector<std::complex<float>> complex{{1, 2}, {3, 4}, {5, 6}};
  const std::vector<signed char> flags{1, 0, 1, 1};
  const std::vector<float> large(100'000, 2.5f);
  const double scalar = 7.25;
  std::vector<OutputData> outputs = test::synthetic_outputs();
  const auto add = [&](const char* name, DType dtype, std::vector<std::int64_t> shape,
                       std::span<const std::byte> bytes) {
    OutputRecord output;
    output.name = name;
    output.dtype = dtype;
    output.shape = std::move(shape);
    record.results[1].outputs.push_back(output);
    outputs.push_back({"raw", name, bytes});
  };
  add("half", DType::kFloat16, {2}, std::as_bytes(std::span(half)));
  add("wave", DType::kComplex64, {3}, std::as_bytes(std::span(complex)));
  add("flags", DType::kBool, {4}, std::as_bytes(std::span(flags)));
  add("large", DType::kFloat32, {100, 1000}, std::as_bytes(std::span(large)));
  add("total", DType::kFloat64, {}, std::as_bytes(std::span(&scalar, 1)));
  record.results[0].status = Status::kFailed;
  record.results[0].reason = "größer als erlaubt";
  write_shard(folder, record, outputs);
}

void write_skipped_case(const std::filesystem::path& file) {
  CaseRecord record;
  record.case_id = "c1";
  record.results.resize(1);
  record.results[0].case_id = "c1";
  record.results[0].variant = "raw";
  record.results[0].reason = "no such device";
  write_shard(shard_folder(file, "a"), record, {});
  merge_shards(file);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  const std::filesystem::path file = arguments[1];
  write_shard(shard_folder(file, "a"), test::synthetic_case("c1"), test::synthetic_outputs());
  write_awkward_case(shard_folder(file, "a"));
  // More samples than a window of rows, so that the column grows while it is written.
  CaseRecord bare = test::synthetic_case("c3", 1, 40'000);
  for (ResultRecord& result : bare.results) result.params = {{"n", std::int64_t{5}}};
  write_shard(shard_folder(file, "b"), bare, {});
  merge_shards(file, {.source = "kernelbatch test"});
  write_skipped_case(arguments[2]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
