#include <capstan/api/interned_string.h>

#include <cstring>
#include <new>

#include "api/hashing.h"
#include "api/intern_table.h"

namespace capstan {

struct InternedString::Atom {
  Atom* next;
  uint64_t hash;
  std::atomic<uint32_t> references;
  uint32_t size;

  char* text() { return reinterpret_cast<char*>(this + 1); }
  std::string_view view() { return {text(), size}; }

  static Atom* Make(std::string_view text, uint64_t hash) {
    void* memory = ::operator new(sizeof(Atom) + text.size());
    auto* atom = ::new (memory) Atom{nullptr, hash, 1, static_cast<uint32_t>(text.size())};
    std::memcpy(atom->text(), text.data(), text.size());
    return atom;
  }
  // Never destroyed: static objects may hold handles until the process exits.
  static internal::InternTable<Atom>& Table() {
    static auto& table = *new internal::InternTable<Atom>();
    return table;
  }
  static void Drop(Atom* atom) {
    if (!atom || !Table().Release(*atom)) return;
    atom->~Atom();
    ::operator delete(atom);
  }
};

InternedString::InternedString(std::string_view text) {
  if (text.empty()) return;
  const uint64_t hash = internal::HashText(text);
  atom_ = Atom::Table().Intern(
      hash, [text](Atom& atom) { return atom.view() == text; },
      [text, hash] { return Atom::Make(text, hash); });
}

InternedString::InternedString(const InternedString& other) : atom_(other.atom_) {
  if (atom_) atom_->references.fetch_add(1, std::memory_order_relaxed);
}

InternedString& InternedString::operator=(const InternedString& other) {
  if (atom_ != other.atom_) *this = InternedString(other);
  return *this;
}

InternedString& InternedString::operator=(InternedString&& other) noexcept {
  if (this != &other) {
    Atom::Drop(atom_);
    atom_ = other.atom_;
    other.atom_ = nullptr;
  }
  return *this;
}

InternedString::~InternedString() { Atom::Drop(atom_); }

std::string_view InternedString::view() const { return atom_ ? atom_->view() : std::string_view(); }

size_t InternedString::hash() const { return atom_ ? static_cast<size_t>(atom_->hash) : 0; }

}  // namespace capstan
