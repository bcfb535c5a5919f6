helper() {
  check
}

check() {
  true
}
