// Whole networks, all levels on.
#pragma once

namespace systole::bench {

void networks();

} // namespace systole::bench
