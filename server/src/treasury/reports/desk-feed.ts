/** What search shows of treasury's records, and what of treasury needs a person now. */
import type { DeskFeed, Searchable, SearchLookup } from '../../store/desk-feed.ts'
import { raw, sql } from '../../store/sql.ts'
import { treasuryTimelines } from './timeline.ts'
import { TREASURY_NEEDS } from './needs.ts'

/** The fields are SQL over the row `t`. */
type SearchFields = {
  kind: string
  permission: string
  table: string
  title: string
  subtitle: string
  at?: string
  parent?: string
  lookups?: readonly SearchLookup[]
}

const NO_PARENT = 'null::text as parent_kind, null::uuid as parent_id'
const MOVEMENT =
  "case when t.deposit_id is null then 'withdrawal' else 'deposit' end as parent_kind, " +
  'coalesce(t.deposit_id, t.withdrawal_id) as parent_id'
const JOB = "'job' as parent_kind, t.job_id as parent_id"
const ACCOUNT = "'account' as parent_kind, t.resource_id as parent_id"

const searchable = ({
  kind,
  permission,
  table,
  title,
  subtitle,
  at = 't.system_created_at',
  parent = NO_PARENT,
  lookups = [],
}: SearchFields): Searchable => ({
  lookups,
  kind,
  permission,
  table,
  show: (workspace, ids) => sql`
    select t.id, ${raw(title)} as title, ${raw(subtitle)} as subtitle,
      t.state, ${raw(at)} as at, ${raw(parent)}
    from ${raw(table)} t
    where t.workspace = ${workspace}
      and t.id = any(${ids}::uuid[])`,
})

const AMOUNT = "trim_scale(t.quantity)::text || ' ' || t.asset"
const joined = (...parts: string[]) =>
  `nullif(concat_ws(' · ', ${parts.map((part) => `nullif(${part}, '')`).join(', ')}), '')`

/** As of every search. */
const MINIMUM_PAYEE = 2

/** Of a wallet or a route, whatever it is found by: who is paid stands there. */
const payeeLookup = (kind: 'wallet' | 'route', column: string): SearchLookup => ({
  field: 'payee',
  find: (workspace, text, limit) => sql`
    select p.id, t.term as matched
    from (
      select distinct form
      from unnest(array[search_text(${text}), search_code(${text})]) as u (form)
      where length(form) >= ${MINIMUM_PAYEE}
    ) f
    cross join lateral (
      select s.term, s.id
      from search_terms s
      where s.workspace = ${workspace}
        and s.kind = ${kind}
        and s.term >= f.form collate "C"
        and s.term < (f.form || chr(1114111)) collate "C"
      order by s.term, s.id desc
      limit ${limit}
    ) t
    cross join lateral (
      select id
      from payments
      where workspace = ${workspace}
        and ${raw(column)} = t.id
      order by id desc
      limit ${limit}
    ) p
    limit ${limit}`,
})
const SEARCHABLES = [
  searchable({
    kind: 'deposit',
    permission: 'treasury.deposits.read',
    table: 'deposits',
    title: `'Deposit ' || ${AMOUNT}`,
    subtitle: joined("t.counterparty ->> 'name'", 't.reference_text', 't.source_address'),
  }),
  searchable({
    kind: 'withdrawal',
    permission: 'treasury.withdrawals.read',
    table: 'withdrawals',
    title: `'Withdrawal ' || ${AMOUNT}`,
    subtitle: joined('t.recipient_name', 't.reference_text', 't.destination_address'),
  }),
  searchable({
    kind: 'payment',
    permission: 'treasury.withdrawals.read',
    table: 'payments',
    title: `'Payment ' || ${AMOUNT}`,
    subtitle: joined(
      `(
        select coalesce(nullif(r.transfer -> 'to' ->> 'name', ''), w.label)
        from treasury_routes r
        join wallets w on w.workspace = r.workspace and w.id = t.to_wallet_id
        where r.workspace = t.workspace and r.id = t.route_id
      )`,
      't.reference',
      't.purpose',
    ),
    lookups: [payeeLookup('wallet', 'to_wallet_id'), payeeLookup('route', 'route_id')],
  }),
  searchable({
    kind: 'batch',
    permission: 'treasury.withdrawals.read',
    table: 'withdrawal_batches',
    title: "'Batch'",
    subtitle: 'null::text',
  }),
  searchable({
    kind: 'set_aside_item',
    permission: 'treasury.deposits.read',
    table: 'set_aside_items',
    title: "'Set aside: ' || t.foreign_id",
    subtitle: 't.reason',
    parent: "'venue' as parent_kind, t.venue_id as parent_id",
  }),
  searchable({
    kind: 'assignment',
    permission: 'assignments.read',
    table: 'assignments',
    title: `'Assignment of ' || ${AMOUNT}`,
    subtitle: 'lower(t.source)',
    parent: MOVEMENT,
  }),
  searchable({
    kind: 'rectification',
    permission: 'rectifications.read',
    table: 'rectifications',
    title: "'Rectification'",
    subtitle: joined('t.reason', 't.note'),
    parent: MOVEMENT,
  }),
  searchable({
    kind: 'job',
    permission: 'treasury.jobs.read',
    table: 'transfer_jobs',
    title: "'Transfer job ' || lower(t.condition_type)",
    subtitle:
      '(select r.label from treasury_routes r ' +
      'where r.workspace = t.workspace and r.id = t.route_id)',
  }),
  searchable({
    kind: 'job_run',
    permission: 'treasury.jobs.read',
    table: 'job_runs',
    title: "'Run of a transfer job'",
    subtitle: 't.explanation',
    at: 't.started_at',
    parent: JOB,
  }),
  searchable({
    kind: 'wallet',
    permission: 'treasury.wallets.read',
    table: 'wallets',
    title: 't.label',
    subtitle: joined('t.asset', 't.address'),
  }),
  searchable({
    kind: 'route',
    permission: 'treasury.routes.read',
    table: 'treasury_routes',
    title: 't.label',
    subtitle: joined('t.protocol', 't.allowlist_state'),
  }),
  searchable({
    kind: 'matching',
    permission: 'matchings.read',
    table: 'matchings',
    title: "'Matching ' || t.asset",
    subtitle: joined('coalesce(t.destination_address, t.source_address)', 't.reference'),
    parent: ACCOUNT,
  }),
]

export const treasuryDeskFeed: DeskFeed = {
  searchables: SEARCHABLES,
  needs: TREASURY_NEEDS,
  timelines: treasuryTimelines,
}
