# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# Shell helpers of the scripts in this folder: messages, the cache folder, a
# lock so that two runs do not fill the cache at once, private apt sources.
# Sourced, never run. No state of its own beyond files in the cache.

set -euo pipefail

CEP_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CEP_CACHE=${IB_CEP_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ib_cep}
CEP_SUITE=bookworm

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "error: $*"
	exit 1
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || die "$1 needs root"
}

# Run a command and show what it said only if it failed.
quietly()
{
	local log rc=0

	log=$(mktemp)
	"$@" >"$log" 2>&1 || rc=$?
	if [ "$rc" -ne 0 ]; then
		tail -n 40 "$log" >&2
		say "failed with status $rc: $*"
	fi
	rm -f "$log"
	return "$rc"
}

# Hold a lock in the cache until this shell ends.
cache_lock()
{
	mkdir -p "$CEP_CACHE"
	exec 9>"$CEP_CACHE/$1.lock"
	flock 9
}

# Write an apt configuration below $1 whose only sources are those of the
# Debian host, the suite that it names and that suite's $2 (such as
# "backports"): nothing of the host's own apt state is touched.
private_apt()
{
	local dir=$1 suite=$2 mirror

	mirror=$(apt_mirror)
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/state"
	touch "$dir/state/status"
	printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
		"$mirror" "$suite" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::State "$dir/state";
		Dir::State::status "$dir/state/status";
		Dir::State::lists "$dir/lists";
		Dir::Cache "$dir/cache";
		APT::Sandbox::User "root";
	END
}

# The mirror that this host already uses for its own Debian packages.
apt_mirror()
{
	local uri

	uri=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' 2>/dev/null |
		awk -v s="$CEP_SUITE" '$2 == s && $3 == "Debian" { print $1; exit }') || true
	printf '%s\n' "${uri:-http://deb.debian.org/debian}"
}
