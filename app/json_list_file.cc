#include "app/json_list_file.h"

#include <cassert>
#include <utility>

namespace frostline::app {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;

}  // namespace

JsonListFile::JsonListFile(const std::filesystem::path& file, const nlohmann::json& head,
                           const std::string& name)
    : file_(file) {
  assert(head.is_object() && !head.empty());
  buffer_ = head.dump();
  buffer_.back() = ',';  // the object's end
  buffer_ += nlohmann::json(name).dump() + ":[\n";
}

void JsonListFile::add(const nlohmann::json& element) {
  if (!std::exchange(empty_, false)) buffer_ += ",\n";
  buffer_ += element.dump();
  if (buffer_.size() < kBufferSize) return;
  file_.write(buffer_);
  buffer_.clear();
}

void JsonListFile::finish() {
  file_.write(buffer_ + "\n]}\n");
  file_.commit();
}

}  // namespace frostline::app
