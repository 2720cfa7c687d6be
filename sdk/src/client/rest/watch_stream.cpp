#include "client/rest/watch_stream.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "api/protobuf/watch_event.h"
#include "api/watch_decoder.h"
#include "client/rest/api_status.h"
#include "client/rest/client_shared.h"
#include "client/rest/client_target.h"

#include <capstan/runtime/format.h>

namespace capstan {
namespace {

constexpr size_t kReadSize = size_t{32} * 1024;

WatchEvent::Type EventType(WatchFrame::Type type) {
  switch (type) {
    case WatchFrame::Type::kAdded:
      return WatchEvent::Type::kAdded;
    case WatchFrame::Type::kModified:
      return WatchEvent::Type::kModified;
    case WatchFrame::Type::kDeleted:
      return WatchEvent::Type::kDeleted;
    case WatchFrame::Type::kBookmark:
    case WatchFrame::Type::kError:
      break;
  }
  return WatchEvent::Type::kBookmark;
}

// The length before an event in protobuf.
constexpr size_t kLengthSize = 4;
size_t LengthAt(const char* bytes) {
  size_t length = 0;
  for (size_t i = 0; i < kLengthSize; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

}  // namespace

WatchStream::~WatchStream() = default;

HttpWatchStream::HttpWatchStream(const TypeDescriptor& type, std::unique_ptr<HttpResponse> response,
                                 size_t frame_limit, FieldSet fields, bool initial_events)
    : type_(type),
      response_(std::move(response)),
      format_(FormatOf(response_->Header("Content-Type"))),
      fields_(fields),
      frame_limit_(frame_limit),
      in_initial_events_(initial_events) {}

std::string HttpWatchStream::What() const { return "watch of " + QualifiedResource(type_); }

Status HttpWatchStream::TooLarge() const {
  return Status::Malformed(Format("{}: an event is larger than {} bytes", What(), frame_limit_));
}

Status HttpWatchStream::Truncated() const {
  return {StatusReason::kTransport, What() + ": ended in the middle of an event"};
}

Result<size_t> HttpWatchStream::ReadMore() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
    scanned_ -= begin_;
    filled_ -= begin_;
    begin_ = 0;
    // Frees the space of a large object, which is not needed for the rest of the watch.
    if (filled_ < kReadSize && buffer_.size() > 8 * kReadSize) {
      buffer_.resize(2 * kReadSize);
      buffer_.shrink_to_fit();
    }
  }
  // The space is kept between reads: filling it with zeros costs more than reading.
  if (buffer_.size() - filled_ < kReadSize) buffer_.resize(filled_ + kReadSize);
  Result<size_t> count = response_->Read(buffer_.data() + filled_, buffer_.size() - filled_);
  if (!count) return count.status().WithContext(What());
  filled_ += *count;
  return count;
}

Result<std::optional<std::string>> HttpWatchStream::NextLine() {
  constexpr std::string_view kBlank = " \t\r\n";
  while (true) {
    const size_t end = std::string_view(buffer_.data(), filled_).find('\n', scanned_);
    if (end != std::string::npos || at_end_) {
      const size_t stop = end == std::string::npos ? filled_ : end;
      std::string frame = buffer_.substr(begin_, stop - begin_);
      begin_ = scanned_ = end == std::string::npos ? stop : stop + 1;
      if (frame.find_first_not_of(kBlank) != std::string::npos)
        return std::optional(std::move(frame));
      if (end == std::string::npos) return std::optional<std::string>();
      continue;
    }
    scanned_ = filled_;
    if (filled_ - begin_ > frame_limit_) return TooLarge();
    const Result<size_t> count = ReadMore();
    if (!count) return count.status();
    if (*count == 0) at_end_ = true;
  }
}

Result<std::optional<std::string>> HttpWatchStream::NextMessage() {
  while (true) {
    const size_t ready = filled_ - begin_;
    if (ready >= kLengthSize) {
      const size_t size = LengthAt(buffer_.data() + begin_);
      if (size > frame_limit_) return TooLarge();
      if (ready - kLengthSize >= size) {
        std::string frame = buffer_.substr(begin_ + kLengthSize, size);
        begin_ = scanned_ = begin_ + kLengthSize + size;
        return std::optional(std::move(frame));
      }
    }
    const Result<size_t> count = ReadMore();
    if (!count) return count.status();
    if (*count > 0) continue;
    if (ready > 0) return Truncated();
    return std::optional<std::string>();
  }
}

Result<std::optional<WatchEvent>> HttpWatchStream::Decode(std::string text) {
  Result<WatchFrame> frame = format_ == WireFormat::kProtobuf
                                 ? protobuf::DecodeWatchEvent(type_, text, fields_)
                                 : DecodeWatchFrame(type_, std::move(text), fields_);
  if (!frame) {
    // The last line may be an incomplete event.
    return at_end_ ? Truncated() : frame.status().WithContext(What());
  }
  if (frame->type == WatchFrame::Type::kError) {
    const std::optional<Status> error = ParseApiStatus(frame->error, 0);
    if (error && !error->ok()) return *error;
    return Status::Malformed(What() + ": an ERROR event without an error Status");
  }
  WatchEvent event;
  event.type = EventType(frame->type);
  event.resource_version = std::move(frame->resource_version);
  if (frame->type == WatchFrame::Type::kBookmark) {
    event.initial_events_end = frame->initial_events_end;
    if (event.initial_events_end) in_initial_events_ = false;
    return std::optional(std::move(event));
  }
  if (frame->malformed.ok() && frame->object &&
      MetadataOf(type_, frame->object.get()).name.empty()) {
    frame->malformed = Status::Malformed("metadata.name: empty");
  }
  if (frame->malformed.ok()) {
    event.object = std::move(frame->object);
    return std::optional(std::move(event));
  }
  ReportMalformedObject(type_, frame->name, frame->malformed);
  const bool is_named = event.type == WatchEvent::Type::kDeleted || in_initial_events_;
  if (!is_named || frame->name.name.empty()) {
    return std::optional<WatchEvent>();
  }
  event.name = std::move(frame->name);
  return std::optional(std::move(event));
}

Result<std::optional<WatchEvent>> HttpWatchStream::Next() {
  while (true) {
    Result<std::optional<std::string>> frame =
        format_ == WireFormat::kProtobuf ? NextMessage() : NextLine();
    if (!frame) return frame.status();
    if (!*frame) return std::optional<WatchEvent>();
    Result<std::optional<WatchEvent>> event = Decode(**std::move(frame));
    if (!event || *event) return event;
  }
}

}  // namespace capstan
