#pragma once

/// metav1.LabelSelector: `{matchLabels, matchExpressions}`.

#include <string>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateLabelSelector(const json::Value& selector, const FieldPath& path, FieldErrors& errors);

/// Whether a valid selector matches `labels`. A selector without requirements matches everything.
bool SelectorMatches(const json::Value& selector, const json::Value& labels);

/// Whether the selector can be parsed: its operators are known, and its keys and values are well
/// formed. Code that must select with an unreadable selector reports "invalid label selector".
bool IsReadableSelector(const json::Value& selector);

/// Returns the selector as the API prints it.
std::string PrintedSelector(const json::Value& selector);

}  // namespace capstan::testing::server
