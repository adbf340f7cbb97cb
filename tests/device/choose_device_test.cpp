// Every form of a device selector, and every reason why none can be chosen.
#include "core/base/error.hpp"
#include "core/device/backend.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

bool has_gpu() { return list_devices().cuda_reason.empty(); }

TEST_CASE("The host is always available and listed last") {
  const DeviceChoice choice = choose_device("host");
  CHECK_FALSE(choice.is_gpu);
  CHECK(choice.selector == "host");
  CHECK(choice.note.empty());
  REQUIRE_FALSE(list_devices().devices.empty());
  CHECK(list_devices().devices.back().selector == "host");
  CHECK(open_device(choice)->properties().selector == "host");
}

TEST_CASE("An unknown selector is a SpecError that lists the forms") {
  for (const char* selector : {"gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:99999999999",
                               "HOST", " host", "cuda 0", "gpu-1234", "0"})
    CHECK(test::error_text<SpecError>([&] { choose_device(selector); }) ==
          std::string("unknown device '") + selector +
              "': expected auto, host, cuda, cuda:N, or a GPU-… or MIG-… UUID");
}

TEST_CASE("Auto takes a GPU, or the host with a note giving the reason") {
  for (const char* selector : {"auto", ""}) {
    const DeviceChoice choice = choose_device(selector);
    if (has_gpu()) {
      CHECK(choice.selector == "cuda:0");
      CHECK(choice.is_gpu);
      CHECK(choice.note.empty());
    } else {
      CHECK(choice.selector == "host");
      CHECK(choice.note ==
            "no usable GPU (" + list_devices().cuda_reason + "); running on the host");
    }
  }
}

TEST_CASE("A requested GPU that is missing is a DeviceError with the reason") {
  if (has_gpu()) {
    CHECK_THAT(test::error_text<DeviceError>([] { choose_device("cuda:999"); }),
               Contains("device 'cuda:999' is not there"));
    CHECK_THAT(test::error_text<DeviceError>([] { choose_device("GPU-0000"); }),
               Contains("no visible GPU has it"));
    return;
  }
  const std::string reason = list_devices().cuda_reason;
  for (const char* selector : {"cuda", "cuda:0", "cuda:7", "GPU-1234", "MIG-1234"})
    CHECK(test::error_text<DeviceError>([&] { choose_device(selector); }) ==
          std::string("device '") + selector + "' cannot be used: " + reason);
}

TEST_CASE("Without a GPU the reason is one sentence") {
  const DeviceList list = list_devices();
  if (has_gpu()) {
    CHECK_FALSE(list.cuda_driver.empty());
    CHECK(list.devices.size() >= 2);
    return;
  }
  const std::vector<std::string> reasons{
      "no NVIDIA driver on this machine (libcuda.so.1 not found)",
      "the NVIDIA driver cannot be loaded",
      "the driver is too old",
      "libcuda.so.1 is not a usable driver",
      "the driver finds no GPU",
      "the libcuda found is the toolkit's stub",
      "no permission to use",
      "the user-mode driver does not match",
      "the driver fails to start",
      "leaves no GPU visible",
      "this kernelbatch was built without the CUDA Toolkit"};
  bool known = false;
  for (const std::string& reason : reasons)
    known = known || list.cuda_reason.find(reason) != std::string::npos;
  INFO(list.cuda_reason);
  CHECK(known);
  CHECK(list.cuda_reason.find('\n') == std::string::npos);
  CHECK(list.devices.size() == 1);
}

TEST_CASE("A device chosen on another machine is a DeviceError") {
  CHECK_THROWS_AS(open_device({.selector = "cuda:999"}), DeviceError);
}

TEST_CASE("Compilers are made without a device, by target") {
  CHECK(make_compiler("host")->target() == list_devices().devices.back().target);
  CHECK(test::error_text<SpecError>([] { make_compiler("gfx90a"); }) ==
        "unknown target 'gfx90a': expected host or sm_NN");
}

TEST_CASE("Every backend is named, and its first device goes by that name") {
  std::vector<std::string_view> names;
  for (const Backend* backend : backends()) {
    names.push_back(backend->name);
    CHECK(backend->is_selector(backend->name));
    DeviceList list;
    backend->list(list);
    for (const DeviceProperties& device : list.devices) {
      CHECK(device.backend == backend);
      CHECK(is_device_selector(device.selector));
    }
    const DeviceChoice choice = backend->choose(backend->name);
    if (list.devices.empty())
      CHECK(choice.note == list.cuda_reason);
    else
      CHECK(choice.selector == list.devices.front().selector);
  }
  CHECK(names == std::vector<std::string_view>{"cuda", "host"});
}

}  // namespace
}  // namespace kernelbatch
