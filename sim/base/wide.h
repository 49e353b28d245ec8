// SYSTOLE_WIDE: a hot loop is compiled for several instruction sets and the loader picks the widest that the processor
// has, so that one build is fast everywhere.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SYSTOLE_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define SYSTOLE_WIDE
#endif
