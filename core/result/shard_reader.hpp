// Reads a shard.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/h5/h5.hpp"
#include "core/result/json.hpp"
#include "core/result/open_results.hpp"
#include "core/result/record.hpp"
#include "core/result/sources.hpp"

namespace kernelbatch {

class Shard final : public OutputSource {
 public:
  /// The file may be replaced or removed afterwards: the opened file is read. Throws SpecError if
  /// the system cannot read it, StoreError if it is not a valid shard.
  Shard(const std::filesystem::path& path, Samples samples, Damaged damaged = Damaged::kRefuse);
  /// The same for an open file.
  Shard(OpenedResults opened, Samples samples);

  /// Path of the open file.
  const std::filesystem::path& path() const noexcept { return opened_.path; }
  const CaseRecord& record() const noexcept { return record_; }
  CaseRecord& record() noexcept { return record_; }

  /// Throws StoreError unless the separate file of arrays, if any, is present and intact, and every
  /// array is unmodified.
  void verify_outputs() const;
  void verify_separate_outputs() const;  ///< the first half of it
  /// Reads the records' samples if the constructor did not.
  void read_samples();

  bool has_digests() const noexcept override;
  std::vector<std::string> outputs(std::string_view case_id,
                                   std::string_view variant) const override;
  std::optional<h5::Dataset> output(std::string_view case_id, std::string_view variant,
                                    std::string_view name) const override;

 private:
  const h5::Group& outputs_root() const;
  /// The group of a variant's arrays; null if it has none.
  const h5::Group* arrays_of(std::string_view variant) const;

  OpenedResults opened_;
  h5::Group root_;
  CaseRecord record_;
  /// Identities of each variant's outputs, since results may be moved out of the record.
  std::map<std::string, std::vector<OutputRecord>, std::less<>> known_;
  mutable std::optional<h5::File> separate_;
  mutable std::optional<h5::Group> outputs_root_, arrays_;
  mutable std::string arrays_variant_;
};

}  // namespace kernelbatch
