#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/safetensors.h"
#include "base/safetensors_format.h"

namespace frostline::base {
namespace {

using Named = std::map<std::string, TensorBlob>::value_type;

/// Wide elements first, so that each tensor begins at a multiple of its elements' size.
std::vector<const Named*> in_file_order(const TensorFile& file) {
  std::vector<const Named*> order;
  for (const Named& tensor : file.tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
    return size_of(a->second.dtype) > size_of(b->second.dtype);
  });
  return order;
}

nlohmann::ordered_json header_of(const std::vector<const Named*>& order, const TensorFile& file) {
  auto header = nlohmann::ordered_json::object();
  if (!file.metadata.empty()) header[kMetadataKey] = file.metadata;
  std::size_t offset = 0;
  for (const auto* tensor : order) {
    const auto& [name, blob] = *tensor;
    const std::size_t end = offset + blob.bytes.size();
    assert(name != kMetadataKey);
    assert(blob.bytes.size() == static_cast<std::size_t>(blob.elements()) * size_of(blob.dtype));
    header[name] = {
        {"dtype", to_text(blob.dtype)}, {"shape", blob.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  return header;
}

/// Padded with spaces to a multiple of 8 bytes.
std::string header_text(const nlohmann::ordered_json& header, const std::filesystem::path& path) {
  try {
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  } catch (const nlohmann::json::exception&) {
    throw Error({path.string()}, "a tensor's name or the metadata is not UTF-8; use UTF-8 only");
  }
}

std::string length_text(std::uint64_t length) {
  std::string text;
  for (std::size_t i = 0; i < kLengthBytes; ++i) text += static_cast<char>(length >> 8 * i & 0xffU);
  return text;
}

std::string_view view(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  const auto order = in_file_order(file);
  const std::string header = header_text(header_of(order, file), path);
  AtomicFile out(path);
  out.write(length_text(header.size()));
  out.write(header);
  for (const auto* tensor : order) out.write(view(tensor->second.bytes));
  out.commit();
}

}  // namespace frostline::base
