// Logs of compute-sanitizer 2025.3, as written on an H100, and their findings.
#include "core/run/tool/tool_log.hpp"

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

const std::vector<CheckedArray> kArrays =
    read_checked_arrays("0x7fe5b2c00000 256 4 x\n0x7fe5b2c00200 256 4 y\n");

std::vector<std::string> texts(const std::vector<FindingRecord>& findings) {
  std::vector<std::string> all;
  for (const FindingRecord& each : findings) all.push_back(to_text(each));
  return all;
}

TEST_CASE("An access outside of an array is attributed to that array") {
  const auto found = read_tool_log(R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at f(const int *, int *, int)+0xc0 in past_end.cu:3
=========     by thread (0,0,0) in block (2,0,0)
=========     Access to 0x7fe5b2c00100 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7fe5b2c00000 of size 256 bytes
=========
========= ERROR SUMMARY: 1 error
)",
                                   CheckKind::kMemory, kArrays);
  REQUIRE(found.size() == 1);
  CHECK(found[0].tool == "memcheck");
  CHECK(found[0].check == "memory");
  CHECK(found[0].array == "x");
  CHECK(found[0].element == 64);
  CHECK(texts(found) ==
        std::vector<std::string>{
            "memory: kernel 'f', past_end.cu:3\n"
            "  thread (0,0,0) of block (2,0,0) reads 4 bytes of global memory, x[64], which is out "
            "of bounds\n"
            "  found once in 1 block, by memcheck"});
}

TEST_CASE("Threads that do the same at one place are one finding") {
  std::string log;
  for (const char* const thread :
       {"(0,0,0) in block (0,0,0)", "(1,0,0) in block (0,0,0)", "(0,0,0) in block (1,0,0)"})
    log += std::string(
               "========= Invalid __global__ read of size 16 bytes\n=========     at f+0x70\n"
               "=========     by thread ") +
           thread +
           "\n=========     Access to 0x7fe5b2c00004 is misaligned\n"
           "=========     and is inside the nearest allocation at 0x7fe5b2c00000 of size 256 "
           "bytes\n=========\n";
  CHECK(texts(read_tool_log(log, CheckKind::kMemory, kArrays)) ==
        std::vector<std::string>{
            "memory: kernel 'f', f+0x70\n"
            "  thread (0,0,0) of block (0,0,0) reads 16 bytes of global memory, x[1], which is "
            "misaligned\n"
            "  found 3 times in 2 blocks, by memcheck"});
}

TEST_CASE("A race in shared memory has two places, and no threads") {
  const auto found = read_tool_log(R"(========= COMPUTE-SANITIZER
========= Warning: Race reported between Write access at f+0x120 in a.cu:7
=========     and Read access at f+0x100 in a.cu:7 [64 hazards]
=========     and Read access at f+0x150 in a.cu:8 [32 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)
)",
                                   CheckKind::kRace, kArrays);
  CHECK(texts(found) ==
        std::vector<std::string>{"race: kernel 'f', a.cu:7\n"
                                 "  a thread writes shared memory, which another one reads at "
                                 "a.cu:7, with no barrier between\n"
                                 "  found 96 times, by racecheck"});
}

TEST_CASE("Reads of uninitialized memory, and barriers") {
  CHECK(texts(read_tool_log(R"(========= Uninitialized __global__ memory read of size 4 bytes
=========     at f+0x80 in a.cu:2
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x7fe5b2c0020c
)",
                            CheckKind::kInit, kArrays)) ==
        std::vector<std::string>{
            "init: kernel 'f', a.cu:2\n"
            "  thread (3,0,0) of block (0,0,0) reads 4 bytes of global memory, y[3], which is "
            "uninitialized\n"
            "  found once in 1 block, by initcheck"});
  CHECK(texts(read_tool_log(R"(========= Barrier error detected. Divergent thread(s) in block.
=========     at f+0xd0 in a.cu:7
=========     by thread (32,0,0) in block (0,0,0)
)",
                            CheckKind::kSync, kArrays)) ==
        std::vector<std::string>{
            "sync: kernel 'f', a.cu:7\n"
            "  thread (32,0,0) of block (0,0,0) is at a barrier or warp operation: divergent "
            "thread(s) in block\n"
            "  found once in 1 block, by synccheck"});
}

TEST_CASE("Places are read behind other words and in names with arguments") {
  const auto found = read_tool_log(
      R"(========= Invalid __shared__ atomic of size 8 bytes
=========     at void g<float, 2>(float *, int)+0x1af in /tmp/at +0x/b c.cu:12
=========     by thread (1, 2,3) in block (4,5,6)
=========     Access at 0x7fe5b2c00008 is misaligned
========= Invalid __global__ write of size 4 bytes
=========     at h(int)+0x0
=========     by thread (1,2,3) in block (4,5,6)
=========     Address 0x1
========= Invalid __global__ write of size 4 bytes
=========     at no offset in a.cu:3
=========     by thread (1,2,3) in block (4,5,6)
========= Invalid __global__ write of size 4 bytes
=========     at f+0x1 in a.cu:3
=========     by thread in block
)",
      CheckKind::kMemory, kArrays);
  CHECK(texts(found) ==
        std::vector<std::string>{
            "memory: kernel 'g<float, 2>', b c.cu:12\n"
            "  thread (1,2,3) of block (4,5,6) updates 8 bytes of shared memory, x[2], which is "
            "misaligned\n"
            "  found once in 1 block, by memcheck",
            "memory: kernel 'h', h+0x0\n"
            "  thread (1,2,3) of block (4,5,6) writes 4 bytes of global memory\n"
            "  found once in 1 block, by memcheck"});
}

TEST_CASE("Errors of the host are not attributed to kernels") {
  CHECK(
      read_tool_log(
          R"(========= Host API memory access error at host access to 0x7fe8acc00200 of size 256 bytes
=========     Uninitialized access to 0x7fe8acc00200 on access by cudaMemcpy source
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) on CUDA API call to cuCtxSynchronize.
========= ERROR SUMMARY: 2 errors
)",
          CheckKind::kInit, kArrays)
          .empty());
  CHECK(read_tool_log("", CheckKind::kRace, {}).empty());
}

}  // namespace
}  // namespace kernelbatch
