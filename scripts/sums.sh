# shellcheck shell=sh
# Sourced by what adds up the sums of parts: each ends with "N passed, N failed", and before that with
# "N flaky" where some failed and, run again alone, passed.
FLAKY_MOST=3 # of a whole run; more are a failure
passed=0 failed=0 flaky=0

# sum_add STATUS LOG: adds what the log ends with; leaves it in ok, bad and apart. A part that ended
# badly without a failure of its own counts as one, and so does one that has no sum.
sum_add() {
	line=$(grep -a -E '^[0-9]+ passed, [0-9]+ failed$' "$2" | tail -n 1)
	apart=$(grep -a -E '^[0-9]+ flaky$' "$2" | tail -n 1)
	apart=${apart%% *}
	apart=${apart:-0}
	ok=0 bad=0
	if [ -n "$line" ]; then
		ok=${line%% passed*}
		bad=${line#*, }
		bad=${bad%% failed}
		[ "$1" != 0 ] && [ "$bad" = 0 ] && [ "$apart" -le $FLAKY_MOST ] && bad=1
	elif [ "$1" = 0 ]; then
		ok=1
	else
		bad=1
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	flaky=$((flaky + apart))
}

# sum_total: prints the sum; false where the run has failed.
sum_total() {
	[ "$flaky" -le $FLAKY_MOST ] || echo "more than $FLAKY_MOST are flaky, so the run has failed"
	echo "$flaky flaky"
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$flaky" -le $FLAKY_MOST ]
}
