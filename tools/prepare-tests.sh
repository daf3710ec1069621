#!/usr/bin/env bash
# Bring what the cluster and browser tests need: a JDK, Maven, Chromium, MIT Kerberos; zsh, fish and Open MPI.
# As root on Debian or Ubuntu they are installed; elsewhere one line says what is missing, and the
# tests that need it skip (with CI=true they fail).
set -u

missing=()
command -v java >/dev/null || missing+=(default-jdk-headless)
command -v mvn >/dev/null || missing+=(maven)
command -v chromium >/dev/null || missing+=(chromium)
command -v zsh >/dev/null || missing+=(zsh)
command -v mpirun >/dev/null || missing+=(openmpi-bin)
command -v fish >/dev/null || missing+=(fish)
kerberos_is_there() {
    local PATH=$PATH:/usr/sbin:/sbin
    command -v krb5kdc >/dev/null && command -v kadmin.local >/dev/null && command -v kinit >/dev/null
}
kerberos_is_there || missing+=(krb5-kdc krb5-admin-server krb5-user)

# The jars take a while the first time; fetched here, they do not count against the first test's time.
fetch_jars() {
    "${PYTHON:-python3}" tools/minihadoop fetch >&2 || echo "the jars of Hadoop could not be fetched" >&2
}

if [ ${#missing[@]} -eq 0 ]; then
    fetch_jars
    exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing ${missing[*]} for the cluster, browser and shell tests"
    log=$(mktemp)
    if apt-get update -qq >"$log" 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >>"$log" 2>&1; then
        rm -f "$log"
        fetch_jars
        exit 0
    fi
    tail -5 "$log" >&2
    rm -f "$log"
fi
echo "******** NOT TESTED: the cluster, browser or shell tests need ${missing[*]}; please install them ********" >&2
exit 0
