#pragma once

/// The metadata fields that the server sets.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "apiserver/http/warnings.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Formats a time as RFC 3339 with whole seconds.
std::string TimeText(WallTime time);
/// Returns nullopt if `value` is not a time.
std::optional<WallTime> TimeOf(const json::Value& value);

/// A version 4 UUID (RFC 4122) from the runtime's random numbers.
std::string NewUid(Runtime& runtime);
/// Returns `prefix`, truncated to 58 bytes, followed by five random characters.
std::string GeneratedName(std::string_view prefix, Runtime& runtime);

/// Removes from a new object the fields that only the server may set.
void WipeSystemFields(json::Value& object);
/// Sets a new uid and the creation time.
void FillSystemFields(json::Value& object, Runtime& runtime);
/// For an update: restores uid, times and managedFields from `before` where the request may not
/// change them.
void KeepSystemFields(json::Value& object, const json::Value& before);

/// Sets the object's namespace to the request's ("" = none). An object with another namespace is a
/// BadRequest.
Status EnsureNamespace(json::Value& object, std::string_view namespace_);
/// Checks that an update's object has the name and namespace of the request's path.
Status CheckName(const json::Value& object, std::string_view namespace_, std::string_view name);

/// Removes duplicate owner references and adds a warning.
void DropRepeatedOwners(json::Value& object, bool after_admission, Warnings& warnings);

bool HasFinalizer(const json::Value& object, std::string_view finalizer);
/// Removes the finalizer. Returns false if there was none.
bool EraseFinalizer(json::Value& object, std::string_view finalizer);
bool IsBeingDeleted(const json::Value& object);
/// Returns metadata.resourceVersion as a number; "" is 0. Errors have the text of Go's parser.
Result<uint64_t> VersionOf(const json::Value& object);

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

}  // namespace capstan::testing::server
