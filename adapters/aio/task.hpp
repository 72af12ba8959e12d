/// The coroutine type and executor of everything that waits. Rules: ARCHITECTURE.md, "Threads".
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace kb::aio {

namespace asio = boost::asio;
using Executor = asio::any_io_executor;
template <class T = void>
using Task = asio::awaitable<T, Executor>;

}  // namespace kb::aio
