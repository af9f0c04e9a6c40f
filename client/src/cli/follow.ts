/** `kontor events --follow`. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { Event } from '../index.ts'
import { COMMON, formatOf, parse } from './arguments.ts'
import { withoutControls } from './output.ts'
import { Problem } from './problem.ts'
import { open } from './session.ts'
import type { Terminal } from './terminal.ts'

const SEQUENCE = /^\d{1,15}$/

const HELP = [
  'kontor events --follow [--after SEQUENCE] [--position FILE] [--type A,B] [--resource-id ID]',
  '',
  'Prints events as they happen, until it is ended. Begins after the event of this sequence, or',
  'with what happens from now on. A stream that is cut is taken up after the last event.',
  'With --position it begins after the event whose sequence stands in FILE, and writes there the',
  'sequence of each event that it has printed: run again, it goes on where it ended.',
  '--format json prints one event a line.',
].join('\n')

export async function followEvents(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parse(args, {
    ...COMMON,
    after: { type: 'string' },
    position: { type: 'string' },
    type: { type: 'string' },
    'resource-id': { type: 'string' },
  })
  if (values['help'] === true) return terminal.print(HELP)
  if (positionals.length > 0) throw new Problem('usage', `not understood: ${positionals.join(' ')}`)
  const format = formatOf(values)
  if (values['columns'] !== undefined)
    throw new Problem('usage', 'events have no columns: --format json prints every field')
  if (format === 'csv') throw new Problem('usage', 'events are followed as a table or as json')
  const { position, type, 'resource-id': resource_id } = values
  const file = typeof position === 'string' ? position : undefined
  const after = values['after'] ?? (await sequenceIn(file))
  if (after !== undefined && !SEQUENCE.test(String(after)))
    throw new Problem('usage', '--after is the sequence of an event')
  const { kontor } = await open(terminal, values)
  const events = kontor.events({
    signal: terminal.leaving,
    ...(after === undefined ? {} : { after: Number(after) }),
    ...(type === undefined ? {} : { type: String(type) as never }),
    ...(resource_id === undefined ? {} : { resource_id: String(resource_id) }),
  })
  for await (const event of events) {
    await terminal.print(format === 'json' ? JSON.stringify(event) : lineOf(event))
    if (file !== undefined) await keep(file, event.sequence)
  }
}

/** Undefined at the first time, when the file is not there. */
async function sequenceIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Problem('usage', error.message)
  })
  if (text !== undefined && !SEQUENCE.test(text.trim()))
    throw new Problem('usage', `${file} is not the position of an earlier run`)
  return text?.trim()
}

/** Whole or not at all: a program that is killed may print an event again, and misses none. */
async function keep(file: string, sequence: number): Promise<void> {
  await writeFile(`${file}.new`, `${sequence}\n`)
  await rename(`${file}.new`, file)
}

function lineOf({ sequence, occurred_at, type, resource_id, data }: Event): string {
  const time = new Date(occurred_at).toISOString()
  const told = Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')
  return withoutControls(`${sequence}  ${time}  ${type}  ${resource_id}  ${told}`)
}
