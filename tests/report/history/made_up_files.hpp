// Result files of made-up runs, for histories.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/merged_writer.hpp"
#include "core/result/record.hpp"
#include "tests/support/made_result.hpp"

namespace kernelbatch::test {

/// 2026-10-01T00:00:00Z, and a day.
inline constexpr std::int64_t kFirstDay = 1'790'812'800'000'000'000;
inline constexpr std::int64_t kDay = 86'400'000'000'000;

class WithoutOutputs final : public OutputSource {
 public:
  bool has_digests() const noexcept override { return true; }
  std::vector<std::string> outputs(std::string_view, std::string_view) const override { return {}; }
  std::optional<h5::Dataset> output(std::string_view, std::string_view,
                                    std::string_view) const override {
    return std::nullopt;
  }
};

/// A right result of `saxpy` with the interval ±0.1 %.
inline ResultRecord made_up_result(const std::string& case_id, const std::string& variant,
                                   std::int64_t n, std::int64_t start_ns, double median) {
  return MadeResult(variant, median, 0.001 * median)
      .in_case(case_id)
      .with("n", n)
      .with("dtype", std::string("float32"))
      .with_samples(30)
      .set(&ResultRecord::workload_version, "1")
      .set(&ResultRecord::kind, VariantKind::kRaw)
      .set(&ResultRecord::verified, true)
      .set(&ResultRecord::run, start_ns)
      .set(&ResultRecord::start_ns, start_ns)
      .set(&ResultRecord::end_ns, start_ns + 1'000'000)
      .set(&ResultRecord::kernel_hash, "0123456789abcdef")
      .made();
}

struct MadeUpRun {
  std::vector<ResultRecord> results;  ///< those of a case side by side
  NamedValues environment{{"host", std::string("node1")},
                          {"gpu_name", std::string("Example GPU")},
                          {"driver", std::string("580.1")}};
  std::string job = "nightly";
};

/// Writes the run as a merged file, and its folder.
inline void write_run(const std::filesystem::path& path, const MadeUpRun& run) {
  std::filesystem::create_directories(path.parent_path());
  NewFile file(path);
  MergedWriter writer(file, "kernelbatch test");
  const WithoutOutputs none;
  const EnvironmentRecord environment{run.environment};
  const JobRecord job{run.job, "workload: saxpy\n", "workload: saxpy\n", "cafe"};
  for (std::size_t k = 0; k < run.results.size();) {
    CollectedCase collected;
    const std::string& id = run.results[k].case_id;
    for (; k < run.results.size() && run.results[k].case_id == id; ++k)
      collected.results.push_back({run.results[k], &environment, &job, &none});
    writer.add(collected);
  }
  writer.finish();
  file.commit(path);
}

}  // namespace kernelbatch::test
