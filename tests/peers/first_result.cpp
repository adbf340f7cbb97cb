// A new process's way to its first result: opens a device, runs one elementwise kernel, reads ten
// numbers back. Prints them and where the time went, in seconds. Usage: first_result
// [host|cuda|UUID]
#include <fmt/format.h>

#include <chrono>

#include "core/array/array.hpp"
#include "core/device/device_list.hpp"
#include "core/kernel/elementwise/kernel.hpp"

int main(int count, char** arguments) {
  using namespace kernelbatch;
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  try {
    const Clock::time_point start = Clock::now();
    const auto device = open_device(choose_device(count > 1 ? arguments[1] : "auto"));
    const auto stream = device->make_stream();
    const double opened = seconds(start);
    Array x = Array::on_host(DType::kFloat32, {10}), y = Array::on_host(DType::kFloat32, {10});
    for (std::size_t k = 0; k < 10; ++k) {
      x.as<float>()[k] = static_cast<float>(k);
      y.as<float>()[k] = static_cast<float>(2 * k);
    }
    const ElementwiseKernel squares{{.in = "T x, T y",
                                     .out = "T z",
                                     .operation = "z = (x - y) * (x - y)",
                                     .name = "first_result"}};
    const Array z =
        to_host(squares(*stream, to_device(x, *stream), to_device(y, *stream))[0], *stream);
    for (const float value : z.as<float>()) fmt::print("{} ", value);
    fmt::print("\ndevice opened after {:.3f} s, result after {:.3f} s\n", opened, seconds(start));
    return z.as<float>()[9] == 81 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "first_result: {}\n", error.what());
    return 4;
  }
}
