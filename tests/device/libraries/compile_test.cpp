// The kernels of CUDA's libraries, compiled for a GPU by NVRTC with the toolkit's headers.
#include "core/base/error.hpp"
#include "tests/device/libraries/library.hpp"

namespace kernelbatch::test {
namespace {

TEST_CASE("Texts with CUDA's libraries compile for a GPU") {
  std::unique_ptr<Compiler> gpu;
  try {
    gpu = make_compiler("sm_90");
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return;
  }
  const std::vector<std::pair<const char*, std::string>> texts{
      {"groups", groups_text()},     {"atomics", atomics_text()},
      {"standard", standard_text()}, {"cub_reduce", cub_reduce_text()},
      {"cub_sort", cub_sort_text()}, {"curand", curand_text()},
      {"mma", mma_text()},           {"plain", plain_text()},
      {"cluster", cluster_text()},   {"grid", grid_text()}};
  for (const auto& [name, text] : texts) {
    std::string problem;
    try {
      gpu->compile(raw_source(text, {"f"}, name));
    } catch (const Error& error) {
      problem = error.what();
    }
    INFO(name << "\n" << problem);
    CHECK(problem.empty());
  }
}

}  // namespace
}  // namespace kernelbatch::test
