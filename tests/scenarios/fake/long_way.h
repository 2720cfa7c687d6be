#pragma once

#include <memory>

#include <capstan/client/transport.h>

#include "support/suspendable_runtime.h"

namespace capstan::scenarios {

// A transport from a machine to `far` on which each request takes up to `longest` to arrive. A
// request whose timeout ends earlier fails and does not arrive. A request that has been sent also
// arrives while the machine is suspended. A suspended machine sends no request and receives no
// response.
std::shared_ptr<Transport> NewLongWay(testing::SuspendableRuntime& machine,
                                      std::shared_ptr<Transport> far, Duration longest);

}  // namespace capstan::scenarios
