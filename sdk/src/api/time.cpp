#include <capstan/api/time.h>

#include <chrono>
#include <cstdio>
#include <optional>

namespace capstan::api {
namespace {

struct Moment {
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
};

// Reads RFC 3339 from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<int> Digits(size_t count) {
    if (text_.size() < count) return std::nullopt;
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (text_[i] < '0' || text_[i] > '9') return std::nullopt;
      value = value * 10 + (text_[i] - '0');
    }
    text_.remove_prefix(count);
    return value;
  }
  // The digits after the point, in nanoseconds. Digits after the ninth are ignored.
  std::optional<int64_t> Fraction() {
    int64_t value = 0;
    int64_t scale = 100'000'000;
    bool any = false;
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; text_.remove_prefix(1)) {
      value += (text_[0] - '0') * scale;
      scale /= 10;
      any = true;
    }
    if (!any) return std::nullopt;
    return value;
  }
  bool AtEnd() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::optional<int64_t> ReadDate(Reader& reader) {
  const auto year = reader.Digits(4);
  if (!year || !reader.Take('-')) return std::nullopt;
  const auto month = reader.Digits(2);
  if (!month || !reader.Take('-')) return std::nullopt;
  const auto day = reader.Digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * int64_t{86400};
}

std::optional<int64_t> ReadTimeOfDay(Reader& reader) {
  const auto hour = reader.Digits(2);
  if (!hour || *hour > 23 || !reader.Take(':')) return std::nullopt;
  const auto minute = reader.Digits(2);
  if (!minute || *minute > 59 || !reader.Take(':')) return std::nullopt;
  const auto second = reader.Digits(2);
  if (!second || *second > 59) return std::nullopt;
  return *hour * 3600 + *minute * 60 + *second;
}

std::optional<int64_t> ReadOffset(Reader& reader) {
  if (reader.Take('Z')) return 0;
  const bool east = reader.Take('+');
  if (!east && !reader.Take('-')) return std::nullopt;
  const auto hour = reader.Digits(2);
  if (!hour || *hour > 23 || !reader.Take(':')) return std::nullopt;
  const auto minute = reader.Digits(2);
  if (!minute || *minute > 59) return std::nullopt;
  const int64_t seconds = *hour * 3600 + *minute * 60;
  return east ? seconds : -seconds;
}

std::optional<Moment> ReadMoment(std::string_view text) {
  Reader reader(text);
  const auto date = ReadDate(reader);
  if (!date || !reader.Take('T')) return std::nullopt;
  const auto time = ReadTimeOfDay(reader);
  if (!time) return std::nullopt;
  Moment moment;
  if (reader.Take('.')) {
    const auto fraction = reader.Fraction();
    if (!fraction) return std::nullopt;
    moment.nanoseconds = *fraction;
  }
  const auto offset = ReadOffset(reader);
  if (!offset || !reader.AtEnd()) return std::nullopt;
  moment.seconds = *date + *time - *offset;
  return moment;
}

Status NoTime(std::string_view text) {
  constexpr size_t kMaxQuoted = 64;
  const std::string subject =
      text.size() <= kMaxQuoted ? "\"" + std::string(text) + "\"" : "a long string";
  return Status::Malformed(subject + " is not an RFC 3339 time such as 2006-01-02T15:04:05Z");
}

int64_t FloorDivide(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

// "2006-01-02T15:04:05", without a zone.
std::string WriteSeconds(int64_t seconds) {
  const int64_t days = FloorDivide(seconds, 86400);
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const int rest = static_cast<int>(seconds - days * 86400);
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), rest / 3600,
                rest / 60 % 60, rest % 60);
  return text;
}

// A WallTime spans only the years 1677 to 2262. Times outside are clamped.
WallTime ToWall(int64_t count, int64_t nanoseconds_each) {
  int64_t nanoseconds = 0;
  if (__builtin_mul_overflow(count, nanoseconds_each, &nanoseconds)) {
    return count < 0 ? WallTime::min() : WallTime::max();
  }
  return WallTime(Duration(nanoseconds));
}

}  // namespace

Time::Time(WallTime time) : seconds_(FloorDivide(time.time_since_epoch().count(), 1'000'000'000)) {}

Result<Time> Time::Parse(std::string_view rfc3339) {
  const auto moment = ReadMoment(rfc3339);
  if (!moment) return NoTime(rfc3339);
  return FromSeconds(moment->seconds);
}

WallTime Time::ToWallTime() const { return ToWall(seconds_, 1'000'000'000); }

std::string Time::ToString() const { return IsZero() ? "" : WriteSeconds(seconds_) + "Z"; }

MicroTime::MicroTime(WallTime time) : micros_(FloorDivide(time.time_since_epoch().count(), 1000)) {}

Result<MicroTime> MicroTime::Parse(std::string_view rfc3339) {
  const auto moment = ReadMoment(rfc3339);
  if (!moment) return NoTime(rfc3339);
  return FromMicroseconds(moment->seconds * 1'000'000 + moment->nanoseconds / 1000);
}

WallTime MicroTime::ToWallTime() const { return ToWall(micros_, 1000); }

std::string MicroTime::ToString() const {
  if (IsZero()) return "";
  const int64_t seconds = FloorDivide(micros_, 1'000'000);
  char fraction[32];
  std::snprintf(fraction, sizeof(fraction), ".%06dZ",
                static_cast<int>(micros_ - seconds * 1'000'000));
  return WriteSeconds(seconds) + fraction;
}

void AppendText(std::string& out, const Time& time) { out += time.ToString(); }
void AppendText(std::string& out, const MicroTime& time) { out += time.ToString(); }

}  // namespace capstan::api
