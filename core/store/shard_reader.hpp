// A shard read back.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/store/h5.hpp"
#include "core/store/json.hpp"
#include "core/store/record.hpp"
#include "core/store/sources.hpp"

namespace kernelbatch {

class Shard final : public OutputSource {
 public:
  /// Reads the file at once; it may be replaced or removed afterwards. Throws SpecError when the
  /// system cannot read it, StoreError when its content is not a shard's.
  Shard(const std::filesystem::path& path, Samples samples);

  const CaseRecord& record() const noexcept { return record_; }
  CaseRecord& record() noexcept { return record_; }

  /// Throws StoreError unless the separate file of arrays, where there is one, is there and whole.
  void verify_outputs() const;

  std::vector<std::string> outputs(std::string_view case_id,
                                   std::string_view variant) const override;
  std::optional<h5::Dataset> output(std::string_view case_id, std::string_view variant,
                                    std::string_view name) const override;

 private:
  void read_samples();
  h5::Group outputs_root() const;

  std::filesystem::path path_;
  h5::File file_;
  CaseRecord record_;
  mutable std::optional<h5::File> separate_;
};

}  // namespace kernelbatch
