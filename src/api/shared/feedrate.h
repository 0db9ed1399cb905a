/* The simulator as a library: a question as JSON, its answer as JSON. Two functions, C.

   feedrate schema request  says what a question may hold, feedrate schema result and sweep what the
   answers to run and sweep do (advice, optimum, scale, cases, diagnosis: the others); docs/api.md has both with examples. The library is for one version of feedrate, which each
   answer names; the two functions stay as they are. */
#ifndef FEEDRATE_H
#define FEEDRATE_H

#if defined(__GNUC__)
#define FEEDRATE_EXPORT __attribute__((visibility("default")))
#else
#define FEEDRATE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Answers `request`, a text in UTF-8 that ends with a NUL: what the command that its "ask" names
   (run, sweep, advise, optimize, scale, cases, fit, diagnose, check) prints with --format json, to the
   byte; without "ask" it is run, or with "vary" in it sweep.
   Whatever is wrong with the request is said in the answer, {"kind": "error", "status",
   "error": {"message", "problems"}}; a null pointer is a wrong request too.

   Returns a JSON text in UTF-8 that ends with a NUL. It is the caller's and is given back with
   feedrate_free. NULL only when there is no memory left, not even for such a message.

   May be called from several threads at a time; calls share nothing. No exception leaves it. It
   prints nothing, keeps nothing, opens no connection, and writes no file. It reads the catalogue of
   prices, in the folder that the environment variable FEEDRATE_PRICING names, else beside the
   library. Of the files that a request or a scenario in it names ("file", "include",
   /job/step/times) it reads those below the folders that the request's "allow_files" names, and
   without that key none. A program that passes on whole requests of strangers refuses
   "allow_files"; one that puts a stranger's scenario into a request of its own needs to refuse
   nothing. */
FEEDRATE_EXPORT char* feedrate_run(const char* request);

/* Gives an answer of feedrate_run back. NULL is fine; anything else is an error in the caller. */
FEEDRATE_EXPORT void feedrate_free(char* answer);

#ifdef __cplusplus
}
#endif

#endif
