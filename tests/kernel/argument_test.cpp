#include "core/kernel/argument.hpp"

#include <cstring>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Argument bytes keep their values, sizes and alignment") {
  ArgumentBytes bytes;
  bytes.append_value(static_cast<signed char>(7));
  bytes.append_value(2.5);
  bytes.append_value(std::complex<double>(1, 2));
  const std::vector<void*> pointers = bytes.pointers();
  CHECK(bytes.sizes() == std::vector<std::size_t>{1, 8, 16});
  CHECK(*static_cast<signed char*>(pointers[0]) == 7);
  double real = 0;
  std::memcpy(&real, pointers[1], sizeof real);
  CHECK(real == 2.5);
}

TEST_CASE("Struct bytes follow C's alignment rules") {
  struct Plain {
    char a;
    double b;
    short c;
    int d;
    char e;
  };
  StructBytes bytes;
  bytes.append_value('a');
  bytes.append_value(1.5);
  bytes.append_value(static_cast<short>(3));
  bytes.append_value(4);
  bytes.append_value('e');
  const std::vector<std::byte> packed = bytes.finish();
  REQUIRE(packed.size() == sizeof(Plain));
  Plain plain{};
  std::memcpy(&plain, packed.data(), sizeof plain);
  CHECK((plain.a == 'a' && plain.b == 1.5 && plain.c == 3 && plain.d == 4 && plain.e == 'e'));
}

TEST_CASE("A struct of nothing has one byte, as in C++") {
  CHECK(StructBytes().finish().size() == 1);
}

TEST_CASE("A view is its pointer, size, shape and strides") {
  const Array x = Array::on_host(DType::kFloat32, {3, 4}).transpose();
  CHECK(view_type(x, "const float") == "kernelbatch::array_view<const float, 2, false>");
  const std::vector<std::int64_t> words = view_words(x);
  CHECK(words ==
        std::vector<std::int64_t>{reinterpret_cast<std::int64_t>(x.data()), 12, 4, 3, 4, 16});
  CHECK(view_words(Array::on_host(DType::kInt8, {})).size() == 4);
}

}  // namespace
}  // namespace kernelbatch
