#pragma once

/// HttpWatchStream: the events in the body of a watch response.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <capstan/client/client.h>

#include "client/rest/wire_format.h"

namespace capstan {

class HttpWatchStream final : public WatchStream {
 public:
  /// No API object is larger: etcd refuses requests of more than 1.5 MiB by default.
  static constexpr size_t kDefaultFrameLimit = size_t{16} << 20;

  /// `initial_events`: the watch was opened with WatchOptions::send_initial_events.
  HttpWatchStream(const TypeDescriptor& type, std::unique_ptr<HttpResponse> response,
                  size_t frame_limit = kDefaultFrameLimit, FieldSet fields = {},
                  bool initial_events = false);

  Result<std::optional<WatchEvent>> Next() override;

 private:
  // The next frame; nullopt at the end. JSON: a line that is not blank. Protobuf: see
  // api/protobuf/watch_event.h.
  Result<std::optional<std::string>> NextLine();
  Result<std::optional<std::string>> NextMessage();
  Result<size_t> ReadMore();
  Status TooLarge() const;
  Status Truncated() const;
  // nullopt for an object that is skipped.
  Result<std::optional<WatchEvent>> Decode(std::string frame);
  std::string What() const;

  const TypeDescriptor& type_;
  const std::unique_ptr<HttpResponse> response_;
  const WireFormat format_;
  const FieldSet fields_;
  const size_t frame_limit_;
  std::string buffer_;
  size_t filled_ = 0;   // bytes used in buffer_; the rest is free
  size_t begin_ = 0;    // start of the frame in buffer_
  size_t scanned_ = 0;  // no end of the frame before this offset
  bool at_end_ = false;
  bool in_initial_events_ = false;
};

}  // namespace capstan
