#include "core/kernel/launch/argument.hpp"

#include <cstring>

#include "core/base/error.hpp"
#include "core/kernel/launch/argument_block.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("An argument block keeps values, sizes and alignment") {
  ArgumentBlock bytes;
  bytes.append_value(static_cast<signed char>(7));
  bytes.append_value(2.5);
  bytes.append_value(std::complex<double>(1, 2));
  const std::span<void* const> pointers = bytes.addresses();
  CHECK(std::vector(bytes.sizes().begin(), bytes.sizes().end()) ==
        std::vector<std::size_t>{1, 8, 16});
  for (const void* pointer : pointers) CHECK(reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0);
  CHECK(*static_cast<signed char*>(pointers[0]) == 7);
  double real = 0;
  std::memcpy(&real, pointers[1], sizeof real);
  CHECK(real == 2.5);
}

TEST_CASE("An argument block keeps values beyond 4 KiB and 64 arguments") {
  ArgumentBlock bytes;
  for (int k = 0; k < 1000; ++k) bytes.append_value(k);
  const std::span<void* const> pointers = bytes.addresses();
  REQUIRE(pointers.size() == 1000);
  REQUIRE(bytes.sizes().size() == 1000);
  bool all_kept = true;
  for (int k = 0; k < 1000; ++k)
    all_kept = all_kept && *static_cast<int*>(pointers[static_cast<std::size_t>(k)]) == k &&
               bytes.sizes()[static_cast<std::size_t>(k)] == 4;
  CHECK(all_kept);
}

template <class T>
bool passes_as_itself(T value) {
  const Argument argument(value);
  T got{};
  argument.write_value(reinterpret_cast<std::byte*>(&got));
  return argument.value_bytes() == sizeof value && std::memcmp(&got, &value, sizeof value) == 0;
}

TEST_CASE("A scalar of every type is passed exactly") {
  CHECK(passes_as_itself(true));
  CHECK(passes_as_itself(static_cast<signed char>(-3)));
  CHECK(passes_as_itself(static_cast<short>(-300)));
  CHECK(passes_as_itself(-3));
  CHECK(passes_as_itself(std::int64_t{-1} << 62));
  CHECK(passes_as_itself(static_cast<unsigned char>(200)));
  CHECK(passes_as_itself(static_cast<unsigned short>(60000)));
  CHECK(passes_as_itself(4000000000u));
  CHECK(passes_as_itself(~std::uint64_t{0}));
  CHECK(passes_as_itself(Float16{0x3555}));
  CHECK(passes_as_itself(BFloat16{0x3eab}));
  CHECK(passes_as_itself(0.1f));
  CHECK(passes_as_itself(0.1));
  CHECK(passes_as_itself(std::complex<float>(0.1f, -0.2f)));
  CHECK(passes_as_itself(std::complex<double>(0.1, -0.2)));
}

TEST_CASE("Bytes and null pointers are only for raw kernels") {
  const struct { float a, b, c; } thing{1, 2, 3};
  std::byte value[16];
  CHECK(test::error_text<SpecError>([&] {
          as_bytes(thing).write_scalar(DType::kFloat32, value, "x");
        }) == "argument 'x' is a struct of 12 bytes, which only a raw kernel can take");
  CHECK(test::error_text<SpecError>([&] {
          Argument(nullptr).write_scalar(DType::kFloat32, value, "x");
        }) == "argument 'x' is a null pointer, which only a raw kernel can take");
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
  bytes.append_value("char", "a", 'a');
  bytes.append_value("double", "b", 1.5, "metres");
  bytes.append_value("short", "c", static_cast<short>(3));
  bytes.append_value("int", "d", 4);
  bytes.append_value("char", "e", 'e');
  const std::vector<std::byte> packed = bytes.finish();
  REQUIRE(packed.size() == sizeof(Plain));
  Plain plain{};
  std::memcpy(&plain, packed.data(), sizeof plain);
  CHECK((plain.a == 'a' && plain.b == 1.5 && plain.c == 3 && plain.d == 4 && plain.e == 'e'));
}

TEST_CASE("Struct bytes come with their declarations") {
  StructBytes inner;
  inner.append_list("int", "list", std::vector<int>{1, 2, 3});
  StructBytes bytes;
  bytes.append_value("char", "a", 'a', "a letter");
  bytes.append_struct("inner", "in", inner);
  bytes.append_value("long long", "b", std::int64_t{5});
  CHECK(bytes.members() == "  char a;  // a letter\n  inner in;\n  long long b;");
  CHECK(inner.members() == "  int list[3];");
  CHECK(bytes.assertion("s") ==
        "static_assert(sizeof(s) == 24, \"the host packs the arguments differently\");");
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
