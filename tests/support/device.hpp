// The device that a device test runs on, opened once per process, and arrays to and from it.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/array/array.hpp"
#include "core/device/backend.hpp"
#include "core/device/device_list.hpp"

namespace kernelbatch::test {

/// "host" or "cuda", from KERNELBATCH_TEST_DEVICE; the default is the host. The test's main has
/// exited with 77 if a GPU is requested and there is none.
inline std::string wanted_device() {
  const char* wanted = std::getenv("KERNELBATCH_TEST_DEVICE");
  return wanted != nullptr ? wanted : "host";
}

/// With KERNELBATCH_TEST_SANITIZE=1 the host's checks are active for all kernels of a test; main()
/// prints their findings and fails if there are any.
inline bool is_sanitized() { return std::getenv("KERNELBATCH_TEST_SANITIZE") != nullptr; }

/// Never closed, nor is the stream, because static kernels and arrays of tests may outlive them.
inline Device& device() {
  static Device* const opened =
      (is_sanitized() ? open_checked_device(choose_device("host"), all_checks())
                      : open_device(choose_device(wanted_device())))
          .release();
  return *opened;
}

inline bool on_cuda() { return device().properties().backend->name == "cuda"; }

inline Stream& stream() {
  static Stream* const opened = device().make_stream().release();
  return *opened;
}

/// A device array of these values in C order.
template <class T>
Array device_array(const std::vector<T>& values, const Shape& shape) {
  return to_device(Array::from(values).reshape(shape), stream());
}
template <class T>
Array device_array(const std::vector<T>& values) {
  return device_array(values, {static_cast<std::int64_t>(values.size())});
}

/// The elements of an array anywhere, in C order.
template <class T>
std::vector<T> values_of(const Array& array) {
  const Array host = to_host(array, stream());
  const auto values = host.as<T>();
  return {values.begin(), values.end()};
}

/// 0, 1, … count−1.
template <class T>
std::vector<T> counting(std::int64_t count, std::int64_t first = 0) {
  std::vector<T> values;
  for (std::int64_t k = 0; k < count; ++k) values.push_back(static_cast<T>(first + k));
  return values;
}

}  // namespace kernelbatch::test
