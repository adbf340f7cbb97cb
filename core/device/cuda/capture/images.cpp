#include "core/device/cuda/capture/images.hpp"

#include <algorithm>

#include "core/device/elf.hpp"

namespace kernelbatch::capture {

std::vector<std::string> kernels_of(std::string_view cubin) {
  // Functions that are no kernels have such a section too; they are never launched.
  constexpr std::string_view kPrefix = ".text.";
  std::vector<std::string> names;
  for (const elf::Section& section : elf::sections_of(cubin))
    if (section.name.starts_with(kPrefix)) names.push_back(section.name.substr(kPrefix.size()));
  return names;
}

std::vector<ImageVariable> variables_of(std::string_view cubin) {
  const std::vector<elf::Section> sections = elf::sections_of(cubin);
  std::vector<ImageVariable> variables;
  for (const elf::Section& table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size()) continue;
    const std::string_view names = sections[table.header.sh_link].bytes;
    for (std::uint64_t at = 0;; at += sizeof(Elf64_Sym)) {
      const auto symbol = elf::read_at<Elf64_Sym>(table.bytes, at);
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx >= sections.size())
        continue;
      const elf::Section& section = sections[symbol->st_shndx];
      if (section.name != ".nv.constant3" && !section.name.starts_with(".nv.global")) continue;
      std::string initial(symbol->st_size, '\0');
      if (symbol->st_value + symbol->st_size <= section.bytes.size())
        initial = section.bytes.substr(symbol->st_value, symbol->st_size);
      variables.push_back({elf::text_at(names, symbol->st_name), std::move(initial)});
    }
  }
  return variables;
}

std::uint64_t Images::add(std::string_view cubin,
                          const std::function<bool(const std::string&)>& is_wanted) {
  std::vector<std::string> kernels = kernels_of(cubin);
  if (std::ranges::none_of(kernels, is_wanted)) return 0;
  auto image = std::make_shared<Image>();
  image->bytes = cubin;
  image->kernels = std::move(kernels);
  const std::lock_guard lock(mutex_);
  image->number = images_.size() + 1;
  images_.push_back(std::move(image));
  return images_.size();
}

std::vector<std::shared_ptr<const Images::Image>> Images::with_kernel(
    const std::string& kernel) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Image>> found;
  for (const auto& image : images_)
    if (std::ranges::find(image->kernels, kernel) != image->kernels.end()) found.push_back(image);
  return found;
}

}  // namespace kernelbatch::capture
