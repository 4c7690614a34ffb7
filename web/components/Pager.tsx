import type { List } from "../lib/types";
import { number } from "../lib/format";
import { goQuery } from "../lib/router";
import { w } from "../words/dashboard";
import { Button } from "./Button";

const toAddress = (page: number) => goQuery({ page: page > 1 ? page : null });

/** Leads through a list; its page stands in the address unless somebody else keeps it. */
export const Pager = ({ list, onPage = toAddress }: { list: List<unknown>; onPage?: (page: number) => void }) =>
  list.last_page > 1 ? (
    <nav class="pager" aria-label={w.pages}>
      <Button
        icon="previous"
        label={w.previousPage}
        disabled={list.current_page <= 1}
        onClick={() => onPage(list.current_page - 1)}
      />
      <span class="num">{w.pageOf(number(list.current_page), number(list.last_page))}</span>
      <Button
        icon="next"
        label={w.nextPage}
        disabled={list.current_page >= list.last_page}
        onClick={() => onPage(list.current_page + 1)}
      />
    </nav>
  ) : null;
