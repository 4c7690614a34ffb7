import type { List } from "../lib/types";
import { number } from "../lib/format";
import { goQuery } from "../lib/router";
import { w } from "../lib/words";
import { Button } from "./Button";

/** Leads through a list whose page stands in the address. */
export const Pager = ({ list }: { list: List<unknown> }) =>
  list.last_page > 1 ? (
    <nav class="pager" aria-label={w.pages}>
      <Button
        icon="previous"
        label={w.previousPage}
        disabled={list.current_page <= 1}
        onClick={() => goQuery({ page: list.current_page - 1 > 1 ? list.current_page - 1 : null })}
      />
      <span class="num">{w.pageOf(number(list.current_page), number(list.last_page))}</span>
      <Button
        icon="next"
        label={w.nextPage}
        disabled={list.current_page >= list.last_page}
        onClick={() => goQuery({ page: list.current_page + 1 })}
      />
    </nav>
  ) : null;
