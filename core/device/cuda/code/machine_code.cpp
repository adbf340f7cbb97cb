#include "core/device/cuda/code/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "core/device/capture.hpp"
#include "core/device/elf.hpp"

namespace kernelbatch::cuda {
using namespace elf;

namespace {

/// An instruction of 16 bytes. Its lowest nine bits are the operation, the three above them the
/// form of its operands, the next four the predicate (7: none). Determined from the machine code of
/// one kernel per operation, for sm_80, sm_90, sm_100 and sm_120.
struct Instruction {
  std::uint64_t low, high;
  unsigned operation() const noexcept { return low & 0x1ff; }
  bool is_conditional() const noexcept { return (low >> 12 & 0xf) != 7; }
  unsigned source() const noexcept { return low >> 24 & 0xff; }
  /// Bytes that one thread of a load or store moves.
  double bytes() const noexcept {
    constexpr double kSizes[] = {1, 1, 2, 2, 4, 8, 16, 32};
    return kSizes[high >> 9 & 0x7];
  }
};
constexpr std::size_t kInstructionBytes = sizeof(Instruction);
/// The register that is always zero: arithmetic on it moves a constant.
constexpr unsigned kZeroRegister = 0xff;

/// TEX, TLD4, TLD, TMML, TXD, TXQ, SULD, SUST, SURED.
constexpr unsigned kTextureCodes[] = {0x160, 0x163, 0x166, 0x169, 0x16c,
                                      0x16f, 0x199, 0x19d, 0x19f};

constexpr unsigned kBranchCode = 0x147, kNothing = 0x118;
/// Operations below this one that are missing from the table are integer arithmetic, moves and
/// comparisons.
constexpr unsigned kFirstOther = 0x100;

using enum InstructionKind;
constexpr std::pair<unsigned, InstructionKind> kKinds[] = {
    {0x008, kFloat32},       // FSEL
    {0x009, kFloat32},       // FMNMX
    {0x00a, kFloat32},       // FSET
    {0x00b, kFloat32},       // FSETP
    {0x020, kFloat32},       // FMUL
    {0x021, kFloat32},       // FADD
    {0x023, kFloat32},       // FFMA
    {0x028, kFloat64},       // DMUL
    {0x029, kFloat64},       // DADD
    {0x02a, kFloat64},       // DSETP
    {0x02b, kFloat64},       // DFMA
    {0x030, kFloat16},       // HADD2
    {0x031, kFloat16},       // HFMA2
    {0x032, kFloat16},       // HMUL2
    {0x033, kFloat16},       // HSET2
    {0x034, kFloat16},       // HSETP2
    {0x035, kFloat16},       // HFMA2.MMA
    {0x037, kMatrix},        // IMMA
    {0x03b, kShared},        // LDSM
    {0x03c, kMatrix},        // HMMA
    {0x03f, kMatrix},        // DMMA
    {0x100, kSpecial},       // FLO
    {0x101, kSpecial},       // BREV
    {0x104, kSpecial},       // F2F
    {0x105, kSpecial},       // F2I
    {0x106, kSpecial},       // I2F
    {0x107, kSpecial},       // FRND
    {0x108, kSpecial},       // MUFU
    {0x109, kSpecial},       // POPC
    {0x110, kSpecial},       // F2F of 64 bits
    {0x111, kSpecial},       // F2I of 64 bits
    {0x112, kSpecial},       // I2F of 64 bits
    {0x113, kSpecial},       // FRND of 64 bits
    {0x11d, kBarrier},       // BAR
    {0x141, kReconverge},    // BSYNC
    {0x180, kGlobalLoad},    // LD
    {0x181, kGlobalLoad},    // LDG
    {0x183, kLocal},         // LDL
    {0x184, kShared},        // LDS
    {0x185, kGlobalStore},   // ST
    {0x186, kGlobalStore},   // STG
    {0x187, kLocal},         // STL
    {0x188, kShared},        // STS
    {0x189, kShuffle},       // SHFL
    {0x18a, kGlobalAtomic},  // ATOM
    {0x18b, kGlobalAtomic},  // ATOM.CAS
    {0x18c, kSharedAtomic},  // ATOMS
    {0x18d, kSharedAtomic},  // ATOMS.CAS
    {0x18e, kGlobalAtomic},  // RED
    {0x1a6, kGlobalAtomic},  // RED of floating point
    {0x1a8, kGlobalAtomic},  // ATOMG
    {0x1a9, kGlobalAtomic},  // ATOMG.CAS
    {0x1ae, kGlobalLoad},    // LDGSTS
    {0x1c4, kShuffle},       // REDUX
    {0x1f0, kMatrix},        // HGMMA
};

InstructionKind kind_of(const Instruction& instruction) {
  const unsigned operation = instruction.operation();
  if (operation == kBranchCode) return instruction.is_conditional() ? kBranch : kOther;
  const auto found =
      std::ranges::find(kKinds, operation, [](const auto& row) { return row.first; });
  if (found == std::end(kKinds)) return operation < kFirstOther ? kInteger : kOther;
  if (found->second == kFloat16 && instruction.source() == kZeroRegister) return kInteger;
  return found->second;
}

/// Index of the target of a branch at `at`. The distance counts words of four bytes from the next
/// instruction; from sm_90 on its lowest eight bits are stored separately.
std::int64_t target_of(const Instruction& branch, std::int64_t at, int architecture) {
  std::int64_t words = static_cast<std::int64_t>(branch.high << 30 | branch.low >> 34) << 16 >> 16;
  if (architecture >= 90) words = words * 256 + static_cast<std::int64_t>(branch.low >> 16 & 0xff);
  return at + 1 + words * 4 / static_cast<std::int64_t>(kInstructionBytes);
}

int architecture_of(std::string_view target) {
  int number = 0;
  const std::size_t begin = target.find_first_of("0123456789");
  if (begin != std::string_view::npos)
    std::from_chars(target.data() + begin, target.data() + target.size(), number);
  return number;
}

std::vector<Instruction> instructions_of(std::string_view cubin, std::string_view kernel) {
  const std::vector<Section> sections = sections_of(cubin);
  const auto code = std::ranges::find(sections, fmt::format(".text.{}", kernel), &Section::name);
  std::vector<Instruction> instructions;
  if (code == sections.end()) return instructions;
  for (std::size_t at = 0; at + kInstructionBytes <= code->bytes.size(); at += kInstructionBytes)
    instructions.push_back(*read_at<Instruction>(code->bytes, at));
  return instructions;
}

}  // namespace

std::optional<InstructionMix> instruction_mix(std::string_view cubin, std::string_view kernel,
                                              std::string_view target) {
  constexpr int kDeepest = 3;
  const std::vector<Instruction> instructions = instructions_of(cubin, kernel);
  const int architecture = architecture_of(target);
  if (instructions.empty() || architecture < 75) return std::nullopt;
  // A backward branch encloses a loop. The last instruction of a function branches to itself.
  InstructionMix mix;
  std::vector<int> depth(instructions.size());
  for (std::size_t k = 0; k < instructions.size(); ++k) {
    if (instructions[k].operation() != kBranchCode) continue;
    const auto at = static_cast<std::int64_t>(k);
    const std::int64_t begin = target_of(instructions[k], at, architecture);
    if (begin < 0 || begin >= at) continue;
    ++mix.loops;
    for (std::int64_t inside = begin; inside <= at; ++inside)
      ++depth[static_cast<std::size_t>(inside)];
  }
  for (std::size_t k = 0; k < instructions.size(); ++k) {
    if (instructions[k].operation() == kNothing) continue;
    const InstructionKind kind = kind_of(instructions[k]);
    const double weight = std::pow(kLoopWeight, std::min(depth[k], kDeepest));
    mix[kind] += weight;
    if (kind == kGlobalLoad || kind == kGlobalStore)
      mix.global_bytes += weight * instructions[k].bytes();
    if (kind == kShared) mix.shared_bytes += weight * instructions[k].bytes();
  }
  return mix;
}

}  // namespace kernelbatch::cuda

namespace kernelbatch {

MachineCodeUse machine_code_use(std::string_view cubin, std::string_view kernel) {
  MachineCodeUse use;
  std::set<unsigned> bytes;
  for (const cuda::Instruction& each : cuda::instructions_of(cubin, kernel)) {
    const InstructionKind kind = cuda::kind_of(each);
    if (kind == InstructionKind::kGlobalLoad || kind == InstructionKind::kGlobalStore)
      bytes.insert(static_cast<unsigned>(each.bytes()));
    use.has_textures =
        use.has_textures || std::ranges::count(cuda::kTextureCodes, each.operation()) > 0;
  }
  use.access_bytes.assign(bytes.begin(), bytes.end());
  return use;
}

}  // namespace kernelbatch
