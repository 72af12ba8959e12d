/// Waiting for time and for descriptors.
#pragma once

#include <chrono>

#include "adapters/aio/task.hpp"

namespace kb::aio {

/// True when the time is over, false when cancelled before.
Task<bool> sleep_for(Executor ex, std::chrono::milliseconds time);

/// True when `fd` (inotify, signalfd, a pipe) can be read, false when cancelled or not waitable. Does not own `fd`;
/// one waiter per descriptor.
Task<bool> wait_readable(Executor ex, int fd);

}  // namespace kb::aio
