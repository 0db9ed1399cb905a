extern "C" int feedrate_test_needed();
extern "C" int feedrate_test_needing() {
  return feedrate_test_needed();
}
