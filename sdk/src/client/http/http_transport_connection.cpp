#include "client/http/http_transport_connection.h"

#include <Poco/Net/HTTPHeaderStream.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Net/StreamSocketImpl.h>
#include <Poco/String.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::client {
namespace {

// What POCO's buffer may hold of the body when the head has been read.
constexpr size_t kReadAhead = 8192;

// Ends a parse from inside; the reason is kept by the connection.
class StreamFailed : public Poco::Net::NetException {};

Status Malformed(std::string_view what) {
  return {StatusReason::kTransport, Format("malformed HTTP answer: {}", what)};
}

// The one value of all Content-Length fields; nullopt: none, or none that makes sense.
std::optional<uint64_t> ContentLength(const Poco::Net::HTTPResponse& head, bool& valid) {
  std::optional<uint64_t> length;
  valid = true;
  for (const auto& [name, value] : head) {
    if (Poco::icompare(name, Poco::Net::HTTPMessage::CONTENT_LENGTH) != 0) continue;
    uint64_t parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc() || end != value.data() + value.size() ||
        (length && *length != parsed)) {
      valid = false;
    }
    length = parsed;
  }
  return length;
}

}  // namespace

class Connection::Socket : public Poco::Net::StreamSocket {
 public:
  explicit Socket(Connection& connection) : StreamSocket(new Impl(connection)) {}

 private:
  // Leads POCO's reads to the connection's stream. It has no descriptor of its own.
  class Impl : public Poco::Net::StreamSocketImpl {
   public:
    explicit Impl(Connection& connection) : connection_(connection) {}
    int receiveBytes(void* buffer, int length, int) override {
      return connection_.Receive(static_cast<char*>(buffer), length);
    }
    void close() override {}
    void shutdown() override {}

   private:
    Connection& connection_;
  };
};

Poco::Net::StreamSocket Connection::MakeSocket(Connection& connection) {
  return Socket(connection);
}

Connection::Connection(std::unique_ptr<Stream> stream)
    : HTTPSession(MakeSocket(*this)), stream_(std::move(stream)) {}

Connection::~Connection() = default;

int Connection::Receive(char* buffer, int size) {
  const Result<size_t> count = stream_->Read(buffer, static_cast<size_t>(size), *scope_);
  if (!count) {
    failure_ = count.status();
    throw StreamFailed();
  }
  if (*count == 0 && body_ != Body::kUntilClose) {
    failure_ = {StatusReason::kTransport, bytes_received_ == 0
                                              ? "connection closed by the server before it answered"
                                              : "connection closed in the middle of the answer"};
    throw StreamFailed();
  }
  bytes_received_ += *count;
  if (in_head_ && bytes_received_ > kMaxHeadBytes + kReadAhead) {
    failure_ = Malformed(Format("its head is larger than {} bytes", kMaxHeadBytes));
    throw StreamFailed();
  }
  return static_cast<int>(*count);
}

Status Connection::Fail(Status status) {
  failure_ = status;
  return status;
}

Status Connection::Send(std::string_view message, const RequestScope& scope) {
  scope_ = &scope;
  body_ = Body::kNone;
  bytes_sent_ = 0;
  bytes_received_ = 0;
  Status status = stream_->Write(message, scope, bytes_sent_);
  return status.ok() ? status : Fail(std::move(status));
}

Status Connection::ParseHead(Poco::Net::HTTPResponse& head) {
  constexpr int kMaxFields = 200;
  in_head_ = true;
  try {
    int status = 0;
    do {
      head.clear();
      head.setFieldLimit(kMaxFields);
      Poco::Net::HTTPHeaderInputStream stream(*this);
      head.read(stream);
      status = static_cast<int>(head.getStatus());
    } while (status >= 100 && status < 200 && status != 101);
  } catch (const Poco::Exception& exception) {
    if (failure_.ok()) failure_ = Malformed(exception.message());
  } catch (const std::exception& exception) {
    if (failure_.ok()) failure_ = Malformed(exception.what());
  }
  in_head_ = false;
  return failure_;
}

Status Connection::SetBody(const Poco::Net::HTTPResponse& head, bool expect_body) {
  const int status = static_cast<int>(head.getStatus());
  const std::string& version = head.getVersion();
  if (!version.starts_with("HTTP/1.")) return Malformed("its version is not HTTP/1");
  if (status < 200 || status > 599) return Malformed(Format("its status is {}", status));
  keep_alive_ = !head.hasToken("Connection", "close") &&
                (version != "HTTP/1.0" || head.hasToken("Connection", "keep-alive"));
  bool valid = true;
  const std::optional<uint64_t> length = ContentLength(head, valid);
  left_ = 0;
  first_chunk_ = true;
  if (!expect_body || status == 204 || status == 304) {
    body_ = Body::kDone;
  } else if (head.has("Transfer-Encoding")) {
    if (!head.getChunkedTransferEncoding()) return Malformed("unknown Transfer-Encoding");
    body_ = Body::kChunked;
    // Both together is how requests are smuggled through proxies.
    if (length) keep_alive_ = false;
  } else if (!valid) {
    return Malformed("bad Content-Length");
  } else if (length) {
    left_ = *length;
    body_ = left_ == 0 ? Body::kDone : Body::kLength;
  } else {
    body_ = Body::kUntilClose;
    keep_alive_ = false;
  }
  return Status::Ok();
}

Status Connection::ReceiveHead(Poco::Net::HTTPResponse& head, bool expect_body) {
  if (!failure_.ok()) return failure_;
  if (Status status = ParseHead(head); !status.ok()) return status;
  Status status = SetBody(head, expect_body);
  return status.ok() ? status : Fail(std::move(status));
}

std::string Connection::ReadLine() {
  std::string line;
  while (true) {
    const int c = get();
    if (c == '\n') break;
    // get() gives bytes over 0x7f as negative numbers.
    if (c < 0 || line.size() > 8192) throw Poco::Net::MessageException("bad chunk line");
    line += static_cast<char>(c);
  }
  if (!line.ends_with('\r')) throw Poco::Net::MessageException("bad chunk line");
  line.pop_back();
  return line;
}

void Connection::StartChunk() {
  if (!std::exchange(first_chunk_, false) && !ReadLine().empty()) {
    throw Poco::Net::MessageException("a chunk is longer than it says");
  }
  const std::string line = ReadLine();
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), left_, 16);
  const std::string_view rest(end, static_cast<size_t>(line.data() + line.size() - end));
  if (error != std::errc() || (!rest.empty() && rest.find_first_of("; \t") != 0)) {
    throw Poco::Net::MessageException("bad chunk size");
  }
  if (left_ > 0) return;
  size_t trailer = 0;
  for (std::string field = ReadLine(); !field.empty(); field = ReadLine()) {
    trailer += field.size();
    if (trailer > kMaxHeadBytes) throw Poco::Net::MessageException("trailer too large");
  }
  body_ = Body::kDone;
}

size_t Connection::ReadFramed(char* buffer, size_t size) {
  if (body_ == Body::kChunked && left_ == 0) StartChunk();
  if (body_ == Body::kDone) return 0;
  const uint64_t most = body_ == Body::kUntilClose ? size : std::min<uint64_t>(size, left_);
  const auto count = static_cast<size_t>(
      read(buffer, static_cast<std::streamsize>(std::min<uint64_t>(most, 1 << 30))));
  if (body_ == Body::kUntilClose) {
    if (count == 0) body_ = Body::kDone;
    return count;
  }
  left_ -= count;
  if (body_ == Body::kLength && left_ == 0) body_ = Body::kDone;
  return count;
}

Result<size_t> Connection::ReadBody(char* buffer, size_t size) {
  if (!failure_.ok()) return failure_;
  if (body_ == Body::kDone || size == 0) return size_t{0};
  try {
    return ReadFramed(buffer, size);
  } catch (const Poco::Exception& exception) {
    if (failure_.ok()) failure_ = Malformed(exception.message());
  } catch (const std::exception& exception) {
    if (failure_.ok()) failure_ = Malformed(exception.what());
  }
  return failure_;
}

bool Connection::Reusable() const {
  return keep_alive_ && body_ == Body::kDone && failure_.ok() && buffered() == 0;
}

Result<std::unique_ptr<Stream>> Connection::TakeStream() {
  if (buffered() != 0) return Malformed("bytes after the proxy's answer");
  return std::move(stream_);
}

}  // namespace capstan::client
