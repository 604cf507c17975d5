#include "policy/ledger.h"
#include "policy/saved_state.h"

namespace frostline::policy {

using nlohmann::json;

std::string Ledger::save() const {
  json accounts = json::array();
  for (const Account& account : accounts_) {
    accounts.push_back({{"last", account.last ? json(*account.last) : json(nullptr)},
                        {"sum", account.sum},
                        {"changes", account.changes},
                        {"squared", account.squared},
                        {"counted", account.counted},
                        {"small", account.small},
                        {"finite", account.finite}});
  }
  return json{{"order", json_of(order_)}, {"accounts", accounts}, {"steps", steps_}}.dump();
}

void Ledger::load(const std::string& state) {
  read_state(state, "the ledger", [&](const json& saved) {
    Ledger read;
    read.order_ = order_from(saved.at("order"));
    read.steps_ = saved.at("steps").get<int>();
    for (const json& one : saved.at("accounts")) {
      Account account;
      if (!one.at("last").is_null()) account.last = one.at("last").get<double>();
      one.at("sum").get_to(account.sum);
      one.at("changes").get_to(account.changes);
      one.at("squared").get_to(account.squared);
      one.at("counted").get_to(account.counted);
      one.at("small").get_to(account.small);
      one.at("finite").get_to(account.finite);
      read.accounts_.push_back(account);
    }
    if (read.accounts_.size() != read.order_.units.size()) {
      throw_broken_state("the ledger", "it has not one account a unit");
    }
    *this = std::move(read);
  });
}

}  // namespace frostline::policy
