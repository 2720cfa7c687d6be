#pragma once

// The parts of metadata that the server writes itself.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "apiserver/http/warnings.h"
#include "json/value.h"

namespace capstan::testing::server {

// RFC 3339, whole seconds.
std::string TimeText(WallTime time);
// Nothing when there is no time in `value`.
std::optional<WallTime> TimeOf(const json::Value& value);

// A version 4 UUID (RFC 4122) from the runtime's random numbers.
std::string NewUid(Runtime& runtime);
// `prefix`, cut to 58 bytes, with five random characters behind it.
std::string GeneratedName(std::string_view prefix, Runtime& runtime);

// Takes out of a new object what only the server may set.
void WipeSystemFields(json::Value& object);
// A new uid and the time of creation.
void FillSystemFields(json::Value& object, Runtime& runtime);
// Of an update: uid, times and managedFields stay as they were where the request may not change
// them.
void KeepSystemFields(json::Value& object, const json::Value& before);

// Puts the request's namespace ("" = none) into the object. An object that names another one is a
// BadRequest.
Status EnsureNamespace(json::Value& object, std::string_view namespace_);
// An update's object must have the name and namespace of the request's path.
Status CheckName(const json::Value& object, std::string_view namespace_, std::string_view name);

// Drops owner references that are there twice, with a warning.
void DropRepeatedOwners(json::Value& object, bool after_admission, Warnings& warnings);

bool HasFinalizer(const json::Value& object, std::string_view finalizer);
// Whether there was one.
bool EraseFinalizer(json::Value& object, std::string_view finalizer);
bool IsBeingDeleted(const json::Value& object);
// metadata.resourceVersion as a number. "" is 0; an error says what Go's parser says.
Result<uint64_t> VersionOf(const json::Value& object);

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

}  // namespace capstan::testing::server
