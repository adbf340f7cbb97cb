// A library that is no plugin: it exports something else.
extern "C" __attribute__((visibility("default"))) int somebody_elses_function();
extern "C" int somebody_elses_function() { return 0; }
