#include "core/inline/wanted_addresses.hpp"

#include "core/base/scratch_folder.hpp"
#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {

TEST_CASE("Addresses of a job have the sizes of the files that arrays are filled from") {
  const ScratchFolder folder;
  folder.write("x.npy", std::string(5000, 'x'));
  folder.write("y.npy", std::string(700, 'y'));
  const JobSpec job = parse_job(R"(kernelbatch: 1
workload: inline
inputs: {x: {file: x.npy}, y_before: {file: y.npy}, z_before: {file: missing.npy}, n: 3}
outputs: {y: {fill: y_before}, z: {fill: z_before}, w: {shape: [4]}}
variants:
  captured:
    kind: image
    image: k.cubin
    entry: f
    grid: [1]
    addresses: {x: "0x7f0000000000", y: "0x7f0000100000", z: "0x10", w: "0x20"}
  other: {kind: image, image: k.cubin, entry: f, grid: [1], addresses: {x: "no address"}}
  last: {kind: image, image: k.cubin, entry: f, grid: [1], addresses: {x: "0x30"}}
  plain: {kind: fuse, expression: x + 1}
)",
                                (folder.path() / "job.yaml").string(), {});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const AddressRange& each : wanted_addresses(job))
    ranges.emplace_back(each.address, each.bytes);
  CHECK(ranges ==
        std::vector<std::pair<std::uint64_t, std::uint64_t>>{
            {0x7f0000000000, 5000}, {0x7f0000100000, 700}, {0x10, 1}, {0x20, 1}, {0x30, 5000}});
}

}  // namespace kernelbatch
