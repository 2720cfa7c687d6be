// A shared object that is no plugin at all.
extern "C" __attribute__((visibility("default"))) int answer() { return 42; }
