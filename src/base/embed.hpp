#pragma once
// A file in the program: FEEDRATE_EMBED(page, "/path/page.html") is the bytes from `page` to
// `page_end`, which a 0 follows. The assembler copies them in no time; a compiler takes seconds for
// a literal of 1 MB.
#define FEEDRATE_EMBED(symbol, path)   \
  asm(".pushsection .rodata\n" #symbol \
      ":\n"                            \
      ".incbin \"" path "\"\n" #symbol \
      "_end:\n"                        \
      ".byte 0\n"                      \
      ".popsection");                  \
  extern "C" const char symbol[];      \
  extern "C" const char symbol##_end[]
