#include "process.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/io/unique_fd.h"

namespace capstan::e2e {
namespace {

[[noreturn]] void ThrowErrno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

io::UniqueFd InMemory(const char* name) {
  io::UniqueFd fd(memfd_create(name, MFD_CLOEXEC));
  if (!fd.valid()) ThrowErrno(name);
  return fd;
}

std::string ReadAll(int fd) {
  std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t length =
        pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (length <= 0) ThrowErrno("pread");
    done += static_cast<size_t>(length);
  }
  return text;
}

void WriteAll(int fd, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t length = write(fd, text.data() + done, text.size() - done);
    if (length <= 0) ThrowErrno("write");
    done += static_cast<size_t>(length);
  }
  lseek(fd, 0, SEEK_SET);
}

tools::ChildProcess Checked(Result<tools::ChildProcess> child) {
  if (!child) throw std::runtime_error(child.status().message());
  return *std::move(child);
}

// A socket bound to `port` of 127.0.0.1, or none when the port is in use.
io::UniqueFd BindTo(int port) {
  io::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fd.Reset();
  return fd;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, const std::filesystem::path& log)
    : ChildProcess(Checked(Start(argv, log.string()))) {}

CommandResult RunCommand(const std::vector<std::string>& argv, const std::string& input,
                         Milliseconds timeout) {
  const io::UniqueFd in = InMemory("stdin");
  const io::UniqueFd out = InMemory("stdout");
  const io::UniqueFd err = InMemory("stderr");
  WriteAll(in.get(), input);
  tools::ChildProcess command = Checked(tools::ChildProcess::Start(
      argv, tools::ChildProcess::Streams{in.get(), out.get(), err.get()}));
  CommandResult result;
  std::optional<int> exit_code = command.Wait(timeout);
  if (!exit_code) {
    command.Kill(SIGKILL);
    exit_code = command.Wait(Seconds(10));
  }
  result.exit_code = exit_code.value_or(-1);
  result.output = ReadAll(out.get());
  result.errors = ReadAll(err.get());
  return result;
}

std::vector<int> FreePorts(size_t count) {
  constexpr int kLowest = 10000;
  int end = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> end;
  if (end < kLowest + 1000) end = 65536;
  std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> any_port(kLowest, end - 1);
  std::vector<int> ports;
  // held until all are found, so that no port is returned twice
  std::vector<io::UniqueFd> held;
  for (int attempt = 0; ports.size() < count; ++attempt) {
    if (attempt > 1000) throw std::runtime_error("no free TCP port on 127.0.0.1");
    const int port = any_port(random);
    io::UniqueFd socket = BindTo(port);
    if (!socket.valid()) continue;
    held.push_back(std::move(socket));
    ports.push_back(port);
  }
  return ports;
}

TempDirectory::TempDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "capstan-e2e-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) ThrowErrno("mkdtemp " + name);
  path_ = name;
}

TempDirectory::~TempDirectory() {
  if (::testing::UnitTest::GetInstance()->Failed()) {
    std::cerr << "The logs are kept in " << path_.string() << "\n";
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace capstan::e2e
