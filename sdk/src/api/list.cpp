#include <capstan/api/list.h>

#include "api/intern_table.h"

namespace capstan::internal {
namespace {

// Never destroyed: static objects may hold lists until the process exits.
InternTable<SharedListHead>& SharedLists() {
  static auto& table = *new InternTable<SharedListHead>();
  return table;
}

}  // namespace

SharedListHead& ShareList(uint64_t hash, const void* type,
                          const std::function<bool(SharedListHead&)>& equals,
                          const std::function<SharedListHead*()>& make) {
  return *SharedLists().Intern(
      hash, [&](SharedListHead& head) { return head.type == type && equals(head); },
      [&] {
        SharedListHead* head = make();
        head->hash = hash;
        head->type = type;
        return head;
      });
}

bool ReleaseSharedList(SharedListHead& head) { return SharedLists().Release(head); }

}  // namespace capstan::internal
