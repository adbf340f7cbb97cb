// Shared by the parts of h5: checked calls, types and shapes. Only they include this.
#pragma once

#include <hdf5.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result/h5/h5.hpp"

namespace kernelbatch::h5::detail {

/// StoreError with the innermost entry of HDF5's error stack.
[[noreturn]] void fail(std::string_view action, std::string_view name);

/// Returns HDF5's result; throws StoreError on failure.
template <class Answer>
Answer check(Answer answer, std::string_view action, std::string_view name = {}) {
  if (answer < 0) fail(action, name);
  return answer;
}

inline Handle own(hid_t id, std::string_view action, std::string_view name = {}) {
  return Handle{check(id, action, name)};
}

/// Number of objects that this process could not close: HDF5 writes some of their data only then.
std::uint64_t failed_closes() noexcept;

/// Stops HDF5 from printing its errors; must be called before the first one.
void be_quiet();

Handle property_list(hid_t kind);
/// A property list that keeps the links of a file or group in order of creation.
Handle ordered(hid_t kind);
/// Property list for transferring elements.
hid_t transfer();
/// Property lists for opening groups and datasets: links to other files are not followed.
hid_t group_access();
hid_t dataset_access();

/// Type in memory; created once and never closed.
hid_t native_type(Type type);
/// Throws StoreError for a type that is not a Type.
Type type_of(hid_t type);

Handle space_of(const Shape& shape, bool growable = false);
std::vector<hsize_t> extents(const Shape& shape);
std::size_t count_of(const Shape& shape);

std::vector<const char*> pointers(std::span<const std::string> texts);

/// Texts that HDF5 allocated; freed here.
class OwnedTexts {
 public:
  explicit OwnedTexts(std::size_t count) : texts_(count, nullptr) {}
  OwnedTexts(const OwnedTexts&) = delete;
  OwnedTexts& operator=(const OwnedTexts&) = delete;
  ~OwnedTexts();
  char** data() { return texts_.data(); }
  std::vector<std::string> copy() const;

 private:
  std::vector<char*> texts_;
};

}  // namespace kernelbatch::h5::detail
