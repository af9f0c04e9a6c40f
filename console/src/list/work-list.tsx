/**
 * The one pattern for lists. A declaration of endpoint, columns and filters becomes a page:
 * filters, sort and columns in the URL, any number of rows, live, with CSV, and a link from each
 * row to its record.
 */
import type { DataOf, ListPath, RequestOf } from '@kontor/client'
import { useMemo, useRef } from 'react'
import type { ReactNode, RefObject } from 'react'
import { Outlet, useLocation, useNavigate, useParams } from 'react-router'
import { notedKindIn } from '../api/notes.ts'
import type { Subject } from '../api/events.ts'
import { t } from '../language/index.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import type { HelpKey } from '../parts/help.ts'
import { HelpLink } from '../parts/help-link.tsx'
import { Failure, Loading } from '../parts/states.tsx'
import { useChoice } from './choice.tsx'
import { ChosenBar } from './chosen-bar.tsx'
import type { ChoosePlan } from './chosen-bar.tsx'
import { ColumnsButton } from './columns-button.tsx'
import { comparing, withFields } from './columns.tsx'
import type { Column } from './columns.tsx'
import { ChosenCsv, CsvButtons } from './csv.tsx'
import { FilterBar, NoRows } from './filter-bar.tsx'
import type { Filter } from './filters.tsx'
import { Grid } from './grid.tsx'
import { Count, LiveMark, NewerButton, RefreshButton } from './head-parts.tsx'
import { NewsStrip, useNews } from './news.tsx'
import { focusRows } from './row-keys.ts'
import { useRows } from './rows.ts'
import type { ListRows } from './rows.ts'
import { useListState } from './state.ts'
import type { ListState } from './state.ts'
import { tagsColumn, useFreshTags } from './tags-column.tsx'
import { Totals } from './totals.tsx'
import type { TotalsPlan } from './totals.tsx'
import { ViewsButton } from './views.tsx'

const TAG = 'tag'

export type RowOf<P extends ListPath> =
  DataOf<'get', P> extends readonly (infer Row)[] ? Row : never
type QueryName<P extends ListPath> =
  RequestOf<'get', P> extends { query?: infer Q }
    ? Exclude<keyof NonNullable<Q> & string, 'limit' | 'cursor'>
    : string

type WorkListPlan<P extends ListPath> = {
  title: string
  /** The word whose help stands beside the title. */
  help?: HelpKey
  path: P
  /** The parameters of the path. */
  params?: RequestOf<'get', P>['params']
  /** Always sent, in addition to the filters. */
  query?: Partial<Record<QueryName<P>, string>>
  columns: readonly Column<RowOf<P>>[]
  /** Those of the record: each field that is no column can be chosen as one. */
  sections?: readonly { fields: readonly Column<RowOf<P>>[] }[]
  filters?: readonly Filter<QueryName<P>>[]
  /** The events after which the list is read again. */
  live?: readonly Subject[] | 'all'
  /** Milliseconds after which the list is read again, where no event exists. */
  every?: number
  /** The address of a row, relative or absolute; its id when absent, false for rows without one. */
  record?: ((row: RowOf<P>) => string) | false
  keyOf?(row: RowOf<P>): string
  /** Shown when there are no rows: what to do. */
  empty: { title: string; text: ReactNode }
  /** Rows can be chosen, and something is done with the chosen ones. */
  choose?: ChoosePlan<RowOf<P>>
  /** What the rows amount to, in the foot. */
  totals?: TotalsPlan<RowOf<P>>
  /** The buttons beside the title. */
  actions?: ReactNode
  /** Between the title and the rows. */
  above?: ReactNode
  /** What its files are called; the title when absent. */
  fileName?: string
  /** Further files beside CSV; `query` is what the list is read with. */
  files?(query: Readonly<Record<string, string>>): ReactNode
}

export function WorkList<P extends ListPath>(plan: WorkListPlan<P>): ReactNode {
  const { title, path, actions, above } = plan
  const filters = useMemo(() => filtersOf(plan), [plan.filters, path])
  const params = plan.params as object | undefined
  const state = useListState(filters)
  const query = { ...plan.query, ...state.query } as Record<string, string>
  const live = liveOf(plan, query)
  const page = useRef<HTMLElement>(null)
  const { columns, shown, sortColumn } = useColumns(plan, state)
  useFreshTags(shown)
  const list = useRows({
    path,
    params,
    query,
    live,
    whole: sortColumn !== undefined,
    every: plan.every,
    atTop: () => (page.current?.querySelector('.grid-scroller')?.scrollTop ?? 0) === 0,
  })
  const { error, complete } = list
  const news = useNews({ path, live, whole: plan.query === undefined && !list.pending, state })
  const { sorted, rows } = useSorted<P>(list, sortColumn, state)
  useListShortcuts(page, list.again)
  return (
    <section ref={page} className="page" aria-label={title}>
      <header className="page-head">
        <h1>{title}</h1>
        {plan.help !== undefined && <HelpLink about={plan.help} />}
        <Count
          rows={rows.length}
          complete={complete}
          sorting={sortColumn !== undefined && !complete}
        />
        <NewsStrip of={news} state={state} />
        {list.stale && <NewerButton refresh={list.again} />}
        <span className="space" />
        {actions}
        <LiveMark />
        <ViewsButton state={state} />
        <ColumnsButton
          columns={columns}
          shown={shown.map(({ key }) => key)}
          choose={state.choose}
        />
        <RefreshButton refresh={list.again} />
        <CsvButtons
          list={{ path, params, query }}
          shown={{ columns: shown, rows, complete, sorted }}
          name={plan.fileName ?? title}
        />
        {plan.files?.(query)}
      </header>
      <FilterBar title={title} filters={filters} state={state} />
      {above}
      {error !== null && error !== undefined && <Failure error={error} again={list.again} />}
      {list.pending && error === null ? (
        <Loading />
      ) : (
        <ListGrid {...{ plan, list, state, rows }} columns={shown} fresh={news.fresh} />
      )}
      {plan.totals !== undefined && rows.length > 0 && (
        <Totals plan={plan.totals} {...{ params, query, live, rows, complete }} />
      )}
      <Outlet />
    </section>
  )
}

/** Every list whose records take notes is filtered by tag, too. */
const filtersOf = <P extends ListPath>({
  path,
  filters = [],
}: WorkListPlan<P>): readonly Filter[] =>
  notedKindIn(path) === undefined
    ? filters
    : [...filters, { name: TAG, label: t('Tag'), kind: 'text' }]

/** What is filtered by tag changes when somebody tags a record. */
function liveOf<P extends ListPath>(
  { live = [] }: WorkListPlan<P>,
  query: Readonly<Record<string, string>>,
): readonly Subject[] | 'all' {
  return live === 'all' || query[TAG] === undefined ? live : [...live, 'tag']
}

function useSorted<P extends ListPath>(
  list: ListRows,
  column: Column<RowOf<P>> | undefined,
  { sort }: ListState,
) {
  const down = sort?.down === true
  const sorted = useMemo(() => sorter(column, down), [column, down])
  const rows = useMemo(() => sorted(list.rows as readonly RowOf<P>[]), [sorted, list.rows])
  return { sorted, rows }
}

function sorter<Row>(
  column: Column<Row> | undefined,
  down: boolean,
): (rows: readonly Row[]) => readonly Row[] {
  if (column === undefined) return (rows) => rows
  const compare = comparing(column)
  return (rows) => (down ? rows.toSorted(compare).toReversed() : rows.toSorted(compare))
}

/** The keys of every list. */
function useListShortcuts(page: RefObject<HTMLElement | null>, refresh: () => void): void {
  useShortcut('r', t('Refresh'), refresh)
  useShortcut('f', t('Go to the filters'), () => {
    page.current?.querySelector<HTMLElement>('.filters input')?.focus()
  })
  useShortcut('l', t('Go to the rows'), () => {
    focusRows(page.current)
  })
}

function useColumns<P extends ListPath>(
  { path, columns, sections }: WorkListPlan<P>,
  state: ListState,
): {
  columns: readonly Column<RowOf<P>>[]
  shown: readonly Column<RowOf<P>>[]
  sortColumn: Column<RowOf<P>> | undefined
} {
  const kind = notedKindIn(path)
  const all = useMemo(
    () => [
      ...withFields(columns, sections ?? []),
      ...(kind === undefined ? [] : [tagsColumn<RowOf<P>>(kind)]),
    ],
    [columns, sections, kind],
  )
  return {
    columns: all,
    shown: all.filter(({ key, extra }) =>
      state.columns === undefined ? extra !== true : state.columns.includes(key),
    ),
    sortColumn: all.find(({ key }) => key === state.sort?.key),
  }
}

function ListGrid<P extends ListPath>({
  plan,
  list,
  state,
  rows,
  columns,
  fresh,
}: {
  plan: WorkListPlan<P>
  list: ListRows
  state: ListState
  rows: readonly RowOf<P>[]
  columns: readonly Column<RowOf<P>>[]
  fresh: ReadonlySet<string>
}): ReactNode {
  const { record, keyOf = (row: RowOf<P>) => (row as { id: string }).id } = plan
  const navigate = useNavigate()
  const { search } = useLocation()
  const { id: openKey } = useParams()
  const open = (row: RowOf<P>): void => {
    const to = record === undefined || record === false ? keyOf(row) : record(row)
    navigate(to.startsWith('/') ? to : { pathname: to, search })?.catch(() => undefined)
  }
  const failed = list.error !== null && list.error !== undefined
  const { clear, ...choice } = useChoice(rows, keyOf)
  const { choose } = plan
  const grid = (
    <Grid
      label={plan.title}
      columns={columns}
      rows={rows}
      keyOf={keyOf}
      openKey={openKey}
      fresh={fresh}
      more={list.more}
      sort={state.sort}
      sortBy={state.sortBy}
      choice={choose && { ...choice, nameOf: choose.nameOf }}
      {...(record === false ? {} : { open })}
      empty={failed ? null : <NoRows state={state} empty={plan.empty} />}
    />
  )
  if (choose === undefined) return grid
  return (
    <>
      {grid}
      <ChosenBar
        plan={choose}
        choice={choice}
        clear={() => {
          clear()
          focusRows(document.querySelector('#content'))
        }}
        escapable={openKey === undefined}
      >
        <ChosenCsv columns={columns} rows={choice.rows} name={plan.fileName ?? plan.title} />
      </ChosenBar>
    </>
  )
}
