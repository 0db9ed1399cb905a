#include "base/byte_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.hpp"
#include "base/shell_pipe.hpp"
#include "base/text_file.hpp"

#ifdef FEEDRATE_ZLIB
#include <zlib.h>
#endif

namespace feedrate {
namespace {

constexpr std::size_t block_size = 262144;
constexpr std::string_view gzip_magic = "\x1f\x8b";

}  // namespace

#ifdef FEEDRATE_ZLIB

struct ByteReader::Unpacking {
  Unpacking() {
    // 16: a gzip header and trailer around the stream.
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw HostError("zlib does not start");
  }
  ~Unpacking() { inflateEnd(&stream); }
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  z_stream stream{};
  std::unique_ptr<char[]> out = std::make_unique<char[]>(block_size);
  bool between = false;  ///< a member has ended; another may follow
};

bool can_unpack() {
  return true;
}

/// Appends at least a byte, or ends the file.
void ByteReader::unpack_to(std::string& text) {
  z_stream& stream = unpacking_->stream;
  while (!ended_) {
    if (stream.avail_in == 0) {
      const std::string_view packed = read_block();
      if (packed.empty()) {
        ended_ = true;
        if (!unpacking_->between) cut_ = "the gzip file was cut";
        return;
      }
      // zlib does not write to what it reads.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      stream.avail_in = static_cast<uInt>(packed.size());
    }
    if (unpacking_->between) {
      if (*stream.next_in != 0x1f) {  // padding after the last member, as tape blocks have it
        ended_ = true;
        return;
      }
      inflateReset(&stream);
      unpacking_->between = false;
    }
    stream.next_out = reinterpret_cast<Bytef*>(unpacking_->out.get());
    stream.avail_out = block_size;
    const int result = inflate(&stream, Z_NO_FLUSH);
    text.append(unpacking_->out.get(), block_size - stream.avail_out);
    if (result == Z_STREAM_END) {
      unpacking_->between = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      cut_ = "the gzip file is damaged";
      ended_ = true;
      return;
    }
    if (stream.avail_out < block_size) return;
  }
}

#else

struct ByteReader::Unpacking {};

bool can_unpack() {
  return false;
}

void ByteReader::unpack_to(std::string&) {
  refuse_file(name_,
              "expected a plain file, got a gzip one: this feedrate was built without zlib; "
              "gunzip unpacks it");
}

#endif

ByteReader::ByteReader(std::string path)
    : name_(std::move(path)), block_(std::make_unique<char[]>(block_size)) {
  if (name_ == standard_input_path) {
    name_ = standard_input_name;
    file_ = ::dup(STDIN_FILENO);
    if (file_ < 0) refuse_file(name_, "expected a readable file, got: " + system_reason());
    return;
  }
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait forever.
  file_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) {
    refuse_file(name_, errno == ENOENT ? "expected a file, got no such file"
                                       : "expected a readable file, got: " + system_reason());
  }
  struct stat status {};
  if (::fstat(file_, &status) == 0) {
    if (S_ISREG(status.st_mode)) return;
    // One that a shell has opened has somebody who writes: reading waits for that.
    if (S_ISFIFO(status.st_mode) && names_shell_pipe(name_) && ::fcntl(file_, F_SETFL, 0) == 0) {
      return;
    }
  }
  ::close(file_);
  refuse_file(name_, "expected a file, got " + what_it_is(status.st_mode) +
                         (S_ISDIR(status.st_mode) ? "" : ": give - and redirect it"));
}

ByteReader::~ByteReader() {
  ::close(file_);
}

std::string_view ByteReader::read_block() {
  ssize_t n = -1;
  do {
    n = ::read(file_, block_.get(), block_size);
  } while (n < 0 && errno == EINTR);
  if (n < 0) refuse_file(name_, "expected a readable file, got: " + system_reason());
  return {block_.get(), static_cast<std::size_t>(n)};
}

bool ByteReader::append_to(std::string& text) {
  if (!ahead_.empty()) {
    text += ahead_;
    ahead_.clear();
    return true;
  }
  if (ended_) return false;
  const std::size_t before = text.size();
  if (unpacking_) {
    unpack_to(text);
    return text.size() > before;
  }
  const std::string_view block = read_block();
  ended_ = block.empty();
  if (!begun_ && block.starts_with(gzip_magic)) {
    begun_ = true;
    unpacking_ = std::make_unique<Unpacking>();
#ifdef FEEDRATE_ZLIB
    unpacking_->stream.next_in = reinterpret_cast<Bytef*>(block_.get());
    unpacking_->stream.avail_in = static_cast<uInt>(block.size());
#endif
    unpack_to(text);
    return text.size() > before;
  }
  begun_ = true;
  text += block;
  return !ended_;
}

std::string_view ByteReader::peek() {
  if (ahead_.empty()) {
    std::string ahead;
    append_to(ahead);
    ahead_ = std::move(ahead);
  }
  return ahead_;
}

}  // namespace feedrate
