// Attributes of groups and datasets.
#include "core/base/error.hpp"
#include "core/result/h5/detail.hpp"

namespace kernelbatch::h5 {

using detail::check;
using detail::native_type;
using detail::own;
using detail::OwnedTexts;
using detail::space_of;

namespace {

void write_attribute(Id object, std::string_view name, hid_t type, hid_t space, const void* data) {
  const std::string text(name);
  const Handle attribute =
      own(::H5Acreate2(object, text.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
          "create attribute", name);
  check(::H5Awrite(attribute.get(), type, data), "write attribute", name);
}

void write_scalar(Id object, std::string_view name, Type type, const void* data) {
  static const Handle scalar = space_of({});
  write_attribute(object, name, native_type(type), scalar.get(), data);
}

Handle open_attribute(Id object, const std::string& name) {
  if (::H5Aexists(object, name.c_str()) <= 0) return {};
  return own(::H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute", name);
}

/// An attribute of another program or a damaged file may contain a list, which does not fit.
bool holds_one(const Handle& attribute) {
  const Handle space = own(::H5Aget_space(attribute.get()), "read the shape of an attribute");
  return ::H5Sget_simple_extent_npoints(space.get()) == 1;
}

}  // namespace

std::size_t size_of(Type type) noexcept {
  switch (type) {
    case Type::kInt8:
    case Type::kUInt8:
      return 1;
    case Type::kInt16:
    case Type::kUInt16:
      return 2;
    case Type::kInt32:
    case Type::kUInt32:
    case Type::kFloat32:
      return 4;
    default:
      return 8;
  }
}

void Object::set(std::string_view name, std::string_view text) {
  const std::string copy(text);
  const char* pointer = copy.c_str();
  write_scalar(id(), name, Type::kText, &pointer);
}

void Object::set(std::string_view name, std::int64_t value) {
  write_scalar(id(), name, Type::kInt64, &value);
}

void Object::set(std::string_view name, double value) {
  write_scalar(id(), name, Type::kFloat64, &value);
}

void Object::set(std::string_view name, std::span<const std::int8_t> values) {
  write_attribute(id(), name, native_type(Type::kInt8),
                  space_of({static_cast<std::int64_t>(values.size())}).get(), values.data());
}

std::optional<std::string> Object::text(std::string_view name) const {
  const Handle attribute = open_attribute(id(), std::string(name));
  if (!attribute) return std::nullopt;
  const Handle type = own(::H5Aget_type(attribute.get()), "read the type of attribute", name);
  if (::H5Tis_variable_str(type.get()) <= 0 || !holds_one(attribute)) return std::nullopt;
  OwnedTexts texts(1);
  check(::H5Aread(attribute.get(), native_type(Type::kText), texts.data()), "read attribute", name);
  return texts.copy().front();
}

std::optional<std::int64_t> Object::integer(std::string_view name) const {
  const Handle attribute = open_attribute(id(), std::string(name));
  if (!attribute) return std::nullopt;
  const Handle type = own(::H5Aget_type(attribute.get()), "read the type of attribute", name);
  if (::H5Tget_class(type.get()) != H5T_INTEGER || !holds_one(attribute)) return std::nullopt;
  std::int64_t value = 0;
  check(::H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "read attribute", name);
  return value;
}

}  // namespace kernelbatch::h5
