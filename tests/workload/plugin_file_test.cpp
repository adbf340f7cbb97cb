// The plugin files themselves: exported symbols and required libraries.
#include "core/base/text.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const std::vector<std::string> kPlugins{test::build_folder() + "/plugins/mse.so",
                                        test::build_folder() + "/plugins/prime_factor_sum.so",
                                        test::build_folder() + "/plugins/hillshade.so",
                                        test::build_folder() + "/tests/plugins/faulty.so"};

std::string output_of(const std::vector<std::string>& arguments) {
  const ProcessResult result = run_process(arguments);
  INFO(result.output);
  REQUIRE(result.succeeded());
  return result.output;
}

TEST_CASE("A plugin exports one symbol") {
  for (const std::string& plugin : kPlugins) {
    const std::string symbols =
        output_of({"nm", "-D", "--defined-only", "--format=just-symbols", plugin});
    CAPTURE(plugin);
    CHECK(symbols == "kernelbatch_plugin_v1\n");
  }
}

TEST_CASE("Plugins and the command load without CUDA libraries") {
  std::vector<std::string> files = kPlugins;
  files.push_back(test::executable());
  files.push_back(test::build_folder() + "/lib/libkernelbatch.so");
  for (const std::string& file : files) {
    const std::string needed = output_of({"readelf", "--dynamic", "--wide", file});
    CAPTURE(file, needed);
    CHECK_THAT(needed, Contains("(NEEDED)"));
    for (const char* library : {"libcuda", "libcudart", "libnvrtc", "libnvidia", "libcupti"})
      CHECK(needed.find(library) == std::string::npos);
  }
}

TEST_CASE("A plugin shares the one libkernelbatch") {
  for (const std::string& plugin : kPlugins)
    CHECK_THAT(output_of({"readelf", "--dynamic", "--wide", plugin}),
               Contains("Shared library: [libkernelbatch.so.0]"));
}

}  // namespace
}  // namespace kernelbatch
