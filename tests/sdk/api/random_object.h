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

  /// Fills `object`, which must be newly constructed. With `read_only_lists` false, lists that
  /// patches cannot contain stay empty.
  void Fill(const TypeDescriptor& type, void* object, bool read_only_lists = true);
  /// JSON whose member names start with "x-", so that no field describes them.
  std::string Json(int depth);
  std::string Text();
  uint64_t Below(uint64_t bound) { return random_() % bound; }

 private:
  void FillField(const FieldDescriptor& field, void* member, bool read_only_lists);
  void FillValue(const FieldDescriptor& field, void* slot, bool read_only_lists);
  StringMap Map();
  RawJson Raw();

  std::mt19937_64 random_;
};

}  // namespace capstan::testing
