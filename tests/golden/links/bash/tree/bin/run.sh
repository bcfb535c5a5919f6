#!/bin/bash
source "$(dirname "$0")/lib.sh"

main() {
  helper one
}

main
