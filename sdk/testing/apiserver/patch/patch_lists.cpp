#include "apiserver/patch/patch_lists.h"

#include <utility>

#include "apiserver/codec/go_text.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/patch/element_order.h"
#include "apiserver/patch/patch_directives.h"

namespace capstan::testing::server {

Status NoMergeKey(const json::Value& map, const std::string& merge_key) {
  return UnknownError("map: " + GoText(map) + " does not contain declared merge key: " + merge_key);
}

Status CheckElements(const json::Value& original, const json::Value& patch) {
  const json::Value* first = nullptr;
  for (const json::Value* list : {&original, &patch}) {
    for (const json::Value& element : list->items()) {
      if (!first) {
        first = &element;
        if (!element.IsArray()) continue;
        Status::Details details;
        details.reason = StatusReason::kInvalid;
        details.http_code = 422;
        details.message = "the server rejected our request due to an error in our request";
        return Status(std::move(details));
      }
      if (first->kind() != element.kind()) {
        return UnknownError("list element types are not identical: [" + GoText(original) + " " +
                            GoText(patch) + "]");
      }
    }
  }
  return first ? Status::Ok() : UnknownError("no elements in any of the given slices");
}

Status CheckMergeKey(const json::Value& list, const std::string& merge_key) {
  for (size_t i = 0; i < list.items().size(); ++i) {
    const json::Value& element = list.items()[i];
    if (!element.IsObject()) {
      return UnknownError("value for key " + std::to_string(i) + " is not a map");
    }
    if (!element.Find(merge_key)) return NoMergeKey(element, merge_key);
  }
  return Status::Ok();
}

Status CheckOrder(const json::Value& patch, const json::Value& order,
                  const std::string& merge_key) {
  const json::Value::Items& ordered = order.items();
  if (ordered.empty()) return Status::Ok();
  size_t next = 0;
  for (const json::Value& element : patch.items()) {
    if (element.Find(kPatchDirective)) continue;
    if (!merge_key.empty() && !element.Find(merge_key)) return NoMergeKey(element, merge_key);
    for (;; ++next) {
      if (next == ordered.size()) {
        return UnknownError("The order in patch list:\n" + GoText(patch) +
                            "\n doesn't match $setElementOrder list:\n" + GoText(order) + "\n");
      }
      if (IsSameElement(ordered[next], element, merge_key)) break;
    }
    ++next;
  }
  return Status::Ok();
}

}  // namespace capstan::testing::server
