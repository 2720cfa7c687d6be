#include "world.h"

namespace capstan::scenarios {

const char* NameOf(WorldKind kind) {
  switch (kind) {
    case WorldKind::kFake:
      return "fake";
    case WorldKind::kPlayground:
      return "playground";
    case WorldKind::kReal:
      return "real";
  }
  return "";
}

}  // namespace capstan::scenarios
