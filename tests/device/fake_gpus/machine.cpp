#include "machine.hpp"

#include <cstdio>
#include <cstdlib>

namespace fake {
namespace {

struct Profile {
  const char* name;
  unsigned multiprocessors;
  unsigned long long memory_mib;
};
constexpr Profile k1g{"1g.10gb", 16, 9856}, k2g{"2g.20gb", 32, 19968}, k3g{"3g.40gb", 60, 40192};
constexpr Profile kSmall2g{"2g.10gb", 28, 9856};  // of an A100 40GB

std::string uuid_of(const char* kind, unsigned gpu, unsigned slice) {
  char text[64];
  std::snprintf(text, sizeof text, "%s-%08x-0000-%04x-8000-%012x", kind, 0xa0000000u + gpu, slice,
                slice + 0x10u * gpu);
  return text;
}

Gpu whole(unsigned number) {
  char bus[32];
  std::snprintf(bus, sizeof bus, "0000:%02X:00.0", 0x10 * (number + 1));
  return {uuid_of("GPU", number, 0xffff), "NVIDIA H100 80GB HBM3", bus, false, true, {}};
}

Gpu sliced(unsigned number, std::vector<Profile> profiles) {
  Gpu gpu = whole(number);
  gpu.is_mig = true;
  for (unsigned k = 0; k < profiles.size(); ++k)
    // Instance ids have gaps, and so do the positions in a GPU's list.
    gpu.slices.push_back({uuid_of("MIG", number, k + 1), profiles[k].name, 7 + 2 * k, 0,
                          k < 2 ? k : k + 1, profiles[k].multiprocessors, profiles[k].memory_mib});
  return gpu;
}

std::vector<Gpu> make() {
  if (is_set("seven") || is_set("refused")) return {sliced(0, std::vector<Profile>(7, k1g))};
  if (is_set("small")) {
    Gpu gpu = sliced(0, {kSmall2g, kSmall2g, kSmall2g});
    gpu.name = "NVIDIA A100-SXM4-40GB";
    return {gpu};
  }
  if (is_set("pairs")) return {sliced(0, {k2g, k2g, k2g})};
  if (is_set("halves")) return {sliced(0, {k3g, k3g})};
  if (is_set("mixed")) return {sliced(0, {k3g, k2g, k1g}), sliced(1, {k1g, k2g, k1g})};
  if (is_set("beside")) return {whole(0), sliced(1, {k3g, k3g})};
  if (is_set("empty")) return {sliced(0, {})};
  if (is_set("whole")) return {whole(0), whole(1)};
  return {};
}

}  // namespace

const std::vector<Gpu>& machine() {
  static const std::vector<Gpu> gpus = make();
  return gpus;
}

bool is_set(std::string_view word) {
  const char* text = std::getenv("FAKE_GPUS");
  return text != nullptr && std::string_view(text).find(word) != std::string_view::npos;
}

}  // namespace fake
