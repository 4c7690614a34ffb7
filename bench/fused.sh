#!/bin/sh
# Prints what a model's vectors add to the search by words, nDCG@10 and Recall@100 in percent, and
# what their bytes lose (bench/fused.c): bench/fused.sh BUILD VECTORS SET...
set -eu
build=$1 vectors=$2
shift 2
data=${DATA:-../shared/data}
scorer=${SCORER:-../shared/eval/score.py}
if [ ! -d "$data" ] || [ ! -r "$scorer" ]; then
	echo "skipped: data and scorer are not there: $data, $scorer"
	exit 0
fi
runs=$(mktemp -d)
trap 'rm -rf "$runs"' EXIT
"$build/bench/fused" --data "$data" --vectors "$vectors" --runs "$runs" "$@"
for set in "$@"; do
	name=${set##*/}
	for run in "$runs/$name".*; do
		case $run in *.qrels) continue ;; esac
		python3 "$scorer" ir "$runs/$name.qrels" "$run" |
			awk -v set="$name" -v way="${run#"$runs/$name".}" \
				'{ v[$1] = $2 } END { printf "%-12s %-10s %6.2f %6.2f\n", set, way, 100 * v["nDCG@10"], 100 * v["Recall@100"] }'
	done
done
