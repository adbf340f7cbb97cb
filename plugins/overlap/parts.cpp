#include "plugins/overlap/parts.hpp"

#include <algorithm>

#include "embedded.hpp"

namespace kernelbatch::workloads::overlap {
namespace {

constexpr std::int64_t kTile = 64;
constexpr std::uint32_t kBlock = 256;

std::string with_dtype(const char* name, const Overlap& in) {
  return name + std::string("_") + std::string(name_of(in.p.dtype()));
}

}  // namespace

Parts::Parts(const Overlap& in, Run& run)
    : in_(in),
      p_(run.to_device(in.p)),
      a_(run.to_device(in.a)),
      b_(run.to_device(in.b)),
      squares_(run.output("squares")),
      product_(run.output("product")),
      module_(EmbeddedKernel{embedded::raw_cu, embedded::raw_cu_fatbin},
              {with_dtype("row_squares", in), with_dtype("product", in), with_dtype("both", in)},
              {.name = "overlap_raw"}),
      sum_(module_.function(with_dtype("row_squares", in))),
      multiply_(module_.function(with_dtype("product", in))),
      both_(module_.function(with_dtype("both", in))),
      tiles_across_(static_cast<std::uint32_t>((in.m() + kTile - 1) / kTile)),
      row_blocks_(static_cast<std::uint32_t>(
          std::min<std::int64_t>(in.rows(), 8 * run.device().properties().compute_units))) {}

void Parts::queue_squares(Stream& stream) const {
  sum_(stream, {.grid = {row_blocks_}, .block = {kBlock}}, p_, squares_, in_.rows(), in_.cols());
}

void Parts::queue_product(Stream& stream) const {
  multiply_(stream, {.grid = {tiles_across_ * tiles_across_}, .block = {kBlock}}, a_, b_, product_,
            static_cast<int>(in_.m()), static_cast<int>(tiles_across_));
}

void Parts::queue_both(Stream& stream) const {
  both_(stream, {.grid = {tiles_across_ * tiles_across_ + row_blocks_}, .block = {kBlock}}, p_,
        squares_, in_.rows(), in_.cols(), a_, b_, product_, static_cast<int>(in_.m()),
        static_cast<int>(tiles_across_));
}

}  // namespace kernelbatch::workloads::overlap
