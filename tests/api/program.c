/* A program in C: the request of standard input, its answer on standard output. */
#include <feedrate.h>
#include <stdio.h>

int main(void) {
  static char request[1000000];
  const size_t read = fread(request, 1, sizeof request - 1, stdin);
  char* answer;
  request[read] = '\0';
  answer = feedrate_run(request);
  if (answer == NULL) return 3;
  fputs(answer, stdout);
  feedrate_free(answer);
  return 0;
}
