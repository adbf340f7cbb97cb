// Asynchronous copies in PTX: right after a wait on every device, late without one on the host.
#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/raw/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;
using test::values_of;
using Numbers = std::vector<std::int32_t>;

/// Copies parts of 32 numbers to shared memory, and from there to the output.
Numbers copied(const std::string& body) {
  const std::string text = R"(
extern "C" __global__ void f(const int* in, int* out) {
  __shared__ alignas(16) int part[3][32];
  __shared__ alignas(8) unsigned long long ready;
  const int t = threadIdx.x;
  const unsigned place = (unsigned)__cvta_generic_to_shared(part);
  const unsigned flag = (unsigned)__cvta_generic_to_shared(&ready);
  for (int k = 0; k < 3; ++k) part[k][t] = -1;
  __syncthreads();
)" + body + "\n}";
  const RawKernel kernel{text, "f"};
  Numbers values(96);
  for (int k = 0; k < 96; ++k) values[static_cast<std::size_t>(k)] = k;
  const Array in = device_array(values), out = device_array(Numbers(32));
  LaunchShape shape;
  shape.block = {32};
  kernel(stream(), shape, in, out);
  return values_of<std::int32_t>(out);
}
Numbers from(std::int32_t first) {
  Numbers values(32);
  for (int k = 0; k < 32; ++k) values[static_cast<std::size_t>(k)] = first + k;
  return values;
}

std::string groups(const std::string& wait, int part) {
  return R"(
for (int k = 0; k < 3; ++k) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place + 128 * k + 4 * t), "l"(in + 32 * k + t) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}
asm volatile(")" +
         wait + R"(" ::: "memory");
__syncthreads();
out[t] = part[)" +
         std::to_string(part) + "][t];";
}
const std::string kBulk = R"(
if (t == 0) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(flag) : "memory");
  asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 128; }" ::"r"(flag) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
               ::"r"(place), "l"(in + 32), "r"(flag) : "memory");
}
__syncthreads();
)";
const std::string kWaitForBulk = R"(
unsigned done = 0;
while (done == 0)
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(flag) : "memory");
)";

bool is_plain_host() { return !test::on_cuda() && !test::is_sanitized(); }

TEST_CASE("Copies have arrived after the wait for their group") {
  CHECK(copied(groups("cp.async.wait_group 0;", 2)) == from(64));
  CHECK(copied(groups("cp.async.wait_group 1;", 1)) == from(32));
  CHECK(copied(groups("cp.async.wait_all;", 2)) == from(64));
}

TEST_CASE("A copy whose group was not waited for arrives late") {
  if (!is_plain_host()) return;  // undefined
  CHECK(copied(groups("cp.async.wait_group 1;", 2)) == Numbers(32, -1));
  CHECK(copied(groups("", 0)) == Numbers(32, -1));
  CHECK(copied(kBulk + "out[t] = part[0][t];") == Numbers(32, -1));
}

TEST_CASE("A bulk copy has arrived after the wait at its mbarrier") {
  CHECK(copied(kBulk + kWaitForBulk + "out[t] = part[0][t];") == from(32));
}

TEST_CASE("Copies arrive at an mbarrier that counts their threads") {
  CHECK(copied(R"(
if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(flag) : "memory");
__syncthreads();
asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place + 4 * (31 - t)), "l"(in + 63 - t) : "memory");
asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(flag) : "memory");
)" + kWaitForBulk +
               "out[t] = part[0][t];") == from(32));
}

TEST_CASE("A bulk copy to global memory reads its source before the wait for reading ends") {
  CHECK(copied(R"(
part[0][t] = 7 * t;
asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
__syncthreads();
if (t == 0) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out), "r"(place) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
  part[0][1] = 0;
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
)") == [] {
    Numbers values(32);
    for (int k = 0; k < 32; ++k) values[static_cast<std::size_t>(k)] = 7 * k;
    return values;
  }());
}

}  // namespace
}  // namespace kernelbatch
