import type { ComponentChildren } from "preact";
import type { Choice } from "../lib/choice";
import type { List } from "../lib/types";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Pager } from "./Pager";

export interface Column<T> {
  title: ComponentChildren;
  /** How it stands: num, right; what: the name of the row; aside-column, and before it wide-column: only
   * where there is room. */
  kind?: string;
  cell: (row: T) => ComponentChildren;
}

interface RowsProps<T, K> {
  rows: T[];
  columns: Column<T>[];
  idOf: (row: T) => K;
  /** Behind the columns: what can be done with a row. */
  actions?: (row: T) => ComponentChildren;
  card?: boolean;
  /** Rows can be chosen, by their names. */
  choice?: Choice<K> & { nameOf: (row: T) => string };
}

/** The table itself, which is scrolled sideways where it is too wide. */
export const Rows = <T, K extends number | string>({ rows, columns, idOf, actions, card, choice }: RowsProps<T, K>) => (
  <div class={`table-wrap ${card ? "card" : ""}`} tabIndex={0}>
    <table class="list">
      <thead>
        <tr>
          {choice && (
            <th class="check">
              <label>
                <input
                  type="checkbox"
                  aria-label={w.chooseAll}
                  checked={choice.isAll}
                  onChange={choice.isAll ? choice.none : choice.chooseAll}
                />
              </label>
            </th>
          )}
          {columns.map(({ title, kind }, i) => (
            <th key={i} class={kind}>
              {title}
            </th>
          ))}
          {actions && (
            <th class="right">
              <span class="hidden">{w.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)}>
            {choice && (
              <td class="check">
                <label>
                  <input
                    type="checkbox"
                    aria-label={`${w.choose} ${choice.nameOf(row)}`}
                    checked={choice.ids.includes(idOf(row))}
                    onChange={(e) => choice.choose(idOf(row), e.currentTarget.checked)}
                  />
                </label>
              </td>
            )}
            {columns.map(({ kind, cell, title }, i) => (
              <td key={i} class={kind} data-title={typeof title === "string" ? title : undefined}>
                {cell(row)}
              </td>
            ))}
            {actions && <td class="right">{actions(row)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

interface Props<T, K> extends Omit<RowsProps<T, K>, "rows" | "card"> {
  /** All that there are, or a page of them. */
  list: T[] | List<T>;
  /** In place of a list that is empty. */
  empty?: ComponentChildren;
  /** What is done to all that are chosen: stands over them. */
  bulk?: ComponentChildren;
  /** How many are chosen, where that is more than can be seen. */
  chosen?: number;
  /** Leads to another page; else that stands in the address. */
  onPage?: (page: number) => void;
}

/** A list as a screen has it, with the way to its other pages. */
export function Table<T, K extends number | string>({ list, empty, bulk, chosen: all, onPage, ...table }: Props<T, K>) {
  const isPage = !Array.isArray(list);
  const chosen = all ?? table.choice?.ids.length ?? 0;
  if (!(isPage ? list.total : list.length)) return <>{empty}</>;
  return (
    <>
      {chosen > 0 && (
        <div class="split bulk" role="toolbar" aria-label={w.chosen(chosen)}>
          <b class="num">{w.chosen(chosen)}</b>
          {bulk}
          <Button kind="quiet" onClick={table.choice!.none}>
            {w.chooseNone}
          </Button>
        </div>
      )}
      <div>
        <Rows card rows={isPage ? list.data : list} {...table} />
        {isPage && <Pager list={list} onPage={onPage} />}
      </div>
    </>
  );
}
