// The prelude's parts that a source gets.
#include "core/device/cuda/cuda_prelude.hpp"
#include "core/device/host/host_prelude.hpp"
#include "core/device/prelude.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using cuda::cuda_prelude;
using host::host_prelude;

/// HeaderNames of the headers that device.hpp includes at its end for this text.
std::vector<std::string> parts_for(const Prelude& prelude, const std::string& text,
                                   std::vector<std::string> entries = {}) {
  KernelSource source;
  source.text = text;
  source.entries = std::move(entries);
  const KernelSource empty;
  const std::string without = prelude.files_for(empty).front().text;
  std::string rest = prelude.files_for(source).front().text;
  REQUIRE(rest.starts_with(without));
  rest.erase(0, without.size());
  std::vector<std::string> parts;
  for (std::size_t at = 0; (at = rest.find("#include \"kernelbatch/", at)) != std::string::npos;) {
    at += std::string("#include \"kernelbatch/").size();
    parts.push_back(rest.substr(at, rest.find('"', at) - at));
  }
  return parts;
}

using HeaderNames = std::vector<std::string>;

TEST_CASE("A plain kernel includes no part") {
  for (const Prelude* prelude : {&host_prelude(), &cuda_prelude()})
    CHECK(parts_for(*prelude,
                    "y = a * x + b; // grid, range, complex\n/* atomicAdd\n block_reduce */ z")
              .empty());
}

TEST_CASE("Words request their parts") {
  for (const Prelude* prelude : {&host_prelude(), &cuda_prelude()}) {
    CHECK(parts_for(*prelude, "for (auto i : kernelbatch::range(n))") == HeaderNames{"grid.hpp"});
    CHECK(parts_for(*prelude, "block_reduce(x, plus())") == HeaderNames{"collectives.hpp"});
    CHECK(parts_for(*prelude, "this_grid().sync()") == HeaderNames{"groups.hpp"});
    CHECK(parts_for(*prelude, "cooperative_groups::sync(b)") ==
          HeaderNames{"cooperative_groups.hpp"});
    CHECK(parts_for(*prelude, "x", {"f<complex<float>>"}) == HeaderNames{"complex_math.hpp"});
    CHECK(parts_for(*prelude, "arrange(gridded, blocks)").empty());
  }
  CHECK(parts_for(cuda_prelude(), "atomicAdd(x, 1)") == HeaderNames{"cuda_atomics.hpp"});
  CHECK(parts_for(host_prelude(), "atomicAdd(x, 1)").empty());
  CHECK(parts_for(host_prelude(), "__dp2a_hi(a, b, c)") == HeaderNames{"host_intrinsics.hpp"});
  CHECK(parts_for(cuda_prelude(), "__dp2a_hi(a, b, c)").empty());
}

TEST_CASE("A text that includes CUDA's cooperative groups gets no others") {
  CHECK(parts_for(cuda_prelude(),
                  "#include <cooperative_groups.h>\ncooperative_groups::this_thread_block()")
            .empty());
}

TEST_CASE("The preludes of different devices have different identities") {
  CHECK(host_prelude().hash().size() == 32);
  CHECK(host_prelude().hash() != cuda_prelude().hash());
}

}  // namespace
}  // namespace kernelbatch
