#pragma once
// One process after the other at a file. Locks end with the process that holds them. A file system
// without locks is no reason to give up: there, nothing is held.
#include <string>

#include "base/open_file.hpp"

namespace feedrate {

/// Waits until no other process has `file` locked. False where there are no locks.
bool wait_for_lock(int file);
/// False: another process holds it. One that was killed holds it until the system has taken it
/// down, so half a second is waited for that.
bool lock_now(int file);
/// Whether `path` is this file: who held it before may have put another one in its place.
bool is_at(int file, const std::string& path);

/// A regular file that is open for writing, locked and as it was: whoever wants to cut it may look
/// at it first. It is made, with `mode`, where there is none. InputError for anything else than a
/// file, HostError where another process writes it or the host refuses.
OpenFile locked_for_writing(const std::string& path, mode_t mode);

/// While it lives, no other one of the same path does: what is made of a file takes its place
/// before anybody else reads it to the same end. A file that is not there yet is held by its
/// folder. Waits for others.
class HeldFile {
 public:
  explicit HeldFile(const std::string& path);

 private:
  OpenFile file_;
};

}  // namespace feedrate
