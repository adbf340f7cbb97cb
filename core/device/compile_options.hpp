// Compiler options, as interpreted by both backends.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kernelbatch {

/// True if kernels of the text launch kernels, which requires linking with the device runtime.
bool launches_kernels(std::string_view text);

/// True if the options request relocatable device code, which dynamic parallelism needs: -rdc=true,
/// -dc, --device-c, --relocatable-device-code=true.
bool asks_for_relocatable_code(std::span<const std::string> options);

/// Options in canonical spelling: `-D X`, `--define-macro=X` and `-DX` become `-DX`, likewise -I,
/// -U and -include. Empty options are removed. The order is kept, since it can matter.
std::vector<std::string> normalised_options(const std::vector<std::string>& options);

/// True if the options name a language standard.
bool names_standard(std::span<const std::string> options);

/// True if that standard is C++17 or newer, which the prelude needs.
bool reads_prelude(std::span<const std::string> options);

/// One -D or -U as a line: `#define N 3`, `#undef N`.
struct MacroLine {
  std::string name, line;
};

struct SplitOptions {
  /// The user's macros; headers before the text must not see them.
  std::vector<MacroLine> macros;
  /// Headers read before the text and after the macros: -include.
  std::vector<std::string> headers;
  /// All others, including macros that configure headers: names that begin with `_`, NDEBUG, and
  /// those of CUDA's libraries (CCCL_, CUB_, CUDA_, LIBCUDACXX_, NV_, THRUST_) and of the prelude.
  std::vector<std::string> others;
};
SplitOptions split_options(const std::vector<std::string>& options);

/// Throws SpecError, with the nearest known option, for an option that NVRTC does not know,
/// whichever device compiles.
void require_known_options(const std::vector<std::string>& options);

/// Throws SpecError for an option that makes the compiler read options from a file, which cache
/// keys and records would miss: `@file`, also inside another option, `--options-file`, `-optf`.
void require_no_response_files(std::span<const std::string> options);

/// Throws SpecError for a word with shell command substitution: nvcc passes its arguments to a
/// shell in double quotes.
void require_no_substitution(std::span<const std::string> words);

}  // namespace kernelbatch
