#include "core/device/compile_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

/// Spellings of the options that take a value, the common one first.
constexpr std::array<std::array<std::string_view, 2>, 5> kValued{{{"-include", "--pre-include"},
                                                                  {"-isystem", "--isystem"},
                                                                  {"-I", "--include-path"},
                                                                  {"-D", "--define-macro"},
                                                                  {"-U", "--undefine-macro"}}};

bool steers_headers(std::string_view name) {
  constexpr std::array<std::string_view, 9> kPrefixes{
      "_", "NDEBUG", "CCCL_", "CUB_", "CUDA_", "LIBCUDACXX_", "NV_", "THRUST_", "KERNELBATCH_"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// NVRTC's own options of 13.0 without -D, -I, -U and -include; of a pair the long one first. `=`
/// at the end: takes a value.
constexpr std::array kKnown{"--gpu-architecture=",
                            "-arch=",
                            "--device-c",
                            "-dc",
                            "--device-w",
                            "-dw",
                            "--relocatable-device-code=",
                            "-rdc=",
                            "--extensible-whole-program",
                            "-ewp",
                            "--device-debug",
                            "-G",
                            "--generate-line-info",
                            "-lineinfo",
                            "--dopt",
                            "-dopt",
                            "--Ofast-compile=",
                            "-Ofc=",
                            "--ptxas-options=",
                            "-Xptxas=",
                            "--maxrregcount=",
                            "-maxrregcount=",
                            "--ftz=",
                            "-ftz=",
                            "--prec-sqrt=",
                            "-prec-sqrt=",
                            "--prec-div=",
                            "-prec-div=",
                            "--fmad=",
                            "-fmad=",
                            "--use_fast_math",
                            "-use_fast_math",
                            "--extra-device-vectorization",
                            "-extra-device-vectorization",
                            "--modify-stack-limit=",
                            "-modify-stack-limit=",
                            "--dlink-time-opt",
                            "-dlto",
                            "--gen-opt-lto",
                            "-gen-opt-lto",
                            "--optix-ir",
                            "-optix-ir",
                            "--jump-table-density=",
                            "-jtd=",
                            "--device-stack-protector=",
                            "-device-stack-protector=",
                            "--no-source-include",
                            "-no-source-include",
                            "--std=",
                            "-std=",
                            "--builtin-move-forward=",
                            "-builtin-move-forward=",
                            "--builtin-initializer-list=",
                            "-builtin-initializer-list=",
                            "--pch",
                            "-pch",
                            "--create-pch=",
                            "-create-pch=",
                            "--use-pch=",
                            "-use-pch=",
                            "--pch-dir=",
                            "-pch-dir=",
                            "--pch-verbose=",
                            "-pch-verbose=",
                            "--pch-messages=",
                            "-pch-messages=",
                            "--instantiate-templates-in-pch=",
                            "-instantiate-templates-in-pch=",
                            "--disable-warnings",
                            "-w",
                            "--restrict",
                            "-restrict",
                            "--device-as-default-execution-space",
                            "-default-device",
                            "--device-int128",
                            "-device-int128",
                            "--device-float128",
                            "-device-float128",
                            "--frandom-seed=",
                            "-frandom-seed=",
                            "--optimization-info=",
                            "-opt-info=",
                            "--display-error-number",
                            "-err-no",
                            "--no-display-error-number",
                            "-no-err-no",
                            "--diag-error=",
                            "-diag-error=",
                            "--diag-suppress=",
                            "-diag-suppress=",
                            "--diag-warn=",
                            "-diag-warn=",
                            "--brief-diagnostics=",
                            "-brief-diag=",
                            "--time=",
                            "-time=",
                            "--split-compile=",
                            "-split-compile=",
                            "--fdevice-syntax-only",
                            "-fdevice-syntax-only",
                            "--minimal",
                            "-minimal",
                            "--fdevice-time-trace=",
                            "-fdevice-time-trace=",
                            "--version-ident=",
                            "-version-ident=",
                            "--no-cache",
                            "-no-cache",
                            "--Xnvvm=",
                            "-Xnvvm="};

}  // namespace

SplitOptions split_options(const std::vector<std::string>& options) {
  SplitOptions split;
  for (const std::string& option : normalised_options(options)) {
    const bool is_define = option.starts_with("-D");
    if (option.starts_with("-include")) {
      split.headers.push_back(option.substr(8));
      continue;
    }
    const std::string_view macro =
        std::string_view(option).substr(std::min<std::size_t>(2, option.size()));
    if ((!is_define && !option.starts_with("-U")) || steers_headers(macro)) {
      split.others.push_back(option);
      continue;
    }
    const std::size_t equals = std::min(macro.find('='), macro.size());
    const std::string_view head = macro.substr(0, equals);
    std::string value = equals < macro.size() ? std::string(macro.substr(equals + 1)) : "1";
    std::ranges::replace(value, '\n', ' ');
    split.macros.push_back(
        {std::string(trim(head.substr(0, head.find('(')))),
         is_define ? fmt::format("#define {} {}", head, value) : fmt::format("#undef {}", head)});
  }
  return split;
}

void require_known_options(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 4> kReadHere{"-D", "-U", "-I", "-include"};
  const std::vector<std::string> normal = normalised_options(options);
  for (std::size_t k = 0; k < normal.size(); ++k) {
    const std::string& option = normal[k];
    if (std::any_of(kReadHere.begin(), kReadHere.end(),
                    [&](std::string_view each) { return option.starts_with(each); }))
      continue;
    const std::string name = option.substr(0, option.find('='));
    const bool has_value = name.size() < option.size();
    std::vector<std::string> names{"--pre-include", "--include-path", "--define-macro",
                                   "--undefine-macro"};
    bool is_known = false;
    for (std::string_view known : kKnown) {
      const bool takes_value = known.ends_with('=');
      if (takes_value) known.remove_suffix(1);
      names.emplace_back(known);
      if (name != known || (has_value && !takes_value)) continue;
      is_known = true;
      // `-maxrregcount 32`, `-Xptxas -v`
      const bool is_for_tool = name.starts_with("-X") || name.starts_with("--ptxas");
      if (takes_value && !has_value && k + 1 < normal.size() &&
          (is_for_tool || !normal[k + 1].starts_with('-')))
        ++k;
    }
    if (is_known) continue;
    const std::string near = nearest_name(name, names);
    throw SpecError(fmt::format(
        "unknown compiler option '{}' ({})", option,
        near.empty() ? "NVRTC has none of this name" : fmt::format("did you mean '{}'?", near)));
  }
}

bool launches_kernels(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size());
    if (text.substr(at, 2) == "/*") at = std::min(text.find("*/", at + 2), text.size());
    if (text.substr(at, 3) == "<<<") return true;
  }
  return false;
}

bool asks_for_relocatable_code(std::span<const std::string> options) {
  constexpr std::array<std::string_view, 5> kAsking{"-rdc=true", "--rdc=true", "-dc", "--device-c",
                                                    "--relocatable-device-code=true"};
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::find(kAsking.begin(), kAsking.end(), option) != kAsking.end();
  });
}

bool names_standard(std::span<const std::string> options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.find("-std=") != std::string::npos;
  });
}

std::vector<std::string> normalised_options(const std::vector<std::string>& options) {
  std::vector<std::string> result;
  for (std::size_t k = 0; k < options.size(); ++k) {
    const std::string option(trim(options[k]));
    if (option.empty()) continue;
    std::string normal = option;
    for (const auto& spellings : kValued) {
      std::string_view rest;
      bool is_match = false;
      for (const std::string_view spelling : spellings) {
        if (is_match || !option.starts_with(spelling)) continue;
        rest = std::string_view(option).substr(spelling.size());
        // Long names end at `=` or at the end; -I, -D and -U may have their value right behind.
        is_match = rest.empty() || rest[0] == '=' || spelling.size() == 2;
      }
      if (!is_match) continue;
      if (rest.empty() && k + 1 < options.size()) rest = trim(options[++k]);
      if (rest.starts_with('=')) rest.remove_prefix(1);
      normal = std::string(spellings[0]) + std::string(trim(rest));
      break;
    }
    result.push_back(std::move(normal));
  }
  return result;
}

bool reads_prelude(std::span<const std::string> options) {
  constexpr std::array<std::string_view, 3> kOld{"c++03", "c++11", "c++14"};
  return std::none_of(options.begin(), options.end(), [&](const std::string& option) {
    return option.find("-std=") != std::string::npos &&
           std::any_of(kOld.begin(), kOld.end(),
                       [&](std::string_view old) { return option.ends_with(old); });
  });
}

namespace {

/// True if an '@' begins a word or an option's value; in a name or path it follows a letter.
bool has_response_file(const std::string& option) {
  for (std::size_t at = option.find('@'); at != std::string::npos; at = option.find('@', at + 1)) {
    const bool ends_option = at == 2 && option[0] == '-';
    if (at == 0 || ends_option) return true;
    const auto before = static_cast<unsigned char>(option[at - 1]);
    if (std::isalnum(before) == 0 &&
        std::string_view("_./-+").find(option[at - 1]) == std::string_view::npos)
      return true;
  }
  return option.starts_with("--options-file") || option.starts_with("-options-file") ||
         option.starts_with("-optf") || option.starts_with("--optf");
}

}  // namespace

void require_no_response_files(std::span<const std::string> options) {
  for (const std::string& option : options)
    if (has_response_file(option))
      throw SpecError(
          fmt::format("the option '{}' has the compiler read options from a file, which would be "
                      "in no record: write them into the job",
                      option));
}

void require_no_substitution(std::span<const std::string> words) {
  for (const std::string& word : words)
    if (word.find_first_of("$`") != std::string::npos)
      throw SpecError(
          fmt::format("nvcc would have a shell run a part of '{}': no option and no folder that it "
                      "is given (TMPDIR, too) may have '$' or '`' in it",
                      word));
}

}  // namespace kernelbatch
