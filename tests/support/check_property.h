// RapidCheck inside a Catch2 test case, with a fixed seed: a CI run can be repeated, and a failure says how.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>
#include <rapidcheck.h>

namespace systole::test {

// SYSTOLE_TEST_SEED from the environment, else a constant.
std::uint64_t property_seed();

template <typename Testable>
void check_property(const std::string& description, int cases, Testable&& testable) {
    rc::detail::TestMetadata metadata;
    metadata.id = description;
    metadata.description = description;
    rc::detail::TestParams params;
    params.seed = property_seed();
    params.maxSuccess = cases;
    const auto result = rc::detail::checkTestable(std::forward<Testable>(testable), metadata, params);
    if (result.template is<rc::detail::SuccessResult>()) {
        SUCCEED();
        return;
    }
    std::ostringstream message;
    rc::detail::printResultMessage(result, message);
    FAIL(description << "\n" << message.str() << "\nto repeat: SYSTOLE_TEST_SEED=" << params.seed);
}

// Counts generated cases that turned out to be no legal input. Too many, and a property says little.
class DiscardCounter {
  public:
    void kept() { ++kept_; }
    void discarded() { ++discarded_; }
    void require_at_most(double share) const {
        INFO(discarded_ << " of " << kept_ + discarded_ << " generated cases did not fit the machine");
        REQUIRE(static_cast<double>(discarded_) <= share * static_cast<double>(kept_ + discarded_));
    }

  private:
    std::int64_t kept_ = 0;
    std::int64_t discarded_ = 0;
};

} // namespace systole::test
