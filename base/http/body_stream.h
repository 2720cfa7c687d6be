#pragma once

/// BodyStream and BodyReader: the two ends of a response's body that is written while it is sent,
/// such as the events of a watch.
///
/// The writer waits while the client does not keep up, so that no more than kCapacity and one piece
/// are held for it. When the reader goes, the writer is told by `closed`, and Write is false.

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan::http {

/// Threads: Write, End and Break from one thread, the others from any.
class BodyStream {
 public:
  static constexpr size_t kCapacity = 64 << 10;
  enum class State { kOpen, kEnded, kBroken };

  explicit BodyStream(Runtime& runtime);
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;

  /// Waits for room, then adds `piece`. False: nobody reads any more.
  bool Write(std::string_view piece);
  /// The body is whole.
  void End();
  /// Nothing follows, and the client must not take the body for a whole one.
  void Break();

  /// Stops both ends. The writer's Write is false from now on.
  void Close();
  /// Requested by Close.
  std::stop_token closed() const { return closed_.get_token(); }

 private:
  friend class BodyReader;

  void Finish(State state);
  State Take(std::string& piece);
  void OnChange(std::function<void()> wake);

  Mutex mutex_;
  const std::unique_ptr<Condition> room_;
  std::stop_source closed_;
  std::string buffer_ CAPSTAN_GUARDED_BY(mutex_);
  State state_ CAPSTAN_GUARDED_BY(mutex_) = State::kOpen;
  bool is_closed_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ CAPSTAN_GUARDED_BY(mutex_);
};

/// The listener's end. Threads: one at a time.
class BodyReader {
 public:
  using State = BodyStream::State;

  explicit BodyReader(std::shared_ptr<BodyStream> stream) : stream_(std::move(stream)) {}
  ~BodyReader() { stream_->Close(); }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  /// Puts all that is there into `piece`. kEnded and kBroken: nothing follows it.
  State Take(std::string& piece) { return stream_->Take(piece); }
  /// From now on `wake` is called by the writer's thread when there is something to take. It may
  /// still be called once after the reader has gone.
  void OnChange(std::function<void()> wake) { stream_->OnChange(std::move(wake)); }

 private:
  const std::shared_ptr<BodyStream> stream_;
};

}  // namespace capstan::http
