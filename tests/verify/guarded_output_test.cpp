#include "core/verify/guarded_output.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"

namespace kernelbatch {
namespace {

/// On the host device, whose memory can be written directly.
struct Guarded {
  std::unique_ptr<Device> device = open_device(choose_device("host"));
  std::unique_ptr<Stream> stream = device->make_stream();
  GuardedOutput output;

  Guarded(DType dtype, std::int64_t n)
      : output(*device, {.name = "z", .dtype = dtype, .shape = {n}}) {
    output.refill(*stream);
  }
  std::byte* begin() const { return output.array().data(); }
  std::byte* end() const { return begin() + output.array().bytes(); }
  std::string complaint() const { return output.check_guards(*stream); }
};

TEST_CASE("Guards are intact after a refill and after writing all elements") {
  for (const std::int64_t n : {0, 1, 2, 3, 5, 31, 32, 33, 1000}) {
    const Guarded bytes(DType::kInt8, n);
    const Guarded halves(DType::kFloat16, n);
    const Guarded doubles(DType::kFloat64, n);
    CAPTURE(n);
    CHECK(bytes.complaint().empty());
    CHECK(halves.complaint().empty());
    CHECK(doubles.complaint().empty());

    std::memset(bytes.begin(), 0, static_cast<std::size_t>(bytes.end() - bytes.begin()));
    std::memset(halves.begin(), 0, static_cast<std::size_t>(halves.end() - halves.begin()));
    CHECK(bytes.complaint().empty());
    CHECK(halves.complaint().empty());
  }
}

TEST_CASE("One byte past the end is detected, whatever the size") {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 1001}) {
    const Guarded guarded(DType::kUInt8, n);
    *guarded.end() = std::byte{0};
    CAPTURE(n);
    CHECK(guarded.complaint() ==
          fmt::format("wrote 1 element (1 bytes) past the end of 'z' ({} element{})", n,
                      n == 1 ? "" : "s"));
  }
}

TEST_CASE("One byte before the beginning is detected") {
  const Guarded guarded(DType::kFloat64, 10);
  *(guarded.begin() - 1) = std::byte{0};
  CHECK_THAT(guarded.complaint(),
             Contains("wrote 1 element (8 bytes) before the beginning of 'z' (10 elements)"));
}

TEST_CASE("Guards cover 4096 bytes on both sides") {
  const Guarded guarded(DType::kFloat32, 3);
  *(guarded.begin() - 4096) = std::byte{0};
  *(guarded.end() + 4095) = std::byte{0};
  CHECK_THAT(guarded.complaint(), Contains("wrote 1 element (4 bytes) before the beginning and 1 "
                                           "element (4 bytes) past the end of 'z'"));
}

TEST_CASE("A refill restores guards and elements") {
  Guarded guarded(DType::kFloat32, 3);
  *guarded.end() = std::byte{0};
  std::memset(guarded.begin(), 0, 12);

  guarded.output.refill(*guarded.stream);

  CHECK(guarded.complaint().empty());
  std::uint32_t last = 0;
  std::memcpy(&last, guarded.end() - 4, 4);
  CHECK(last == info(DType::kFloat32).sentinel);
}

TEST_CASE("Elements that do not fill a word contain the sentinel to the last byte") {
  const Guarded guarded(DType::kFloat16, 3);
  const std::uint32_t pattern = info(DType::kFloat16).sentinel;
  CHECK(std::memcmp(guarded.begin(), &pattern, 4) == 0);
  CHECK(std::memcmp(guarded.begin() + 4, &pattern, 2) == 0);
}

TEST_CASE("Elements are aligned for the widest loads") {
  const Guarded guarded(DType::kUInt8, 5);
  CHECK(reinterpret_cast<std::uintptr_t>(guarded.begin()) % 256 == 0);
}

/// An output of this form, and its elements after they were overwritten and restored.
struct Restored {
  std::unique_ptr<Device> device = open_device(choose_device("host"));
  std::unique_ptr<Stream> stream = device->make_stream();
  GuardedOutput output;

  explicit Restored(const OutputArray& spec, bool is_staged = false)
      : output(*device, spec, is_staged) {
    output.refill(*stream);
  }
  Array elements() {
    if (output.array().bytes() > 0) std::memset(output.array().data(), 7, output.array().bytes());
    output.restore(*stream);
    CHECK(output.check_guards(*stream).empty());
    const Array& array = output.array();
    const Array copied = Array::on_host(array.dtype(), array.shape());
    if (array.bytes() > 0) std::memcpy(copied.data(), array.data(), array.bytes());
    return copied;
  }
};

template <class T>
std::vector<T> restored(const OutputArray& spec, bool is_staged = false) {
  const Array elements = Restored(spec, is_staged).elements();
  return {elements.as<T>().begin(), elements.as<T>().end()};
}

TEST_CASE("Restoring fills every element with the job's number") {
  for (const bool is_staged : {false, true})
    for (const std::int64_t n : {0, 1, 2, 3, 5, 1000}) {
      const auto size = static_cast<std::size_t>(n);
      CAPTURE(is_staged, n);
      const auto spec = [&](DType dtype, Number fill) {
        return OutputArray{.name = "z", .dtype = dtype, .shape = {n}, .fill = fill};
      };
      CHECK(restored<std::uint8_t>(spec(DType::kUInt8, std::int64_t{200}), is_staged) ==
            std::vector<std::uint8_t>(size, 200));
      CHECK(restored<std::int16_t>(spec(DType::kInt16, std::int64_t{-2}), is_staged) ==
            std::vector<std::int16_t>(size, -2));
      CHECK(restored<float>(spec(DType::kFloat32, 1.5), is_staged) ==
            std::vector<float>(size, 1.5f));
      // Values that are not a pattern of 4 bytes.
      CHECK(restored<double>(spec(DType::kFloat64, 0.1), is_staged) ==
            std::vector<double>(size, 0.1));
      CHECK(restored<std::complex<double>>(spec(DType::kComplex128, 3.0), is_staged) ==
            std::vector<std::complex<double>>(size, 3.0));
      CHECK(restored<std::int64_t>(spec(DType::kInt64, std::int64_t{0}), is_staged) ==
            std::vector<std::int64_t>(size, 0));
    }
}

TEST_CASE("Restoring copies the job's elements back") {
  const std::vector<std::int16_t> values{1, 2, 3, 4, 5};
  const OutputArray spec{
      .name = "z", .dtype = DType::kInt16, .shape = {5}, .initial = Array::from(values)};
  CHECK(restored<std::int16_t>(spec) == values);
  CHECK(restored<std::int16_t>(spec, true) == values);
}

TEST_CASE("Only outputs filled by the job have contents") {
  const auto has_contents = [](const OutputArray& spec) {
    return Restored(spec).output.has_contents();
  };
  CHECK_FALSE(has_contents({.name = "z", .shape = {3}}));
  CHECK(has_contents({.name = "z", .shape = {3}, .fill = 0.0}));
  CHECK(has_contents({.name = "z", .shape = {1}, .initial = Array::from(std::vector<double>{1})}));
}

TEST_CASE("Each set of inputs has its own contents") {
  const auto spec = [](double first) {
    return OutputArray{
        .name = "z", .shape = {2}, .initial = Array::from(std::vector<double>{first, 2})};
  };
  Restored made(spec(1));
  made.output.add_set(spec(8));
  CHECK(made.elements().as<double>()[0] == 1);
  made.output.use_set(1);
  CHECK(made.elements().as<double>()[0] == 8);
  CHECK(made.output.spec().initial.as<double>()[0] == 8);
  made.output.use_set(0);
  CHECK(made.elements().as<double>()[0] == 1);
}

TEST_CASE("Another set cannot have an output of another form") {
  Restored made({.name = "z", .shape = {2}});
  const std::string complaint = "output 'z' has another form with other inputs";
  CHECK(test::message_of([&] { made.output.add_set({.name = "z", .shape = {3}}); }) == complaint);
  CHECK(test::message_of([&] {
          made.output.add_set({.name = "z", .dtype = DType::kFloat32, .shape = {2}});
        }) == complaint);
}

TEST_CASE("Contents that are not a pattern are kept on the device if there is room") {
  const std::vector<double> values{1, 2, 3};
  Restored made({.name = "z", .shape = {3}, .initial = Array::from(values)});
  made.output.add_set({.name = "z", .shape = {3}, .initial = Array::from(values)});
  std::vector<std::size_t> asked;
  const auto may_keep = [&](std::size_t bytes) {
    asked.push_back(bytes);
    return asked.size() == 1;
  };
  made.output.keep_contents(may_keep, *made.stream);
  CHECK(asked == std::vector<std::size_t>{24, 24});
  // Contents that are already kept are not requested again.
  made.output.keep_contents(may_keep, *made.stream);
  CHECK(asked.size() == 3);
  for (const std::size_t set : {0u, 1u}) {
    made.output.use_set(set);
    const Array elements = made.elements();
    CHECK(std::equal(values.begin(), values.end(), elements.as<double>().begin()));
  }
}

TEST_CASE("Patterns and outputs in host memory are not kept on the device") {
  const auto asked = [](const OutputArray& spec, bool is_staged) {
    Restored made(spec, is_staged);
    bool is_asked = false;
    made.output.keep_contents(
        [&](std::size_t) {
          is_asked = true;
          return true;
        },
        *made.stream);
    return is_asked;
  };
  CHECK_FALSE(asked({.name = "z", .shape = {3}}, false));
  CHECK_FALSE(asked({.name = "z", .shape = {3}, .fill = 0.0}, false));
  CHECK(asked({.name = "z", .shape = {3}, .fill = 0.1}, false));
  CHECK_FALSE(asked({.name = "z", .shape = {3}, .fill = 0.1}, true));
}

}  // namespace
}  // namespace kernelbatch
