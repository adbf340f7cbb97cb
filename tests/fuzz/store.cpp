// Files of results.
#include <filesystem>
#include <vector>

#include "core/result/json.hpp"
#include "core/result/merge.hpp"
#include "core/result/reader.hpp"
#include "tests/fuzz/refused.hpp"
#include "tests/fuzz/scratch.hpp"

namespace kernelbatch::fuzz {
namespace {

void read_everything(const std::filesystem::path& path) {
  is_refused([&] { read_results(path); });
  is_refused(
      [&] { for_each_output(path, [](const auto&, const auto&, const auto&, const auto&) {}); });
}

}  // namespace

void shard(Bytes input) {
  const auto path = scratch_file("fuzz.h5.d/task/c1.h5", input);
  const auto output = path.parent_path().parent_path().parent_path() / "fuzz.h5";
  read_everything(path);
  is_refused([&] {
    merge_shards(output);
    read_everything(output);
  });
  std::filesystem::remove_all(path.parent_path().parent_path());
  std::filesystem::remove(output);
}

void merged(Bytes input) { read_everything(scratch_file("merged.h5", input)); }

void record(Bytes input) {
  is_refused([&] {
    const CaseRecord read = case_from_json(text_of(input));
    const std::string text = to_json(read);
    claim(to_json(case_from_json(text)) == text, "a record reads back as another");
  });
  is_refused([&] {
    const std::string text = to_json(values_from_json(text_of(input)));
    claim(to_json(values_from_json(text)) == text, "values read back as others");
  });
}

}  // namespace kernelbatch::fuzz
