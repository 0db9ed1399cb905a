#include "bench/transform.hpp"

#ifdef FEEDRATE_HAS_JPEG
#include <csetjmp>
#include <cstddef>
#include <cstdio>
// After <cstdio>: jpeglib.h uses FILE without declaring it.
#include <jpeglib.h>

#include <jerror.h>
#endif

#include "base/errors.hpp"

namespace feedrate::bench {

#ifdef FEEDRATE_HAS_JPEG
namespace {

/// libjpeg's way of reporting, without its printing and exiting.
struct Complaints {
  jpeg_error_mgr manager;  // first: libjpeg hands back a pointer to it
  std::jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
  bool damaged;
};

Complaints& complaints(j_common_ptr decoder) {
  return *reinterpret_cast<Complaints*>(decoder->err);
}

[[noreturn]] void give_up(j_common_ptr decoder) {
  decoder->err->format_message(decoder, complaints(decoder).message);
  std::longjmp(complaints(decoder).escape, 1);
}

/// Only what loses pixels counts: stray bytes between segments are common and harmless.
void warn(j_common_ptr decoder, int level) {
  const int code = decoder->err->msg_code;
  const bool loses = code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE;
  if (level >= 0 || !loses || complaints(decoder).damaged) return;
  complaints(decoder).damaged = true;
  decoder->err->format_message(decoder, complaints(decoder).message);
}

void say_nothing(j_common_ptr) {}

/// Frees libjpeg's memory on every way out.
struct Decoder {
  jpeg_decompress_struct info{};
  Complaints said{};
  Decoder() {
    info.err = jpeg_std_error(&said.manager);
    said.manager.error_exit = give_up;
    said.manager.emit_message = warn;
    said.manager.output_message = say_nothing;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&info); }
};

/// Adobe's CMYK JPEGs hold inverted values, which makes them products.
void from_cmyk(const std::uint8_t* cmyk, std::uint8_t* rgb, int width) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>(cmyk[c] * cmyk[3] / 255);
  }
}

bool read_header(Decoder& decoder, std::span<const std::uint8_t> jpeg) {
  if (setjmp(decoder.said.escape) != 0) return false;
  jpeg_create_decompress(&decoder.info);
  jpeg_mem_src(&decoder.info, jpeg.data(), jpeg.size());
  jpeg_read_header(&decoder.info, TRUE);
  const J_COLOR_SPACE stored = decoder.info.jpeg_color_space;
  const bool four = stored == JCS_CMYK || stored == JCS_YCCK;
  decoder.info.out_color_space = four ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&decoder.info);
  return true;
}

/// No object with a destructor may be made here: an error jumps over it. `four` holds one row of
/// CMYK, or is null.
bool read_rows(Decoder& decoder, std::uint8_t* rgb, std::uint8_t* four) {
  if (setjmp(decoder.said.escape) != 0) return false;
  jpeg_decompress_struct& info = decoder.info;
  const std::size_t row_bytes = std::size_t{3} * info.output_width;
  while (info.output_scanline < info.output_height) {
    std::uint8_t* row = rgb + info.output_scanline * row_bytes;
    JSAMPROW into = four != nullptr ? four : row;
    jpeg_read_scanlines(&info, &into, 1);
    if (four != nullptr) from_cmyk(four, row, static_cast<int>(info.output_width));
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

std::string jpeg_unavailable() {
  return "";
}

void decode_jpeg(std::span<const std::uint8_t> jpeg, Pixels& into) {
  Decoder decoder;
  const auto refuse = [&] { throw InputError("not a JPEG: " + std::string(decoder.said.message)); };
  if (jpeg.empty()) throw InputError("not a JPEG: the file is empty");
  if (!read_header(decoder, jpeg)) refuse();
  into.width = static_cast<int>(decoder.info.output_width);
  into.height = static_cast<int>(decoder.info.output_height);
  const std::size_t width = decoder.info.output_width;
  into.rgb.resize(3 * width * decoder.info.output_height);
  std::vector<std::uint8_t> four;
  if (decoder.info.out_color_space == JCS_CMYK) four.resize(4 * width);
  if (!read_rows(decoder, into.rgb.data(), four.empty() ? nullptr : four.data())) refuse();
  if (decoder.said.damaged) {
    throw InputError("damaged or cut short: " + std::string(decoder.said.message));
  }
}

#else

std::string jpeg_unavailable() {
  return "this build has no libjpeg (Debian: libjpeg-dev)";
}

void decode_jpeg(std::span<const std::uint8_t>, Pixels&) {
  throw HostError(jpeg_unavailable());
}

#endif

}  // namespace feedrate::bench
