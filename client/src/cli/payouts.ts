/**
 * `kontor payouts import FILE`: pays what a CSV file lists, each reference once, however often the
 * file is run. Every line is judged before anything is sent. What is prepared stands in a journal
 * beside the file before it is submitted, and the service takes what was submitted before as done.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { addAmounts, KontorError } from '../index.ts'
import type { Client } from '../index.ts'
import { COMMON, parse } from './arguments.ts'
import type { Values } from './arguments.ts'
import { plural, tableOf } from './output.ts'
import { changedLines, linesPaidElsewhere } from './payouts-before.ts'
import { directoryOf, readPayouts } from './payouts-file.ts'
import type { Fault, Payout } from './payouts-file.ts'
import { Journal } from './payouts-journal.ts'
import type { OpenBatch } from './payouts-journal.ts'
import { Problem } from './problem.ts'
import { open } from './session.ts'
import { layoutOf, show } from './show.ts'
import type { Layout } from './show.ts'
import type { Terminal } from './terminal.ts'

const AT_ONCE = 100
/** Of each line, before a person says yes. */
const SHOWN = ['line', 'reference', 'quantity', 'asset', 'route_id', 'account_id', 'purpose']
/** Of each line of a dry run, and of each payment. */
const DRY = [...SHOWN, 'speed_level', 'client_ref', 'note', 'third_party']
const PAID = ['reference', 'withdrawal_id', 'state']
const CLOCKS_DIFFER_MILLISECONDS = 300_000

const HELP = [
  'kontor payouts import FILE.csv [--dry-run] [--yes]',
  '',
  'Required columns: reference, route, quantity. Optional ones: account, purpose, note,',
  'third_party (true, false), speed_level (SLOW, DEFAULT, FAST). Name a route by its label or id,',
  'an account also by the label of its customer. Every line is checked before anything is sent.',
  'Each reference is paid once, however often the file is run. FILE.csv.journal says what was',
  'paid: it belongs to the file. Each reference becomes the client_ref of its withdrawal. One that',
  'a withdrawal has and the journal lacks is refused.',
  '--dry-run checks and shows the lines, and sends nothing. --yes pays without asking.',
].join('\n')

type Import = {
  terminal: Terminal
  kontor: Client
  journal: Journal
  values: Values
  layout: Layout
}

export async function importPayouts(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parse(args, {
    ...COMMON,
    'dry-run': { type: 'boolean' },
    yes: { type: 'boolean', short: 'y' },
  })
  const [verb, file] = positionals
  if (values['help'] === true || verb === undefined) return terminal.print(HELP)
  if (verb !== 'import' || file === undefined || positionals.length > 2)
    throw new Problem('usage', HELP)
  const layout = layoutOf({ id: '', columns: values['dry-run'] === true ? DRY : PAID }, values)
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Problem('usage', error.message)
  })
  const { kontor, server } = await open(terminal, values)
  const { payouts, faults } = readPayouts(text, await directoryOf(kontor, text, terminal.leaving))
  if (faults.length > 0) throw refused(faults)
  const journal = await Journal.read(file, server)
  const before = [
    ...changedLines(payouts, journal),
    ...(await linesPaidElsewhere(payouts, journal, kontor, terminal.leaving)),
  ].toSorted((a, b) => a.line - b.line)
  if (before.length > 0) throw refused(before)
  await pay({ terminal, kontor, journal, values, layout }, payouts)
}

function refused(faults: readonly Fault[]): Problem {
  const lines = faults.map(({ line, text }) => `line ${line}: ${text}`)
  return new Problem('refused', [...lines, 'Nothing was sent.'].join('\n'))
}

async function pay(work: Import, payouts: readonly Payout[]): Promise<void> {
  const { journal, terminal, values } = work
  const { paid } = journal
  const due = payouts.filter(({ reference }) => !paid.has(reference))
  const before = payouts.length - due.length
  if (before > 0)
    terminal.note(
      `${before} of ${payouts.length} ${before === 1 ? 'was' : 'were'} paid by an earlier run`,
    )
  if (due.length === 0) return terminal.note('nothing is left to pay')
  const lines = due.map(({ payment, ...about }) => ({ ...about, ...payment }))
  if (values['dry-run'] === true) {
    for (const sum of sums(due)) terminal.note(sum)
    return show(lines, work.layout, terminal)
  }
  terminal.note(tableOf(lines, { columns: terminal.columns, chosen: SHOWN }))
  for (const sum of sums(due)) terminal.note(sum)
  if (values['yes'] !== true && !(await isWanted(due.length, terminal)))
    throw new Problem('refused', 'nothing was sent')
  const rows: Paid[] = []
  const begun: Prepared[] = []
  for (const batch of journal.open) {
    const some = due.filter(({ reference }) => batch.references.includes(reference))
    if (batch.batch.startsWith(`${nameOf(some)}.`)) begun.push({ batch, payouts: some })
    else rows.push(...(await resolve(work, batch)))
  }
  const known = new Set(begun.flatMap(({ batch }) => batch.references))
  const left = due.filter(({ reference }) => !known.has(reference) && !journal.paid.has(reference))
  rows.push(...(await payBatches(work, begun, left)))
  await show(rows, work.layout, terminal)
}

/**
 * What an earlier run prepared, when the file asks for something else by now: it may have been
 * submitted, and is only looked at once nothing more can come of it.
 */
async function resolve(work: Import, batch: OpenBatch): Promise<readonly Paid[]> {
  const end = Math.max(...batch.withdrawals.map(({ expires_at }) => expires_at))
  if (Date.now() < end + CLOCKS_DIFFER_MILLISECONDS)
    throw new Problem(
      'refused',
      `An earlier run prepared ${batch.references.join(', ')} otherwise, and what became of ` +
        'it is not known. Run this again after ' +
        new Date(end + CLOCKS_DIFFER_MILLISECONDS).toISOString(),
    )
  return (await submit(work, batch)) ?? []
}

const bodyOf = (payouts: readonly Payout[]) => ({
  withdrawals: payouts.map(({ payment }) => payment),
})

/** The same for the same payments, so that a repeat is one. */
const nameOf = (payouts: readonly Payout[]): string =>
  createHash('sha256')
    .update(JSON.stringify(bodyOf(payouts)))
    .digest('hex')
    .slice(0, 32)

async function isWanted(count: number, terminal: Terminal): Promise<boolean> {
  return /^y(es)?$/i.test((await terminal.ask(`Pay ${plural(count, 'payout')}? (yes/no) `)).trim())
}

function sums(payouts: readonly Payout[]): string[] {
  const routes = new Map<string, string[]>()
  for (const { asset, payment } of payouts)
    routes.set(asset, [...(routes.get(asset) ?? []), payment.quantity])
  return [...routes].map(
    ([asset, quantities]) =>
      `${asset}: ${plural(quantities.length, 'payout')}, ${addAmounts(...quantities)}`,
  )
}

type Prepared = { batch: OpenBatch; payouts: readonly Payout[] }
type Paid = { reference: string; withdrawal_id: string; state: string }

/** Prepares all before the first is submitted, so that a refusal of the last stops the first. */
async function payBatches(
  work: Import,
  begun: readonly Prepared[],
  payouts: readonly Payout[],
): Promise<Paid[]> {
  const prepared = [...begun]
  for (let first = 0; first < payouts.length; first += AT_ONCE) {
    const some = payouts.slice(first, first + AT_ONCE)
    prepared.push({ batch: await prepare(work, some), payouts: some })
  }
  const rows: Paid[] = []
  for (const { batch, payouts: some } of prepared) {
    // What an earlier run prepared may have run out meanwhile.
    let paid = await submit(work, batch)
    while (paid === undefined) paid = await submit(work, await prepare(work, some))
    rows.push(...paid)
  }
  return rows
}

async function prepare(
  { kontor, journal, terminal }: Import,
  payouts: readonly Payout[],
): Promise<OpenBatch> {
  const body = bodyOf(payouts)
  const base = nameOf(payouts)
  const batch = `${base}.${journal.expired(base) + 1}`
  try {
    const withdrawals = await kontor.post('/treasury/withdrawals/batch/prepare', {
      body,
      idempotency_key: `payouts-${batch}`,
      signal: terminal.leaving,
    })
    const references = payouts.map(({ reference }) => reference)
    return await journal.addPrepared({ step: 'prepared', batch, references, withdrawals })
  } catch (error) {
    throw error instanceof KontorError ? byLine(error, payouts) : error
  }
}

/** The service names payments by their place in the request, people by their line. */
function byLine(error: KontorError, payouts: readonly Payout[]): Error {
  const faults = error.error_details.flatMap(({ path, message, code }) => {
    const [, place, field = ''] = /^withdrawals\[(\d+)\]\.?(.*)$/.exec(path) ?? []
    const payout = place === undefined ? undefined : payouts[Number(place)]
    const about = field === '' ? '' : `${field}: `
    return payout === undefined ? [] : [{ line: payout.line, text: `${about}${message} (${code})` }]
  })
  return faults.length === 0 ? error : refused(faults)
}

/** Undefined when the time was over in which it could be submitted. */
async function submit(
  { kontor, journal }: Import,
  { batch, references, withdrawals }: OpenBatch,
): Promise<Paid[] | undefined> {
  try {
    const made = await kontor.post('/treasury/withdrawals/batch/submit', {
      body: { withdrawals },
      idempotency_key: `payouts-submit-${batch}`,
    })
    await journal.add({ step: 'submitted', batch, references, ids: made.map(({ id }) => id) })
    return made.map(({ id, state, client_ref }) => ({
      reference: client_ref ?? '',
      withdrawal_id: id,
      state,
    }))
  } catch (error) {
    if (!isExpired(error)) throw error
    await journal.add({ step: 'expired', batch, references })
    return undefined
  }
}

const isExpired = (error: unknown): boolean =>
  error instanceof KontorError &&
  error.detail('STATE_NOT_ALLOWED')?.path.endsWith('.expires_at') === true
