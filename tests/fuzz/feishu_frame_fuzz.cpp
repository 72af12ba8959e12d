// Any bytes as the messages of one link: decode, join, acknowledge, encode.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/feishu/frame_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const fault = kb::test::broken_exchange({reinterpret_cast<char const*>(data), size});
  if (fault.empty()) return 0;
  std::fputs((fault + "\n").c_str(), stderr);
  std::abort();
}
