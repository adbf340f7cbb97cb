// Choice and description of MIG slices and whole GPUs by the real command, on the machines of
// fake_cuda and fake_nvml. Each test uses separate processes, since CUDA reads its environment
// once.
#include <cstdlib>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/paths.hpp"

namespace kernelbatch {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

enum class Nvml : bool { kAbsent, kThere };

/// Runs `kernelbatch …` on a machine; `mask` is CUDA_VISIBLE_DEVICES, unset if null.
ProcessResult on(const std::string& machine, std::vector<std::string> arguments,
                 const char* mask = nullptr, Nvml nvml = Nvml::kThere) {
  const std::string folder = test::build_folder() + "/tests/";
  const test::EnvironmentVariable gpus("FAKE_GPUS", machine);
  const test::EnvironmentVariable path(
      "LD_LIBRARY_PATH",
      folder + "fake_cuda" + (nvml == Nvml::kThere ? ":" + folder + "fake_nvml" : ""));
  const test::EnvironmentVariable visible("CUDA_VISIBLE_DEVICES", mask == nullptr ? "" : mask);
  if (mask == nullptr) ::unsetenv("CUDA_VISIBLE_DEVICES");
  return test::command(std::move(arguments));
}

/// The device that a run with this selector takes: the table's second line, with single spaces.
std::string chosen(const std::string& machine, const std::string& selector,
                   const char* mask = nullptr, Nvml nvml = Nvml::kThere) {
  const ProcessResult result = on(machine, {"devices", "--device", selector}, mask, nvml);
  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  std::string line = split(std::string(trim(result.output)), '\n').back(), text;
  for (const char c : line)
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  return text;
}

/// The error message if the device is unavailable.
std::string refused(const std::string& machine, const std::string& selector,
                    const char* mask = nullptr, Nvml nvml = Nvml::kThere) {
  const ProcessResult result = on(machine, {"devices", "--device", selector}, mask, nvml);
  INFO(result.output);
  CHECK(result.exit_status == static_cast<int>(ExitCode::kNoDevice));
  return std::string(trim(result.output));
}

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (const std::string& line : split(text, '\n'))
    if (line.find(part) != std::string::npos) ++count;
  return count;
}

const std::string kGpu = "GPU-a0000000-0000-ffff-8000-00000000ffff";
const std::string kFirst = "MIG-a0000000-0000-0001-8000-000000000001";
const std::string kSecond = "MIG-a0000000-0000-0002-8000-000000000002";
const std::string kThird = "MIG-a0000000-0000-0003-8000-000000000003";

TEST_CASE("A slice is chosen by its UUID, whichever slice CUDA would show") {
  CHECK(chosen("seven", kFirst) == kFirst +
                                       " NVIDIA H100 80GB HBM3 MIG 1g.10gb sm_90 16 SMs 9.62 GiB "
                                       "1g.10gb of GPU 0, instance 7/0 on " +
                                       kFirst);
  CHECK_THAT(chosen("seven", kThird), Contains("1g.10gb of GPU 0, instance 11/0 on " + kThird));
  // A unique prefix.
  CHECK_THAT(chosen("seven", "MIG-a0000000-0000-0003"), Contains(kThird));
}

TEST_CASE("The old form of a slice's name is equivalent") {
  CHECK_THAT(chosen("seven", "MIG-" + kGpu + "/11/0"), Contains(kThird));
  CHECK_THAT(chosen("seven", kThird, ("MIG-" + kGpu + "/11/0").c_str()), Contains(kThird));
}

TEST_CASE("Every profile has its number of units and memory") {
  CHECK_THAT(chosen("small", kSecond), Contains("28 SMs 9.62 GiB 2g.10gb of GPU 0"));
  CHECK_THAT(chosen("pairs", kSecond), Contains("32 SMs 19.5 GiB 2g.20gb of GPU 0"));
  CHECK_THAT(chosen("halves", kSecond), Contains("60 SMs 39.2 GiB 3g.40gb of GPU 0"));
}

TEST_CASE("Slices of two GPUs are distinguished by their parent") {
  CHECK_THAT(chosen("mixed", kSecond), Contains("2g.20gb of GPU 0, instance 9/0"));
  CHECK_THAT(chosen("mixed", "MIG-a0000001-0000-0002-8000-000000000012"),
             Contains("2g.20gb of GPU 1, instance 9/0"));
}

TEST_CASE("All slices are listed; slices hidden from CUDA by UUID") {
  const std::string text = on("seven", {"devices"}).output;
  CHECK(lines_with(text, "1g.10gb of GPU 0") == 7);
  CHECK(lines_with(text, "cuda:") == 1);
  CHECK(lines_with(text, "by uuid") == 6);
  CHECK_THAT(text, Contains("CUDA shows one slice to a process"));
  CHECK_THAT(text, Contains("CUDA driver: 13.0 (580.65.06)"));
  CHECK_THAT(text, !Contains("unknown"));
}

TEST_CASE("The automatic choice is the first granted device") {
  CHECK_THAT(chosen("seven", "auto", kThird.c_str()), Contains(kThird));
  CHECK_THAT(chosen("seven", "auto", (kThird + "," + kFirst).c_str()), Contains(kThird));
  CHECK_THAT(chosen("whole", "auto", "1"), StartsWith("cuda:0"));
  CHECK_THAT(chosen("whole", "auto", "1"), Contains("GPU-a0000001-"));
}

TEST_CASE("Whole GPUs are chosen by index and by UUID") {
  CHECK_THAT(chosen("whole", "cuda:1"), StartsWith("cuda:1 NVIDIA H100 80GB HBM3 sm_90 132 SMs"));
  CHECK_THAT(chosen("whole", "GPU-a0000001"), StartsWith("cuda:1"));
  CHECK_THAT(chosen("whole", kGpu, "1,0"), StartsWith("cuda:1"));
  CHECK_THAT(chosen("whole", kGpu, kGpu.c_str()), StartsWith("cuda:0"));
  CHECK_THAT(refused("whole", "cuda:2"),
             EndsWith("device 'cuda:2' is not there: 2 GPU(s) visible, cuda:0 to cuda:1"));
  // Both have this prefix.
  CHECK_THAT(refused("whole", "GPU-a000000"), Contains("GPU-a000000"));
}

TEST_CASE("Slices are estimated on a whole GPU only") {
  const std::string job = test::source_folder() + "/jobs/mse.yaml";
  const auto refusal = [&](const std::string& machine, const std::string& device) {
    const ProcessResult result = on(machine, {"slice", job, "--device", device});
    CHECK(result.exit_status == static_cast<int>(ExitCode::kNoDevice));
    return result.output;
  };
  CHECK_THAT(refusal("seven", kFirst), Contains("slice needs a whole GPU") && Contains("1g.10gb"));
  CHECK_THAT(refusal("whole", "host"), Contains("slice needs a GPU"));
}

TEST_CASE("A missing slice or GPU is refused with the nearest existing one") {
  CHECK_THAT(refused("seven", "MIG-a0000000-0000-0009-8000-000000000003"),
             Contains("is not on this node: the nearest is " + kThird + " (1g.10gb of GPU 0)"));
  CHECK_THAT(refused("seven", "MIG-ffffffff"), Contains("this node has " + kFirst) &&
                                                   Contains("and 4 more") &&
                                                   Contains("see `kernelbatch devices`"));
  CHECK_THAT(refused("whole", kFirst), Contains("no GPU of this node has slices"));
  CHECK_THAT(refused("whole", "GPU-a0000002-0000-ffff-8000-00000000ffff"),
             Contains("did you mean '" + kGpu + "'?"));
}

TEST_CASE("Devices that are not granted are refused") {
  CHECK_THAT(
      refused("seven", kFirst, kThird.c_str()),
      EndsWith("device '" + kFirst + "' (1g.10gb of GPU 0) is not granted to this process: " +
               "CUDA_VISIBLE_DEVICES=" + kThird));
  CHECK_THAT(refused("whole", kGpu, "1"), Contains("GPU 0 is not granted to this process"));
  // Slurm may grant a GPU in MIG mode by its index, which grants its slices.
  CHECK_THAT(chosen("mixed", kSecond, "0"), Contains(kSecond));
  CHECK_THAT(refused("mixed", kSecond, "1"), Contains("is not granted"));
}

TEST_CASE("A granted slice that has vanished is named, with the remaining ones") {
  const char* gone = "MIG-a0000000-0000-0009-8000-000000000002";
  const std::string text = refused("pairs", "cuda", gone);
  CHECK_THAT(text,
             Contains(std::string("CUDA_VISIBLE_DEVICES=") + gone + " leaves no GPU visible"));
  CHECK_THAT(text, Contains(std::string(gone) + " is not there, the nearest is " + kSecond));
}

TEST_CASE("A GPU in MIG mode cannot be used as a whole, and without slices not at all") {
  CHECK_THAT(refused("beside", "GPU-a0000001"),
             Contains("GPU 1 is in MIG mode: ask for a slice of it, as MIG-a0000001-"));
  CHECK_THAT(refused("empty", "cuda"), Contains("GPU 0 is in MIG mode and has no slice"));
  CHECK_THAT(refused("empty", kGpu), Contains("GPU 0 is in MIG mode and has no slice"));
  CHECK_THAT(on("empty", {"devices"}).output, Contains("no GPU can be used: GPU 0 is in MIG mode"));
}

TEST_CASE("Without permission or NVML, devices that CUDA shows can be used; the rest is unknown") {
  const std::string text = on("refused", {"devices"}).output;
  CHECK_THAT(text, Contains("may be unknown: GPU 0 does not report its slices (Insufficient "
                            "Permissions)"));
  CHECK(lines_with(text, "MIG-") == 1);
  // Its profile is part of its name; its parent is unknown.
  CHECK_THAT(chosen("refused", kFirst), StartsWith("cuda:0") && Contains("9.62 GiB 1g.10gb MIG-"));
  CHECK_THAT(refused("refused", kSecond), Contains("no visible GPU has it"));

  CHECK_THAT(on("pairs", {"devices"}, nullptr, Nvml::kAbsent).output,
             Contains("may be unknown: NVML cannot be opened"));
  CHECK_THAT(chosen("pairs", kThird, kThird.c_str(), Nvml::kAbsent),
             StartsWith("cuda:0") && Contains("2g.20gb"));
  CHECK_THAT(chosen("whole", "cuda:1", nullptr, Nvml::kAbsent), StartsWith("cuda:1"));
}

/// Devices taken by processes, from their output lines.
std::vector<std::string> taken(const std::string& machine, const std::string& jobs,
                               const char* mask = nullptr) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "job.yaml") << "workload: faulty\nvariants: [good]\n";
  const ProcessResult result = on(
      machine,
      {"run", "--jobs", jobs, "-o", (folder / "out.h5").string(), (folder / "job.yaml").string()},
      mask);
  INFO(result.output);
  std::vector<std::string> devices;
  for (const std::string& line : split(result.output, '\n'))
    if (const std::size_t at = line.find("] takes "); at != std::string::npos)
      devices.push_back(line.substr(at + 8));
  // The fake driver runs nothing.
  if (!devices.empty()) CHECK(result.exit_status == static_cast<int>(ExitCode::kNoDevice));
  return devices;
}

TEST_CASE("Each process of a run takes a different device, by UUID") {
  const std::vector<std::string> both = taken("whole", "auto");
  REQUIRE(both.size() == 2);
  CHECK(both[0] == kGpu);
  CHECK_THAT(both[1], StartsWith("GPU-a0000001-"));
  CHECK(taken("whole", "2", "1,0") == std::vector<std::string>{both[1], both[0]});
  // All granted slices, although CUDA shows only one of them; with one there is nothing to share.
  CHECK(taken("seven", "auto", (kThird + "," + kFirst).c_str()) ==
        std::vector<std::string>{kThird, kFirst});
  CHECK(taken("seven", "auto", kThird.c_str()).empty());
  const ProcessResult many = on("whole", {"run", "--jobs", "3", "/dev/null"});
  CHECK(many.exit_status == static_cast<int>(ExitCode::kBadSpec));
}

}  // namespace
}  // namespace kernelbatch
