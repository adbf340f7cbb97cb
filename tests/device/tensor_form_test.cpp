// Rules of tensor maps, and maps that copies on the host device refuse.
#include <cstring>

#include "core/base/error.hpp"
#include "core/device/host/tensor_box.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

/// A matrix of float32 with rows of 64 numbers.
TensorMapForm matrix() {
  return {.type = TensorType::kFloat32,
          .axes = 2,
          .address = reinterpret_cast<void*>(std::uintptr_t{4096}),
          .extents = {64, 32},
          .strides = {4, 256},
          .box = {16, 8}};
}
template <class Change>
std::string error_of(const Change& change) {
  TensorMapForm form = matrix();
  change(form);
  return test::error_text<SpecError>([&] { require_valid(form); });
}

TEST_CASE("A form that breaks a rule of tensor maps is refused with the rule") {
  require_valid(matrix());
  using Form = TensorMapForm;
  CHECK(error_of([](Form& f) { f.axes = 0; }) == "tensor map: a tensor has 1 to 5 axes, not 0");
  CHECK(error_of([](Form& f) { f.axes = 6; }) == "tensor map: a tensor has 1 to 5 axes, not 6");
  CHECK(error_of([](Form& f) { f.extents[1] = 0; }) ==
        "tensor map: length 0 of axis 1 must be from 1 to 2^32");
  CHECK(error_of([](Form& f) { f.box[1] = 257; }) ==
        "tensor map: length 257 of the box along axis 1 must be from 1 to 256");
  CHECK(error_of([](Form& f) { f.box[1] = 0; }) ==
        "tensor map: length 0 of the box along axis 1 must be from 1 to 256");
  CHECK(error_of([](Form& f) { f.box[0] = 15; }) ==
        "tensor map: a row of the box has 60 bytes: it must be a multiple of 16");
  CHECK(error_of([](Form& f) { f.element_strides[1] = 9; }) ==
        "tensor map: element stride 9 of axis 1 must be from 1 to 8");
  CHECK(error_of([](Form& f) { f.strides[0] = 8; }) ==
        "tensor map: elements of axis 0 must be neighbours in memory: their stride is 8 bytes, not "
        "4");
  CHECK(error_of([](Form& f) { f.strides[1] = 260; }) ==
        "tensor map: stride 260 of axis 1 must be a multiple of 16 bytes below 2^40");
  CHECK(error_of([](Form& f) { f.strides[1] = 1ull << 40; }) ==
        "tensor map: stride 1099511627776 of axis 1 must be a multiple of 16 bytes below 2^40");
  CHECK(error_of([](Form& f) { f.address = reinterpret_cast<void*>(std::uintptr_t{4104}); }) ==
        "tensor map: the first element's address 0x1008 must be a multiple of 16");
  CHECK(error_of([](Form& f) { f.swizzle = TensorSwizzle::k32; }) ==
        "tensor map: a row of the box has 64 bytes: 'swizzle: 32B' allows at most 32");
  CHECK(error_of([](Form& f) { f.interleave = TensorInterleave::k16; }) ==
        "tensor map: 'interleave' needs at least 3 axes, not 2");
  CHECK(error_of([](Form& f) {
          f.axes = 3;
          f.extents[2] = f.box[2] = 1;
          f.interleave = TensorInterleave::k32;
        }) == "tensor map: 'interleave: 32B' needs 'swizzle: 32B', not 'none'");
  CHECK(error_of([](Form& f) {
          f.type = TensorType::kInt32;
          f.fill = TensorFill::kNan;
        }) == "tensor map: 'fill: nan' needs elements of a floating type, not int32");
}

TEST_CASE("A copy names why its tensor map cannot be used") {
  TensorMap map = host::encode_tensor_map(matrix());
  kernelbatch_host::TensorMap parts;
  std::memcpy(&parts, map.words.data(), sizeof parts);
  int first = 0, action = kernelbatch_host::kTensorLoad;
  const auto error = [&](int axes = 2) {
    std::memcpy(map.words.data(), &parts, sizeof parts);
    kernelbatch_host::TensorCopy copy{};
    copy.map = map.words.data();
    copy.axes = axes;
    copy.at[0] = first;
    copy.action = action;
    const char* const text = host::TensorBox::error_of(copy);
    return std::string(text == nullptr ? "" : text);
  };
  CHECK(error().empty());
  CHECK(error(3) == "the tensor map and the instruction have different numbers of axes");
  first = 3;
  CHECK(error() == "the box's first coordinate is no multiple of 16 bytes");
  first = -8;
  CHECK(error().empty());
  for (const auto write : {kernelbatch_host::kTensorStore, kernelbatch_host::kTensorAdd}) {
    action = write;
    CHECK_THAT(error(), Contains("a negative coordinate, which only loads may have"));
  }
  action = kernelbatch_host::kTensorLoad;
  parts.box[1] = 0;
  CHECK_THAT(error(), Contains("the tensor map is incomplete"));
  parts.box[1] = 8;
  parts.swizzle = 1;
  CHECK_THAT(error(), Contains("rows that its swizzle does not allow"));
  parts.swizzle = 4;
  CHECK_THAT(error(), Contains("a type or swizzle that is not on the host device"));
  parts = {};
  CHECK_THAT(error(), Contains("is not one of the host device: it was encoded for a GPU"));
  kernelbatch_host::TensorCopy copy{};
  copy.map = map.words.data() + 2;
  CHECK(std::string(host::TensorBox::error_of(copy)) ==
        "the tensor map's address is no multiple of 64");
}

TEST_CASE("Interleaved tensor maps are not on the host device") {
  TensorMapForm form = matrix();
  form.interleave = TensorInterleave::k16;
  CHECK(test::error_text<UnsupportedError>([&] { host::encode_tensor_map(form); }) ==
        "needs cuda: interleaved tensor maps are not on the host device");
}

}  // namespace
}  // namespace kernelbatch
