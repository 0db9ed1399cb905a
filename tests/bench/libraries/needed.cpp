extern "C" int feedrate_test_needed() {
  return 7;
}
