// Loaded before a program (NODE_OPTIONS=--import): its time is KONTOR_AHEAD_MS ahead, so that an hour passes at once.
const ahead = Number(process.env['KONTOR_AHEAD_MS'] ?? 0)
const Real = Date

globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (class extends Real {
  /** @param {unknown[]} given */
  constructor(...given) {
    super(.../** @type {[number]} */ (given.length === 0 ? [Real.now() + ahead] : given))
  }

  /** @override */
  static now() {
    return Real.now() + ahead
  }
}))
