// The flat engine's rate in every number format, beside its rate in int8.
#pragma once

namespace systole::bench {

void formats();

} // namespace systole::bench
