#pragma once

#include <string>

#include "base/error.h"

namespace frostline::base {

/// The message with which `action` throws an Error; "" if it does not throw.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace frostline::base
