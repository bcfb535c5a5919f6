#!/usr/bin/env bash
# Deploys the service.
set -euo pipefail

source ./lib/common.sh
. "$HOME/.env"

readonly MAX_TRIES=3
declare -a HOSTS=(one two)
export TARGET="${1:-staging}  area"
name=service

# Prints a line with the time.
log() {
  local level=$1
  echo "[$level] $(date +%s)" >&2
}

# Copies the build to one host.
function deploy {
  local host="$1" try
  for try in $(seq "$MAX_TRIES"); do
    if push_build "$host" | filter_noise; then
      log info "done"
      return 0
    elif [[ $try -eq 2 ]]; then
      until ping_host "$host"; do sleep 1; done
    fi
  done
  case "$TARGET" in
    prod) notify "$host" ;;
    *) : ;;
  esac
  cat <<EOF
Deployed  $name
EOF
}

_cleanup() { rm -rf "$tmp"; }

trap _cleanup EXIT

while read -r host; do
  deploy "$host" && log info ok
done < hosts.txt
