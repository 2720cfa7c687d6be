#pragma once

// The fields of the built-in kinds, as text. SchemaReader reads it:
//
//   type PodSpec                                   # what it is
//     containers  []Container  required null merge=name list=map(name)   # what it is
//     volumes     []Volume     omit retainKeys merge=name list=map(name)
//
// A type's name is followed by "atomic" when the type has one owner as a whole. A field is a name,
// a type and attributes:
//   string bool int32 int64 double quantity intOrString time microtime bytes any, the name of a
//     type, []T, map[string]T
//   required      a schema says so
//   omit          left out when zero        (Presence::kIfNotZero)
//   always        there, zero when not set  (kOrZero)
//   null          there, null when not set  (kOrNull); without any of the three: kIfSet
//   merge[=KEY]   patch strategy merge, by KEY or as a set
//   retainKeys    patch strategy retainKeys
//   list=set, list=map(KEY,...), atomic     for server-side apply
//   default=JSON  without white space

#include <string_view>

namespace capstan::testing::server {

extern const std::string_view kAccessTypes;
extern const std::string_view kApiextensionsTypes;
extern const std::string_view kAppsTypes;
extern const std::string_view kContainerTypes;
extern const std::string_view kCoreTypes;
extern const std::string_view kMetaTypes;
extern const std::string_view kPodTypes;
extern const std::string_view kVolumesTypes;

}  // namespace capstan::testing::server
