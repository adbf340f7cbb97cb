// Arrays computed by variants, as datasets with named axes.
//
// An array is in the group of its variant, with the dimension scales of its axes and of its
// siblings'. Types that other programs lack are widened: bool to int8, float16 and bfloat16 to
// float32, complex numbers to a trailing axis `re_im`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/h5/h5.hpp"
#include "core/result/record.hpp"

namespace kernelbatch {

/// A stored array, its elements as on the device.
struct StoredOutput {
  DType dtype = DType::kFloat64;
  std::vector<std::int64_t> shape;      ///< of what is stored: one axis for a sample
  std::vector<std::string> dimensions;  ///< one name per axis
  std::string units, long_name, xxh3;
  std::int64_t stride = 1;       ///< above 1: only every stride-th element was kept
  std::vector<std::byte> bytes;  ///< C order
};

/// Writes arrays into the group of one variant. Conflicting axis names (same name, other extent; or
/// the name of an array) get the array's name appended.
class OutputWriter {
 public:
  /// `names`: all arrays to be written, so that no axis takes the name of one.
  OutputWriter(h5::Group group, std::vector<std::string> names);

  /// Throws StoreError if the number of bytes does not match the record's shape and dtype.
  void write(const OutputRecord& record, const OutputData& data, int deflate);
  /// Copies an array from another file without decompressing it.
  void copy(const std::string& name, const h5::Dataset& source);

 private:
  void name_axes(h5::Dataset& dataset, const std::string& output,
                 const std::vector<std::string>& wanted);
  std::string scale_named(const std::string& wanted, std::int64_t extent,
                          const std::string& output);

  struct Scale {
    std::string name;
    std::int64_t extent;
    h5::Dataset dataset;
  };
  h5::Group group_;
  std::vector<std::string> names_;
  std::vector<Scale> scales_;
};

/// Sets the statistics of a record from the array's elements, in C order as on the device.
void add_statistics(OutputRecord& record, std::span<const std::byte> elements);

/// Throws StoreError for a dataset not written by OutputWriter.
StoredOutput read_output(const h5::Dataset& dataset);

/// Throws StoreError, starting with `what`, if the elements do not match the digest stored with
/// them, or if that digest is not `known` (empty: the record has none). For a sample only the
/// latter is checked: the digest covers all elements.
void require_whole(const StoredOutput& output, std::string_view known, std::string_view what);

/// The same for a dataset that need not be read otherwise: `record` has its dtype and its digest.
void require_whole(const h5::Dataset& dataset, const OutputRecord& record, std::string_view what);

}  // namespace kernelbatch
