// What compiler options mean to both backends.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kernelbatch {

/// Whether a text launches kernels from a kernel, which is linked with the device runtime.
bool launches_kernels(std::string_view text);

/// Whether the options ask for relocatable device code, which dynamic parallelism needs:
/// -rdc=true, -dc, --device-c, --relocatable-device-code=true.
bool asks_for_relocatable_code(std::span<const std::string> options);

/// Options in one spelling: `-D X`, `--define-macro=X` and `-DX` become `-DX`, likewise -I, -U and
/// -include; empty ones are left out. The order stays, since it can matter.
std::vector<std::string> normalised_options(const std::vector<std::string>& options);

/// Whether the options name a language standard.
bool names_standard(std::span<const std::string> options);

/// Whether that standard has what the prelude is written in: C++17 or newer.
bool reads_prelude(std::span<const std::string> options);

/// One -D or -U as a line of its own: `#define N 3`, `#undef N`.
struct MacroLine {
  std::string name, line;
};

struct SplitOptions {
  /// The user's macros, which no header before the text may meet.
  std::vector<MacroLine> macros;
  /// Headers that are read before the text, after the macros: -include.
  std::vector<std::string> headers;
  /// The others. Macros that steer headers are among them: names that begin with `_`, NDEBUG, and
  /// those of CUDA's libraries (CCCL_, CUB_, CUDA_, LIBCUDACXX_, NV_, THRUST_) and of the prelude.
  std::vector<std::string> others;
};
SplitOptions split_options(const std::vector<std::string>& options);

/// Throws SpecError for an option that NVRTC does not know, whichever device compiles, with the
/// nearest known one.
void require_known_options(const std::vector<std::string>& options);

/// Throws SpecError for an option that has the compiler read further ones from a file, which no
/// cache key and no record would have: `@file`, also behind another option, `--options-file`,
/// `-optf`.
void require_no_response_files(std::span<const std::string> options);

/// Throws SpecError for a word in which a shell would run a command: nvcc hands its own words to
/// one, between double quotes.
void require_no_substitution(std::span<const std::string> words);

}  // namespace kernelbatch
