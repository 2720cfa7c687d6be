#include "api/text_family.h"

#include <cstring>
#include <new>
#include <optional>

#include "api/intern_table.h"
#include "api/packed_text.h"

namespace capstan::internal {
namespace {

// Never destroyed: static objects may hold texts until the process exits.
InternTable<TextFamily>& Families() {
  static auto& table = *new InternTable<TextFamily>();
  return table;
}

}  // namespace

TextFamily* TextFamily::Make(uint64_t key, std::string_view text) {
  const std::optional<std::string> packed = Pack(text);
  const std::string_view bytes = packed ? std::string_view(*packed) : text;
  void* memory = ::operator new(sizeof(TextFamily) + bytes.size());
  auto* family = ::new (memory) TextFamily(key, bytes.size(), text.size());
  std::memcpy(static_cast<char*>(memory) + sizeof(TextFamily), bytes.data(), bytes.size());
  return family;
}

TextFamily& TextFamily::Join(uint64_t key, std::string_view text) {
  return *Families().Intern(
      key, [](const TextFamily&) { return true; }, [&] { return Make(key, text); });
}

void TextFamily::Leave(TextFamily* family) {
  if (!family || !Families().Release(*family)) return;
  family->~TextFamily();
  ::operator delete(family);
}

std::string TextFamily::base() const {
  return packed_size_ == size_ ? std::string(packed()) : Unpack(packed(), size_);
}

}  // namespace capstan::internal
