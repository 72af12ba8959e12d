#include "config/fault.hpp"

namespace kb::config {

std::string to_string(Fault const& fault) {
  std::string text = fault.file;
  if (fault.line > 0) text += ":" + std::to_string(fault.line);
  if (fault.line > 0 && fault.column > 0) text += ":" + std::to_string(fault.column);
  text += ": " + fault.message;
  if (!fault.hint.empty()) text += " (" + fault.hint + ")";
  return text;
}

}  // namespace kb::config
