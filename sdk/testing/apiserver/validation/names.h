#pragma once

/// Validation of the formats of names, keys and values in the API. Each function returns the faults
/// of a text, with the API's texts. A valid text has no faults and costs no allocation.
/// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"

namespace capstan::testing::server {

using Faults = std::vector<std::string>;

Faults FaultsOfDnsLabel(std::string_view text);      ///< RFC 1123
Faults FaultsOfDnsSubdomain(std::string_view text);  ///< RFC 1123
Faults FaultsOfDns1035Label(std::string_view text);
/// For keys of labels and annotations, finalizers and resource names: "example.com/name".
Faults FaultsOfQualifiedName(std::string_view text);
Faults FaultsOfLabelValue(std::string_view text);
Faults FaultsOfConfigKey(std::string_view text);
Faults FaultsOfEnvName(std::string_view text);
Faults FaultsOfPortName(std::string_view text);
Faults FaultsOfPort(int64_t port);
Faults FaultsOfPercent(std::string_view text);
Faults FaultsOfHttpHeaderName(std::string_view text);
Faults FaultsOfPathSegment(std::string_view text);
Faults FaultsOfIp(std::string_view text);
Faults FaultsOfCidr(std::string_view text);

/// Returns the prefix of a generated name in a form that name validation accepts: a dash at the end
/// is allowed.
std::string AsNamePrefix(std::string_view prefix);

std::string BetweenInclusive(int64_t least, int64_t most);
inline constexpr std::string_view kNotNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kFieldImmutable = "field is immutable";

/// Formats an object as JSON with the members in this order, as Go prints the fields of a struct.
/// Absent members are omitted.
std::string InOrder(const json::Value& object, std::initializer_list<std::string_view> fields);

/// Adds one Invalid error per fault.
void AddFaults(const Faults& faults, const FieldPath& path, std::string_view value,
               FieldErrors& errors);
/// For ports of Services and Endpoints.
void ValidatePortNameAndNumber(const json::Value& port, bool needs_name, const FieldPath& path,
                               FieldErrors& errors);
void ValidateNotNegative(const json::Value& object, std::string_view field, const FieldPath& parent,
                         FieldErrors& errors);

}  // namespace capstan::testing::server
