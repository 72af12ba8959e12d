/// Named places at which a crash test ends the process, as kill -9 would: nothing is flushed, nothing is unwound.
///
/// Compiled in always, so that the program under test is the program that ships. It is armed by the environment alone,
/// read once at the first call: KBGATE_FAULT="journal.settle.after_commit" dies the first time that place is passed,
/// "journal.settle.after_commit:3" the third time. No message, setting or file can arm it; unarmed it costs one branch.
#pragma once

#include <string_view>

namespace kb::logging {

/// Ends the process with SIGKILL when KBGATE_FAULT names `place` and this is the pass it asks for. Thread-safe.
void fault_point(std::string_view place) noexcept;

}  // namespace kb::logging
