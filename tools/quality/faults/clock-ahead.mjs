// Loaded before a program (NODE_OPTIONS=--import): its time is KONTOR_AHEAD_MS ahead, so that an
// hour passes at once. Who is to be killed leaves what it has compiled to its successor before
// (NODE_COMPILE_CACHE): starting again costs half then.
import { flushCompileCache } from 'node:module'

const ahead = Number(process.env['KONTOR_AHEAD_MS'] ?? 0)
const Real = Date

globalThis.Date = /** @type {DateConstructor} */ (
  /** @type {unknown} */ (
    class extends Real {
      /** @param {unknown[]} given */
      constructor(...given) {
        super(.../** @type {[number]} */ (given.length === 0 ? [Real.now() + ahead] : given))
      }

      /** @override */
      static now() {
        return Real.now() + ahead
      }
    }
  )
)

const COMPILED_AFTER_MILLISECONDS = 3_000
setTimeout(flushCompileCache, COMPILED_AFTER_MILLISECONDS).unref()
