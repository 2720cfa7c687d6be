#include "log/line.h"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "json/json_text.h"
#include "log/utf8.h"

namespace capstan::log {
namespace {

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// A character that is not shown as it is, as Go writes it.
void AppendEscape(std::string& out, uint32_t value) {
  switch (value) {
    case '\a':
      out += "\\a";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\v':
      out += "\\v";
      return;
  }
  char text[16];
  const char* const format = value < 0x80 ? "\\x%02x" : value < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(text, sizeof(text), format, value);
  out += text;
}

// Appends `text` with its invisible characters and invalid bytes escaped, and with a backslash
// before each of `quoted`.
void AppendVisible(std::string& out, std::string_view text, std::string_view quoted,
                   std::string_view kept = {}) {
  while (!text.empty()) {
    const auto point = FirstCodePoint(text);
    const size_t size = point ? point->size : 1;
    if (!point) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\x%02x", static_cast<unsigned char>(text[0]));
      out += escape;
    } else if (IsControl(point->value) && kept.find(text[0]) == kept.npos) {
      AppendEscape(out, point->value);
    } else {
      if (size == 1 && quoted.find(text[0]) != quoted.npos) out += '\\';
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
}

// A value of several lines is shown line by line, each after a tab, between "<" and ">".
void AppendText(std::string& out, std::string_view value) {
  if (value.find('\n') == value.npos) return AppendQuoted(out, value);
  out += "<\n";
  while (!value.empty()) {
    const size_t end = value.find('\n');
    out += '\t';
    AppendVisible(out, value.substr(0, end), {}, "\t");
    out += '\n';
    value.remove_prefix(end == value.npos ? value.size() : end + 1);
  }
  out += " >";
}

void AppendTextField(std::string& out, std::string_view key, const FormatArg& value) {
  out += ' ';
  AppendVisible(out, key, {});
  out += '=';
  switch (value.kind()) {
    case FormatArg::Kind::kNull:
      out += "<nil>";
      return;
    case FormatArg::Kind::kString:
      return AppendText(out, value.AsString());
    case FormatArg::Kind::kCustom: {
      std::string text;
      value.AppendTo(text);
      return AppendText(out, text);
    }
    default:
      value.AppendTo(out);
  }
}

void AppendJsonString(std::string& out, std::string_view text) {
  if (json::IsValidUtf8(text)) return json::AppendString(out, text);
  std::string valid;
  while (!text.empty()) {
    const auto point = FirstCodePoint(text);
    const size_t size = point ? point->size : 1;
    valid += point ? text.substr(0, size) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(size);
  }
  json::AppendString(out, valid);
}

void AppendJsonValue(std::string& out, const FormatArg& value) {
  std::string text;
  switch (value.kind()) {
    case FormatArg::Kind::kString:
      return AppendJsonString(out, value.AsString());
    case FormatArg::Kind::kCustom:
      value.AppendTo(text);
      return AppendJsonString(out, text);
    case FormatArg::Kind::kDouble:
      // JSON knows no infinities.
      value.AppendTo(text);
      if (!std::isfinite(value.AsDouble())) return AppendJsonString(out, text);
      out += text;
      return;
    default:
      value.AppendTo(out);
  }
}

void AppendJsonField(std::string& out, std::string_view key, const FormatArg& value) {
  out += ',';
  AppendJsonString(out, key);
  out += ':';
  AppendJsonValue(out, value);
}

bool HasError(const Record& record) { return record.error != nullptr && !record.error->ok(); }

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  AppendVisible(out, text, "\"\\");
  out += '"';
}

std::string TextLine(const Record& record) {
  const auto since_epoch =
      std::chrono::floor<std::chrono::microseconds>(record.time).time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const time_t clock_seconds = seconds.count();
  tm local{};
  localtime_r(&clock_seconds, &local);
  const char severity = record.level == LogLevel::kError     ? 'E'
                        : record.level == LogLevel::kWarning ? 'W'
                                                             : 'I';
  char head[64];
  std::snprintf(head, sizeof(head), "%c%02d%02d %02d:%02d:%02d.%06d %7d ", severity,
                local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                static_cast<int>((since_epoch - seconds).count()), static_cast<int>(getpid()));
  std::string line = head;
  line.append(BaseName(record.where.file)).append(":");
  line.append(std::to_string(record.where.line)).append("] ");
  AppendQuoted(line, record.message);
  if (HasError(record)) AppendTextField(line, "err", record.error->ToString());
  for (const LogField& field : record.fields) AppendTextField(line, field.key, field.value);
  return line;
}

std::string JsonLine(const Record& record) {
  const auto since_epoch =
      std::chrono::floor<std::chrono::microseconds>(record.time).time_since_epoch();
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(since_epoch);
  char head[64];
  std::snprintf(head, sizeof(head),
                "{\"ts\":%lld.%03d,\"caller\":", static_cast<long long>(millis.count()),
                static_cast<int>((since_epoch - millis).count()));
  std::string line = head;
  std::string caller(BaseName(record.where.file));
  caller.append(":").append(std::to_string(record.where.line));
  AppendJsonString(line, caller);
  AppendJsonField(line, "msg", record.message);
  if (record.level == LogLevel::kWarning) AppendJsonField(line, "level", "warning");
  if (record.level != LogLevel::kError) AppendJsonField(line, "v", record.verbosity);
  if (HasError(record)) AppendJsonField(line, "err", record.error->ToString());
  for (const LogField& field : record.fields) AppendJsonField(line, field.key, field.value);
  line += '}';
  return line;
}

}  // namespace capstan::log
