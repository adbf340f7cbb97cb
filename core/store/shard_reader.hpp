// A shard read back.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/h5.hpp"
#include "core/store/json.hpp"
#include "core/store/record.hpp"
#include "core/store/sources.hpp"

namespace kernelbatch {

class Shard final : public OutputSource {
 public:
  /// The file may be replaced or removed afterwards: what it was is read. Throws SpecError when the
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
  const h5::Group& outputs_root() const;
  /// The group of a variant's arrays; null where it has none.
  const h5::Group* arrays_of(std::string_view variant) const;

  std::filesystem::path path_;
  h5::File file_;
  h5::Group root_;
  CaseRecord record_;
  /// Names of the outputs by variant, since results may be moved out of the record.
  std::map<std::string, std::vector<std::string>, std::less<>> names_;
  mutable std::optional<h5::File> separate_;
  mutable std::optional<h5::Group> outputs_root_, arrays_;
  mutable std::string arrays_variant_;
};

}  // namespace kernelbatch
