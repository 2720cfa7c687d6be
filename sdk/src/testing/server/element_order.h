#pragma once

// The order of a list's elements after a strategic merge patch.

#include <string>

#include "json/value.h"

namespace capstan::testing::server {

// Where `item` is in `items`: the one equal to it, or with a merge key, the one that has the same
// value under that key; -1 when there is none.
int ElementIndex(const json::Value::Items& items, const json::Value& item,
                 const std::string& merge_key);

// `merged` put in order: what `patch_order` names comes in that order, the rest in the order it had
// in `live_order`. The two are interleaved as in `live_order`, as far as that goes.
json::Value::Items OrderElements(const json::Value::Items& merged,
                                 const json::Value::Items& patch_order,
                                 const json::Value::Items& live_order,
                                 const std::string& merge_key);

}  // namespace capstan::testing::server
