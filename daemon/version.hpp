/// What was built. Defined in a generated source, so that a new commit recompiles one small file.
#pragma once

namespace kb::daemon {

extern char const* const kVersion;
extern char const* const kBuildCommit;
extern char const* const kBuildType;

}  // namespace kb::daemon
