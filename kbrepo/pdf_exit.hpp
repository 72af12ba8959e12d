/// How kbgate-pdf ends, for it and for who starts it.
#pragma once

namespace kb::kbrepo {

enum class PdfExit { done = 0, damaged = 2, locked = 3, too_large = 4 };

}  // namespace kb::kbrepo
