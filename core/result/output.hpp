// The arrays that variants computed, as datasets with named axes.
//
// An array lies in the group of its variant, together with the dimension scales of its axes and of
// its siblings'. Types that other programs lack are widened: bool to int8, float16 and bfloat16 to
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

/// An array read back, its elements as they were on the device.
struct StoredOutput {
  DType dtype = DType::kFloat64;
  std::vector<std::int64_t> shape;      ///< of what is stored: one axis for a sample
  std::vector<std::string> dimensions;  ///< one name per axis
  std::string units, long_name, xxh3;
  std::int64_t stride = 1;       ///< above 1: only every stride-th element of the array was kept
  std::vector<std::byte> bytes;  ///< C order
};

/// Writes arrays into the group of one variant. Names of axes that clash (same name, other extent;
/// or the name of an array) get the array's name appended.
class OutputWriter {
 public:
  /// `names` are all the arrays that will come, so that no axis takes the name of one.
  OutputWriter(h5::Group group, std::vector<std::string> names);

  /// Throws StoreError when the bytes are not as many as the record's shape and dtype say.
  void write(const OutputRecord& record, const OutputData& data, int deflate);
  /// Copies what write() made elsewhere, without unpacking it.
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

/// Throws StoreError for a dataset that OutputWriter did not write.
StoredOutput read_output(const h5::Dataset& dataset);

/// Throws StoreError, beginning with `what`, where the elements do not fit the digest that is
/// stored with them, or that is not `known` to the record (empty: the record has none). Of a sample
/// only the latter is looked at: the digest is of all elements.
void require_whole(const StoredOutput& output, std::string_view known, std::string_view what);

/// The same of a dataset that need not be read otherwise: `record` tells its dtype and its digest.
void require_whole(const h5::Dataset& dataset, const OutputRecord& record, std::string_view what);

}  // namespace kernelbatch
