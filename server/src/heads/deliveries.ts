/**
 * Heads on their way: each into a file of the folder, which is never overwritten, and to each
 * address by mail. What could not be delivered is tried again: a file until it is there, a mail
 * with growing pauses for three days. A mail whose answer was lost may arrive twice, with the same
 * Message-ID.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Mailer } from '../events/index.ts'
import { closed, id, integer, nullable, oneOf, text, time } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Db, Reader } from '../store/db.ts'
import { createFile } from '../store/folders.ts'
import { columnsOf, insertRows, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { HEAD_TARGETS } from './heads.schema.ts'
import type { SignedHead } from './heads.schema.ts'

const DeliveryRow = closed({
  workspace: id<WorkspaceId>(),
  number: integer(1, Number.MAX_SAFE_INTEGER),
  target: oneOf(HEAD_TARGETS),
  recipient: text(),
  id: id(),
  made_at: time(),
  delivered_at: nullable(time()),
  attempts: integer(0, 1_000_000),
  reason: nullable(text()),
})
type DeliveryRow = Static<typeof DeliveryRow>
const HEAD_DELIVERIES = tableOf('head_deliveries', DeliveryRow)

type StoredHead = Omit<SignedHead, 'deliveries'>
type Delivery = DeliveryRow & Pick<StoredHead, 'day' | 'signed' | 'signature'>

type DeliveryApp = {
  db: Db
  clock: Clock
  mailer: Mailer | undefined
  log: { warn(fields: object, message: string): void }
}

const AT_ONCE = 100
const NAMED_HASH = 16
const LONGEST_REASON = 500
const RETRY_MILLISECONDS = 600_000
const GIVE_UP_MILLISECONDS = 3 * 86_400_000

/** Inserts where a new head goes. */
export function deliveriesOf(head: StoredHead, recipients: readonly string[]): Query {
  const { workspace, number, made_at } = head
  const to = [
    { target: 'FILE' as const, recipient: fileOf(head) },
    ...recipients.map((recipient) => ({ target: 'MAIL' as const, recipient })),
  ]
  const rows = to.map((one) => ({ workspace, number, made_at, id: newId(made_at), ...one }))
  return insertRows(HEAD_DELIVERIES, rows, { by: null, now: made_at })
}

/** After a restore a day may have another head than the one that was exported. */
const fileOf = ({ day, workspace, hash }: StoredHead): string =>
  `${day}.${workspace}.${hash.slice(0, NAMED_HASH)}.json`

/** As it is exported. White space around the signed fields is no part of what was signed. */
function exportedText({ signed, signature }: Pick<StoredHead, 'signed' | 'signature'>): string {
  return `${JSON.stringify({ head: JSON.parse(signed) as object, signature }, null, 2)}\n`
}

/** Delivers what waits. Throws at the end when a file could not be written. */
export async function deliverHeads(app: DeliveryApp, folder: string): Promise<void> {
  const failures = await writeHeads(app, folder)
  await sendMails(app)
  if (failures.length > 0) throw failures[0]
}

/** One that cannot be written stops no other. */
async function writeHeads(app: DeliveryApp, folder: string): Promise<unknown[]> {
  const failures: unknown[] = []
  for (;;) {
    const waiting = await deliveriesTo(app, 'FILE', sql`true`)
    for (const delivery of waiting)
      await writeHead(app, folder, delivery).catch((error: unknown) => failures.push(error))
    if (waiting.length < AT_ONCE || failures.length > 0) return failures
  }
}

const deliveriesTo = (
  { db }: DeliveryApp,
  target: DeliveryRow['target'],
  condition: Query,
): Promise<Delivery[]> =>
  db.query<Delivery>(sql`
    select ${columnsOf(DeliveryRow, { of: 'd' })}, h.day, h.signed, h.signature
    from head_deliveries d
    join heads h on h.workspace = d.workspace
      and h.number = d.number
    where d.target = ${target}
      and d.delivered_at is null
      and ${condition}
    order by d.made_at
    limit ${AT_ONCE}`)

async function writeHead(app: DeliveryApp, folder: string, delivery: Delivery): Promise<void> {
  const path = join(folder, delivery.recipient)
  try {
    await withFailpoints('heads.write', delivery.recipient, () =>
      storeFile(path, exportedText(delivery)),
    )
  } catch (error) {
    await record(app, delivery, { reason: reasonOf(error) })
    throw error
  }
  await record(app, delivery, { delivered_at: app.clock.now(), reason: null })
}

/** A file that is there already must be this one. */
async function storeFile(path: string, content: string): Promise<void> {
  if (await createFile(path, content)) return
  if ((await readFile(path, 'utf8')) !== content)
    throw new Error(`${path} is there already, and is another head`)
}

async function sendMails(app: DeliveryApp): Promise<void> {
  const { mailer, clock, log } = app
  if (mailer === undefined) return
  const now = clock.now()
  const isDue = sql`
    d.made_at > ${now - GIVE_UP_MILLISECONDS}
      and d.made_at + ${RETRY_MILLISECONDS}::bigint * (power(2, d.attempts) - 1) <= ${now}`
  for (const delivery of await deliveriesTo(app, 'MAIL', isDue)) {
    const { id: mail_id, day, workspace, recipient } = delivery
    const sent = await withFailpoints('heads.mail', recipient, () =>
      mailer.send({
        id: mail_id,
        recipient,
        subject: `Kontor: signed head of ${day}`,
        body: mailText(delivery),
      }),
    )
    if (sent.handover === 'taken') {
      await record(app, delivery, { delivered_at: clock.now(), reason: null })
      continue
    }
    const { reason } = sent
    await record(app, delivery, { reason: reason.slice(0, LONGEST_REASON) })
    log.warn({ mail_id, workspace, day, recipient, reason }, 'head not mailed yet')
  }
}

/** When the last head was made and exported, and since when the oldest one waits for its file. */
type Exported = {
  made_at: number | null
  exported_at: number | null
  waiting_since: number | null
  reason: string | null
}

export async function readExports(reader: Reader): Promise<Exported | undefined> {
  const [row] = await reader.query<Exported>(sql`
    select
      max(made_at) as made_at,
      max(delivered_at) as exported_at,
      min(made_at) filter (where delivered_at is null) as waiting_since,
      max(reason) filter (where delivered_at is null) as reason
    from head_deliveries
    where target = 'FILE'`)
  return row
}

const mailText = (delivery: Delivery): string =>
  [
    'The bookings, the events and the security log of the workspace',
    `${delivery.workspace} ended here on ${delivery.day}. Keep this mail where the`,
    'operator cannot change it. It proves later that nothing before it was rewritten:',
    'store what follows in a file that ends in .json, and run npm run verify -- --heads FOLDER.',
    '',
    exportedText(delivery),
  ].join('\n')

async function record(
  { db }: DeliveryApp,
  { workspace, number, target, recipient }: Delivery,
  outcome: Pick<DeliveryRow, 'reason'> & Partial<Pick<DeliveryRow, 'delivered_at'>>,
): Promise<void> {
  await db.query(
    updateRow(HEAD_DELIVERIES, {
      where: { workspace, number, target, recipient },
      set: { ...outcome, attempts: sql`attempts + 1` },
      by: null,
      now: 0,
    }),
  )
}

const reasonOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).slice(0, LONGEST_REASON)
