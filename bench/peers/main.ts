/**
 * `npm run quality peers FOLDER`: Kontor beside the ledgers that people would choose instead, on
 * the same cores, each started on an empty folder for its turn and ended before the next one's.
 * Several rounds of short loads; prints the median of each, and the median of its ratios to the
 * rate of Kontor in the same round.
 *
 * FOLDER has the programs of the others: `formance`, `blnk`, `tigerbeetle`. Nothing of them comes
 * with Kontor. Who is missing is named and left out. wrk, redis-server and redis-cli are found by
 * PATH.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { blnk, queuedBlnk } from './blnk.ts'
import { formance } from './formance.ts'
import { kontor } from './kontor.ts'
import type { Measured, Peer } from './peer.ts'
import { tableOf } from './table.ts'
import { tigerbeetle } from './tigerbeetle.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8)

const OTHERS: readonly { program: string; peers(programs: string): Peer[] }[] = [
  { program: 'formance', peers: (programs) => [formance(programs)] },
  { program: 'blnk', peers: (programs) => [blnk(programs), queuedBlnk(programs)] },
  { program: 'tigerbeetle', peers: (programs) => [tigerbeetle(programs)] },
]

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** `measured` gets each load as it ends. */
async function takeTurn(peer: Peer, measured: Measured[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-peers-'))
  // PostgreSQL runs as another user.
  await chmod(folder, 0o711)
  try {
    const running = await peer.start(folder)
    try {
      await running.warmUp()
      for (const load of running.loads) measured.push(...(await load(SECONDS)))
    } finally {
      await running.end()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Who cannot be measured is named and left out of the round; the others go on. */
async function takeRound(peers: readonly Peer[]): Promise<Map<string, Measured[]>> {
  const round = new Map<string, Measured[]>()
  for (const peer of peers) {
    const measured: Measured[] = []
    round.set(peer.name, measured)
    try {
      await takeTurn(peer, measured)
    } catch (error) {
      say(`${peer.name}: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
    }
    for (const { name, rate, failed_share } of measured)
      say(`${peer.name}: ${name}: ${rate.toFixed(0)}, failed ${failed_share.toFixed(3)}`)
  }
  return round
}

const folder = process.argv[2]
if (folder === undefined) {
  process.stderr.write('npm run quality peers FOLDER: name the folder of the other programs\n')
  process.exit(2)
}
const programs = resolve(folder)
const here = OTHERS.filter(({ program }) => existsSync(join(programs, program)))
for (const { program } of OTHERS)
  if (!here.some((other) => other.program === program)) say(`${programs} has no ${program}`)
const peers = [kontor, ...here.flatMap((other) => other.peers(programs))]
const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
say(`${new Date().toISOString()}, load average ${load()}`)
const rounds: Map<string, Measured[]>[] = []
for (let round = 1; round <= ROUNDS; round += 1) {
  say(`round ${round}`)
  rounds.push(await takeRound(peers))
}
say(`${new Date().toISOString()}, load average ${load()}\n`)
say(tableOf(kontor.name, rounds))
