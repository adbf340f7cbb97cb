#include "core/device/mig_profiles.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

DeviceProperties gpu(int capability, int units, double gib) {
  DeviceProperties properties;
  properties.capability_major = capability / 10;
  properties.capability_minor = capability % 10;
  properties.compute_units = units;
  properties.memory = static_cast<std::size_t>(gib * (1u << 30));
  return properties;
}

std::string names_of(const DeviceProperties& properties) {
  std::string names;
  for (const MigProfile& profile : mig_profiles(properties)) names += profile.name + " ";
  return names;
}

TEST_CASE("Profiles have the names that the GPU's driver gives them") {
  CHECK(names_of(gpu(90, 132, 79.2)) == "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb ");
  CHECK(names_of(gpu(90, 132, 139.8)) == "1g.18gb 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb ");
  CHECK(names_of(gpu(80, 108, 39.4)) == "1g.5gb 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb ");
  CHECK(names_of(gpu(80, 56, 23.6)) == "1g.6gb 2g.12gb 4g.24gb ");
  const std::vector<MigProfile> profiles = mig_profiles(gpu(90, 132, 79.2));
  CHECK(profiles[3].compute_units == 60);
  CHECK(profiles[3].compute == 3.0 / 7);
  CHECK(profiles[3].memory == 0.5);
}

TEST_CASE("Unknown GPUs and slices have no profiles") {
  CHECK(names_of(gpu(90, 78, 79.2)).empty());
  CHECK(names_of(gpu(75, 40, 15)).empty());
  DeviceProperties slice = gpu(90, 132, 79.2);
  slice.mig_profile = "1g.10gb";
  CHECK(names_of(slice).empty());
}

}  // namespace
}  // namespace kernelbatch
