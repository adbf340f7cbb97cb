// A PTX module: its variables and functions.
#pragma once

#include <fmt/format.h>

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/device/host/ptx/ptx_code.hpp"

namespace kernelbatch::host {

struct PtxFunction {
  std::string name;
  int line = 0;
  bool is_entry = false;
  bool has_body = false;
  /// Threads of a block: at most their product, or exactly these; {} if there is no limit.
  std::vector<unsigned> block = {};
  bool is_block_exact = false;
  std::vector<PtxVariable> results;
  std::vector<PtxVariable> parameters;
  PtxBody body = {};
};

struct PtxModule {
  std::string version;               ///< "8.7"
  std::string target;                ///< "sm_90a"
  std::map<int, std::string> files;  ///< of `.file`: number and path
  std::vector<PtxVariable> variables;
  std::vector<PtxFunction> functions;  ///< in the order of the text; declarations too
};

/// True if a text is PTX: its first directive is `.version`.
bool is_ptx(std::string_view text);

/// Throws SpecError with the line and what is wrong.
PtxModule read_ptx_module(std::string_view text);

/// Removes the bodies of entries that neither `wanted` nor a function that remains names: they may
/// have instructions that the host device lacks. Keeps all if none is wanted.
void keep_entries(PtxModule& module, std::span<const std::string> wanted);

/// Adds the line, as it is then, to what `action` throws.
template <class Action>
void at_ptx_line(const int& line, Action&& action) {
  const auto located = [&](const std::exception& error) {
    const std::string_view what = error.what();
    return what.find("line ") != std::string_view::npos ? std::string(what)
                                                        : fmt::format("{}, line {}", what, line);
  };
  try {
    action();
  } catch (const UnsupportedError& error) {
    throw UnsupportedError(located(error));
  } catch (const SpecError& error) {
    throw SpecError(located(error));
  } catch (const std::out_of_range&) {
    throw SpecError(fmt::format("line {}: an operand is missing", line));
  }
}

}  // namespace kernelbatch::host
