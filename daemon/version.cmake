# Writes OUT with the version, the commit of ROOT (when it is a git checkout) and the build type; untouched when nothing changed.
find_package(Git QUIET)
set(COMMIT "unknown")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${ROOT} rev-parse HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(NOT failed)
    set(COMMIT ${head})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[#include "daemon/version.hpp"

namespace kb::daemon {

char const* const kVersion = "@VERSION@";
char const* const kBuildCommit = "@COMMIT@";
char const* const kBuildType = "@BUILD@";

}  // namespace kb::daemon
]])
