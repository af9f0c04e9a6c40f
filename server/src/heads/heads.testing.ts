/**
 * For tests of heads: days on which something is booked, told and noted; and the owner of the
 * tables.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createWorkspace, verifySecurityLog } from '../access/index.ts'
import { securityEntries } from '../access/security-log.ts'
import { manualClock } from '../core/clock.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { newId } from '../core/ids.ts'
import { decimal } from '../core/decimal.ts'
import type { Mailer } from '../events/index.ts'
import { houseAccounts, openBooks, openLane, verifyBooks } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { statement } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { deliverHeads } from './deliveries.ts'
import { readFolder } from './exported.ts'
import { makeHeads } from './heads.ts'
import { openKey } from './keys.ts'
import { verifyHeads } from './verify-heads.ts'
import type { HeadFault } from './verify-heads.ts'

export const DAY = 86_400_000

/** Three days on which heads are made, with what happens on each. */
export const DAYS = ['2026-11-20', '2026-11-21', '2026-11-22'] as const
const NAMES = [['one', 'two'], ['three'], ['four', 'five']] as const

export async function openThreeDays(): Promise<HeadsWorld> {
  const world = await openHeadsWorld()
  for (const names of NAMES) {
    await world.act(...names)
    await world.make()
    await world.deliver()
    world.clock.advance(DAY)
  }
  return world
}

/** What the rows say of themselves, and what the heads in the database say of them. */
export async function verifyAll(
  { db, workspace, key }: HeadsWorld,
  reader: OwnersWork | HeadsWorld['db'] = db,
): Promise<{ rows: string[]; heads: HeadFault[] }> {
  const books = await verifyBooks(reader, workspace)
  const log = await verifySecurityLog(reader, workspace)
  const { faults } = await verifyHeads(reader, workspace, { keys: key.known })
  return { rows: [...books.faults, ...log.faults], heads: faults }
}

/** What the heads in the folder say. */
export async function verifyKept(
  { db, workspace, key, folder }: HeadsWorld,
  reader: OwnersWork | HeadsWorld['db'] = db,
): ReturnType<typeof verifyHeads> {
  const { kept } = await readFolder(folder)
  return verifyHeads(reader, workspace, { keys: key.known, kept })
}

export type HeadsWorld = Awaited<ReturnType<typeof openHeadsWorld>>

/** What somebody does who may change every row, with all hashes. */
export type OwnersWork = Tx & { tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> }

export async function openHeadsWorld() {
  const database = await testDatabase()
  const { db, url } = database
  const clock = manualClock(Date.parse('2026-11-20T08:00:00Z'))
  const folder = await mkdtemp(join(tmpdir(), 'kontor-heads-'))
  const place = { folder: join(folder, 'heads'), key: join(folder, 'heads.key') }
  const key = await openKey(place.key)
  const { id: workspace } = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Bank' }))
  await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
  const lane = openLane(db, clock)
  const { HOUSE, MARGIN } = await houseAccounts(db, workspace)
  const app = {
    db,
    clock,
    mailer: undefined as Mailer | undefined,
    log: { warn: () => undefined },
  }
  const legs = [
    { account_id: HOUSE, type: 'DEBIT' as const, quantity: decimal('1') },
    { account_id: MARGIN, type: 'CREDIT' as const, quantity: decimal('1') },
  ]

  /** A booking, an event and an entry of the security log; each once for every name. */
  async function act(...names: string[]): Promise<void> {
    for (const name of names) {
      const booking = {
        id: newId(),
        type: 'MANUAL' as const,
        asset: 'EUR',
        description: name,
        legs,
      }
      await lane.commit({
        workspace,
        class: 'command',
        by: 'test',
        ledger: [{ step: 'book', booking }],
        events: [{ type: 'account.overdrawn', resource_id: HOUSE, data: { asset: name, more: 1 } }],
      })
      await db.query(
        securityEntries(workspace, clock.now(), [
          { kind: 'SETTINGS_CHANGED', actor: 'test', details: { name } },
        ]),
      )
    }
  }

  return {
    ...database,
    app,
    act,
    clock,
    folder: place.folder,
    key,
    lane,
    place,
    workspace: workspace as WorkspaceId,
    /** Makes the heads of today. */
    make: (recipients: readonly string[] = []) => makeHeads(app, key, recipients),
    deliver: () => deliverHeads(app, place.folder),
    /** In a transaction that is undone at the end, without triggers. */
    asOwner: (work: (owner: OwnersWork) => Promise<void>) => asOwner(url, work),
    async close() {
      await lane.close()
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}

async function asOwner(url: string, work: (owner: OwnersWork) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser: parserOf } })
  await client.connect()
  const query = async <Row>(asked: Query) => {
    const { text, values } = statement(asked)
    // Each verification says so of a snapshot of its own.
    if (text.includes('set transaction isolation level')) return []
    return (await client.query(text, values)).rows as Row[]
  }
  const inside = { query, hint: () => undefined } as unknown as Tx
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    await work({ ...inside, tx: (inner) => inner(inside) })
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

const INT8 = 20
const NUMERIC = 1700

/** As the service reads them. */
function parserOf(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8) return Number
  if (oid === NUMERIC) return (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
  return pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown
}
