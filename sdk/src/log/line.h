#pragma once

// What a log line looks like: klog's text, and Kubernetes' JSON.

#include <initializer_list>
#include <string>
#include <string_view>

#include <capstan/log/log.h>

namespace capstan::log {

struct Record {
  LogLevel level;
  int verbosity;
  WallTime time;
  std::string_view message;
  const Status* error;  // null or OK: none
  std::initializer_list<LogField> fields;
  CodeLocation where;
};

// The lines have no end of line; a text line may hold some within.
std::string TextLine(const Record& record);
std::string JsonLine(const Record& record);

// Appends `text` in double quotes as Go's strconv.Quote does.
void AppendQuoted(std::string& out, std::string_view text);

}  // namespace capstan::log
