#!/bin/sh
# Prints the quality table (bench/quality.c) and compares our scorer's figures with another's where
# it is there: bench/quality.sh BUILD [SET...]
set -eu
build=$1
shift
data=${DATA:-../shared/data}
scorer=${SCORER:-../shared/eval/score.py}
if [ ! -d "$data" ]; then
	echo "skipped: there are no data in $data"
	exit 0
fi
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
"$build/bench/quality" --data "$data" --runs "$runs" "$@" >"$runs/out"
grep -v '^score ' "$runs/out"
if [ ! -r "$scorer" ]; then
	echo "the other scorer is not there: $scorer"
	exit 0
fi
grep '^score ' "$runs/out" | {
	compared=0
	while read -r _ set step ours; do
		theirs=$(python3 "$scorer" ir "$runs/$set.qrels" "$runs/$set.$step" |
			awk '{ v[$1] = $2 } END { print v["nDCG@10"], v["Recall@100"], v["Success@1"] }')
		if [ "$ours" != "$theirs" ]; then
			echo "the scorers differ on $set, $step: ours $ours, theirs $theirs"
			exit 1
		fi
		compared=$((compared + 1))
	done
	echo "both scorers agree on $compared runs (nDCG@10, Recall@100, success@1)"
}
