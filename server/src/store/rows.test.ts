import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { Type } from 'typebox'
import type { Static } from 'typebox'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { move, moveFromAny } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import {
  allColumnsOf,
  columnsOf,
  insertRow,
  insertRows,
  insertRowWhere,
  shownOf,
  tableOf,
  updateGuardedRow,
  updateRow,
} from './rows.ts'
import { sql, statement } from './sql.ts'
import { testDatabase } from './testing.ts'

const PARCEL_MOVES: Moves<'PACKED' | 'SENT' | 'LOST'> = {
  PACKED: ['SENT', 'LOST'],
  SENT: ['LOST'],
  LOST: [],
}
const id = Type.String({ 'x-kind': 'id' })
const text = Type.String()
const time = Type.Integer()
const nullable = <S extends typeof text | typeof time>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })
const address = Type.Object({ street: text })

const ParcelRecord = Type.Object({
  id,
  workspace: id,
  system_created_at: time,
  system_created_by: nullable(text),
  system_updated_at: time,
  system_updated_by: nullable(text),
  version: Type.Integer(),
  state: Type.Unsafe<'PACKED' | 'SENT' | 'LOST'>({ type: 'string' }),
  weight: Type.String({ 'x-kind': 'decimal' }),
  note: nullable(text),
  fragile: Type.Boolean(),
  pieces: Type.Integer(),
  labels: Type.Array(text),
  senders: Type.Array(id),
  address: Type.Unsafe<Static<typeof address> | null>({ anyOf: [address, { type: 'null' }] }),
  sent_at: nullable(time),
  age: Type.Integer(),
})
type Parcel = Static<typeof ParcelRecord>
const PARCELS = tableOf('parcels', ParcelRecord, {
  inside: { secret: nullable(text) },
  computed: ['age'],
})
const MARKS = tableOf('marks', Type.Object({ id, seen: time, words: Type.Array(Type.Object({})) }))

const { db, url, drop } = await testDatabase()
after(drop)
const owner = new pg.Client({ connectionString: url })
await owner.connect()
for (const definition of [
  `create table parcels (
    workspace uuid,
    id uuid primary key,
    state text not null,
    weight numeric(38, 18),
    note text,
    fragile boolean,
    pieces smallint,
    labels text[],
    senders uuid[],
    address jsonb,
    sent_at bigint,
    secret text,
    system_created_at bigint not null,
    system_created_by text,
    system_updated_at bigint not null,
    system_updated_by text,
    version integer not null default 1
  )`,
  `create table marks (id uuid primary key, seen bigint default 7, words jsonb)`,
  'grant select, insert, update on parcels, marks to kontor',
])
  await owner.query(definition)
await owner.end()

const workspace = newId<WorkspaceId>()
const draft = () => ({
  workspace,
  id: newId(),
  state: 'PACKED' as const,
  weight: '1.5',
  fragile: true,
  pieces: 2,
  labels: ['a', 'b "c"'],
  senders: [newId()],
  address: { street: 'Graben 1' },
  secret: 'inside',
})
const made = { by: 'maker', now: 100 }
const AGE = { age: sql`extract(year from now())::bigint - 2000` }
const stored = async (parcel: string) => {
  const [row] = await db.query<Parcel & { secret: string | null }>(
    sql`
      select ${columnsOf(ParcelRecord, { computed: AGE })}, secret
      from parcels
      where id = ${parcel}`,
  )
  assert.ok(row)
  return row
}

test('a row is stored as given, with who made it, and shows what its record names', async () => {
  const parcel = draft()
  const [returned] = await db.query<{ version: number }>(
    sql`${insertRow(PARCELS, { ...parcel, note: undefined }, made)} returning version`,
  )
  assert.equal(returned?.version, 1)
  const row = await stored(parcel.id)
  const { age, ...rest } = row
  assert.ok(age > 0)
  assert.deepEqual(rest, {
    ...parcel,
    note: null,
    sent_at: null,
    system_created_at: 100,
    system_created_by: 'maker',
    system_updated_at: 100,
    system_updated_by: 'maker',
    version: 1,
  })
  const { secret, ...shown } = row
  assert.equal(secret, 'inside')
  assert.deepEqual(shownOf(PARCELS, row), shown)
  assert.match(statement(allColumnsOf(PARCELS)).text, /^id, workspace, .*sent_at, secret$/)
})

test('a row that has audit columns and computed fields already is stored as well', async () => {
  const parcel = draft()
  const known = { ...parcel, age: 3, version: 9, system_created_at: 1, system_created_by: 'other' }
  await db.query(insertRow(PARCELS, known, made))
  const row = await stored(parcel.id)
  assert.equal(row.version, 1)
  assert.equal(row.system_created_at, 100)
  assert.equal(row.system_created_by, 'maker')
})

test('a field that is left out keeps the default of its column', async () => {
  const mark = newId()
  await db.query(insertRow(MARKS, { id: mark, words: [{}] }, made))
  assert.deepEqual(
    await db.query(sql`
    select *
    from marks`),
    [{ id: mark, seen: 7, words: [{}] }],
  )
})

test('the text depends on the columns alone', () => {
  const [first, second] = [draft(), draft()].map((row) => insertRow(PARCELS, row, made))
  assert.ok(first && second)
  assert.equal(statement(first).name, statement(second).name)
  const { secret: _, ...without } = draft()
  assert.notEqual(statement(first).name, statement(insertRow(PARCELS, without, made)).name)
})

test('a column that the table does not have is refused', () => {
  const wrong = { id: newId(), colour: 'red' }
  assert.throws(() => insertRow(PARCELS, wrong, made), /parcels has no column colour/)
  assert.throws(() => updateRow(PARCELS, { where: wrong, ...made }), /no column colour/)
})

test('a row is inserted where a condition holds', async () => {
  const [kept, dropped] = [draft(), draft()]
  await db.query(insertRowWhere(PARCELS, kept, made, sql`${1}::int = ${1}::int`))
  await db.query(insertRowWhere(PARCELS, dropped, made, sql`false`))
  const rows = await db.query<{ id: string }>(
    sql`
      select id
      from parcels
      where id = any(${[kept.id, dropped.id]})`,
  )
  assert.deepEqual(rows, [{ id: kept.id }])
  assert.deepEqual((await stored(kept.id)).address, kept.address)
})

test('many rows are inserted as arrays, with or without audit columns', async () => {
  const rows = [draft(), draft()].map((row, index) => ({
    workspace,
    id: row.id,
    state: row.state,
    note: index === 0 ? null : 'second',
    address: index === 0 ? null : row.address,
  }))
  await db.query(insertRows(PARCELS, rows, made))
  for (const row of rows) {
    const { note, address, system_updated_by } = await stored(row.id)
    assert.deepEqual(
      { note, address, system_updated_by },
      { note: row.note, address: row.address, system_updated_by: 'maker' },
    )
  }
  const marks = [1, 2].map((seen) => ({ id: newId(), seen, words: [{}] }))
  await db.query(insertRows(MARKS, marks, made))
  assert.deepEqual(
    await db.query(
      sql`
        select id, seen, words
        from marks
        where id = any(${marks.map((mark) => mark.id)})
        order by seen`,
    ),
    marks,
  )
  assert.throws(() => insertRows(PARCELS, [draft()], made), /parcels has a column of arrays/)
  assert.throws(() => insertRows(PARCELS, [], made), /no rows/)
})

test('an update changes what it names, raises the version and stores who did it', async () => {
  const parcel = draft()
  await db.query(insertRow(PARCELS, parcel, made))
  const update = updateRow(PARCELS, {
    where: { workspace, id: [parcel.id], note: null },
    set: { note: 'seen', address: null, labels: ['z'], pieces: sql`pieces + ${1}` },
    by: 'changer',
    now: 200,
  })
  assert.equal((await db.query(sql`${update} returning 1`)).length, 1)
  assert.equal((await db.query(sql`${update} returning 1`)).length, 0)
  const row = await stored(parcel.id)
  assert.deepEqual(
    [row.note, row.address, row.labels, row.pieces, row.version, row.weight],
    ['seen', null, ['z'], 3, 2, '1.5'],
  )
  assert.deepEqual(
    [row.system_created_at, row.system_created_by, row.system_updated_at, row.system_updated_by],
    [100, 'maker', 200, 'changer'],
  )
})

test('an update under a guard leaves version and audit columns to the guard', async () => {
  const parcel = draft()
  await db.query(insertRow(PARCELS, parcel, made))
  await db.query(updateGuardedRow(PARCELS, { where: sql`id = ${parcel.id}`, set: { pieces: 9 } }))
  const { pieces, version, system_updated_by } = await stored(parcel.id)
  assert.deepEqual(
    { pieces, version, system_updated_by },
    { pieces: 9, version: 1, system_updated_by: 'maker' },
  )
})

test('a move is guarded by the state it starts from', async () => {
  const parcel = draft()
  await db.query(insertRow(PARCELS, parcel, made))
  const changed = { by: 'changer', now: 200 }
  const where = { workspace, id: parcel.id }
  const moved = async (step: ReturnType<typeof move<Parcel['state']>>) =>
    (await db.query(sql`${updateRow(PARCELS, { where, move: step, ...changed })} returning 1`))
      .length
  assert.equal(await moved(move(PARCEL_MOVES, 'PACKED', 'SENT')), 1)
  assert.equal(await moved(move(PARCEL_MOVES, 'PACKED', 'SENT')), 0)
  assert.equal(await moved(moveFromAny(PARCEL_MOVES, 'LOST')), 1)
  const { state, version } = await stored(parcel.id)
  assert.deepEqual({ state, version }, { state: 'LOST', version: 3 })
  assert.throws(() => move(PARCEL_MOVES, 'LOST', 'SENT'), /no move from LOST to SENT/)
  assert.throws(() => move(PARCEL_MOVES, ['PACKED', 'SENT'], 'SENT'), /no move from SENT/)
  assert.throws(() => moveFromAny(PARCEL_MOVES, 'PACKED'), /no move leads to PACKED/)
})
