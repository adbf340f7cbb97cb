// fatbins/*.fatbin: `put` and `scale` as PTX for sm_75 and sm_90, without compression and with both
// kinds of nvcc.
#include "core/device/fatbin.hpp"

#include <cstring>
#include <utility>

#include "core/base/file.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::fatbin {
namespace {

std::string binary(const std::string& name) {
  return read_file(std::filesystem::path(__FILE__).parent_path() / "fatbins" / (name + ".fatbin"));
}

}  // namespace

TEST_CASE("PTX is read from fat binaries of each compression") {
  const std::pair<const char*, Compression> kinds[] = {
      {"none", Compression::kNone}, {"lz4", Compression::kLz4}, {"zstd", Compression::kZstd}};
  for (const auto& [name, compression] : kinds) {
    CAPTURE(name);
    const std::string bytes = binary(name);
    const std::vector<Part> parts = parts_of(bytes);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].is_ptx);
    CHECK(parts[0].capability == 75);
    CHECK(parts[1].compression == compression);
    const auto ptx = ptx_with(parts, {"put", "scale"});
    REQUIRE(ptx);
    CHECK_THAT(*ptx, Contains(".target sm_90") && Contains("mul.f64"));
    CHECK(has_entry(*ptx, "put"));
    CHECK_FALSE(has_entry(*ptx, "pu"));
    CHECK_FALSE(ptx_with(parts, {"put", "other"}));
  }
}

TEST_CASE("A program's fat binary has the size of its header") {
  const std::string bytes = binary("lz4") + "after it";
  const std::string_view found = at_address(bytes.data());
  CHECK(found.size() == bytes.size() - std::strlen("after it"));
  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* code = nullptr;
  } wrapper;
  CHECK(at_address(&wrapper).empty());
  wrapper.code = bytes.data();
  CHECK(at_address(&wrapper) == found);
  CHECK(at_address("no fat binary").empty());
}

TEST_CASE("Damaged fat binaries have no parts beyond the damage") {
  for (const char* const name : {"none", "lz4", "zstd"}) {
    const std::string bytes = binary(name);
    for (std::size_t length = 0; length < bytes.size(); length += 7)
      CHECK(parts_of(std::string_view(bytes).substr(0, length)).size() < 2);
    std::vector<Part> parts = parts_of(bytes);
    if (parts.at(1).compression == Compression::kNone) continue;
    parts[1].bytes += 1;
    CHECK_FALSE(content_of(parts[1]));
    parts[1].stored = parts[1].stored.substr(0, 40);
    CHECK_FALSE(content_of(parts[1]));
  }
}

}  // namespace kernelbatch::fatbin
