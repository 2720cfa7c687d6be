#include "base/http/body_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

namespace capstan::http {
namespace {

using State = BodyStream::State;

class BodyStreamTest : public ::testing::Test {
 protected:
  int wakes_ = 0;  // also counted while the reader is destroyed
  std::shared_ptr<BodyStream> stream_ = std::make_shared<BodyStream>(SystemRuntime());
  std::unique_ptr<BodyReader> reader_ = std::make_unique<BodyReader>(stream_);
};

TEST_F(BodyStreamTest, DeliversWrittenBytesThenTheEnd) {
  std::string piece;
  EXPECT_EQ(reader_->Take(piece), State::kOpen);
  EXPECT_EQ(piece, "");
  EXPECT_TRUE(stream_->Write("a"));
  EXPECT_TRUE(stream_->Write("b"));
  EXPECT_EQ(reader_->Take(piece), State::kOpen);
  EXPECT_EQ(piece, "ab");
  EXPECT_TRUE(stream_->Write("c"));
  stream_->End();
  stream_->Break();  // no effect after the end
  EXPECT_EQ(reader_->Take(piece), State::kEnded);
  EXPECT_EQ(piece, "c");
  EXPECT_FALSE(stream_->Write("d"));
}

TEST_F(BodyStreamTest, WakesTheReaderOnceForAllPendingBytes) {
  reader_->OnChange([this] { ++wakes_; });
  stream_->Write("a");
  stream_->Write("b");
  EXPECT_EQ(wakes_, 1);
  std::string piece;
  reader_->Take(piece);
  stream_->Write("c");
  EXPECT_EQ(wakes_, 2);
  stream_->End();
  EXPECT_EQ(wakes_, 3);
}

TEST_F(BodyStreamTest, BlocksTheWriterWhileTheReaderIsSlow) {
  const std::string slice(BodyStream::kCapacity / 2, 'x');
  std::atomic<int> written = 0;
  const auto writer = SystemRuntime().Start("writer", [&] {
    for (int i = 0; i < 8; ++i) {
      if (!stream_->Write(slice)) return;
      ++written;
    }
    stream_->End();
  });
  size_t total = 0;
  size_t most = 0;
  State state = State::kOpen;
  while (state == State::kOpen) {
    std::string piece;
    state = reader_->Take(piece);
    total += piece.size();
    most = std::max(most, piece.size());
  }
  writer->Join();
  EXPECT_EQ(written, 8);
  EXPECT_EQ(total, 8 * slice.size());
  EXPECT_LE(most, BodyStream::kCapacity + slice.size());
}

TEST_F(BodyStreamTest, UnblocksTheWriterWhenTheReaderIsGone) {
  std::atomic<bool> refused = false;
  const auto writer = SystemRuntime().Start("writer", [&] {
    while (stream_->Write(std::string(1 << 14, 'x'))) {
    }
    refused = true;
  });
  EXPECT_FALSE(stream_->closed().stop_requested());
  reader_.reset();
  writer->Join();
  EXPECT_TRUE(refused);
  EXPECT_TRUE(stream_->closed().stop_requested());
}

}  // namespace
}  // namespace capstan::http
