#include "base/tls/socket_bio.h"

#include <sys/socket.h>

#include <cerrno>

namespace capstan::tls {
namespace {

int SocketOfBio(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

bool MayTryAgain() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int SocketBioWrite(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = send(SocketOfBio(bio), data, static_cast<size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && MayTryAgain()) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int SocketBioRead(BIO* bio, char* buffer, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t count = recv(SocketOfBio(bio), buffer, static_cast<size_t>(size), 0);
  if (count < 0 && MayTryAgain()) BIO_set_retry_read(bio);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(count);
}

long SocketBioControl(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return 0;
}

BIO_METHOD* SocketBioMethod() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "capstan socket");
    if (!made) return made;
    BIO_meth_set_write(made, SocketBioWrite);
    BIO_meth_set_read(made, SocketBioRead);
    BIO_meth_set_ctrl(made, SocketBioControl);
    return made;
  }();
  return method;
}

}  // namespace

BIO* NewSocketBio(int* socket) {
  BIO_METHOD* const method = SocketBioMethod();
  BIO* const bio = method ? BIO_new(method) : nullptr;
  if (!bio) return nullptr;
  BIO_set_data(bio, socket);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace capstan::tls
