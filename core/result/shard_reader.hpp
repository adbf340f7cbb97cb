// A shard read back.
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
  /// The file may be replaced or removed afterwards: what it was is read. Throws SpecError when the
  /// system cannot read it, StoreError when its content is not a shard's.
  Shard(const std::filesystem::path& path, Samples samples, Damaged damaged = Damaged::kRefuse);
  /// The same of an open file.
  Shard(OpenedResults opened, Samples samples);

  /// Of the file that is read.
  const std::filesystem::path& path() const noexcept { return opened_.path; }
  const CaseRecord& record() const noexcept { return record_; }
  CaseRecord& record() noexcept { return record_; }

  /// Throws StoreError unless the separate file of arrays, where there is one, is there and whole,
  /// and every array is what was computed.
  void verify_outputs() const;
  void verify_separate_outputs() const;  ///< the first half of it
  /// Fills the records' samples, where the constructor did not.
  void read_samples();

  bool has_digests() const noexcept override;
  std::vector<std::string> outputs(std::string_view case_id,
                                   std::string_view variant) const override;
  std::optional<h5::Dataset> output(std::string_view case_id, std::string_view variant,
                                    std::string_view name) const override;

 private:
  const h5::Group& outputs_root() const;
  /// The group of a variant's arrays; null where it has none.
  const h5::Group* arrays_of(std::string_view variant) const;

  OpenedResults opened_;
  h5::Group root_;
  CaseRecord record_;
  /// What identifies the outputs of each variant, since results may be moved out of the record.
  std::map<std::string, std::vector<OutputRecord>, std::less<>> known_;
  mutable std::optional<h5::File> separate_;
  mutable std::optional<h5::Group> outputs_root_, arrays_;
  mutable std::string arrays_variant_;
};

}  // namespace kernelbatch
