#include "base/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "tests/base/temporary_folder.h"
#include "tests/base/throws.h"

namespace frostline::base {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// Fails the test where the contents differ.
void expect_equal(const TensorFile& a, const TensorFile& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (auto i = a.tensors.begin(), j = b.tensors.begin(); i != a.tensors.end(); ++i, ++j) {
    EXPECT_EQ(i->first, j->first);
    EXPECT_EQ(i->second.dtype, j->second.dtype);
    EXPECT_EQ(i->second.shape, j->second.shape);
    EXPECT_EQ(i->second.bytes, j->second.bytes);
  }
}

TensorFile example() {
  TensorFile file;
  file.tensors["a"] = {DType::kU8, {3}, bytes_of("abc")};
  file.tensors["w"] = {DType::kF32, {1, 2}, bytes_of("12345678")};
  file.tensors["empty"] = {DType::kF64, {0, 5}, {}};
  file.tensors["scalar"] = {DType::kI64, {}, bytes_of("ABCDEFGH")};
  file.metadata = {{"step", "3"}};
  return file;
}

std::string with_length(const std::string& header, const std::string& data = "") {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> 8 * i);
  return length + header + data;
}

class SafetensorsTest : public testing::Test {
 protected:
  TensorFile parse(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_safetensors(path_);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "x.safetensors";
};

TEST_F(SafetensorsTest, ReadsWhatItWrote) {
  write_safetensors(path_, example());
  expect_equal(read_safetensors(path_), example());
  write_safetensors(path_, {});
  expect_equal(read_safetensors(path_), {});
}

TEST_F(SafetensorsTest, WritesTheFormatToTheByte) {
  write_safetensors(path_, example());
  std::string header = R"({"__metadata__":{"step":"3"},)"
                       R"("empty":{"dtype":"F64","shape":[0,5],"data_offsets":[0,0]},)"
                       R"("scalar":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                       R"("w":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},)"
                       R"("a":{"dtype":"U8","shape":[3],"data_offsets":[16,19]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(read_file(path_), with_length(header, "ABCDEFGH12345678abc"));
}

TEST_F(SafetensorsTest, RefusesBrokenFiles) {
  const std::string u8 = R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  struct Row {
    std::string bytes;
    std::string flaw;
  };
  const Row rows[] = {
      {"", "it is shorter than the 8 bytes of the header's length"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10),
       "its header's length of 18446744073709551615 runs past its end"},
      {with_length("{}").substr(0, 9), "its header's length of 2 runs past its end"},
      {with_length(""), "its header does not begin with '{'"},
      {with_length(" {}"), "its header does not begin with '{'"},
      {with_length("{"), "its header is not JSON"},
      {with_length("{}{}"), "its header is not JSON"},
      {with_length("{\"\xff\":1}"), "its header is not JSON"},
      {with_length(R"({"a":{"shape":[[1]]}})"), "its header nests too deep"},
      {with_length("{" + u8 + "," + u8 + "}", "ab"), "\"a\" is there twice"},
      {with_length(R"({"__metadata__":{"x":"1","x":"2"}})"), "\"x\" is there twice"},
      {with_length(R"({"__metadata__":[]})"), "its metadata is not an object"},
      {with_length(R"({"__metadata__":{"x":1}})"), "metadata \"x\" is not a string"},
      {with_length(R"({"a":1})"), "tensor \"a\" has not just dtype, shape and data_offsets"},
      {with_length(R"({"a":{"dtype":"U8","shape":[],"x":[0,1]}})"),
       "tensor \"a\" has not just dtype, shape and data_offsets"},
      {with_length(R"({"a":{"dtype":"U9","shape":[],"data_offsets":[0,1]}})", "a"),
       "tensor \"a\" has a dtype that is none of F32, F64, I64, I32, U8, BF16, F16"},
      {with_length(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "a"),
       "the shape of tensor \"a\" is not a list of whole numbers"},
      {with_length(R"({"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", "a"),
       "the shape of tensor \"a\" is not a list of whole numbers"},
      {with_length(R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", "a"),
       "the shape of tensor \"a\" is not a list of whole numbers"},
      {with_length(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "a"),
       "the data_offsets of tensor \"a\" are not a begin and an end"},
      {with_length(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1]}})", "a"),
       "the data_offsets of tensor \"a\" are not a begin and an end"},
      {with_length(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "a"),
       "the data_offsets of tensor \"a\" run past the end of the file"},
      {with_length(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,1]}})", "a"),
       "the data_offsets of tensor \"a\" do not match its shape"},
      {with_length(R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})"),
       "the data_offsets of tensor \"a\" do not match its shape"},
      {with_length(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "ab"),
       "no tensor has byte 0 of the data"},
      {with_length("{" + u8 + "}", "abc"), "no tensor has byte 2 of the data"},
      {with_length("{" + u8 + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "abc"),
       "tensors overlap at byte 1 of the data"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(message_of([&] { parse(row.bytes); }),
              path_.string() + ": this is no sound safetensors file: " + row.flaw +
                  "; restore it from a copy or write it again");
  }
}

TEST_F(SafetensorsTest, AMissingFileIsAnError) {
  EXPECT_EQ(message_of([&] { read_safetensors(path_); }),
            path_.string() + ": cannot be opened: No such file or directory");
}

TEST_F(SafetensorsTest, RefusesToWriteWhatIsNotUtf8) {
  TensorFile file;
  file.metadata["path"] = "\xff";
  EXPECT_EQ(message_of([&] { write_safetensors(path_, file); }),
            path_.string() + ": a tensor's name or the metadata is not UTF-8; use UTF-8 only");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(DType, HasANameAndASize) {
  EXPECT_EQ(to_text(DType::kBF16), "BF16");
  EXPECT_EQ(size_of(DType::kBF16), 2U);
  EXPECT_EQ(size_of(DType::kF64), 8U);
}

TEST(TensorBlob, CountsItsElements) {
  EXPECT_EQ((TensorBlob{DType::kU8, {2, 3}, {}}).elements(), 6);
  EXPECT_EQ((TensorBlob{DType::kU8, {}, {}}).elements(), 1);
  EXPECT_EQ((TensorBlob{DType::kU8, {2, 0}, {}}).elements(), 0);
}

TensorBlob any_blob() {
  using rc::gen::inRange;
  TensorBlob blob;
  blob.dtype = *rc::gen::element(DType::kF32, DType::kF64, DType::kU8, DType::kBF16);
  blob.shape = *rc::gen::resize(3, rc::gen::container<std::vector<std::int64_t>>(inRange(0, 4)));
  const auto size = static_cast<std::size_t>(blob.elements()) * size_of(blob.dtype);
  for (std::size_t i = 0; i < size; ++i) blob.bytes.push_back(static_cast<std::byte>(i));
  return blob;
}

RC_GTEST_FIXTURE_PROP(SafetensorsTest, AnyContentsRoundTrip, ()) {
  TensorFile file;
  const auto names = *rc::gen::resize(
      10, rc::gen::container<std::set<std::string>>(rc::gen::string<std::string>()));
  for (const auto& name : names) {
    // ASCII of any bytes, since names are UTF-8.
    std::string ascii = name;
    for (char& c : ascii) c = static_cast<char>(c & 0x7f);
    file.tensors[ascii] = any_blob();
    file.metadata[ascii] = ascii;
  }
  write_safetensors(path_, file);
  expect_equal(read_safetensors(path_), file);
}

/// Written once: a write waits for the disk.
const std::string& example_bytes() {
  static const std::string bytes = [] {
    const TemporaryFolder folder;
    write_safetensors(folder / "x", example());
    return read_file(folder / "x");
  }();
  return bytes;
}

/// Replaces, drops or inserts a byte or a run of digits somewhere, or cuts the file off.
void mutate(std::string& bytes) {
  if (bytes.empty()) return;
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  const auto piece = *rc::gen::element<std::string>(
      "0", "9", "-", "\"", "{", "}", "[", "]", ",", ":", "1e9", "18446744073709551615",
      "9223372036854775807", std::string(1, '\0'), "\xff", " ", "null");
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      bytes.replace(at, 1, piece);
      break;
    case 1:
      bytes.insert(at, piece);
      break;
    case 2:
      bytes.erase(at, 1);
      break;
    default:
      bytes.resize(at);
      break;
  }
}

RC_GTEST_FIXTURE_PROP(SafetensorsTest, MutantsParseOrThrow, ()) {
  std::string bytes = example_bytes();
  const bool keep_length = *rc::gen::arbitrary<bool>();
  for (int left = *rc::gen::inRange(1, 4); left > 0; --left) mutate(bytes);
  // With the length mended, the fault gets past the first check.
  if (!keep_length && bytes.size() > 8) bytes = with_length(bytes.substr(8));
  try {
    for (const auto& [name, blob] : parse(bytes).tensors) {
      RC_ASSERT(blob.bytes.size() ==
                static_cast<std::size_t>(blob.elements()) * size_of(blob.dtype));
    }
  } catch (const Error& error) {
    RC_ASSERT(std::string(error.what()).find(path_.string()) == 0U);
  }
}

}  // namespace
}  // namespace frostline::base
