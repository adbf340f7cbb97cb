#include "core/result/record.hpp"

#include "core/result/cell.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

TEST_CASE("Notes survive as text, each with what it concerns") {
  ResultRecord record;
  record.add_note(NoteKind::kOther, "few samples");
  record.add_note(NoteKind::kCounters, "not permitted; no capture: too old\nno more");
  record.add_note(NoteKind::kCounters, "not permitted; no capture: too old\nno more");
  record.add_note(NoteKind::kOther, "the device stays slow");
  record.add_note(NoteKind::kEnergy, "");
  const std::string text = to_text(record.notes);
  CHECK(text ==
        "few samples; no hardware counters: not permitted, no capture: too old no more; the device "
        "stays slow");
  CHECK(parse_notes(text) == record.notes);
  CHECK(parse_notes("").empty());
}

TEST_CASE("A style that this version does not know is read as unknown") {
  std::optional<VariantKind> kind = VariantKind::kRaw;
  schema::from_cell(std::string("tiles"), kind);
  CHECK_FALSE(kind);
  CHECK(schema::to_cell(kind) == Value(std::string()));
  schema::from_cell(std::string("fused"), kind);
  CHECK(kind == VariantKind::kFused);
}

TEST_CASE("Each style has its own row of traits") {
  for (const VariantTraits& style : Names<VariantKind>::rows)
    CHECK(&traits_of(style.value) == &style);
}

TEST_CASE("A device is the host's, a GPU or none") {
  ResultRecord record;
  CHECK(record.device_class() == DeviceClass::kNone);
  record.device = "host x86-64-v4";
  CHECK(record.device_class() == DeviceClass::kHost);
  record.device = "NVIDIA H100 80GB HBM3";
  CHECK(record.device_class() == DeviceClass::kGpu);
}

}  // namespace
}  // namespace kernelbatch
