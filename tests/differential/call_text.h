#pragma once

#include <string>

namespace capstan::differential {

inline constexpr char kJson[] = "application/json";

// "{{rv pods/NS/NAME}}": see Call.
inline std::string Placeholder(const std::string& what, const std::string& of) {
  return "{{" + what + " " + of + "}}";
}

// Appends "key=value" to the query of a target.
inline void AddParameter(std::string& target, const std::string& parameter) {
  if (parameter.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += parameter;
}

}  // namespace capstan::differential
