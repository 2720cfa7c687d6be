#include "playground/program.h"

int main(int argc, char** argv) {
  return capstan::playground::Main(std::vector<std::string>(argv + (argc > 0), argv + argc));
}
