/**
 * The one pattern for records: a drawer over the list with an address of its own. It shows the
 * fields, tabs for related records, the timeline, the JSON, and the API call.
 */
import { CodeOutlined } from '@ant-design/icons'
import type { DataOf, PathOf, RequestOf } from '@kontor/client'
import { Button, Drawer, Tabs, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { notedOf } from '../api/notes.ts'
import { queries, useGet, useMe } from '../api/query.ts'
import { useEvents } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { t } from '../language/index.ts'
import { cellOf, valueOf } from '../list/columns.tsx'
import type { Column, Lead } from '../list/columns.tsx'
import { Empty, Failure, Loading } from '../parts/states.tsx'
import { PrintHead } from '../parts/printing.tsx'
import { RecordLink } from '../parts/links.tsx'
import { isUser, useCopy } from '../parts/values.tsx'
import { Calls } from './calls.tsx'
import { NotesLabel, NotesTab } from './notes.tsx'
import { Timeline } from './timeline.tsx'

/**
 * Queries that an event of a record leaves alone: lists refresh themselves, names come from
 * elsewhere.
 */
const NOT_OF_A_RECORD = ['list', 'names', 'all', '/auth/me']
const PAUSE_MILLISECONDS = 1_000

/** A field is a column of the same kind. */
type Field<Row> = Omit<Column<Row>, 'width' | 'extra'>
export type Section<Row> = { title?: string; fields: readonly Field<Row>[] }
export type Tab<Row> = { key: string; label: string; node(row: Row): ReactNode }

type RecordPlan<P extends PathOf<'get'>, Row = DataOf<'get', P>> = {
  path: P
  request: RequestOf<'get', P>
  /** Takes the record out of the answer, e.g. out of an array of one. */
  pick?(data: DataOf<'get', P>): Row | undefined
  /** The word for the record, such as `Deposit`. */
  what: string
  title(row: Row): ReactNode
  sections: readonly Section<Row>[] | ((row: Row) => readonly Section<Row>[])
  tabs?: readonly Tab<Row>[]
  /** The records whose timelines are shown; this one when absent, false for none. */
  timeline?: ((row: Row) => Lead | readonly Lead[]) | false
  /** The buttons above the tabs. */
  actions?(row: Row): ReactNode
  live?: readonly Subject[]
  /** The address after closing; the list when absent. */
  back?: string
}

export function RecordDrawer<P extends PathOf<'get'>, Row = DataOf<'get', P>>(
  plan: RecordPlan<P, Row>,
): ReactNode {
  const { path, request, what, live = [], back = '..' } = plan
  const navigate = useNavigate()
  const { search } = useLocation()
  const { data, error, refetch } = useGet(path, request as never)
  const row = data === undefined ? undefined : pickRow(plan, data)
  // The tabs of the record are read again as well.
  useEvents(
    live,
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey }) => !NOT_OF_A_RECORD.some((word) => queryKey.includes(word)),
      }),
    PAUSE_MILLISECONDS,
  )
  const close = (): void => {
    navigate({ pathname: back, search }, { relative: 'path' })?.catch(() => undefined)
  }
  return (
    <Drawer
      open
      onClose={close}
      size="var(--record)"
      mask={false}
      destroyOnHidden
      className="record"
      aria-label={what}
      title={
        <span className="record-title">
          <span className="record-what">{what}</span> {row !== undefined && plan.title(row)}
        </span>
      }
      extra={<CurlButton path={path} request={request as object} />}
    >
      <PrintHead />
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && row === undefined && (
        <Empty title={t('{{what}} not found', { what })}>
          {t('It may be gone, or the address is incomplete.')}
        </Empty>
      )}
      {row !== undefined && (
        <>
          {plan.actions !== undefined && <div className="record-actions">{plan.actions(row)}</div>}
          <RecordTabs plan={plan} row={row} />
        </>
      )}
    </Drawer>
  )
}

function pickRow<P extends PathOf<'get'>, Row>(
  { pick }: RecordPlan<P, Row>,
  data: DataOf<'get', P>,
): Row | undefined {
  return pick === undefined ? (data as unknown as Row) : pick(data)
}

/** The open tab is the `#` of the address. */
function RecordTabs<P extends PathOf<'get'>, Row>({
  plan,
  row,
}: {
  plan: RecordPlan<P, Row>
  row: Row
}): ReactNode {
  const navigate = useNavigate()
  const { search, hash } = useLocation()
  const subjects = timelineSubjects(plan, row)
  const noted = notedOf(plan.path, row)
  const audited = useAudited(row)
  const items = [
    {
      key: 'fields',
      label: t('Fields'),
      children: <Fields row={row} sections={sectionsOf(plan, row)} />,
    },
    ...(subjects.length === 0
      ? []
      : [
          {
            key: 'timeline',
            label: t('Timeline'),
            children: subjects.map((of) => <Timeline key={of.id} of={of} />),
          },
        ]),
    ...(noted === undefined
      ? []
      : [
          {
            key: 'notes',
            label: <NotesLabel of={noted} />,
            children: <NotesTab of={noted} />,
          },
        ]),
    ...(audited === undefined
      ? []
      : [{ key: 'calls', label: t('Who did what'), children: <Calls of={audited} /> }]),
    ...(plan.tabs ?? []).map(({ key, label, node }) => ({ key, label, children: node(row) })),
    { key: 'json', label: 'JSON', children: <Json value={row} /> },
  ]
  const wanted = hash.slice(1)
  return (
    <Tabs
      size="small"
      items={items}
      tabBarGutter={16}
      activeKey={items.some((item) => item.key === wanted) ? wanted : 'fields'}
      onChange={(key) => {
        navigate({ search, hash: key === 'fields' ? '' : key }, { replace: true })?.catch(
          () => undefined,
        )
      }}
    />
  )
}

const sectionsOf = <P extends PathOf<'get'>, Row>(
  { sections }: RecordPlan<P, Row>,
  row: Row,
): readonly Section<Row>[] => (typeof sections === 'function' ? sections(row) : sections)

/** The id of the record, for those who may read the audit trail. */
function useAudited(row: unknown): string | undefined {
  const permissions = useMe()?.permissions ?? []
  const { id } = row as { id?: unknown }
  return permissions.includes('audit.read') && typeof id === 'string' ? id : undefined
}

function timelineSubjects<P extends PathOf<'get'>, Row>(
  { timeline, path }: RecordPlan<P, Row>,
  row: Row,
): readonly Lead[] {
  if (timeline === false) return []
  if (timeline !== undefined) return [timeline(row)].flat()
  const noted = notedOf(path, row)
  return noted === undefined ? [] : [{ kind: noted.kind, id: noted.record_id }]
}

function Fields<Row>({
  row,
  sections,
}: {
  row: Row
  sections: readonly Section<Row>[]
}): ReactNode {
  return sections.map((section, index) => (
    <section key={section.title ?? index} className="fields">
      {section.title !== undefined && <h3>{section.title}</h3>}
      <dl>
        {section.fields.map((field) => (
          <div key={field.key}>
            <dt>{field.title}</dt>
            <dd>
              <RecordLink to={leadOf(field, row)}>
                {cellOf(field, row, { place: 'record' })}
              </RecordLink>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}

const LEADING: readonly string[] = [
  'account',
  'venue',
  'wallet',
  'customer',
  'user',
  'route',
  'price_route',
]

function leadOf<Row>(field: Field<Row>, row: Row): Lead | undefined {
  if (field.leads !== undefined) return field.leads(row) ?? undefined
  const value = valueOf(field, row)
  if (field.kind === undefined || !LEADING.includes(field.kind) || typeof value !== 'string')
    return undefined
  return field.kind === 'user' && !isUser(value) ? undefined : { kind: field.kind, id: value }
}

/** The last section: the fields that every record has. */
export const COMMON_FIELDS = {
  title: t('Record'),
  fields: [
    { key: 'id', title: t('Id'), kind: 'id' as const },
    { key: 'version', title: t('Version'), kind: 'number' as const },
    { key: 'system_created_at', title: t('Created'), kind: 'time' as const },
    { key: 'system_created_by', title: t('Created by'), kind: 'user' as const },
    { key: 'system_updated_at', title: t('Changed'), kind: 'time' as const },
    { key: 'system_updated_by', title: t('Changed by'), kind: 'user' as const },
  ],
} satisfies Section<object>

function Json({ value }: { value: unknown }): ReactNode {
  const copy = useCopy()
  const text = JSON.stringify(value, null, 2)
  return (
    <div className="json">
      <Button
        size="small"
        onClick={() => {
          copy(text, 'JSON')
        }}
      >
        {t('Copy JSON')}
      </Button>
      <pre tabIndex={0} role="region" aria-label="JSON">
        {text}
      </pre>
    </div>
  )
}

function CurlButton({
  path,
  request,
}: {
  path: string
  request: { params?: object; query?: object }
}): ReactNode {
  const copy = useCopy()
  const line = (): string => {
    const filled = Object.entries(request.params ?? {}).reduce(
      (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
      path,
    )
    const query = new URLSearchParams(
      Object.entries(request.query ?? {}).map(([name, value]) => [name, String(value)]),
    ).toString()
    const url = `${location.origin}/api${filled}${query === '' ? '' : `?${query}`}`
    return `curl -s '${url}' -H "authorization: Bearer $TOKEN"`
  }
  return (
    <Tooltip title={t('Copy the API call that reads this record. Set TOKEN first.')}>
      <Button
        size="small"
        icon={<CodeOutlined />}
        onClick={() => {
          copy(line(), 'curl')
        }}
      >
        {t('Copy as curl')}
      </Button>
    </Tooltip>
  )
}
