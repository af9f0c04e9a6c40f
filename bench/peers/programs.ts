/** Programs that are started, asked until they answer, and ended. */
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const START_LIMIT_MS = 120_000
const END_LIMIT_MS = 20_000
const LOOK_MS = 100

type Command = {
  program: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Its working folder; its log is kept there. */
  folder: string
}

export type Program = { process: ChildProcess; log: string; end(): Promise<void> }

/** Runs a program to its end and answers what it wrote. */
export async function output(
  program: string,
  args: readonly string[],
  folder?: string,
): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, {
    maxBuffer: 1 << 26,
    ...(folder === undefined ? {} : { cwd: folder }),
  })
  return `${stdout}${stderr}`
}

/** Only what is named reaches it of this environment, so that no setting of the caller does. */
export async function startProgram(name: string, command: Command): Promise<Program> {
  const log = join(command.folder, `${name}.log`)
  const file = await open(log, 'a')
  const child = spawn(command.program, command.args, {
    cwd: command.folder,
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', ...command.env },
    stdio: ['ignore', file.fd, file.fd],
  })
  await once(child, 'spawn')
  await file.close()
  return { process: child, log, end: () => endProgram(child) }
}

async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
  await exited
  clearTimeout(timer)
}

/** Asks until there is an answer; a program that has ended meanwhile gives none. */
export async function answering(
  { process: child, log }: Program,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS
  while (!(await isThere())) {
    if (child.exitCode !== null || performance.now() > limit)
      throw new Error(`${child.spawnfile} does not answer; ${log} says why`)
    await pause(LOOK_MS)
  }
}

export const isAnswered = (url: string): Promise<boolean> =>
  fetch(url).then(
    (answer) => answer.ok,
    () => false, // it does not listen yet
  )

/** Answers the JSON of a call that must succeed. */
export async function call<Data>(url: string, body: object): Promise<Data> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${url}: ${answer.status} ${await answer.text()}`)
  return (answer.status === 204 ? undefined : await answer.json()) as Data
}
