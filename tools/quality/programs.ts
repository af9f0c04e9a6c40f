/**
 * The quality programs: each puts a running Kontor to one test, takes longer than a test may, and
 * says on standard output what it found. `npm run quality` lists them, `npm run quality NAME` runs
 * one. A new one is an entry here.
 */

type QualityProgram = {
  /** The file that is run, relative to the repository. */
  file: string
  does: string
  /** On two cores. */
  takes: string
}

export const QUALITY_PROGRAMS: Readonly<Record<string, QualityProgram>> = {
  fuzz: {
    file: 'server/quality/fuzz.ts',
    does: 'drives every endpoint with requests made from its own schema',
    takes: 'minutes for 20,000 requests',
  },
  faults: {
    file: 'tools/quality/faults.ts',
    does: 'every flow against every fault; WORD … picks rows, `random` kills at random',
    takes: 'hours; `selected` minutes',
  },
  chaos: {
    file: 'tools/quality/chaos.ts',
    does: 'random flows in random storms; --minutes N --seed S',
    takes: 'the minutes that are asked for, and some to heal',
  },
  attack: {
    file: 'tools/quality/attack.ts',
    does: 'attacks a Kontor of its own: limits and the OWASP API Top 10; --only WORD picks',
    takes: 'a quarter of an hour',
  },
  promote: {
    file: 'tools/quality/promotion.ts',
    does: 'kills a primary under load and promotes its synchronous standby',
    takes: 'half a minute',
  },
  deploy: {
    file: 'tools/quality/deploy.ts',
    does: 'builds what deploy/Containerfile builds in plain folders, and runs it',
    takes: 'five minutes',
  },
  openapi: {
    file: 'tools/quality/openapi.ts',
    does: 'the OpenAPI document as a linter and three generators of clients read it',
    takes: 'two minutes, most of it for the download of these',
  },
  day: {
    file: 'tools/quality/day.ts',
    does: "plays a customer's day against the running Kontor",
    takes: 'a minute',
  },
  bench: {
    file: 'tools/quality/bench.ts',
    does: 'rates beside bare SQL; NAME picks what is measured',
    takes: 'minutes each, `lists` an hour',
  },
  against: {
    file: 'tools/quality/against.ts',
    does: "bookings or `withdrawals` beside another checkout's, in turns; FOLDER names it",
    takes: 'five minutes',
  },
  peers: {
    file: 'bench/peers/main.ts',
    does: 'bookings beside those of other ledgers, in turns; FOLDER has their programs',
    takes: 'a quarter of an hour',
  },
  figures: {
    file: 'console/testing/figures.ts',
    does: 'weight and speed of the console; pages, scroll or memory alone',
    takes: 'more than an hour',
  },
  screenshots: {
    file: 'console/testing/screenshots.ts',
    does: 'every page of the console as a picture; NAME picks',
    takes: 'minutes',
  },
  memory: {
    file: 'tools/quality/memory.mjs',
    does: 'memory of the running Kontor, process by process',
    takes: 'a second',
  },
}

/** The list that `npm run quality` shows. */
export function listOfPrograms(): string {
  const width = Math.max(...Object.keys(QUALITY_PROGRAMS).map((name) => name.length))
  const lines = Object.entries(QUALITY_PROGRAMS).map(
    ([name, { does, takes }]) => `  ${name.padEnd(width)}  ${does} (${takes})`,
  )
  return ['npm run quality NAME [arguments]', '', ...lines, ''].join('\n')
}
