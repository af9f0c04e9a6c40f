import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { ATTACKS } from './attacks.ts'
import { optionsFrom } from './options.ts'

test('without a word all attacks are made, and a million requests by chance', () => {
  const { attacks, requests, seed, minutes } = optionsFrom([])
  assert.deepEqual([attacks, requests, minutes], [ATTACKS, 1_000_000, Infinity])
  assert.ok(Number.isSafeInteger(seed))
})

test('a word picks attacks by name or part, and the requests by chance', () => {
  const { attacks, requests } = optionsFrom(['--only', 'api7:'])
  assert.deepEqual(new Set(attacks.map(({ of }) => of)), new Set(['API7']))
  assert.equal(requests, 0)
  const chance = optionsFrom(['--only', 'chance', '--requests', '200', '--minutes', '0.5'])
  assert.deepEqual([chance.requests, chance.minutes], [200, 0.5])
})

const REFUSED: readonly [args: string[], sentence: RegExp][] = [
  [['--only', 'nothing of the kind'], /^no attack has nothing of the kind in its name or part/],
  [['--requests', 'many'], /^--requests is a whole number, not many: npm run attack/],
  [['--requests', '1.5'], /^--requests is a whole number, not 1\.5/],
  [['--seed', '-1'], /^Option '--seed' argument is ambiguous: npm run attack/],
  [['--seed=-1'], /^--seed is a whole number, not -1/],
  [['--minutes', 'NaN'], /^--minutes is a number, not NaN/],
  [['--word', 'x'], /^Unknown option '--word': npm run attack/],
  [['API1:'], /^Unexpected argument 'API1:'/],
]

test('what is not understood is refused with a sentence', () => {
  for (const [args, sentence] of REFUSED)
    assert.throws(
      () => optionsFrom(args),
      ({ message }: Error) => sentence.test(message) && !message.includes('\n'),
      args.join(' '),
    )
})

test('the command then says the sentence, attacks nothing, and ends with 2', () => {
  const program = new URL('../attack.ts', import.meta.url).pathname
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--requests', 'many'], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(stderr, /^--requests is a whole number, not many: .*\n$/)
})
