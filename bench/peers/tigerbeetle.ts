/**
 * TigerBeetle 0.17 with the load that comes with it, `tigerbeetle benchmark`: one replica on a file
 * of its own, written with O_DIRECT and O_DSYNC. It is bounded by a number of transfers instead of
 * by time.
 */
import { join } from 'node:path'
import { ACCOUNTS } from './peer.ts'
import type { Load, Peer } from './peer.ts'
import { output } from './programs.ts'

/** `per_second` is a guess; from it comes how many transfers are to be made. */
const SHAPES = [
  { name: 'alone, random accounts', clients: 1, batch: 1, per_second: 1500 },
  { name: '32 clients, random accounts', clients: 32, batch: 1, per_second: 1500 },
  { name: '32 clients, one busy account', clients: 32, batch: 1, per_second: 1500, is_busy: true },
  { name: 'batches of 64, random accounts', clients: 1, batch: 64, per_second: 40_000 },
  { name: 'batches of 8,189, random accounts', clients: 1, batch: 8189, per_second: 300_000 },
]

type Shape = (typeof SHAPES)[number]

export const tigerbeetle = (programs: string): Peer => ({
  name: 'TigerBeetle',
  start: async (folder) => ({
    loads: SHAPES.map((shape) => loadOf(join(programs, 'tigerbeetle'), folder, shape)),
    warmUp: async () => {},
    end: async () => {},
  }),
})

/** Each load has a replica of its own. */
const loadOf =
  (program: string, folder: string, shape: Shape): Load =>
  async (seconds) => {
    const said = await output(program, argsOf(shape, seconds), folder)
    const rate = /load accepted = (\d+) tx\/s/.exec(said)?.[1]
    if (rate === undefined) throw new Error(`tigerbeetle did not say its rate:\n${said}`)
    return [{ name: shape.name, rate: Number(rate), failed_share: 0 }]
  }

const argsOf = ({ clients, batch, per_second, is_busy }: Shape, seconds: number): string[] => [
  'benchmark',
  `--account-count=${ACCOUNTS}`,
  `--transfer-count=${per_second * seconds}`,
  `--transfer-batch-count=${batch}`,
  `--clients=${clients}`,
  '--query-count=0',
  ...(is_busy === true ? ['--account-count-hot=1', '--transfer-hot-percent=100'] : []),
]
