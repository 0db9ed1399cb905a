// Images made, read and changed: closed forms, and files that are none.
#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/temporary_folder.hpp"
#include "bench/files.hpp"
#include "bench/images.hpp"
#include "bench/transform.hpp"
#include "catch.hpp"

using namespace feedrate;
using namespace feedrate::bench;

namespace {

Pixels constant(int width, int height, std::uint8_t value) {
  return {width, height, std::vector<std::uint8_t>(3U * width * height, value)};
}

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("images: a generated JPEG decodes, is as large as asked for, and the same again") {
  for (const auto& [width, height, size] :
       {std::tuple{500, 375, 110e3}, std::tuple{500, 375, 30e3}, std::tuple{224, 224, 10e3}}) {
    const std::vector<std::uint8_t> jpeg = generate_jpeg(width, height, bytes(size), 3);
    CHECK(std::abs(static_cast<double>(jpeg.size()) - size) < 0.1 * size);
    Pixels pixels;
    decode_jpeg(jpeg, pixels);
    CHECK((pixels.width == width && pixels.height == height));
    const auto [darkest, brightest] = std::minmax_element(pixels.rgb.begin(), pixels.rgb.end());
    CHECK(*brightest - *darkest > 100);  // something can be seen
    CHECK(jpeg == generate_jpeg(width, height, bytes(size), 3));
    CHECK(jpeg != generate_jpeg(width, height, bytes(size), 4));
  }
  CHECK_THROWS_AS(generate_jpeg(0, 10, bytes(1000), 1), InputError);
}

TEST_CASE("images: what is no JPEG, damaged or cut short is an error, and the next one decodes") {
  const std::vector<std::uint8_t> good = generate_jpeg(64, 48, bytes(3000), 1);
  Pixels pixels;
  const auto complaint = [&](const std::vector<std::uint8_t>& jpeg) -> std::string {
    try {
      decode_jpeg(jpeg, pixels);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(complaint({}) == "not a JPEG: the file is empty");
  CHECK(complaint({'G', 'I', 'F', '8'}).find("not a JPEG") == 0);
  CHECK(complaint({0xFF, 0xD8}).find("JPEG") != std::string::npos);
  for (std::size_t size = 2; size < good.size(); size += 97) {
    INFO(size << " of " << good.size() << " bytes");
    CHECK_FALSE(
        complaint({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}).empty());
  }
  CHECK(complaint(good).empty());
  // Any byte may be wrong: an error or another picture, never a crash.
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::vector<std::uint8_t> damaged = good;
    damaged[at] ^= 0xFFU;
    refused += complaint(damaged).empty() ? 0 : 1;
  }
  CHECK(refused > 10);
}

TEST_CASE("images: of a directory the good ones are taken, and one of the others is named") {
  const test::TemporaryFolder folder;
  const std::string good = text_of(generate_jpeg(32, 32, bytes(1500), 1));
  for (const char* name : {"b/2.JPEG", "a/1.jpg", "c.Jpg"}) folder.write(name, good);
  folder.write("b/cut.jpg", good.substr(0, good.size() / 2));
  ImageFiles found = find_images(folder.at(""), 100);
  CHECK(found.files.size() == 3);
  CHECK(std::is_sorted(found.files.begin(), found.files.end()));
  CHECK(found.skipped == 1);
  CHECK(found.first_skipped.find("b/cut.jpg: damaged or cut short") != std::string::npos);
  folder.write("labels.csv", "cat");
  CHECK(find_images(folder.at(""), 100).skipped == 2);
  CHECK(spread({"a", "b", "c", "d", "e"}, 2) == std::vector<std::string>{"a", "c"});
}

TEST_CASE("images: a directory that is missing, or has no image, is the user's mistake") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH(find_images(folder.at("none"), 10), Catch::Contains("No such file"));
  CHECK_THROWS_WITH(find_images(folder.at(""), 10), Catch::Contains("found none that decodes"));
  folder.write("a.txt", "text");
  folder.write("b.jpg", "no image");
  CHECK_THROWS_AS(find_images(folder.at(""), 10), InputError);
  CHECK_THROWS_WITH(find_images(folder.at(""), 10), Catch::Contains("a.txt: not named .jpg"));
  std::vector<std::uint8_t> bytes_of_it;
  CHECK_THROWS_WITH(read_whole(folder.at("gone"), bytes_of_it), Catch::Contains("gone"));
}

TEST_CASE("transform: a constant image stays constant, whatever is cropped or blurred") {
  Pixels out;
  for (const auto& [width, height] : {std::pair{500, 375}, {60, 40}, {3000, 20}, {1, 1}}) {
    const Pixels image = constant(width, height, 77);
    for (std::uint64_t random = 0; random < 20; ++random) {
      crop_resize(image, 32, random, out);
      CHECK(out.rgb == constant(32, 32, 77).rgb);
    }
    blur(image, 2.0, out);
    CHECK(out.rgb == image.rgb);
  }
}

TEST_CASE("transform: a crop holds what is in the image, and another number crops elsewhere") {
  Pixels image = constant(100, 100, 0);
  for (std::size_t i = 0; i < image.rgb.size(); ++i) {
    image.rgb[i] = static_cast<std::uint8_t>(i / 300 + 50);  // brighter from row to row
  }
  Pixels one, other;
  crop_resize(image, 16, 1, one);
  crop_resize(image, 16, 2, other);
  CHECK(*std::min_element(one.rgb.begin(), one.rgb.end()) >= 50);
  CHECK(*std::max_element(one.rgb.begin(), one.rgb.end()) <= 150);
  CHECK(one.rgb.front() < one.rgb.back());
  CHECK(one.rgb != other.rgb);
}

TEST_CASE("transform: a flip exchanges left and right, and twice is as before") {
  Pixels image = {2, 1, {1, 2, 3, 4, 5, 6}};
  flip(image);
  CHECK(image.rgb == std::vector<std::uint8_t>{4, 5, 6, 1, 2, 3});
  flip(image);
  CHECK(image.rgb == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("transform: a blur keeps the light and spreads it") {
  Pixels image = constant(21, 21, 0);
  image.rgb[3 * (10 * 21 + 10)] = 255;
  Pixels out;
  blur(image, 1.0, out);
  const auto at = [&](int x, int y) { return out.rgb[static_cast<std::size_t>(3 * (y * 21 + x))]; };
  CHECK(at(10, 10) == Approx(255.0 / (2.0 * 3.14159265)).epsilon(0.1));  // Gaussian of sigma 1
  CHECK(at(9, 10) == at(11, 10));
  CHECK(at(9, 10) == at(10, 9));
  CHECK(at(9, 10) == Approx(at(10, 10) * std::exp(-0.5)).epsilon(0.1));
  CHECK(at(0, 0) == 0);
}

TEST_CASE("transform: normalize makes planes of (value/255 - mean)/deviation") {
  const Pixels image = {2, 1, {0, 128, 255, 255, 0, 51}};
  std::vector<float> planes(6);
  normalize(image, planes);
  const double expected[] = {(0.0 - 0.485) / 0.229,         (1.0 - 0.485) / 0.229,
                             (128.0 / 255 - 0.456) / 0.224, (0.0 - 0.456) / 0.224,
                             (1.0 - 0.406) / 0.225,         (51.0 / 255 - 0.406) / 0.225};
  for (std::size_t i = 0; i < 6; ++i) CHECK(planes[i] == Approx(expected[i]).margin(1e-5));
}
