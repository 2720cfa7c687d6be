#include <cstdint>
#include <string>

#include <capstan/api/object.h>

#include "twin_types.h"

namespace {

struct Widget {
  capstan::api::ObjectMeta metadata;
  int64_t size = 1;
};

}  // namespace

CAPSTAN_DECLARE_RESOURCE(Widget)
CAPSTAN_DEFINE_RESOURCE(Widget,
                        (.group = "example.dev", .version = "v1", .resource = "widgets",
                         .kind = "Widget", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(size))

namespace capstan::testing {

Twin FirstTwin() {
  return {&DescriptorOf<Widget>(), [] { return ToJson(Widget{}); }};
}

}  // namespace capstan::testing
