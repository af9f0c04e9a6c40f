/**
 * What is declared of venues, assets and price routes, as records that the configuration file and
 * people change (docs/decisions/0053-venues-by-two-hands.md). A value lacks the key, which the
 * record has.
 */
import { handOf, HANDS, securityEntries } from '../access/index.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import { closed, flag, id, nullable, oneOf, text, time, Type } from '../http/index.ts'
import type { Caller, Static } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { placeOfVenue } from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'
import type { Config } from './configuration.schema.ts'

export const DECLARATION_KINDS = ['VENUE', 'ASSET', 'PRICE_ROUTE'] as const
export type DeclarationKind = (typeof DECLARATION_KINDS)[number]

const json = () => Type.Unsafe<Json>({})

const Declaration = closed({
  key: text(),
  kind: oneOf(DECLARATION_KINDS),
  /** Null: no longer declared. */
  value: json(),
  of_version: Type.Integer(),
  changed_at: time(),
  changed_by: text(),
  hand: oneOf(HANDS),
  /** What the file said of it last; null: it never did. */
  file: json(),
  in_file: flag('The file named it when it was applied last'),
  kept: flag('Somebody decided that the record stays'),
  differs_since: nullable(time()),
})
export type Declaration = Static<typeof Declaration>
export type Declarations = ReadonlyMap<string, Declaration>

const DECLARATIONS = tableOf('declarations', Declaration, {
  inside: { workspace: id<WorkspaceId>() },
})

const value = (description: string) => Type.Unsafe<Json>({ description })

export const DeclarationChange = closed(
  {
    id: id(),
    key: text(200, 'Of the declaration'),
    version: Type.Integer({ minimum: 1, description: 'Of the declaration, after this change' }),
    before: value('What was declared before; null: nothing'),
    after: value('What is declared from then on; null: it is no longer declared'),
    kept_against: value(
      'What the configuration file says, where somebody decided that the record stays; else null',
    ),
    changed_at: time(),
    changed_by: text(100, 'A user, an API key, or a part of the service'),
    hand: oneOf(HANDS, 'A person, a program, or the configuration file'),
  },
  { title: 'DeclarationChange' },
)
export type DeclarationChange = Static<typeof DeclarationChange>

const CHANGES = tableOf('declaration_changes', DeclarationChange, {
  inside: { workspace: id<WorkspaceId>(), of_version: Type.Integer() },
  computed: ['version'],
})
export const DECLARATION_CHANGE_COLUMNS = columnsOf(DeclarationChange, {
  computed: { version: sql`of_version` },
})

/** In the order in which they were first declared by their keys. */
export async function readDeclarations(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Map<string, Declaration>> {
  const rows = await reader.query<Declaration>(sql`
    select ${columnsOf(Declaration)}
    from declarations
    where workspace = ${workspace}
    order by key`)
  return new Map(rows.map((row) => [row.key, row]))
}

export async function storeDeclaration(
  { workspace }: Pick<Caller, 'workspace'>,
  tx: Tx,
  row: Declaration,
): Promise<void> {
  const stamp = { by: row.changed_by, now: row.changed_at }
  await tx.query(sql`
    ${insertRow(DECLARATIONS, { workspace, ...row }, stamp)}
    on conflict (workspace, key) do update
    set value = excluded.value, of_version = excluded.of_version,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by, hand = excluded.hand,
      file = excluded.file, in_file = excluded.in_file, kept = excluded.kept,
      differs_since = excluded.differs_since`)
}

/** `kept_against`: of the configuration file, which somebody decided against. */
type Decision = { before: Json; kept_against?: Json }

/** The next version of a record, by this caller. */
export function nextVersion(
  { by, api_key }: Caller,
  row: Pick<Declaration, 'of_version'> | undefined,
  now: number,
): Pick<Declaration, 'of_version' | 'changed_at' | 'changed_by' | 'hand'> {
  return {
    of_version: (row?.of_version ?? 0) + 1,
    changed_at: now,
    changed_by: by,
    hand: handOf(by, api_key !== undefined),
  }
}

/** In the history, and in the security log where it was not the file. */
export async function recordDeclaration(
  { workspace, by, source }: Caller,
  tx: Tx,
  { key, value: after, of_version, changed_at, changed_by, hand }: Declaration,
  { before, kept_against = null }: Decision,
): Promise<void> {
  const now = changed_at
  const change = { key, of_version, before, after, kept_against, changed_at, changed_by, hand }
  await tx.query(insertRow(CHANGES, { workspace, id: newId(now), ...change }, { by, now }))
  if (hand === 'FILE') return
  const details = { key, version: of_version, before, after, kept_against }
  await tx.query(
    securityEntries(workspace, now, [{ kind: 'DECLARATION_CHANGED', actor: by, source, details }]),
  )
}

export const isSameDeclaration = (one: Json, other: Json): boolean =>
  canonicalJson(one) === canonicalJson(other)

/**
 * What the file says of it now: null where it no longer names it, undefined where it says nothing
 * that could differ. An asset stays when the file no longer names it.
 */
export function wordOfFile({ kind, file, in_file }: Declaration): Json | undefined {
  if (in_file) return file
  return file === null || kind === 'ASSET' ? undefined : null
}

/** Whether the file's word on where the venue lies counts: then it is the operator's. */
export function isPlacedByFile({ file, value }: Pick<Declaration, 'file' | 'value'>): boolean {
  if (file === null || value === null) return false
  const place = (declared: Json) => placeOfVenue((declared as Partial<DeclaredVenue>).options)
  return place(file) === place(value)
}

const SECTIONS = {
  VENUE: { section: 'venues', prefix: 'venue.', named: 'key' },
  ASSET: { section: 'assets', prefix: 'asset.', named: 'code' },
  PRICE_ROUTE: { section: 'price_routes', prefix: 'price_route.', named: 'key' },
} as const

type Section = 'venues' | 'assets' | 'price_routes'
export type Entry = { key: string; kind: DeclarationKind; value: Json }

export const keyOf = (kind: DeclarationKind, name: string): string =>
  `${SECTIONS[kind].prefix}${name}`

/** Undefined for a key that begins with no kind. */
export function kindOf(key: string): { kind: DeclarationKind; name: string } | undefined {
  const kind = DECLARATION_KINDS.find((one) => key.startsWith(SECTIONS[one].prefix))
  return kind && { kind, name: key.slice(SECTIONS[kind].prefix.length) }
}

/** What the file declares, in its order. */
export function entriesOf(config: Config): Entry[] {
  return DECLARATION_KINDS.flatMap((kind) => {
    const { section, named } = SECTIONS[kind]
    const entries = (config[section] ?? []) as unknown as { [field: string]: Json }[]
    return entries.map(({ [named]: name, ...rest }) => ({
      key: keyOf(kind, String(name)),
      kind,
      value: rest,
    }))
  })
}

/** These, as the file would declare them; with the key of each place. */
export type Composed = Pick<Config, Section> & { keys: Record<Section, string[]> }

export function composed(entries: readonly Entry[]): Composed {
  const listed = DECLARATION_KINDS.map((kind) => {
    const { section, named } = SECTIONS[kind]
    const ofKind = entries.filter((entry) => entry.kind === kind && entry.value !== null)
    const list = ofKind.map((entry) => ({
      [named]: kindOf(entry.key)?.name,
      ...(entry.value as object),
    }))
    return { section, list, keys: ofKind.map(({ key }) => key) }
  })
  return {
    ...Object.fromEntries(listed.map(({ section, list }) => [section, list])),
    keys: Object.fromEntries(listed.map(({ section, keys }) => [section, keys])),
  } as Composed
}

/**
 * An asset that the file no longer names, and that nobody has changed since, is moved on as it was:
 * it is not declared anew.
 */
export const isLeftAlone = ({ kind, file, in_file, value: record }: Declaration): boolean =>
  kind === 'ASSET' && file !== null && !in_file && isSameDeclaration(file, record)
