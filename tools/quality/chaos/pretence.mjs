// Loaded before a program (NODE_OPTIONS=--import): what the file CHAOS_PRETENCE says of its clock
// (`ahead_ms`) and of the free space of its disk (`free_mb`) is so for this program. It is looked
// at ten times a second. Times that nobody can set, such as performance.now(), stay as they are.
import { readFileSync } from 'node:fs'
import fsPromises from 'node:fs/promises'
import { flushCompileCache, syncBuiltinESMExports } from 'node:module'

const LOOK_MILLISECONDS = 100
// Who is to be killed leaves what it has compiled to its successor: starting costs half then.
const COMPILED_AFTER_MILLISECONDS = 3_000
const MEGABYTE = 1_048_576

const path = process.env['CHAOS_PRETENCE'] ?? ''
/** @type {{ ahead_ms: number, free_mb: number }} */
let pretence = { ahead_ms: 0, free_mb: 0 }
pretence = look()

/** @returns {{ ahead_ms: number, free_mb: number }} */
function look() {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return pretence // it is being written
  }
}
setInterval(() => {
  pretence = look()
}, LOOK_MILLISECONDS).unref()

const Real = Date
globalThis.Date = /** @type {DateConstructor} */ (
  /** @type {unknown} */ (
    class extends Real {
      /** @param {unknown[]} given */
      constructor(...given) {
        super(
          .../** @type {[number]} */ (
            given.length === 0 ? [Real.now() + pretence.ahead_ms] : given
          ),
        )
      }

      /** @override */
      static now() {
        return Real.now() + pretence.ahead_ms
      }
    }
  )
)

const { statfs } = fsPromises
fsPromises.statfs = /** @type {typeof statfs} */ (
  /** @type {unknown} */ (
    /** @param {string} folder */
    async (folder) => {
      const { bsize } = await statfs(folder)
      return { bsize, bavail: Math.floor((pretence.free_mb * MEGABYTE) / bsize) }
    }
  )
)
syncBuiltinESMExports()

setTimeout(flushCompileCache, COMPILED_AFTER_MILLISECONDS).unref()
