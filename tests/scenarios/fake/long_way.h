#pragma once

#include <memory>

#include <capstan/client/transport.h>

#include "support/suspendable_runtime.h"

namespace capstan::scenarios {

// A way from a machine to `far`, on which each request takes up to `longest` before it arrives. It
// is given up at its time-out, and does not arrive any more then. What has left arrives also when
// the machine is suspended; nothing leaves it then, and no answer is noticed.
std::shared_ptr<Transport> NewLongWay(testing::SuspendableRuntime& machine,
                                      std::shared_ptr<Transport> far, Duration longest);

}  // namespace capstan::scenarios
