#include "process/program.h"

int main(int argc, char** argv) {
  return capstan::manager::Main(std::vector<std::string>(argv + (argc > 0), argv + argc));
}
