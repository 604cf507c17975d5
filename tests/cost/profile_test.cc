#include "cost/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/file.h"
#include "base/random.h"
#include "tests/base/throws.h"

namespace frostline::cost {
namespace {

using ::testing::HasSubstr;

Profile sound_profile() {
  Profile profile;
  profile.layer_names = {"embedding", "head"};
  profile.cost.layers = {{1.5, 1.25, 2, 3, 2, 4, {100}, {40}}, {1, 1, 1, 1, 1, 1, {7}, {0}}};
  profile.cost.send_ns = 66'000.1;
  profile.cost.validation_ns = 1e9;
  profile.micro_batch_size = 8;
  profile.ranks = 2;
  profile.repeats = 31;
  profile.spread = 0.07;
  profile.device = "cpu";
  return profile;
}

/// A file of one test, gone at its end.
class ProfileFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  void write(const std::string& text) { base::write_file_atomically(file_, text); }
  /// The sound profile's text with one part of it replaced.
  void write_with(const std::string& part, const std::string& by) {
    write_profile(file_, sound_profile());
    std::string text = base::read_file(file_);
    const auto at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part << " is not in " << text;
    write(text.replace(at, part.size(), by));
  }
  std::string error() const {
    return base::message_of([&] { read_profile(file_); });
  }

  std::filesystem::path file_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
       ".profile.json");
};

TEST_F(ProfileFile, ReadsWhatWasWritten) {
  write_profile(file_, sound_profile());
  EXPECT_EQ(read_profile(file_), sound_profile());
  const std::string first = base::read_file(file_);
  write_profile(file_, read_profile(file_));
  EXPECT_EQ(base::read_file(file_), first);
}

TEST_F(ProfileFile, SaysWhenItIsNotThere) { EXPECT_THAT(error(), HasSubstr(file_.string())); }

TEST_F(ProfileFile, SaysWhereItIsNoJson) {
  write("{\n  \"kind\": oops\n}");
  EXPECT_THAT(error(), HasSubstr("is no JSON"));
  EXPECT_THAT(error(), HasSubstr("line 2"));
  write("[1]");
  EXPECT_THAT(error(), HasSubstr("the file is no JSON object"));
}

TEST_F(ProfileFile, RefusesOtherKindsAndVersions) {
  write_with("frostline-profile", "frostline-run");
  EXPECT_THAT(error(), HasSubstr("kind = \"frostline-run\" is not allowed"));
  write_with("\"version\": 1", "\"version\": 2");
  EXPECT_THAT(error(), HasSubstr("version = 2 is not allowed; use an integer between 1 and 1"));
}

TEST_F(ProfileFile, NamesTheFaultyKey) {
  write_with("\"forward_ns\": 1.5", "\"forward_ns\": -1.5");
  EXPECT_THAT(error(), HasSubstr("layers[0].forward_ns = -1.5 is not allowed; use a number between "
                                 "0 and 1000000000000000"));
  write_with("\"forward_ns\": 1.5", "\"forward_ns\": \"fast\"");
  EXPECT_THAT(error(), HasSubstr("layers[0].forward_ns = \"fast\""));
  write_with("\"forward_ns\": 1.5", "\"forward_ns\": null");
  EXPECT_THAT(error(), HasSubstr("layers[0].forward_ns = null"));
  write_with("\"forward_ns\": 1.5", "\"forward_ns\": 1e400");
  EXPECT_THAT(error(), HasSubstr("is no JSON"));
  write_with("\"activation_bytes\": 7", "\"activation_bytes\": 7.5");
  EXPECT_THAT(error(), HasSubstr("layers[1].activation_bytes = 7.5"));
  write_with("\"activation_bytes\": 7", "\"activation_bytes\": 18446744073709551615");
  EXPECT_THAT(error(), HasSubstr("layers[1].activation_bytes = 18446744073709551615"));
  write_with("\"ranks\": 2", "\"ranks\": 0");
  EXPECT_THAT(error(), HasSubstr("ranks = 0"));
}

TEST_F(ProfileFile, NamesMissingAndUnknownKeys) {
  write_with("\"send_ns\"", "\"sent_ns\"");
  EXPECT_THAT(error(), HasSubstr("send_ns is missing"));
  write_with("\"spread\"", "\"extra\": 1, \"spread\"");
  EXPECT_THAT(error(), HasSubstr("extra is not a key of such a file"));
  write_with("\"name\": \"head\"", "\"name\": \"head\", \"rank\": 1");
  EXPECT_THAT(error(), HasSubstr("layers[1].rank is not a key of such a file"));
}

TEST_F(ProfileFile, RefusesAPartLargerThanItsWhole) {
  write_with("\"activation_after_input_gradient_bytes\": 40",
             "\"activation_after_input_gradient_bytes\": 101");
  EXPECT_THAT(error(), HasSubstr("layers[0].activation_after_input_gradient_bytes = 101 is not "
                                 "allowed; use at most activation_bytes = 100"));
}

TEST(ProfileCost, IsForTheSameLayersOnly) {
  const Profile profile = sound_profile();
  EXPECT_EQ(profile_cost(profile, {"embedding", "head"}, "p.json"), profile.cost);
  const auto error = [&](const std::vector<std::string>& names) {
    return base::message_of([&] { profile_cost(profile, names, "p.json"); });
  };
  EXPECT_THAT(error({"embedding", "blocks.0", "head"}),
              HasSubstr("p.json: was measured on another model: layer 1 is \"head\" there and "
                        "\"blocks.0\" in the scenario"));
  EXPECT_THAT(error({"embedding"}), HasSubstr("layer 1 is \"head\" there and no layer"));
  EXPECT_THAT(error({"embedding", "head", "x"}), HasSubstr("layer 2 is no layer there and \"x\""));
}

/// A number of 0 to 1e15 of any magnitude: bits drawn at random hold small and large exponents
/// alike.
double any_number(base::RandomStream& stream) {
  const double drawn = std::abs(std::bit_cast<double>(stream.next_u64()));
  return std::isfinite(drawn) ? std::min(drawn, 1e15) : 0.0;
}

/// Each comes back the same, to the last bit.
TEST_F(ProfileFile, RoundTripsEveryNumber) {
  base::RandomStream stream(1, base::Purpose::kJitter);
  Profile profile = sound_profile();
  for (int i = 0; i < 1000; ++i) {
    LayerCost layer;
    layer.forward_ns = any_number(stream);
    layer.optimizer_ns = stream.uniform() * 1e9;
    layer.activation = {stream.below(1U << 31)};
    profile.layer_names.push_back("layer");
    profile.cost.layers.push_back(layer);
  }
  write_profile(file_, profile);
  EXPECT_TRUE(read_profile(file_) == profile);
}

}  // namespace
}  // namespace frostline::cost
