/**
 * Chains of hashes over rows that are only ever added. They are made in batches after the rows, so
 * they cost whoever writes the rows nothing. The hash of a batch is SHA-256 over the hash before it
 * and a line of JSON for each of its rows, in their sequence. Anyone who has the rows can recompute
 * it.
 *
 * What may have to be erased one day stands in its line as a digest. An erased value leaves its
 * digest in its place (`erasedValue`), and the chain stays whole.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { digestOf } from '../core/erased.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from './db.ts'
import { insertRow, tableOf } from './rows.ts'
import { raw, sql } from './sql.ts'

/** Where a chain ends: its last batch, and the last row in it. */
export type ChainEnd = { batch_no: number; sequence: number; hash: string }

export const CHAIN_START: ChainEnd = { batch_no: 0, sequence: 0, hash: '0'.repeat(64) }

/** A row as it is hashed. */
export type ChainedLine = { sequence: number; line: string }

/** Rows above `after` and not above `upto`, in their sequence; all of them without a limit. */
type ChainRange = { after: number; upto: number; limit?: number }

/** The table of the batches of a chain. */
export const batchesIn = (name: string) =>
  tableOf(
    name,
    Type.Object({
      workspace: Type.Unsafe<WorkspaceId>({ 'x-column': 'uuid' }),
      batch_no: Type.Integer(),
      last_sequence: Type.Integer(),
      entries: Type.Integer(),
      previous_hash: Type.String(),
      hash: Type.String(),
      made_at: Type.Integer(),
    }),
  )

export type Chain = {
  batches: ReturnType<typeof batchesIn>
  /** As faults call it. */
  name: string
  lines(reader: Reader, workspace: WorkspaceId, range: ChainRange): Promise<ChainedLine[]>
}

type Batch = ChainEnd & { previous_hash: string; entries: number }

const BATCHES_AT_ONCE = 500
const LINES_AT_ONCE = 2000

export async function endOfChain(
  reader: Reader,
  { batches }: Chain,
  workspace: WorkspaceId,
): Promise<ChainEnd> {
  const [end] = await reader.query<ChainEnd>(sql`
    select batch_no, last_sequence as sequence, hash
    from ${raw(batches.name)}
    where workspace = ${workspace}
    order by batch_no desc
    limit 1`)
  return end ?? CHAIN_START
}

/** Answers the new end; undefined when another process has added this batch. */
export async function addBatch(
  reader: Reader,
  { batches }: Chain,
  { workspace, now, end }: { workspace: WorkspaceId; now: number; end: ChainEnd },
  lines: readonly ChainedLine[],
): Promise<ChainEnd | undefined> {
  const added: ChainEnd = {
    batch_no: end.batch_no + 1,
    sequence: lines.at(-1)?.sequence ?? end.sequence,
    hash: hashAfter(end.hash, lines),
  }
  const row = {
    workspace,
    batch_no: added.batch_no,
    last_sequence: added.sequence,
    entries: lines.length,
    previous_hash: end.hash,
    hash: added.hash,
    made_at: now,
  }
  const rows = await reader.query(sql`
    ${insertRow(batches, row, { by: null, now })}
    on conflict do nothing
    returning 1`)
  return rows.length === 0 ? undefined : added
}

function hashAfter(previous: string, lines: readonly ChainedLine[]): string {
  const sum = createHash('sha256').update(Buffer.from(previous, 'hex'))
  for (const { line } of lines) sum.update(line).update('\n')
  return sum.digest('hex')
}

type Verifying = {
  /** Where an earlier verification ended: what lies before is not read again. */
  after?: ChainEnd | undefined
  fault(text: string): void
}

/** Recomputes the chain from the rows, in short statements; answers where it ends. */
export async function verifyChain(
  reader: Reader,
  chain: Chain,
  workspace: WorkspaceId,
  { after = CHAIN_START, fault }: Verifying,
): Promise<ChainEnd> {
  await checkKnown(reader, chain, workspace, { after, fault })
  let end = after
  for (;;) {
    const batches = await batchesAfter(reader, chain, workspace, end.batch_no)
    for (const group of groupsOf(batches)) {
      const upto = group.at(-1)?.sequence ?? end.sequence
      const lines = await chain.lines(reader, workspace, { after: end.sequence, upto })
      for (const batch of group) {
        const { sequence: last } = end
        const own = lines.filter(({ sequence }) => sequence > last && sequence <= batch.sequence)
        for (const text of faultsOf(batch, end, own)) fault(`${text} of the chain of ${chain.name}`)
        end = { batch_no: batch.batch_no, sequence: batch.sequence, hash: batch.hash }
      }
    }
    if (batches.length < BATCHES_AT_ONCE) return end
  }
}

/** Who rewrites the chain rewrites the hash that was verified before. */
async function checkKnown(
  reader: Reader,
  { batches, name }: Chain,
  workspace: WorkspaceId,
  { after, fault }: Required<Verifying>,
): Promise<void> {
  if (after === undefined || after.batch_no === 0) return
  const [batch] = await reader.query<{ hash: string }>(sql`
    select hash
    from ${raw(batches.name)}
    where workspace = ${workspace}
      and batch_no = ${after.batch_no}`)
  const found = batch?.hash ?? 'none'
  if (found !== after.hash)
    fault(
      `batch ${after.batch_no} of the chain of ${name} was verified with hash ${after.hash}, ` +
        `and now has ${found}`,
    )
}

function batchesAfter(
  reader: Reader,
  { batches }: Chain,
  workspace: WorkspaceId,
  batch_no: number,
): Promise<Batch[]> {
  return reader.query<Batch>(sql`
    select batch_no, last_sequence as sequence, entries, previous_hash, hash
    from ${raw(batches.name)}
    where workspace = ${workspace}
      and batch_no > ${batch_no}
    order by batch_no
    limit ${BATCHES_AT_ONCE}`)
}

/** Batches that follow each other, so many that their rows fit in memory. */
function groupsOf(batches: readonly Batch[]): Batch[][] {
  const groups: Batch[][] = []
  let lines = LINES_AT_ONCE
  for (const batch of batches) {
    const group = groups.at(-1)
    if (group === undefined || lines + batch.entries > LINES_AT_ONCE) {
      groups.push([batch])
      lines = batch.entries
    } else {
      group.push(batch)
      lines += batch.entries
    }
  }
  return groups
}

function* faultsOf(batch: Batch, end: ChainEnd, lines: readonly ChainedLine[]): Generator<string> {
  const { batch_no, sequence, previous_hash, hash, entries } = batch
  if (batch_no !== end.batch_no + 1) yield `batch ${end.batch_no + 1} is missing`
  if (previous_hash !== end.hash) yield `batch ${batch_no} does not follow the hash before it`
  if (lines.length !== entries || hashAfter(previous_hash, lines) !== hash)
    yield `batch ${batch_no} (${end.sequence + 1} to ${sequence}) does not match its hash`
}

/** Of each field of an object. */
export function digestsOf(row_id: string, fields: object): Record<string, string> {
  const names = Object.keys(fields).toSorted()
  const values = fields as Readonly<Record<string, unknown>>
  return Object.fromEntries(names.map((name) => [name, digestOf(row_id, name, values[name])]))
}
