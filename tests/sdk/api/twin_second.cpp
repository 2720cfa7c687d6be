#include <cstdint>
#include <string>

#include <capstan/api/object.h>

#include "twin_types.h"

namespace {

struct Widget {
  capstan::api::ObjectMeta metadata;
  std::string colour = "red";
};

}  // namespace

CAPSTAN_DECLARE_RESOURCE(Widget)
CAPSTAN_DEFINE_RESOURCE(Widget,
                        (.group = "example.dev", .version = "v1", .resource = "widgets",
                         .kind = "Widget", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(colour))

namespace capstan::testing {

Twin SecondTwin() {
  return {&DescriptorOf<Widget>(), [] { return ToJson(Widget{}); }};
}

}  // namespace capstan::testing
