#include "config/secret_file.hpp"

#include "tests/config/scratch.hpp"

using kb::Errc;
using kb::Result;
using kb::config::read_secret;
using kb::test::Scratch;

TEST_CASE("a secret is the one word of its file, whatever blanks stand around it") {
  Scratch const dir;
  for (char const* const text : {"s3cret", "s3cret\n", "s3cret\r\n", " \t s3cret \n\n"}) {
    CAPTURE(text);
    CHECK_EQ(read_secret(dir.write("key", text), "key_file").value(), "s3cret");
  }
}

TEST_CASE("a secret file that holds no secret is said with its setting and its path, never with its content") {
  Scratch const dir;
  struct Row {
    std::string text;
    Errc code;
    char const* why;
  };
  Row const rows[] = {{"", Errc::invalid_input, "empty"},
                      {" \r\n", Errc::invalid_input, "blank"},
                      {"hunter two", Errc::invalid_input, "two words"},
                      {"hunter\ntwo\n", Errc::invalid_input, "two lines"},
                      {"hunter\x01", Errc::invalid_input, "a control character"},
                      {"hünter", Errc::invalid_input, "not ASCII"},
                      {std::string(5000, 'x') + "hunter", Errc::exhausted, "larger than any secret"}};
  for (Row const& row : rows) {
    CAPTURE(row.why);
    auto const file = dir.write("key", row.text);
    Result<std::string> const secret = read_secret(file, "answer.key_file");
    REQUIRE_FALSE(secret.has_value());
    CHECK_EQ(to_string(secret.error().code), to_string(row.code));
    CHECK(secret.error().what.find("answer.key_file") == 0);
    CHECK(secret.error().what.find(file.string()) != std::string::npos);
    CHECK_EQ(secret.error().what.find("hunter"), std::string::npos);
  }
  CHECK_EQ(to_string(read_secret(dir / "none", "answer.key_file").error().code), to_string(Errc::not_found));
}
