// A library that is not a plugin: it exports another function.
extern "C" __attribute__((visibility("default"))) int somebody_elses_function();
extern "C" int somebody_elses_function() { return 0; }
