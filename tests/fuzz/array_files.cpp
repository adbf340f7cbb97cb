// Arrays in files.
#include "core/array/input.hpp"
#include "core/array/matrix_market.hpp"
#include "core/array/npz.hpp"
#include "core/verify/input_file.hpp"
#include "tests/fuzz/refused.hpp"
#include "tests/fuzz/scratch.hpp"

namespace kernelbatch::fuzz {

void npy(Bytes input) {
  is_refused([&] {
    const Array array = parse_npy(input, "fuzz.npy");
    claim(array.bytes() <= input.size(), "an array holds more than its file");
    claim(contiguous(array).size() == array.size(), "an array lost elements");
  });
}

void npz(Bytes input) {
  is_refused([&] {
    const auto path = scratch_file("fuzz.npz", input);
    for (const std::string& name : npz_names(path))
      is_refused([&] { static_cast<void>(read_npz(path, name)); });
  });
}

void matrix_market(Bytes input) {
  is_refused([&] {
    const auto matrix = read_matrix_market(scratch_file("fuzz.mtx", input));
    const auto* sparse = std::get_if<CsrMatrix>(&matrix);
    if (sparse == nullptr) return;
    const auto ends = sparse->indptr.as<std::int32_t>();
    claim(ends.front() == 0 && ends.back() == sparse->data.size(), "rows miss entries");
    for (const std::int32_t column : sparse->indices.as<std::int32_t>())
      claim(column >= 0 && column < sparse->columns, "an entry is outside of its matrix");
  });
}

void hdf5(Bytes input) {
  const auto path = scratch_file("fuzz.h5", input);
  for (const char* member : {"", "x", "group/y"})
    is_refused([&] { static_cast<void>(read_input_file({path, member})); });
}

}  // namespace kernelbatch::fuzz
