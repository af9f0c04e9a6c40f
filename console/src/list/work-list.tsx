/**
 * The one pattern for lists: a declaration of endpoint, columns and filters becomes a page with
 * filters, sort and columns in the URL, rows without a limit, live, with CSV of what is shown, and
 * each row leading to its record.
 */
import { DownloadOutlined, ReloadOutlined, TableOutlined } from '@ant-design/icons'
import type { DataOf, ListPath, RequestOf } from '@kontor/client'
import { App, Button, Checkbox, Popover, Tooltip } from 'antd'
import { useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Outlet, useLocation, useNavigate, useParams } from 'react-router'
import { useLiveness } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { client } from '../api/session.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { saveBlob } from '../parts/files.ts'
import { Empty, errorText, Failure, Loading } from '../parts/states.tsx'
import { comparing } from './columns.tsx'
import type { Column } from './columns.tsx'
import { Filters } from './filters.tsx'
import type { Filter } from './filters.tsx'
import { Grid } from './grid.tsx'
import { useRows } from './rows.ts'
import { useListState } from './state.ts'

export type RowOf<P extends ListPath> =
  DataOf<'get', P> extends readonly (infer Row)[] ? Row : never
type QueryName<P extends ListPath> =
  RequestOf<'get', P> extends { query?: infer Q }
    ? Exclude<keyof NonNullable<Q> & string, 'limit' | 'cursor'>
    : string

export type WorkListPlan<P extends ListPath> = {
  title: string
  path: P
  /** Of a path with parameters. */
  params?: RequestOf<'get', P>['params']
  /** Always asked for, beside what the filters say. */
  query?: Partial<Record<QueryName<P>, string>>
  columns: readonly Column<RowOf<P>>[]
  filters?: readonly Filter<QueryName<P>>[]
  /** Events after which the list is asked for again. */
  live?: readonly Subject[] | 'all'
  /** Milliseconds, for what no event tells. */
  every?: number
  /**
   * Where a row leads, relative to the page or to another one (`/…`): its id when absent; false
   * when rows lead nowhere.
   */
  record?: ((row: RowOf<P>) => string) | false
  keyOf?(row: RowOf<P>): string
  /** What to do when there is nothing. */
  empty: { title: string; text: ReactNode }
  /** Stands at the right of the title: what can be done here. */
  actions?: ReactNode
  /** Between the title and the rows. */
  above?: ReactNode
}

export function WorkList<P extends ListPath>(plan: WorkListPlan<P>): ReactNode {
  const {
    title,
    path,
    columns,
    filters = [],
    live = [],
    record,
    keyOf = (row) => (row as { id: string }).id,
    empty,
    actions,
    above,
  } = plan
  const state = useListState(filters.map((filter) => filter.name))
  const navigate = useNavigate()
  const { search } = useLocation()
  const { id: openKey } = useParams()
  const page = useRef<HTMLElement>(null)
  const sortColumn = columns.find((column) => column.key === state.sort?.key)
  const { rows, error, pending, more, complete, stale, again } = useRows({
    path,
    params: plan.params as object | undefined,
    query: { ...plan.query, ...state.query } as Record<string, string>,
    live,
    whole: sortColumn !== undefined,
    every: plan.every,
    atTop: () => (page.current?.querySelector('.grid-scroller')?.scrollTop ?? 0) === 0,
  })
  const sorted = useMemo(() => {
    const typed = rows as readonly RowOf<P>[]
    if (sortColumn === undefined) return typed
    const up = typed.toSorted(comparing(sortColumn))
    return state.sort?.down === true ? up.toReversed() : up
  }, [rows, sortColumn, state.sort?.down])
  const shown = columns.filter((column) =>
    state.columns === undefined ? column.extra !== true : state.columns.includes(column.key),
  )
  const filtered = Object.keys(state.query).length > 0
  useShortcut('r', 'Read again', again)
  useShortcut('f', 'To the filters', () => {
    page.current?.querySelector<HTMLElement>('.filters input')?.focus()
  })
  useShortcut('l', 'To the rows', () => {
    page.current?.querySelector<HTMLElement>('tr.opens[tabindex="0"]')?.focus()
  })

  return (
    <section ref={page} className="page" aria-label={title}>
      <header className="page-head">
        <h1>{title}</h1>
        <Count
          rows={rows.length}
          complete={complete}
          sorting={sortColumn !== undefined && !complete}
        />
        {stale && (
          <Button size="small" onClick={again}>
            There is something newer: read again
          </Button>
        )}
        <span className="space" />
        {actions}
        <LiveMark />
        <ColumnsButton
          columns={columns}
          shown={shown.map((column) => column.key)}
          choose={state.choose}
        />
        <Tooltip title="Read again">
          <Button size="small" aria-label="Read again" icon={<ReloadOutlined />} onClick={again} />
        </Tooltip>
        <CsvButton
          path={path}
          params={plan.params as object | undefined}
          query={{ ...plan.query, ...state.query }}
          name={title}
        />
      </header>
      {filters.length > 0 && (
        <div className="filters" role="search" aria-label={`Filter ${title.toLowerCase()}`}>
          <Filters filters={filters} state={state} />
        </div>
      )}
      {above}
      {error !== null && error !== undefined && <Failure error={error} again={again} />}
      {pending && error === null ? (
        <Loading />
      ) : (
        <Grid
          label={title}
          columns={shown}
          rows={sorted}
          keyOf={keyOf}
          openKey={openKey}
          more={more}
          sort={state.sort}
          sortBy={state.sortBy}
          {...(record === false
            ? {}
            : {
                open: (row: RowOf<P>) => {
                  const to = record?.(row) ?? keyOf(row)
                  navigate(to.startsWith('/') ? to : { pathname: to, search })?.catch(
                    () => undefined,
                  )
                },
              })}
          empty={
            error !== null && error !== undefined ? null : filtered ? (
              <Empty title="Nothing fits these filters">
                Clear or widen them.{' '}
                <Button type="link" size="small" onClick={state.clear}>
                  Clear filters
                </Button>
              </Empty>
            ) : (
              <Empty title={empty.title}>{empty.text}</Empty>
            )
          }
        />
      )}
      <Outlet />
    </section>
  )
}

function Count({
  rows,
  complete,
  sorting,
}: {
  rows: number
  complete: boolean
  sorting: boolean
}): ReactNode {
  const number = rows.toLocaleString('en').replaceAll(',', ' ')
  return (
    <span className="count" role="status">
      {sorting ? `reading all to sort: ${number} …` : complete ? `${number}` : `${number} of more`}
    </span>
  )
}

function LiveMark(): ReactNode {
  const liveness = useLiveness()
  const words = {
    starting: 'Connecting',
    live: 'Live: shows what happens as it happens',
    off: 'Asked for again every 15 seconds: events need the permission events.read',
    away: 'Kontor does not answer',
  }[liveness]
  return (
    <Tooltip title={words}>
      <span className={`live ${liveness}`} role="img" aria-label={words} />
    </Tooltip>
  )
}

function ColumnsButton<Row>({
  columns,
  shown,
  choose,
}: {
  columns: readonly Column<Row>[]
  shown: readonly string[]
  choose(columns: readonly string[] | undefined): void
}): ReactNode {
  const [open, setOpen] = useState(false)
  const boxes = (
    <div className="column-boxes">
      {columns.map(({ key, title }) => (
        <Checkbox
          key={key}
          checked={shown.includes(key)}
          onChange={({ target }) => {
            choose(
              columns
                .map((column) => column.key)
                .filter((each) => (each === key ? target.checked : shown.includes(each))),
            )
          }}
        >
          {title}
        </Checkbox>
      ))}
      <Button
        size="small"
        onClick={() => {
          choose(undefined)
        }}
      >
        As at first
      </Button>
    </div>
  )
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      open={open}
      onOpenChange={setOpen}
      content={boxes}
    >
      <Button size="small" aria-label="Columns" aria-expanded={open} icon={<TableOutlined />} />
    </Popover>
  )
}

/** The same query as the list's, as the service writes it. */
function CsvButton({
  path,
  params,
  query,
  name,
}: {
  path: ListPath
  params: object | undefined
  query: object
  name: string
}): ReactNode {
  const [busy, setBusy] = useState(false)
  const { message } = App.useApp()
  async function download(): Promise<void> {
    setBusy(true)
    try {
      const response = await (client().open as (path: string, given: object) => Promise<Response>)(
        path,
        { params, query, accept: 'text/csv' },
      )
      saveBlob(name, 'csv', await response.blob())
    } catch (error) {
      message.error(errorText(error).title)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Tooltip title="All rows of these filters as CSV">
      <Button
        size="small"
        loading={busy}
        icon={<DownloadOutlined />}
        onClick={() => {
          download().catch(() => undefined)
        }}
      >
        CSV
      </Button>
    </Tooltip>
  )
}
