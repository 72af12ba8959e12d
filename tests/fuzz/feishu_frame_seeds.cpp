// Writes the golden frames as seeds for feishu_frame_fuzz: feishu_frame_seeds <directory>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/feishu/frame_property.hpp"
#include "tests/feishu/golden.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: feishu_frame_seeds <directory>\n";
    return 2;
  }
  std::filesystem::path const directory = argv[1];
  std::filesystem::create_directories(directory);
  auto const write = [&](std::string const& name, std::string const& bytes) {
    std::ofstream(directory / name, std::ios::binary) << bytes;
  };
  std::string all;
  for (char const* kind : {"frames", "decoder_cases"}) {
    for (auto const& vector : kb::test::golden()[kind]) {
      std::string const bytes = kb::test::in_exchange(kb::test::bytes_of(vector["hex"].get<std::string>()));
      write(vector["name"].get<std::string>(), bytes);
      all += bytes;
    }
  }
  write("all", all);
  return 0;
}
