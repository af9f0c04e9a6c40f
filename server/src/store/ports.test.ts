import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { freePort, isPortFree } from './ports.ts'

test(
  'a port is given to one process only, also before that one listens there',
  { skip: process.platform === 'linux' ? false : 'other systems know no names without files' },
  async () => {
    let first = await freePort()
    while (!(await isPortFree(first + 1))) first = await freePort()
    const two = { from: first, to: first + 2 }
    const ports = new URL('./ports.ts', import.meta.url).href
    const elsewhere = execFileSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `const { freePort } = await import(${JSON.stringify(ports)})
        console.log(await freePort(${JSON.stringify(two)}))`,
      ],
      { encoding: 'utf8' },
    )
    assert.equal(Number(elsewhere), first + 1)
    assert.ok(await isPortFree(first))
    assert.equal(await freePort(two), first + 1, 'it went with its process')
  },
)
