#pragma once

// metav1.LabelSelector: `{matchLabels, matchExpressions}`.

#include <string>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateLabelSelector(const json::Value& selector, const FieldPath& path, FieldErrors& errors);

// Of a valid selector; one without requirements matches everything.
bool SelectorMatches(const json::Value& selector, const json::Value& labels);

// Whether the selector can be read as one at all: its operators are known, its keys and values well
// formed. What does not is "invalid label selector" to whoever needs to select with it.
bool IsReadableSelector(const json::Value& selector);

// As the API prints it.
std::string PrintedSelector(const json::Value& selector);

}  // namespace capstan::testing::server
