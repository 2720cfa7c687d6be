#include "journal.h"

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <utility>

namespace capstan::simulation {
namespace {

constexpr size_t kLongestBody = 240;

class JournalTransport final : public Transport {
 public:
  JournalTransport(Journal& journal, std::string actor, std::shared_ptr<Transport> inner)
      : journal_(journal), actor_(std::move(actor)), inner_(std::move(inner)) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    auto response = inner_->RoundTrip(request, std::move(stop));
    if (!journal_.keeps()) return response;
    if (!response) {
      journal_.Add(actor_, "got " + response.status().ToString() + " for " + ShortText(request));
    } else if ((*response)->status() >= 400) {
      journal_.Add(actor_,
                   "got " + std::to_string((*response)->status()) + " for " + ShortText(request));
    }
    return response;
  }

 private:
  Journal& journal_;
  const std::string actor_;
  const std::shared_ptr<Transport> inner_;
};

}  // namespace

Journal::Journal(Runtime& runtime, bool keeps)
    : runtime_(runtime), keeps_(keeps), begin_(runtime.Now()) {
  SetLogSink(this);
}

Journal::~Journal() { SetLogSink(nullptr); }

void Journal::Add(std::string_view actor, std::string_view text) {
  if (!keeps_) return;
  const std::chrono::duration<double> time = runtime_.Now() - begin_;
  char stamp[32];
  std::snprintf(stamp, sizeof(stamp), "%10.3fs ", time.count());
  std::string line = stamp;
  line += actor;
  if (actor.size() < 10) line.append(10 - actor.size(), ' ');
  line += ' ';
  line += text;
  lines_.push_back(std::move(line));
}

void Journal::Write(std::string_view line) {
  // Drops the header: its real time would differ between two runs of one seed.
  const size_t header = line.find("] ");
  Add("log", header == std::string_view::npos ? line : line.substr(header + 2));
}

std::string ShortText(const HttpRequest& request) {
  std::string text = request.method + " " + request.target;
  if (!request.body.empty()) text += " " + request.body.substr(0, kLongestBody);
  if (request.body.size() > kLongestBody) text += "...";
  return text;
}

std::shared_ptr<Transport> NewJournalTransport(Journal& journal, std::string actor,
                                               std::shared_ptr<Transport> inner) {
  return std::make_shared<JournalTransport>(journal, std::move(actor), std::move(inner));
}

}  // namespace capstan::simulation
