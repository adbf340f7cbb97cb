#include "core/device/cuda/code/cubin.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/device/cuda/code/machine_code.hpp"
#include "core/device/elf.hpp"

namespace kernelbatch::cuda {
using namespace elf;

namespace {

/// Attributes of .nv.info sections: a format, a kind, and 16 bits that are the value or, for the
/// last format, the value's size.
constexpr unsigned kSizedFormat = 4;
constexpr unsigned kParameter = 0x17;

/// The value of kParameter; the parameter's size is in the upper 14 bits of the last word.
struct ParameterInfo {
  std::uint32_t index;
  std::uint16_t ordinal, offset;
  std::uint32_t packed;
};

class InspectedKernel final : public Kernel {
 public:
  InspectedKernel(std::string name, std::vector<std::size_t> sizes)
      : name_(std::move(name)), sizes_(std::move(sizes)) {}
  void launch(const LaunchShape&, std::span<void* const>, Stream&) override {
    throw RunError(fmt::format("kernel '{}' was loaded to be looked into, not to run", name_));
  }
  std::span<const std::size_t> parameter_sizes() const override { return sizes_; }
  KernelAttributes attributes(int, std::size_t) const override { return {}; }

 private:
  std::string name_;
  std::vector<std::size_t> sizes_;
};

class InspectedModule final : public Module {
 public:
  explicit InspectedModule(Image image) : image_(std::move(image)) {}
  std::unique_ptr<Kernel> kernel(const std::string& entry) override {
    const auto symbol = image_.symbols.find(entry);
    auto sizes =
        cubin_parameters(image_.bytes, symbol != image_.symbols.end() ? symbol->second : entry);
    if (!sizes) throw SpecError(fmt::format("the compiled code has no kernel named '{}'", entry));
    return std::make_unique<InspectedKernel>(entry, std::move(*sizes));
  }
  std::optional<InstructionMix> instruction_mix(const std::string& entry) override {
    const auto symbol = image_.symbols.find(entry);
    return cuda::instruction_mix(
        image_.bytes, symbol != image_.symbols.end() ? symbol->second : entry, image_.target);
  }
  std::span<std::byte> global(const std::string& name) override {
    const auto symbol = image_.symbols.find(name);
    const auto size =
        cubin_variable(image_.bytes, symbol != image_.symbols.end() ? symbol->second : name);
    if (!size) throw SpecError(fmt::format("the compiled code has no variable named '{}'", name));
    return {reinterpret_cast<std::byte*>(image_.bytes.data()), *size};
  }

 private:
  Image image_;
};

}  // namespace

std::optional<std::vector<std::size_t>> cubin_parameters(std::string_view cubin,
                                                         std::string_view kernel) {
  const std::vector<Section> sections = sections_of(cubin);
  bool has_kernel = false;
  std::vector<std::size_t> sizes;
  for (const Section& section : sections) {
    has_kernel = has_kernel || section.name == fmt::format(".text.{}", kernel);
    if (section.name != fmt::format(".nv.info.{}", kernel)) continue;
    const std::string_view bytes = section.bytes;
    for (std::size_t at = 0; at + 4 <= bytes.size();) {
      const auto format = static_cast<unsigned char>(bytes[at]);
      const auto kind = static_cast<unsigned char>(bytes[at + 1]);
      const std::size_t size = *read_at<std::uint16_t>(bytes, at + 2);
      at += 4;
      if (format != kSizedFormat) continue;
      if (kind == kParameter) {
        const auto info = read_at<ParameterInfo>(bytes, at);
        if (!info) return std::nullopt;
        if (sizes.size() <= info->ordinal) sizes.resize(std::size_t{info->ordinal} + 1);
        sizes[info->ordinal] = info->packed >> 18;
      }
      at += size;
    }
  }
  if (!has_kernel) return std::nullopt;
  return sizes;
}

std::optional<std::size_t> cubin_variable(std::string_view cubin, std::string_view name) {
  const std::vector<Section> sections = sections_of(cubin);
  for (const Section& section : sections) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= sections.size()) continue;
    const std::string_view names = sections[section.header.sh_link].bytes;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.bytes.size();
         at += sizeof(Elf64_Sym)) {
      const Elf64_Sym symbol = *read_at<Elf64_Sym>(section.bytes, at);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && text_at(names, symbol.st_name) == name)
        return symbol.st_size;
    }
  }
  return std::nullopt;
}

std::unique_ptr<Module> inspect_cubin(const Image& image) {
  if (sections_of(image.bytes).empty())
    throw SpecError("the compiled code is no cubin, so its kernels cannot be looked into");
  return std::make_unique<InspectedModule>(image);
}

}  // namespace kernelbatch::cuda
