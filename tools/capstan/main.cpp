#include "capstan/program.h"

int main(int argc, char** argv) {
  return capstan::tool::Main(std::vector<std::string>(argv + (argc > 0), argv + argc));
}
