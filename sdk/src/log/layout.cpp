#include "log/layout.h"

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include <capstan/log/log.h>

#include "base/json/json_text.h"
#include "base/text/utf8.h"
#include "log/record.h"

namespace capstan::log {
namespace {

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Appends a character that is not shown as it is, in Go's notation.
void AppendEscape(std::string& out, uint32_t value) {
  constexpr std::string_view kLetters = "abtnvfr";  // of 7 to 13
  if (value >= '\a' && value <= '\r') {
    out += '\\';
    out += kLetters[value - '\a'];
    return;
  }
  const auto end = std::back_inserter(out);
  if (value < 0x80) {
    fmt::format_to(end, "\\x{:02x}", value);
  } else if (value < 0x10000) {
    fmt::format_to(end, "\\u{:04x}", value);
  } else {
    fmt::format_to(end, "\\U{:08x}", value);
  }
}

// Appends `text` with its invisible characters and invalid bytes escaped, and with a backslash
// before each of `quoted`.
void AppendVisible(std::string& out, std::string_view text, std::string_view quoted,
                   std::string_view kept = {}) {
  while (!text.empty()) {
    const auto point = text::FirstCodePoint(text);
    const size_t size = point ? point->size : 1;
    if (!point) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (text::IsControl(point->value) && kept.find(text[0]) == kept.npos) {
      AppendEscape(out, point->value);
    } else {
      if (size == 1 && quoted.find(text[0]) != quoted.npos) out += '\\';
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
}

// Double quotes as in Go's strconv.Quote.
void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  AppendVisible(out, text, "\"\\");
  out += '"';
}

// A value with several lines is shown line by line, each after a tab, between "<" and ">".
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
    const auto point = text::FirstCodePoint(text);
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
      // JSON has no infinities.
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

// Most lines are shorter and need one allocation.
constexpr size_t kUsualLine = 240;

std::string TextLine(const Record& record) {
  const auto since_epoch =
      std::chrono::floor<std::chrono::microseconds>(record.time).time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const time_t clock_seconds = seconds.count();
  tm local{};
  localtime_r(&clock_seconds, &local);
  const char severity = record.level == spdlog::level::err    ? 'E'
                        : record.level == spdlog::level::warn ? 'W'
                                                              : 'I';
  std::string line;
  line.reserve(kUsualLine);
  fmt::format_to(std::back_inserter(line), "{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ",
                 severity, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min,
                 local.tm_sec, (since_epoch - seconds).count(), getpid(),
                 BaseName(record.source.filename), record.source.line);
  AppendQuoted(line, {record.payload.data(), record.payload.size()});
  if (HasError(record)) AppendTextField(line, "err", record.error->ToString());
  for (const LogField& field : record.fields) AppendTextField(line, field.key, field.value);
  return line;
}

std::string JsonLine(const Record& record) {
  const auto since_epoch =
      std::chrono::floor<std::chrono::microseconds>(record.time).time_since_epoch();
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(since_epoch);
  std::string line;
  line.reserve(kUsualLine);
  fmt::format_to(std::back_inserter(line), "{{\"ts\":{}.{:03},\"caller\":", millis.count(),
                 (since_epoch - millis).count());
  AppendJsonString(line,
                   fmt::format("{}:{}", BaseName(record.source.filename), record.source.line));
  AppendJsonField(line, "msg", std::string_view(record.payload.data(), record.payload.size()));
  if (record.level == spdlog::level::warn) AppendJsonField(line, "level", "warning");
  if (record.level != spdlog::level::err) AppendJsonField(line, "v", record.verbosity);
  if (HasError(record)) AppendJsonField(line, "err", record.error->ToString());
  for (const LogField& field : record.fields) AppendJsonField(line, field.key, field.value);
  line += '}';
  return line;
}

void Append(spdlog::memory_buf_t& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

}  // namespace

void TextLayout::format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) {
  Append(out, TextLine(static_cast<const Record&>(message)));
}

std::unique_ptr<spdlog::formatter> TextLayout::clone() const {
  return std::make_unique<TextLayout>();
}

void JsonLayout::format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) {
  Append(out, JsonLine(static_cast<const Record&>(message)));
}

std::unique_ptr<spdlog::formatter> JsonLayout::clone() const {
  return std::make_unique<JsonLayout>();
}

}  // namespace capstan::log
