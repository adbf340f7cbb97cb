#include "core/device/host/checks/code_places.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/host/host_prelude.hpp"

namespace kernelbatch::host {
namespace {

using Lines = std::map<std::pair<std::string, int>, std::string>;

constexpr std::string_view kFirstEntry = "kernelbatch_entry_0";

/// "f(int*)::tile" and "tile" are both shown as `tile`.
std::string variable_name(const char* symbol) {
  // Guard variable of a function's static: internal.
  if (std::string_view(symbol).starts_with("_ZGV")) return std::string(kPointerMark) + "guard";
  int status = 0;
  // Only symbols: "x" alone is the type long long to it.
  char* const readable = std::string_view(symbol).starts_with("_Z")
                             ? abi::__cxa_demangle(symbol, nullptr, nullptr, &status)
                             : nullptr;
  std::string name = readable != nullptr ? readable : symbol;
  std::free(readable);
  // Variables that prelude headers share between threads are internal.
  if (name.find(kPointerMark) != std::string::npos) return std::string(kPointerMark) + name;
  for (const char* const scope : {"cooperative_groups::", "cub::", "cuda::", "kernelbatch::"})
    if (name.starts_with(scope)) return std::string(kPointerMark) + name;
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos)
    name = name.substr(scope + 2);
  // g++ numbers the variables of functions: tile.0
  return name.substr(0, name.find('.'));
}

/// The file name in a text's #line, or of an #include.
std::string file_name(const char* path) {
  const std::string_view text = path == nullptr ? "" : path;
  for (const std::string_view header : host_prelude().header_names())
    if (text.ends_with(fmt::format("/{}", header))) return std::string(header);
  const std::size_t folder = text.rfind('/');
  return std::string(folder == std::string_view::npos ? text : text.substr(folder + 1));
}

/// The lines of a text, by the file names and numbers of its #line directives.
Lines lines_of(std::string_view text) {
  Lines lines;
  std::string file;
  int number = 1;
  // A debug section ends with a NUL.
  while (text.ends_with('\0')) text.remove_suffix(1);
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("#line ")) {
      number = std::atoi(line.c_str() + 6);
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (open < close) file = line.substr(open + 1, close - open - 1);
      continue;
    }
    lines.emplace(std::pair(file, number++), trim(line));
  }
  return lines;
}

std::optional<std::uint64_t> number(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, attribute, &found) == nullptr || dwarf_formudata(&found, &value) != 0)
    return std::nullopt;
  return value;
}

}  // namespace

bool is_file_of_ours(std::string_view file) {
  const std::vector<std::string_view> names = host_prelude().header_names();
  return file == "kernelbatch-entries" || file == "device.hpp" || file.starts_with("host_") ||
         std::ranges::find(names, file) != names.end();
}

struct CodePlaces::Debug {
  Elf* elf = nullptr;
  Dwarf* dwarf = nullptr;
  Lines lines;  ///< of the kernel's text

  ~Debug() {
    if (dwarf != nullptr) dwarf_end(dwarf);
    if (elf != nullptr) elf_end(elf);
  }
};

CodePlaces::CodePlaces(std::string bytes)
    : bytes_(std::move(bytes)), debug_(std::make_unique<Debug>()) {
  elf_version(EV_CURRENT);
  debug_->elf = elf_memory(bytes_.data(), bytes_.size());
  if (debug_->elf == nullptr) throw RunError("the code of a kernel is no ELF file");
  debug_->dwarf = dwarf_begin_elf(debug_->elf, DWARF_C_READ, nullptr);
  read_symbols();
}
CodePlaces::~CodePlaces() = default;
CodePlaces::CodePlaces(CodePlaces&&) noexcept = default;

void CodePlaces::read_symbols() {
  std::size_t segments = 0;
  elf_getphdrnum(debug_->elf, &segments);
  for (std::size_t k = 0; k < segments; ++k) {
    GElf_Phdr segment;
    if (gelf_getphdr(debug_->elf, static_cast<int>(k), &segment) != nullptr &&
        segment.p_type == PT_LOAD)
      bytes_loaded_ = std::max<std::size_t>(bytes_loaded_, segment.p_vaddr + segment.p_memsz);
  }
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(debug_->elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    const std::size_t count = header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
    for (std::size_t k = 0; k < count; ++k) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(k), &symbol) == nullptr || symbol.st_size == 0 ||
          symbol.st_shndx == SHN_UNDEF)
        continue;
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (type == STT_FUNC) {
        const char* const function = elf_strptr(debug_->elf, header.sh_link, symbol.st_name);
        if (std::string_view(function) == kFirstEntry) first_entry_ = symbol.st_value;
      }
      if (type != STT_OBJECT && type != STT_TLS) continue;
      const char* const name = elf_strptr(debug_->elf, header.sh_link, symbol.st_name);
      GElf_Shdr place;
      Elf_Scn* const in = elf_getscn(debug_->elf, symbol.st_shndx);
      const bool is_known = gelf_getshdr(in, &place) != nullptr;
      if (is_known && std::string_view(name) == kTextSymbol) {
        if (const Elf_Data* const bytes_of = elf_getdata(in, nullptr))
          debug_->lines = lines_of(
              {static_cast<const char*>(bytes_of->d_buf) + (symbol.st_value - place.sh_addr),
               symbol.st_size});
        continue;
      }
      variables_.push_back({variable_name(name), symbol.st_value, symbol.st_size, type == STT_TLS,
                            is_known && (place.sh_flags & SHF_WRITE) == 0});
    }
  }
}

CodePlace CodePlaces::place_of(std::uintptr_t offset) const {
  CodePlace place;
  Dwarf_Die unit;
  if (debug_->dwarf == nullptr || dwarf_addrdie(debug_->dwarf, offset, &unit) == nullptr)
    return place;
  if (Dwarf_Line* const line = dwarf_getsrc_die(&unit, offset)) {
    place.file = file_name(dwarf_linesrc(line, nullptr, nullptr));
    dwarf_lineno(line, &place.line);
    dwarf_linecol(line, &place.column);
  }
  // The scopes around an address end with those of the inlined function's definition; the scopes
  // around the innermost one are the calls.
  Dwarf_Die *innermost = nullptr, *scopes = nullptr;
  int count = dwarf_getscopes(&unit, offset, &innermost);
  if (count > 0) count = dwarf_getscopes_die(&innermost[0], &scopes);
  std::free(innermost);
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  dwarf_getsrcfiles(&unit, &files, &file_count);
  // From the innermost inlined function outwards to the first place in the user's text.
  for (int k = 0; k < count && is_file_of_ours(place.file); ++k) {
    if (dwarf_tag(&scopes[k]) != DW_TAG_inlined_subroutine) continue;
    const auto file = number(&scopes[k], DW_AT_call_file);
    if (!file || files == nullptr) continue;
    place.file = file_name(dwarf_filesrc(files, *file, nullptr, nullptr));
    place.line = static_cast<int>(number(&scopes[k], DW_AT_call_line).value_or(0));
    place.column = static_cast<int>(number(&scopes[k], DW_AT_call_column).value_or(0));
  }
  std::free(scopes);
  if (place.file == kGeneratedFile) return place;  // its lines are counted from 1 again and again
  // A text without #line has an empty file name.
  for (const std::string& file : {place.file, std::string()})
    if (const auto line = debug_->lines.find({file, place.line});
        line != debug_->lines.end() && place.text.empty())
      place.text = line->second;
  return place;
}

}  // namespace kernelbatch::host
