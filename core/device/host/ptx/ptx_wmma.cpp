#include "core/device/host/ptx/ptx_writer.hpp"

// Products of matrices whose fragments have no documented order: wmma.
namespace kernelbatch::host {
namespace {

/// "16, 16, 8" of m16n16k8.
std::string shape_of(const PtxInstruction& i) {
  for (const std::string& part : i.parts) {
    const std::size_t n = part.find('n'), k = part.find('k');
    if (part.front() == 'm' && part.size() > 5 && std::isdigit(part[1]) != 0 &&
        n != std::string::npos && k != std::string::npos)
      return fmt::format("{}, {}, {}", part.substr(1, n - 1), part.substr(n + 1, k - n - 1),
                         part.substr(k + 1));
  }
  refuse(i);
}

std::string element(const PtxInstruction& i, std::size_t from_end) {
  const std::string& name = i.parts.at(i.parts.size() - 1 - from_end);
  if (!is_one_of(name, {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32"})) refuse(i);
  return "__kernelbatch_ptx_wmma_" + name;
}

}  // namespace

std::string PtxWriter::wmma(const PtxInstruction& i) const {
  const std::string shape = shape_of(i), what = i.parts.at(1);
  const bool is_row = i.has("row");
  if (what == "load") {
    const std::string use = i.parts.at(2) == "a"   ? "matrix_a"
                            : i.parts.at(2) == "b" ? "matrix_b"
                                                   : "accumulator";
    return fmt::format(
        "unsigned long long __kernelbatch_d[8]; __kernelbatch_ptx_wmma_load<nvcuda::wmma::{}, {}, "
        "{}, {}>(__kernelbatch_d, {}, {});{}",
        use, shape, element(i, 0), is_row, address(i, i.operands.at(1)),
        i.operands.size() > 2 ? value(i, 2, *ptx_type("b32")) : "0u", give(i.operands.at(0)));
  }
  if (what == "store")
    return fmt::format(
        "const unsigned long long __kernelbatch_d[8] = {{{}}}; __kernelbatch_ptx_wmma_store<{}, "
        "{}, {}>({}, __kernelbatch_d, {});",
        list(i, i.operands.at(1)), shape, element(i, 0), is_row, address(i, i.operands.at(0)),
        i.operands.size() > 2 ? value(i, 2, *ptx_type("b32")) : "0u");
  if (what != "mma" || i.operands.size() != 4 || i.has("xor") || i.has("and")) refuse(i);
  // Types: D, A, B, C; those of A and B are left out if they are f16.
  const std::size_t last = is_one_of(i.parts.back(), {"satfinite", "rn"}) ? 1 : 0;
  const bool is_half = i.parts.at(i.parts.size() - 3 - last).front() == 'm';
  const std::string half = "__kernelbatch_ptx_wmma_f16";
  return fmt::format(
      "unsigned long long __kernelbatch_d[8]; const unsigned long long __kernelbatch_a[8] = "
      "{{{}}}, "
      "__kernelbatch_b[8] = {{{}}}, __kernelbatch_c[8] = {{{}}}; __kernelbatch_ptx_wmma_mma<{}, "
      "{}, "
      "{}, {}, {}>(__kernelbatch_d, __kernelbatch_a, __kernelbatch_b, __kernelbatch_c, {});{}",
      list(i, i.operands[1]), list(i, i.operands[2]), list(i, i.operands[3]), shape,
      element(i, last + (is_half ? 1 : 3)), is_half ? half : element(i, last + 2),
      is_half ? half : element(i, last + 1), element(i, last), i.has("satfinite"),
      give(i.operands[0]));
}

}  // namespace kernelbatch::host
