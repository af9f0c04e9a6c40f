#!/usr/bin/env node
/** The program `kontor`. */
import { createInterface } from 'node:readline/promises'
import type { Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from './run.ts'
import type { Terminal } from './terminal.ts'

const WIDE = 120

const leaving = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    leaving.abort()
  })
// Whoever reads the answer may have enough of it: `kontor … | head`.
let isHeard = true
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  isHeard = false
  leaving.abort()
})

async function write(words: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.write(words, () => {
      resolve()
    })
  })
}

// One reader of what is piped: another would miss what the first has taken with its line.
let piped: Interface | undefined
let pipedLines: AsyncIterator<string> | undefined

async function pipedLine(): Promise<string> {
  piped ??= createInterface({ input: process.stdin })
  pipedLines ??= piped[Symbol.asyncIterator]()
  const line = await pipedLines.next()
  return line.done === true ? '' : line.value
}

async function ask(question: string, secret = false): Promise<string> {
  if (!process.stdin.isTTY) return pipedLine()
  process.stderr.write(question)
  // What a terminal echoes of a secret goes nowhere.
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const reader = createInterface({
    input: process.stdin,
    output: secret ? silent : process.stderr,
    terminal: true,
  })
  try {
    return await new Promise<string>((resolve) => {
      reader.once('line', resolve)
      reader.once('close', () => {
        resolve('')
      })
    })
  } finally {
    reader.close()
    if (secret) process.stderr.write('\n')
  }
}

const terminal: Terminal = {
  env: process.env,
  write,
  print: (line) => write(`${line}\n`),
  note: (line) => {
    process.stderr.write(`${line}\n`)
  },
  input: () => text(process.stdin),
  lines: () => createInterface({ input: process.stdin, signal: leaving.signal }),
  ask,
  columns: process.stdout.isTTY ? process.stdout.columns : WIDE,
  leaving: leaving.signal,
}

const exit = await run(process.argv.slice(2), terminal)
// An input that stays open would keep the program.
piped?.close()
process.exitCode = isHeard ? exit : 0
