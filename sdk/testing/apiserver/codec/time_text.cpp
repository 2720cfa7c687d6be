#include "apiserver/codec/time_text.h"

#include <cstdint>
#include <cstdio>

#include "apiserver/http/api_errors.h"
#include "base/text/ascii.h"
#include "base/text/hex.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kSeconds = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicroseconds = "2006-01-02T15:04:05.000000Z07:00";

using text::IsDigit;

struct TimeOfDay {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::string fraction;
  int offset_minutes = 0;
};

// Days since 1970-01-01 in the proleptic Gregorian calendar, and back (Howard Hinnant's formulas).
int64_t DaysFromCivil(int64_t year, int month, int day) {
  year -= month <= 2;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

void CivilFromDays(int64_t days, TimeOfDay& time) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  time.day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  time.month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  time.year = static_cast<int>(year_of_era + era * 400 + (time.month <= 2 ? 1 : 0));
}

int DaysIn(int month, int year) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80) {
      quoted += "\\x";
      text::AppendHexByte(quoted, c);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// Parses a time piece by piece, as in Go's layout. The error names the unread text and the piece
// that failed.
class TimeReader {
 public:
  TimeReader(std::string_view text, bool microseconds)
      : text_(text),
        rest_(text),
        layout_(microseconds ? kMicroseconds : kSeconds),
        microseconds_(microseconds) {}

  Result<TimeOfDay> Read() {
    if (Number(4, "2006", time_.year) && Text("-") && Number(2, "01", time_.month) && Text("-") &&
        Number(2, "02", time_.day) && Text("T") && Number(2, "15", time_.hour) && Text(":") &&
        Number(2, "04", time_.minute) && Text(":") && Number(2, "05", time_.second) && Fraction() &&
        Zone() && End() && InRange()) {
      return time_;
    }
    return BadRequestError(std::move(error_));
  }

 private:
  bool Fail(std::string_view piece) {
    error_ = "parsing time " + Quote(text_) + " as " + Quote(layout_) + ": cannot parse " +
             Quote(rest_) + " as " + Quote(piece);
    return false;
  }
  bool OutOfRange(std::string_view what) {
    error_ = "parsing time " + Quote(text_) + ": " + std::string(what) + " out of range";
    return false;
  }
  bool Number(size_t digits, std::string_view piece, int& number) {
    // An hour may have one digit.
    const size_t least = piece == "15" ? 1 : digits;
    size_t read = 0;
    for (number = 0; read < digits && read < rest_.size() && IsDigit(rest_[read]); ++read) {
      number = number * 10 + (rest_[read] - '0');
    }
    if (read < least) return Fail(piece);
    rest_.remove_prefix(read);
    return true;
  }
  bool Text(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return Fail(text);
    rest_.remove_prefix(text.size());
    return true;
  }
  bool Fraction() {
    size_t size = 0;
    if (rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && IsDigit(rest_[1])) {
      size = 1;
      while (size < rest_.size() && IsDigit(rest_[size])) ++size;
    }
    constexpr size_t kPointAndDigits = 7;
    if (microseconds_ && size < kPointAndDigits) return Fail(".000000");
    if (microseconds_) size = kPointAndDigits;
    if (size > 0) time_.fraction = rest_.substr(1, size - 1);
    rest_.remove_prefix(size);
    return true;
  }
  bool Zone() {
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    const bool complete = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') &&
                          IsDigit(rest_[1]) && IsDigit(rest_[2]) && rest_[3] == ':' &&
                          IsDigit(rest_[4]) && IsDigit(rest_[5]);
    if (!complete) return Fail("Z07:00");
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return OutOfRange("time zone offset hour");
    if (minutes > 60) return OutOfRange("time zone offset minute");
    time_.offset_minutes = (hours * 60 + minutes) * (rest_[0] == '-' ? -1 : 1);
    rest_.remove_prefix(6);
    return true;
  }
  bool End() {
    if (rest_.empty()) return true;
    error_ = "parsing time " + Quote(text_) + ": extra text: " + Quote(rest_);
    return false;
  }
  bool InRange() {
    if (time_.month < 1 || time_.month > 12) return OutOfRange("month");
    if (time_.day < 1 || time_.day > DaysIn(time_.month, time_.year)) return OutOfRange("day");
    if (time_.hour > 23) return OutOfRange("hour");
    if (time_.minute > 59) return OutOfRange("minute");
    if (time_.second > 59) return OutOfRange("second");
    return true;
  }

  const std::string_view text_;
  std::string_view rest_;
  const std::string_view layout_;
  const bool microseconds_;
  TimeOfDay time_;
  std::string error_;
};

// The common case: the time is already canonical.
bool IsCanonical(std::string_view text) {
  return text.size() == 20 && text[19] == 'Z' && text.substr(0, 4) != "0001";
}

void ToUtc(TimeOfDay& time) {
  const int64_t minutes = DaysFromCivil(time.year, time.month, time.day) * 1440 +
                          int64_t{time.hour} * 60 + time.minute - time.offset_minutes;
  const int64_t days = (minutes >= 0 ? minutes : minutes - 1439) / 1440;
  const int minute_of_day = static_cast<int>(minutes - days * 1440);
  CivilFromDays(days, time);
  time.hour = minute_of_day / 60;
  time.minute = minute_of_day % 60;
}

}  // namespace

Result<std::string> CanonicalTimeText(std::string_view text, bool microseconds) {
  Result<TimeOfDay> read = TimeReader(text, microseconds).Read();
  if (!read.ok()) return read.status();
  if (!microseconds && IsCanonical(text)) return std::string(text);
  TimeOfDay& time = *read;
  ToUtc(time);
  if (time.year < 0 || time.year > 9999) {
    return BadRequestError("parsing time " + Quote(text) + ": year outside of range [0,9999]");
  }
  const bool zero = time.year == 1 && time.month == 1 && time.day == 1 && time.hour == 0 &&
                    time.minute == 0 && time.second == 0 &&
                    time.fraction.find_first_not_of('0') == std::string::npos;
  if (zero) return std::string();
  char out[80];
  std::snprintf(out, sizeof(out), "%04d-%02d-%02dT%02d:%02d:%02d", time.year, time.month, time.day,
                time.hour, time.minute, time.second);
  return out + (microseconds ? "." + time.fraction : std::string()) + "Z";
}

}  // namespace capstan::testing::server
