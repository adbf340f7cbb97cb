// A process that compiles one kernel for the host through the cache and runs it: prints its result.
//   cache_user NUMBER       the kernel writes NUMBER
#include <cstdio>
#include <exception>
#include <string>

#include "core/device/device_list.hpp"
#include "core/kernel/raw/kernel.hpp"

int main(int argc, char** argv) {
  using namespace kernelbatch;
  if (argc != 2) return 2;
  try {
    const auto device = open_device(choose_device("host"));
    const auto stream = device->make_stream();
    const RawKernel kernel{
        "extern \"C\" __global__ void number(int* x) { *x = " + std::string(argv[1]) + "; }",
        "number"};
    const Array x = Array::on_device(*device, DType::kInt32, {1});
    kernel(*stream, LaunchShape{}, x);
    std::printf("%d", to_host(x, *stream).as<int>()[0]);
    return 0;
  } catch (const std::exception& error) {
    std::printf("%s", error.what());
    return 1;
  }
}
