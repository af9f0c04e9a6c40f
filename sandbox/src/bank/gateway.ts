/**
 * The file exchange with the bank's customer. `outbox` is where the customer puts pain.001 files
 * (whole, by rename); the bank moves each file it has taken to `outbox/done`. `inbox` is where
 * the bank puts its messages: numbered in the order they are written, each by rename, never
 * changed afterwards.
 *
 * A message is a stored row first, in the commit that causes it, and a file after that: a killed
 * bank writes what is missing.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { validateXML } from 'xmllint-wasm'
import type { World } from '../world.ts'
import { readPaymentFile, type PaymentFile, type Refusal } from './payments.ts'

const FILE_LIMIT_BYTES = 1_000_000
/** How long the bank does not look after a DOWN fault that names no delay. */
const DOWN_MILLISECONDS = 1000

export type Gateway = {
  /** Stores a message to be written at `due_at`; inside a commit. */
  post(kind: 'pain.002' | 'camt.053' | 'camt.054', content: string, due_at: number): void
  /** A reference for the next message. */
  nextId(): string
  /** Writes every message that is due. */
  flush(now: number): void
  /** Takes what lies in the outbox, one file after the other; one run at a time. */
  scan(): Promise<void>
}

export type TakenFault =
  | { kind: 'REFUSE' | 'TIMEOUT_AFTER_ACCEPT' | 'LATE' | 'TWICE'; delay_ms: number }
  | undefined

type Take = (file: PaymentFile, fault: TakenFault) => void
type Directories = { outbox: string; done: string; inbox: string }
/** Each account has tables of its own. */
type Tables = { files: string; taken: string }

type Place = { directory: string; tables: Tables; schemas: string | undefined }

/** `take` is called inside a commit, exactly once for each file. */
export function openGateway(
  world: World,
  { directory, tables, schemas }: Place,
  take: Take,
): Gateway {
  const { db } = world
  const outbox = join(directory, 'outbox')
  const done = join(outbox, 'done')
  const inbox = join(directory, 'inbox')
  for (const folder of [done, inbox]) mkdirSync(folder, { recursive: true })
  createTables(db, tables)
  const scanOnce = openScan(world, { outbox, done, inbox, schemas, taken: tables.taken }, take)
  const insert = db.prepare(`
    insert into ${tables.files} (kind, content, due_at)
    values (?, ?, ?)`)
  const nextId = db.prepare(`
    select coalesce(max(seq), 0) + 1 as id
    from sqlite_sequence
    where name = '${tables.files}'`)
  let running: Promise<void> | undefined
  return {
    flush: openFlush(world, inbox, tables.files),
    post: (kind, content, due_at) => {
      insert.run(kind, content, due_at)
    },
    nextId: () => `M${(nextId.get() as { id: number }).id.toString().padStart(12, '0')}`,
    scan: () => {
      running ??= scanOnce().finally(() => {
        running = undefined
      })
      return running
    },
  }
}

function createTables(db: DatabaseSync, { files, taken }: Tables): void {
  db.exec(`
    create table if not exists ${files} (
      id integer primary key autoincrement,
      kind text not null,
      content text,
      due_at integer not null,
      number integer unique,
      written integer not null default 0
    );
    create index if not exists ${files}_open on ${files} (written, due_at) where written = 0;
    create table if not exists ${taken} (name text primary key);
  `)
}

type DueFile = { id: number; kind: string; content: string; number: number | null }

/** A message gets its number first, so that it is written under the same name after a kill. */
function openFlush(world: World, inbox: string, files: string): Gateway['flush'] {
  const { db } = world
  const due = db.prepare(`
    select id, kind, content, number
    from ${files}
    where written = 0
      and (number is not null or due_at <= ?)
    order by number is null, number, id
    limit 200`)
  const assign = db.prepare(`
    update ${files}
    set number = (select coalesce(max(number), 0) + 1 from ${files})
    where id = ?
    returning number`)
  const finish = db.prepare(`update ${files} set written = 1, content = null where id = ?`)
  return (now) => {
    for (const file of due.all(now) as DueFile[]) {
      const number =
        file.number ?? (world.commit(() => assign.get(file.id)) as { number: number }).number
      const name = `${number.toString().padStart(9, '0')}.${file.kind}.xml`
      if (!existsSync(join(inbox, name))) writeWhole(inbox, name, file.content)
      finish.run(file.id)
    }
  }
}

function openScan(
  world: World,
  { outbox, done, schemas, taken }: Directories & Pick<Place, 'schemas'> & Pick<Tables, 'taken'>,
  take: Take,
): () => Promise<void> {
  const { db } = world
  const takenBefore = db.prepare(`
    select 1
    from ${taken}
    where name = ?`)
  const insertTaken = db.prepare(`insert or ignore into ${taken} (name) values (?)`)
  let downUntil = 0
  return async () => {
    const names = readdirSync(outbox).filter(
      (name) => name.endsWith('.xml') && !name.startsWith('.'),
    )
    for (const name of names.toSorted()) {
      if (world.now() < downUntil) return
      const path = join(outbox, name)
      // Taken and stored, but killed before it was moved: only the move is missing.
      if (takenBefore.get(name) !== undefined && !existsSync(join(done, name))) {
        renameSync(path, join(done, name))
        continue
      }
      const fault = world.faults.take('bank', 'payment')
      if (fault?.kind === 'DOWN') {
        downUntil = world.now() + Math.max(fault.delay_ms, DOWN_MILLISECONDS)
        return
      }
      const file = await readChecked(path, schemas)
      world.commit(() => {
        take(file, fault as TakenFault)
        insertTaken.run(name)
      })
      renameSync(path, freeName(done, name))
    }
  }
}

async function readChecked(path: string, schemas: string | undefined): Promise<PaymentFile> {
  if (statSync(path).size > FILE_LIMIT_BYTES) {
    return {
      message_id: 'NOTPROVIDED',
      message_name: 'pain.001',
      refusal: { code: 'FF01', text: 'file is too large' },
      payments: [],
    }
  }
  const xml = readFileSync(path, 'utf8')
  const file = readPaymentFile(xml)
  const schema = schemas === undefined ? undefined : join(schemas, `${file.message_name}.xsd`)
  if (schema === undefined || file.message_name === 'pain.001' || !existsSync(schema)) return file
  const { valid, errors } = await validateXML({
    xml: { fileName: 'message.xml', contents: xml },
    schema: { fileName: 'schema.xsd', contents: readFileSync(schema, 'utf8') },
  })
  const refusal: Refusal = { code: 'FF01', text: errors[0]?.message ?? 'not valid by the schema' }
  return valid ? file : { ...file, refusal }
}

/** A file sent again under the same name is kept beside the first one. */
function freeName(directory: string, name: string): string {
  let path = join(directory, name)
  for (let n = 2; existsSync(path); n += 1) path = join(directory, `${name}.${n}`)
  return path
}

function writeWhole(directory: string, name: string, content: string): void {
  const hidden = join(directory, `.${name}.part`)
  writeFileSync(hidden, content, { flush: true })
  renameSync(hidden, join(directory, name))
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
