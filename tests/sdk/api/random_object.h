#pragma once

// Objects of any described type with random contents, for property tests.

#include <cstdint>
#include <random>
#include <string>

#include <capstan/api/descriptor.h>

namespace capstan::testing {

class RandomObjects {
 public:
  explicit RandomObjects(uint64_t seed) : random_(seed) {}

  /// Fills `object`, freshly constructed. Filtered lists get kept elements only; with
  /// `filtered_lists` false they stay empty.
  void Fill(const TypeDescriptor& type, void* object, bool filtered_lists = true);
  /// JSON with members whose names start with "x-", so that no field describes them.
  std::string Json(int depth);
  std::string Text();
  uint64_t Below(uint64_t bound) { return random_() % bound; }

 private:
  void FillField(const FieldDescriptor& field, void* member, bool filtered_lists);
  void FillValue(const FieldDescriptor& field, void* slot, bool filtered_lists);
  StringMap Map(const char* const* keys);
  RawJson Raw();

  std::mt19937_64 random_;
};

}  // namespace capstan::testing
