#include "core/array/input.hpp"

#include <cstring>
#include <fstream>

#include "core/array/number.hpp"
#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// Bytes of a .npy file, written by hand.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  const std::size_t length = header.size();
  for (std::size_t k = 0; k < (version == 1 ? 2u : 4u); ++k)
    text += static_cast<char>(length >> (8 * k) & 0xff);
  return text + header + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }          \n";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

class NpyFile {
 public:
  explicit NpyFile(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
  std::filesystem::path path() const { return folder_ / "input.npy"; }
  Array read() const { return read_npy(path()); }
  std::string error() const {
    return test::error_text<SpecError>([this] { read(); });
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("A .npy file in C order is read") {
  const NpyFile file(npy(header("<i4", "(2, 3)"), bytes_of<int>({1, 2, 3, 4, 5, 6})));
  const Array array = file.read();
  CHECK(array.dtype() == DType::kInt32);
  CHECK(array.shape() == Shape{2, 3});
  CHECK(array.is_contiguous());
  CHECK(test::values_of<int>(array) == test::counting<int>(6, 1));
}

TEST_CASE("Two bytes without a type are bfloat16") {
  const NpyFile file(npy(header("<V2", "(2,)"), bytes_of<std::uint16_t>({0x3fc0, 0xc000})));
  const Array array = file.read();
  CHECK(array.dtype() == DType::kBFloat16);
  const Array wide = astype(array, DType::kFloat32);
  CHECK(wide.as<float>()[0] == 1.5f);
  CHECK(wide.as<float>()[1] == -2.0f);
}

TEST_CASE("A .npy file in Fortran order becomes a view with the same elements") {
  const NpyFile file(npy(header("<f8", "(2, 3)", true), bytes_of<double>({1, 4, 2, 5, 3, 6})));
  CHECK(file.read().shape() == Shape{2, 3});
  CHECK(test::values_of<double>(file.read()) == std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("Big-endian numbers, and the parts of complex ones, are swapped") {
  const NpyFile whole(npy(header(">i2", "(2,)"), std::string("\x01\x02\xff\xfe", 4)));
  CHECK(test::values_of<std::int16_t>(whole.read()) == std::vector<std::int16_t>{0x102, -2});
  const NpyFile complex(
      npy(header(">c8", "(1,)"), std::string("\x3f\x80\x00\x00\xc0\x00\x00\x00", 8)));
  CHECK(test::values_of<std::complex<float>>(complex.read())[0] == std::complex<float>(1, -2));
}

TEST_CASE("Versions 2 and 3, 0-d arrays, empty arrays and bytes without an order are read") {
  CHECK(test::values_of<float>(NpyFile(npy(header("<f4", "()"), bytes_of<float>({3}), 2)).read()) ==
        std::vector<float>{3});
  CHECK(NpyFile(npy(header("<f4", "(0, 5)"), "", 3)).read().shape() == Shape{0, 5});
  CHECK(NpyFile(npy(header("|u1", "(2,)"), "\x07\x08")).read().as<std::uint8_t>()[1] == 8);
  CHECK(NpyFile(npy(header("|b1", "(1,)"), "\x01")).read().as<bool>()[0]);
}

TEST_CASE("A truncated .npy file is named with what it lacks") {
  const std::string whole = npy(header("<i4", "(2, 3)"), bytes_of<int>({1, 2, 3, 4, 5, 6}));
  const NpyFile data(whole.substr(0, whole.size() - 1));
  CHECK_THAT(data.error(), Contains("truncated") && Contains("(2, 3)") && Contains("24 B") &&
                               Contains("23 B") && Contains("input.npy"));
  CHECK_THAT(NpyFile(whole.substr(0, 40)).error(), Contains("its header is incomplete"));
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{9}})
    CHECK_THROWS_AS(NpyFile(whole.substr(0, size)).read(), SpecError);
}

TEST_CASE("A file that is not .npy is reported as such") {
  CHECK_THAT(NpyFile("this is a text, not an array").error(), Contains("is not a .npy file"));
}

TEST_CASE("A file that is not there is named") {
  CHECK_THAT(test::error_text<SpecError>([] { read_npy("/nonexistent/input.npy"); }),
             Contains("/nonexistent/input.npy"));
}

TEST_CASE("A malformed .npy header is refused with the reason") {
  CHECK_THAT(NpyFile(npy("{'descr': '<f4'}\n", "")).error(), Contains("lacks"));
  CHECK_THAT(NpyFile(npy("", "0123456789")).error(), Contains("lacks"));
  CHECK_THAT(NpyFile(npy(header("<f4", "5"), "")).error(), Contains("no shape"));
  CHECK_THAT(NpyFile(npy(header("<f4", "(-1,)"), "")).error(), Contains("'-1'"));
  CHECK_THAT(NpyFile(npy(header("<f4", "(1.5,)"), "")).error(), Contains("'1.5'"));
  CHECK_THAT(NpyFile(npy(header("<f4", "(99999999999999999999,)"), "")).error(),
             Contains("99999999999999999999"));
}

TEST_CASE("A dtype that arrays cannot have is named") {
  for (const char* code : {"<U5", "|O", "<M8[ns]", "<f16", "|S3"})
    CHECK_THAT(NpyFile(npy(header(code, "(1,)"), std::string(64, 'x'))).error(), Contains(code));
}

TEST_CASE("A shape far larger than the file is refused and allocates nothing") {
  CHECK_THAT(NpyFile(npy(header("<f8", "(1152921504606846976,)"), "12345678")).error(),
             Contains("truncated"));
  CHECK_THROWS_AS(NpyFile(npy(header("<f8", "(4294967296, 4294967296)"), "")).read(), SpecError);
  CHECK_THROWS_AS(
      NpyFile(
          npy(header("|u1", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
              "1"))
          .read(),
      SpecError);
}

}  // namespace
}  // namespace kernelbatch
